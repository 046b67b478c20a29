"""One thread that calls functions at their time: a timer for each statement would cost more than the
statement."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


class _Timer:
    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._dead: set[int] = set()
        self._count = itertools.count()
        self._thread: threading.Thread | None = None

    def at(self, seconds: float, call: Callable[[], None]) -> int:
        with self._wake:
            ticket = next(self._count)
            heapq.heappush(self._due, (time.monotonic() + seconds, ticket, call))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sql-timer", daemon=True)
                self._thread.start()
            if self._due[0][1] == ticket:
                self._wake.notify()
            return ticket

    def forget(self, ticket: int) -> None:
        with self._wake:
            self._dead.add(ticket)

    def _run(self) -> None:
        while True:
            call = self._next()
            if call is not None:
                call()

    def _next(self) -> Callable[[], None] | None:
        with self._wake:
            while self._due and self._due[0][1] in self._dead:
                self._dead.discard(heapq.heappop(self._due)[1])
            if not self._due:
                self._dead.clear()
                self._wake.wait()
                return None
            left = self._due[0][0] - time.monotonic()
            if left > 0:
                self._wake.wait(left)
                return None
            return heapq.heappop(self._due)[2]


_timer = _Timer()


def after(seconds: float, call: Callable[[], None]) -> None:
    """Calls `call` in the timer's thread after `seconds`."""
    _timer.at(seconds, call)


@contextmanager
def calling(seconds: float, call: Callable[[], None]) -> Generator[None]:
    """Calls `call` in the timer's thread when the block takes longer than `seconds`."""
    ticket = _timer.at(seconds, call)
    try:
        yield
    finally:
        _timer.forget(ticket)
