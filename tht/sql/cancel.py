"""A way to stop a running statement from another thread."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from contracts.errors import Code, Fault


class Cancel:
    """Set once, from any thread; an engine registers the function that interrupts its statement.

    The function is called in the thread that calls `set()` and must not raise.

    `told` hears on which of the server's connections the statement runs, where the server does not see by
    itself that a client died: so somebody else can end it when this process is killed.
    """

    def __init__(self, told: Callable[[int], None] | None = None) -> None:
        self.told = told
        self._lock = threading.Lock()
        self._set = False
        self._interrupts: list[Callable[[], None]] = []

    def set(self) -> None:
        """Stop what runs, now and later. Idempotent."""
        with self._lock:
            self._set = True
            interrupts = list(self._interrupts)
        for interrupt in interrupts:
            interrupt()

    @property
    def is_set(self) -> bool:
        """True after `set()`."""
        return self._set

    def raise_if_set(self) -> None:
        """Raises Fault CANCELLED after `set()`."""
        if self._set:
            raise Fault(Code.CANCELLED, "the statement was cancelled")

    @contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Generator[None]:
        """While inside, `set()` calls `interrupt`; at once when it was set before."""
        with self._lock:
            self._interrupts.append(interrupt)
            already = self._set
        try:
            if already:
                interrupt()
            yield
        finally:
            with self._lock:
                self._interrupts.remove(interrupt)
