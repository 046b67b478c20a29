"""Which workspace a call is about and how long it may take, without reading the same files again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tht import sessions
from tht.home import Home
from tht.workspaces import load_workspace

_SESSION_CACHE = 4096


@dataclass(frozen=True, slots=True)
class Database:
    """The workspace of a call."""

    workspace: str
    timeout_s: float
    """Seconds a statement may run there."""


class Databases:
    """Workspaces by name and by session. A workspace file that changes is read again; the workspace of a
    session never changes."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._of_session: dict[str, str] = {}
        self._timeouts: dict[str, tuple[tuple[int, int], float]] = {}

    def of_session(self, session_id: str) -> Database:
        """The database of a session. Raises Fault NOT_FOUND, and WORKSPACE_BROKEN for an unusable file."""
        name = self._of_session.get(session_id)
        if name is None:
            document: dict[str, Any] = sessions.show(self._home, session_id)
            name = str(document["workspace"])
            if len(self._of_session) >= _SESSION_CACHE:
                self._of_session.clear()
            self._of_session[session_id] = name
        return self.of_workspace(name)

    def of_workspace(self, name: str) -> Database:
        """The database of a workspace. Raises as `of_session`."""
        stamp = _stamp(self._home.workspaces / f"{name}.yaml")
        known = self._timeouts.get(name)
        if known is not None and stamp is not None and known[0] == stamp:
            return Database(name, known[1])
        timeout = load_workspace(self._home, name).limits.timeout_s
        if stamp is not None:
            self._timeouts[name] = (stamp, timeout)
        return Database(name, timeout)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
