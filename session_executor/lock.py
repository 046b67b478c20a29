"""One run of a plan at a time, also across crashes.

The lock is an flock on a file that carries the owner's process. Child processes inherit the descriptor, so
after a `kill -9` the lock stays taken until the orphaned git or Pi has ended, and a new run never works in a
directory that an orphan still writes to.
"""

import fcntl
import json
import os
import time
from pathlib import Path

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import PRIVATE_FILE

_ORPHAN_PATIENCE_S = 30.0
_OWNER_PATIENCE_S = 1.0
_POLL_S = 0.02


class PlanLock:
    """A held lock; `release` removes its file."""

    def __init__(self, path: str, descriptor: int) -> None:
        self._path = path
        self.descriptor = descriptor

    @classmethod
    def acquire(cls, path: str) -> "PlanLock":
        """Take the lock, waiting only for orphans of a dead owner.

        Raises ExecutorError OUTPUT_EXISTS when another process runs the plan.
        """
        started = time.monotonic()
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_FILE)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = _read_owner(descriptor)
                os.close(descriptor)
                _refuse_or_wait(owner, time.monotonic() - started)
                continue
            if _is_current(path, descriptor):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, json.dumps(_identity(os.getpid())).encode(), 0)
                return cls(path, descriptor)
            os.close(descriptor)

    def release(self) -> None:
        """Remove the file while the lock is still held, then let go."""
        Path(self._path).unlink(missing_ok=True)
        os.close(self.descriptor)


def is_locked(path: str) -> bool:
    """True while some process holds the lock at `path`."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _refuse_or_wait(owner: dict[str, object] | None, waited: float) -> None:
    alive = owner is not None and _identity(owner.get("pid")) == owner
    if alive and owner is not None:
        raise ExecutorError(ErrorCode.OUTPUT_EXISTS, f"the plan is being run by process {owner['pid']}")
    if waited > (_OWNER_PATIENCE_S if owner is None else _ORPHAN_PATIENCE_S):
        raise ExecutorError(ErrorCode.OUTPUT_EXISTS, "processes of an earlier run of the plan still work")
    time.sleep(_POLL_S)


def _read_owner(descriptor: int) -> dict[str, object] | None:
    try:
        return dict(json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None


def _is_current(path: str, descriptor: int) -> bool:
    try:
        there = Path(path).stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _identity(pid: object) -> dict[str, object] | None:
    """The process `pid` with its start time, so that a reused number is not taken for it; None when gone."""
    if not isinstance(pid, int):
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    try:
        stat_line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {"pid": pid, "started": ""}
    state, *rest = stat_line.rpartition(")")[2].split()
    return None if state in "ZX" else {"pid": pid, "started": rest[18]}
