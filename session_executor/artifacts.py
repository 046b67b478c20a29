"""The directory of one execution below the Git common directory: frozen inputs, journal and receipt."""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import (
    PRIVATE_DIRECTORY,
    create_file,
    private_directory,
    read_object,
    remove_tree,
    replace_json,
)
from session_executor.lock import PlanLock
from session_executor.plan import ARTIFACT_ROOT
from session_executor.worktree import WorktreePlace, remove_worktree

CACHE_DIRECTORY = ("better-harness", "cache")
"""Below the Git common directory, beside the executions."""

PLAN_FILE = "plan.json"
SOURCE_FILE = "source-session.jsonl"
SESSION_DIRECTORY = "sessions"
RECEIPT_FILE = "receipt.json"
JOURNAL_FILE = "run.json"
IGNORED_DIRECTORY = "ignored"
CHECK_FILE = "check.log"

_OURS = {
    PLAN_FILE,
    SOURCE_FILE,
    SESSION_DIRECTORY,
    RECEIPT_FILE,
    JOURNAL_FILE,
    IGNORED_DIRECTORY,
    CHECK_FILE,
}


class Artifacts:
    """The artifact directory of the plan `plan_id` in the repository with `common_dir`."""

    def __init__(self, common_dir: str, plan_id: str) -> None:
        self._common_dir = common_dir
        self.path = str(Path(common_dir, *ARTIFACT_ROOT, plan_id))

    @contextmanager
    def locked(self) -> Generator[PlanLock]:
        """Hold the plan's lock. Raises ExecutorError OUTPUT_EXISTS when another process has it."""
        private_directory(self._common_dir, *ARTIFACT_ROOT)
        lock = PlanLock.acquire(self.lock_path)
        try:
            yield lock
        finally:
            lock.release()

    @property
    def lock_path(self) -> str:
        """The lock lies beside the directory, so that it outlives its removal."""
        return f"{self.path}.lock"

    def exists(self) -> bool:
        """True when something has the name of the directory, be it a dangling symlink."""
        return Path(self.path).is_symlink() or Path(self.path).exists()

    def file(self, name: str) -> str:
        """The path of a file in the directory."""
        return str(Path(self.path, name))

    def create(self, place: WorktreePlace) -> None:
        """Make the directory and its journal. Raises ExecutorError OUTPUT_EXISTS when it is there."""
        try:
            Path(self.path).mkdir(mode=PRIVATE_DIRECTORY)
        except FileExistsError as error:
            raise ExecutorError(ErrorCode.OUTPUT_EXISTS, "the artifact directory exists") from error
        try:
            self.note(place)
        except OSError:
            remove_tree(self.path)
            raise

    def note(self, place: WorktreePlace) -> None:
        """Write down where a worktree is going to be, so that a killed run can be cleaned up."""
        create_file(self.file(JOURNAL_FILE), json.dumps(place.journal()).encode())

    def freeze(self, plan: dict[str, Any], session: bytes) -> str:
        """Write plan and session as they were checked; returns the path of the frozen session."""
        source = self.file(SOURCE_FILE)
        create_file(source, session)
        replace_json(self.file(PLAN_FILE), plan)
        private_directory(self.path, SESSION_DIRECTORY)
        return source

    def receipt(self) -> dict[str, Any] | None:
        """The receipt, None when there is none that can be read."""
        return read_object(self.file(RECEIPT_FILE))

    def plan(self) -> dict[str, Any] | None:
        """The frozen plan, None when there is none that can be read."""
        return read_object(self.file(PLAN_FILE))

    def write_receipt(self, receipt: dict[str, Any]) -> None:
        """Replace the receipt."""
        replace_json(self.file(RECEIPT_FILE), receipt)

    def keep(self, tree: str, paths: Sequence[str]) -> None:
        """Copy regular files of the worktree into `ignored/`."""
        for path in paths:
            source, target = Path(tree, path), Path(self.file(IGNORED_DIRECTORY), path)
            if source.is_symlink() or not source.is_file():
                continue
            target.parent.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
            create_file(str(target), source.read_bytes())

    def sweep(self) -> list[str]:
        """Remove what a crashed run left outside the directory, and its journal; returns warnings."""
        place = WorktreePlace.from_journal(read_object(self.file(JOURNAL_FILE)) or {})
        warnings = remove_worktree(self._common_dir, place) if place is not None else []
        if not warnings and Path(self.path).is_dir():
            Path(self.file(JOURNAL_FILE)).unlink(missing_ok=True)
            for leftover in Path(self.path).glob("*.tmp"):
                leftover.unlink()
        return warnings

    def is_only_ours(self) -> bool:
        """True for a real directory that holds nothing but what runs of this or the public tool write."""
        path = Path(self.path)
        if path.is_symlink() or not path.is_dir():
            return False
        return all(
            entry.name in _OURS or entry.name.removesuffix(".tmp") in _OURS for entry in path.iterdir()
        )

    def remove(self) -> list[str]:
        """Remove the directory; returns warnings."""
        warning = remove_tree(self.path)
        return [warning] if warning else []
