"""Which workspace a call is about, without reading the same files again."""

from typing import Any

from tht import sessions
from tht.home import Home
from tht.workspaces import Workspace, load_workspace

_SESSION_CACHE = 4096


class Databases:
    """Workspaces by name and by session. A workspace file that changes is read again; the workspace of a
    session never changes."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._of_session: dict[str, str] = {}

    def of_session(self, session_id: str) -> Workspace:
        """The workspace of a session. Raises Fault NOT_FOUND, and WORKSPACE_BROKEN for an unusable file."""
        name = self._of_session.get(session_id)
        if name is None:
            document: dict[str, Any] = sessions.show(self._home, session_id)
            name = str(document["workspace"])
            if len(self._of_session) >= _SESSION_CACHE:
                self._of_session.clear()
            self._of_session[session_id] = name
        return self.of_workspace(name)

    def of_workspace(self, name: str) -> Workspace:
        """The workspace of that name. Raises as `of_session`."""
        return load_workspace(self._home, name)
