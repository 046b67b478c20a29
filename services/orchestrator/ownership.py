"""One owner a session: an flock for as long as a child runs, and a file that names the owner."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from contracts.errors import Code, Fault
from contracts.moments import iso
from services.orchestrator.moments import now
from services.orchestrator.strays import kill_strays, start_ticks

LOCK = "live.lock"
LIVE = "live.json"


class Identified(Protocol):
    """A process, told apart from a later one with the same pid."""

    pid: int
    start_ticks: int


@dataclass(slots=True)
class Ownership:
    """Holds a session until `release`. The kernel gives the lock back when this process dies."""

    directory: Path
    _handle: int

    @classmethod
    def take(cls, directory: Path, owner: str) -> "Ownership":
        """Become the owner of the session in `directory`.

        An owner that was killed may have left its child running for some seconds: it is ended first, because
        two Pi processes on one session fork its history. Raises Fault SESSION_BUSY naming the present owner,
        NOT_FOUND without such a directory.
        """
        try:
            handle = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError as error:
            raise Fault(Code.NOT_FOUND, "there is no such session on disk") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            raise _busy(directory) from error
        ownership = cls(directory, handle)
        ownership._end_orphan()
        ownership._write({"owner": owner, "pid": os.getpid(), "started_at": iso(now())})
        return ownership

    @staticmethod
    def check_free(directory: Path) -> None:
        """Raise Fault SESSION_BUSY when another process owns the session."""
        try:
            handle = os.open(directory / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _busy(directory) from error
        finally:
            os.close(handle)

    def name_child(self, child: Identified, marker: str, generation: int) -> None:
        """Write down the child, for whoever takes the session after a crash."""
        live = _read(self.directory)
        live |= {"child_pid": child.pid, "child_start_ticks": child.start_ticks}
        live |= {"child_marker": marker, "generation": generation}
        self._write(live)

    def release(self) -> None:
        """Give the session back; may be called twice."""
        if self._handle >= 0:
            (self.directory / LIVE).unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1

    def _end_orphan(self) -> None:
        live = _read(self.directory)
        pid, ticks = live.get("child_pid"), live.get("child_start_ticks")
        if isinstance(pid, int) and pid > 1 and isinstance(ticks, int) and start_ticks(pid) == ticks:
            kill_strays(pid, str(live.get("child_marker", "")).encode() or b"\n")

    def _write(self, live: dict[str, Any]) -> None:
        path = self.directory / LIVE
        fresh = path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(live))
        fresh.replace(path)


def _read(directory: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode((directory / LIVE).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}


def _busy(directory: Path) -> Fault:
    live = _read(directory)
    owner = str(live.get("owner", "another orchestrator"))
    return Fault(
        Code.SESSION_BUSY,
        f"{owner} runs this session; close it there first",
        owner=owner,
        pid=live.get("pid"),
        started_at=live.get("started_at"),
    )
