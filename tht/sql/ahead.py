"""Work of two kinds side by side: one thread reads what another writes.

Drivers and Arrow let go of the interpreter while they work, so that reading the next rows costs little time
of its own while the last ones are turned into text.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

DEPTH = 2
"""Items that may wait to be taken."""


@dataclass(frozen=True, slots=True)
class _End:
    """After the last item; `error` is what the items ended with."""

    error: BaseException | None = None


class _Reader(Generic[T]):
    """Takes the items in a thread and hands them over."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._waiting: SimpleQueue[T | _End] = SimpleQueue()
        self._room = threading.Semaphore(DEPTH)
        self._given_up = False
        self._thread = threading.Thread(target=self._read, name="sql-reader", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        end = _End()
        try:
            for item in self._items:
                self._room.acquire()
                if self._given_up:
                    break
                self._waiting.put(item)
        except BaseException as error:
            # It is raised where the items are taken.
            end = _End(error)
        self._waiting.put(end)

    def taken(self) -> Generator[T]:
        """The items as they come. Raises what they raised."""
        while not isinstance(item := self._waiting.get(), _End):
            self._room.release()
            yield item
        if item.error is not None:
            raise item.error

    def end(self, stop: Callable[[], None]) -> None:
        """Read no more and wait for the thread."""
        self._given_up = True
        if self._thread.is_alive():
            stop()
        self._room.release()
        self._thread.join()


@contextmanager
def ahead(items: Iterator[T], stop: Callable[[], None]) -> Generator[Iterator[T]]:
    """The same items, the next of which are made in a thread while one is used.

    When the block is left before their end, `stop` is called: it must make an item that is being made fail
    soon. The thread has ended when the block has.
    """
    reader = _Reader(items)
    try:
        yield reader.taken()
    finally:
        reader.end(stop)
