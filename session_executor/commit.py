"""From the files of the worktree to one commit with one parent, and the ref that keeps it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_executor.canonical import JAVASCRIPT_BLANKS
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.git import Git
from session_executor.plan import Plan
from session_executor.worktree import Worktree

_GITLINK_MODE = "160000"
_LFS = "lfs"


@dataclass(frozen=True, slots=True)
class LostFile:
    """A file that was written but is not in the commit."""

    path: str
    size: int
    reason: str
    """`ignored` by the repository's rules, `unchanged` against the base, or below a `submodule`."""

    def document(self) -> dict[str, Any]:
        """Its line in the receipt."""
        return {"path": self.path, "bytes": self.size, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Staged:
    """What the index of the worktree holds against the base."""

    changed_paths: list[str]
    lost_files: list[LostFile]


def stage_changes(worktree: Worktree, plan: Plan, written: frozenset[str] | None) -> Staged:
    """Stage the whole worktree and check what changed.

    `written` are the paths that successful tool calls named, None when unknown. Raises ExecutorError
    BASE_MOVED, NO_CHANGES, INVALID_RUNNER_RESULT (a change that no call made, a deletion or a submodule that
    the plan does not allow) and EXECUTION_FAILED (a path whose content belongs to a filter such as LFS).
    """
    git, base = worktree.git, plan.workspace.base_commit
    if git.line("rev-parse", "HEAD") != base:
        raise ExecutorError(ErrorCode.BASE_MOVED, "the HEAD of the worktree was moved")
    git.run("add", "--all", "--", ".")
    modes = _staged_modes(git, base)
    changed = list(modes)
    lost = _lost_files(worktree, changed, written)
    if not changed:
        raise ExecutorError(ErrorCode.NO_CHANGES, _no_changes(lost))
    if written is not None and (strays := sorted(set(changed) - written)):
        message = f"changed without a successful tool call: {', '.join(strays[:5])}"
        raise ExecutorError(ErrorCode.INVALID_RUNNER_RESULT, message)
    for path, (mode, status) in modes.items():
        if mode == _GITLINK_MODE or (status == "D" and not plan.limits.allow_delete):
            what = "became a submodule" if mode == _GITLINK_MODE else "was deleted"
            raise ExecutorError(ErrorCode.INVALID_RUNNER_RESULT, f"{path} {what}, which the plan forbids")
    _refuse_filtered(git, changed)
    return Staged(changed, lost)


def _staged_modes(git: Git, base: str) -> dict[str, tuple[str, str]]:
    """New mode and status letter of every changed path, in git's order."""
    words = git.paths("diff-index", "--cached", "--no-renames", "--raw", "-z", base)
    modes: dict[str, tuple[str, str]] = {}
    for header, path in zip(words[::2], words[1::2], strict=True):
        _, mode, _, _, status = header.split(" ")
        modes[path] = (mode, status)
    return modes


def _lost_files(worktree: Worktree, changed: Sequence[str], written: frozenset[str] | None) -> list[LostFile]:
    tree = Path(worktree.place.tree)
    reasons: dict[str, str] = {}
    for path in worktree.git.paths("ls-files", "--others", "--ignored", "--exclude-standard", "-z"):
        reasons[path] = "ignored"
    for submodule in worktree.submodules():
        for directory, _, names in os.walk(tree / submodule):
            for name in names:
                reasons[str(Path(directory, name).relative_to(tree))] = "submodule"
    for path in sorted((written or frozenset()) - set(changed) - set(reasons)):
        if (tree / path).is_file():
            reasons[path] = "unchanged"
    return [LostFile(path, (tree / path).lstat().st_size, reason) for path, reason in sorted(reasons.items())]


def _no_changes(lost: Sequence[LostFile]) -> str:
    if not lost:
        return "the continuation changed no file"
    names = ", ".join(f"{file.path} ({file.reason})" for file in lost[:5])
    return f"the continuation changed nothing that can be committed: {names}"


def _refuse_filtered(git: Git, changed: Sequence[str]) -> None:
    drivers = {*git.filter_drivers(), _LFS}
    names = b"".join(os.fsencode(path) + b"\0" for path in changed)
    words = os.fsdecode(git.run("check-attr", "--cached", "-z", "--stdin", "filter", stdin=names).stdout)
    parts = words.split("\0")
    for path, value in zip(parts[::3], parts[2::3], strict=False):
        if value in drivers:
            message = f"{path} is kept by the filter {value}, which does not run here; it cannot be committed"
            raise ExecutorError(ErrorCode.EXECUTION_FAILED, message)


def commit_staged(worktree: Worktree, plan: Plan, session_id: str) -> tuple[str, str]:
    """Write the tree and a commit whose one parent is the base; returns commit and tree id."""
    tree = worktree.git.line("write-tree")
    message = commit_message(plan, session_id).encode("utf-8")
    commit = worktree.git.line("commit-tree", tree, "-p", plan.workspace.base_commit, stdin=message)
    return commit, tree


def commit_message(plan: Plan, session_id: str) -> str:
    """The plan's message and the provenance trailers."""
    checkpoint = f"{plan.checkpoint.session_id}:{plan.checkpoint.entry_id}"
    return (
        f"{plan.continuation.commit_message.strip(JAVASCRIPT_BLANKS)}\n\n"
        f"Harness-Session: {session_id}\n"
        f"Harness-Checkpoint: {checkpoint}\n"
        f"Harness-Execution-Plan: {plan.plan_id}\n"
    )


def create_ref(git: Git, ref: str, commit: str) -> None:
    """Point the new `ref` at `commit`. Raises ExecutorError OUTPUT_EXISTS when it came to exist meanwhile."""
    try:
        git.run("update-ref", "--no-deref", ref, commit, "0" * len(commit))
    except ExecutorError as error:
        found = git.ref_value(ref)
        if found == commit:
            return
        if found is not None:
            raise ExecutorError(ErrorCode.OUTPUT_EXISTS, f"the ref {ref} exists") from error
        raise
