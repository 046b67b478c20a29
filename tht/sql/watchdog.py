"""One thread that calls functions at their time: a timer for each statement would cost more than the statement."""

import heapq
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GRACE = 2.0
"""Seconds a statement may go on after its deadline before its process ends."""

_hard = threading.Event()


class _Watchdog:
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
                self._thread = threading.Thread(target=self._run, name="sql-watchdog", daemon=True)
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


_watchdog = _Watchdog()


@contextmanager
def calling(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Calls `call` in the watchdog's thread when the block takes longer than `seconds`."""
    ticket = _watchdog.at(seconds, call)
    try:
        yield
    finally:
        _watchdog.forget(ticket)


def own_process() -> None:
    """Says that this process is there for statements alone: it ends itself when one cannot be stopped.

    Neither SQLite nor DuckDB asks for an interrupt inside one scalar call, which can run for hours.
    """
    _hard.set()


@contextmanager
def hard_deadline(seconds: float) -> Iterator[None]:
    """In an `own_process` the process ends with the exit code of a timeout when the block is still there
    GRACE after `seconds`; elsewhere somebody else has to kill it."""
    if not _hard.is_set():
        yield
        return
    with calling(seconds + GRACE, lambda: _end(seconds)):
        yield


def _end(seconds: float) -> None:
    line = f"tht: timeout: the statement did not stop {GRACE:g} s after its limit of {seconds:g} s; its process was ended\n"
    os.write(sys.stderr.fileno() if sys.stderr else 2, line.encode())
    os._exit(6)
