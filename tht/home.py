"""The harness folder: where workspaces, sessions and kept results are."""

from __future__ import annotations

import os

from contracts.errors import Code, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Home:
    """Paths below one harness folder. Nothing is created by asking for a path."""

    __slots__ = ("_paths", "root")

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.fspath(root)
        self._paths: dict[str, Path] = {}

    def __repr__(self) -> str:
        return f"Home({self.root!r})"

    @property
    def workspaces(self) -> Path:
        """Folder of the workspace files, `<name>.yaml`."""
        return self._below("workspaces")

    @property
    def sessions(self) -> Path:
        """Folder of the session folders, one named after each session's id."""
        return self._below("sessions")

    @property
    def results(self) -> Path:
        """Folder of kept results; it can be deleted whenever nothing runs."""
        return self._below("results")

    def _below(self, name: str) -> Path:
        found = self._paths.get(name)
        if found is None:
            # Late, because listing sessions needs no Path and its import is a fifth of that command's start.
            from pathlib import Path

            found = self._paths[name] = Path(self.root, name)
        return found


def find_home(given: str | None = None, environment: Mapping[str, str] = os.environ) -> Home:
    """The home that `given` (`--home`) or else `$THT_HOME` names; when neither is there, the current folder
    or `harness` in it, whichever has a `workspaces` folder.

    Raises Fault INVALID_ARGUMENT when none is named and none is found, NOT_FOUND when the named folder is
    not there.
    """
    named = given or environment.get("THT_HOME")
    if named:
        if "\0" in named or not _is_folder(named):
            raise Fault(Code.NOT_FOUND, f"there is no harness folder at {named!r}; see --home and THT_HOME")
        return Home(named if named.startswith("/") else f"{os.getcwd()}/{named}")  # noqa: PTH109
    for candidate in (".", "harness"):
        if _is_folder(f"{candidate}/workspaces"):
            return find_home(candidate)
    raise Fault(Code.INVALID_ARGUMENT, "where is the harness folder? give --home DIR or set THT_HOME")


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112
