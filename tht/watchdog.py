"""The last word on time and memory: ends the process when a statement will not end.

An engine stops its own statement at the timeout. Some calls cannot be stopped from inside: one SQLite opcode
or one DuckDB scalar function can run for minutes past an interrupt (measured), and an engine's own memory
limit does not see every allocation. Then only the end of the process helps.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache

from contracts.errors import Code, Fault

GRACE_S = 4.0
"""Seconds beside the statement's timeout for connecting and for the engine to stop it itself."""
CANCEL_GRACE_S = 2.0
"""Seconds that a cancelled statement has to stop."""
TICK_S = 0.05
"""Seconds between two looks while a call is watched."""
IDLE_TICKS = 20
"""Looks without a call to watch after which the thread waits for the next one."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


def held_bytes() -> int:
    """Memory that this process alone holds now; pages of mapped files are not its own."""
    _, resident, shared, *_ = os.pread(_statm(), 256, 0).split()
    return (int(resident) - int(shared)) * _PAGE


@cache
def _statm() -> int:
    """Open for the life of the process, which never forks: it is read for every call."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


class Watchdog:
    """Watches one call at a time, with one thread for the life of the process.

    `expire` is called in that thread with the Fault to tell (TIMEOUT or OVER_CAP); it must end the process.
    `memory_cap` is the most that the process may hold, whatever a workspace allows; None: no such cap.
    """

    def __init__(self, expire: Callable[[Fault], None], memory_cap: int | None = None) -> None:
        self._expire = expire
        self._memory_cap = memory_cap
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._deadline: float | None = None
        self._seconds = 0.0
        self._memory = 0
        self._resting = False

    @contextmanager
    def guard(self, seconds: float, memory: int) -> Generator[None]:
        """While inside, at most `seconds` plus GRACE_S and at most `memory` bytes above what is held now."""
        with self._changed:
            self._seconds = seconds
            self._memory = min(held_bytes() + memory, self._memory_cap or sys.maxsize)
            self._deadline = time.monotonic() + seconds + GRACE_S
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
                self._thread.start()
            elif self._resting:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def _watch(self) -> None:
        idle = 0
        with self._changed:
            while True:
                if self._deadline is None:
                    idle += 1
                    # Calls that follow one another need not wake this thread each.
                    self._resting = idle > IDLE_TICKS
                    self._changed.wait(None if self._resting else TICK_S)
                    self._resting = False
                    continue
                idle = 0
                fault = self._exceeded(self._deadline)
                if fault:
                    self._expire(fault)
                    return
                self._changed.wait(TICK_S)

    def _exceeded(self, deadline: float) -> Fault | None:
        if time.monotonic() > deadline:
            return Fault(
                Code.TIMEOUT, f"the statement did not end {GRACE_S:g} s after its {self._seconds:g} s: killed"
            )
        if held_bytes() > self._memory:
            return Fault(Code.OVER_CAP, "the statement took more memory than the workspace allows: killed")
        return None
