"""The harness folder: where workspaces, sessions and kept results are."""

import os
from collections.abc import Mapping
from pathlib import Path

from contracts.errors import Code, Fault


class Home:
    """Paths below one harness folder. Nothing is created by asking for a path."""

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = root

    def __repr__(self) -> str:
        return f"Home({str(self.root)!r})"

    @property
    def workspaces(self) -> Path:
        """Folder of the workspace files, `<name>.yaml`."""
        return self.root / "workspaces"

    @property
    def sessions(self) -> Path:
        """Folder of the session folders, one named after each session's id."""
        return self.root / "sessions"

    @property
    def results(self) -> Path:
        """Folder of kept results; it can be deleted whenever nothing runs."""
        return self.root / "results"


def find_home(given: str | None = None, environment: Mapping[str, str] = os.environ) -> Home:
    """The home that `given` (`--home`) or else `$THT_HOME` names, or `harness` or the current folder when
    it has a `workspaces` folder.

    Raises Fault INVALID_ARGUMENT when none is named and none is found, NOT_FOUND when the named folder is
    not there.
    """
    named = given or environment.get("THT_HOME")
    if named:
        root = Path(named).absolute()
        if not root.is_dir():
            raise Fault(Code.NOT_FOUND, f"there is no harness folder at {named}; see --home and THT_HOME")
        return Home(root)
    current = Path.cwd()
    for candidate in (current, current / "harness"):
        if (candidate / "workspaces").is_dir():
            return Home(candidate)
    raise Fault(Code.INVALID_ARGUMENT, "where is the harness folder? give --home DIR or set THT_HOME")
