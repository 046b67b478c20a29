"""The detached worktree of a run, and how to remove every trace of one."""

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import PRIVATE_DIRECTORY, remove_tree
from session_executor.git import Git

_PREFIX = "session-execution-"
_GITLINK = b"160000 "


@dataclass(frozen=True, slots=True)
class WorktreePlace:
    """Names chosen before anything exists, so that a journal can hold them first."""

    temporary_root: str
    tree: str

    @classmethod
    def choose(cls) -> "WorktreePlace":
        """A fresh private place below the system's temporary directory."""
        root = Path(os.path.realpath(tempfile.gettempdir()), f"{_PREFIX}{secrets.token_hex(8)}")
        return cls(str(root), str(root / f"tree-{secrets.token_hex(8)}"))

    @classmethod
    def from_journal(cls, document: dict[str, Any]) -> "WorktreePlace | None":
        """The place in a journal, None unless it can only be one of ours."""
        root, tree = document.get("temporaryRoot"), document.get("tree")
        if not isinstance(root, str) or not isinstance(tree, str):
            return None
        if not Path(root).name.startswith(_PREFIX) or Path(tree).parent != Path(root):
            return None
        return cls(root, tree)

    def journal(self) -> dict[str, str]:
        """What `from_journal` reads."""
        return {"temporaryRoot": self.temporary_root, "tree": self.tree}


@dataclass(frozen=True, slots=True)
class Worktree:
    """A registered worktree; its git is told where everything is and never asks the tree itself."""

    place: WorktreePlace
    admin_dir: str
    git: Git

    def submodules(self) -> list[str]:
        """Paths of the submodules in the index."""
        listing = self.git.run("ls-files", "--stage", "-z").stdout
        if _GITLINK not in listing:
            return []
        entries = listing.split(b"\0")
        return [os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(_GITLINK)]


def add_worktree(
    root: str, common_dir: str, place: WorktreePlace, commit: str, inherit: tuple[int, ...]
) -> Worktree:
    """Check `commit` out at `place` without hooks, filters or sparse rules.

    Raises ExecutorError PROCESS_FAILED, also when the checkout needs objects that are not here.
    """
    Path(place.temporary_root).mkdir(mode=PRIVATE_DIRECTORY)
    git = Git(root).without_filters(inherit=inherit)
    git.run("worktree", "add", "--detach", place.tree, commit)
    admin_dir = _find_admin_dir(common_dir, place.tree)
    if admin_dir is None:
        raise ExecutorError(ErrorCode.EXECUTION_FAILED, "git made no registration for the worktree")
    inside = Git(place.tree, git_dir=admin_dir, work_tree=place.tree)
    return Worktree(place, admin_dir, inside.without_filters(inherit=inherit))


def remove_worktree(common_dir: str, place: WorktreePlace) -> list[str]:
    """Remove the tree, its registration and the temporary directory; returns warnings.

    `git worktree remove` is not used: it refuses when the tree's `.git` was changed, and `git worktree prune`
    would drop registrations of other people. Only a registration that names our tree goes.
    """
    root = Path(place.temporary_root)
    if root.exists() and not _is_own_directory(root):
        return [f"left {root} alone: it is not a directory of this user"]
    warnings = [remove_tree(place.temporary_root)]
    admin_dir = _find_admin_dir(common_dir, place.tree)
    if admin_dir is not None:
        warnings.append(remove_tree(admin_dir))
        _remove_if_empty(Path(admin_dir).parent)
    return [warning for warning in warnings if warning is not None]


def _remove_if_empty(directory: Path) -> None:
    """As git does with `worktrees`; another process may add to it at any moment."""
    with suppress(OSError):
        directory.rmdir()


def _is_own_directory(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _find_admin_dir(common_dir: str, tree: str) -> str | None:
    registrations = Path(common_dir, "worktrees")
    if not registrations.is_dir():
        return None
    wanted = os.path.normpath(f"{tree}/.git")
    for candidate in registrations.iterdir():
        try:
            named = os.fsdecode((candidate / "gitdir").read_bytes().removesuffix(b"\n"))
        except OSError:
            continue
        if os.path.normpath(candidate / named) == wanted:
            return str(candidate)
    return None
