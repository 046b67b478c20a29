"""What the runs left in a repository: list, show, compare, adopt as a branch, discard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from session_executor.artifacts import Artifacts
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.git import Git, Repository, locate_repository
from session_executor.lock import is_locked
from session_executor.plan import ARTIFACT_ROOT, PLAN_ID, REF_ROOT
from session_executor.receipt import COMPLETE, PREPARED, section

RUNNING = "running"
CRASHED = "crashed"
UNKNOWN = "unknown"
"""A ref without a readable receipt, or a receipt without its ref."""

_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class Execution:
    """One plan that has run, or runs, in a repository."""

    repository: Repository
    plan_id: str
    status: str
    """`running`, `complete`, `prepared` (run the plan again to finish it), `crashed` or `unknown`."""
    commit: str | None
    """What the ref holds."""
    receipt: dict[str, Any] | None
    plan: dict[str, Any] | None

    @property
    def ref(self) -> str:
        """The ref of the result."""
        return f"{REF_ROOT}/{self.plan_id}"

    @property
    def finished_at(self) -> str | None:
        """When the run was complete, ISO 8601."""
        value = (self.receipt or {}).get("completedAt")
        return value if isinstance(value, str) else None

    def document(self) -> dict[str, Any]:
        """A line of the list: no prompt in it."""
        plan, receipt = self.plan or {}, self.receipt or {}
        checkpoint, result = section(plan, "checkpoint"), section(receipt, "result")
        message = section(plan, "continuation").get("commitMessage")
        return {
            "planId": self.plan_id,
            "status": self.status,
            "ref": self.ref,
            "commit": self.commit,
            "baseCommit": section(plan, "workspace").get("baseCommit"),
            "sessionId": checkpoint.get("sessionId"),
            "entryId": checkpoint.get("entryId"),
            "createdAt": plan.get("createdAt"),
            "completedAt": self.finished_at,
            "changedPaths": result.get("changedPaths"),
            "subject": message.splitlines()[0] if isinstance(message, str) and message else None,
            "checkExitCode": section(receipt, "check").get("exitCode"),
        }


def list_executions(workspace: str) -> list[Execution]:
    """All executions in the repository around `workspace`, the latest plan first.

    Raises ExecutorError as `locate_repository`.
    """
    repository = locate_repository(workspace)
    commits = dict(_refs(Git(repository.root)))
    root = Path(repository.common_dir, *ARTIFACT_ROOT)
    names = {path.name for path in root.iterdir()} if root.is_dir() else set[str]()
    identifiers = {name.removesuffix(".lock") for name in names} | set(commits)
    found = [
        _inspect(repository, plan_id, commits.get(plan_id))
        for plan_id in identifiers
        if PLAN_ID.fullmatch(plan_id)
    ]
    return sorted(
        found, key=lambda one: (str((one.plan or {}).get("createdAt") or ""), one.plan_id), reverse=True
    )


def find_execution(workspace: str, name: str) -> Execution:
    """The execution with this plan id, ref or unambiguous beginning of an id (at least four digits).

    Raises ExecutorError PLAN_NOT_FOUND or INVALID_INPUT when the name is ambiguous.
    """
    wanted = name.removeprefix(f"{REF_ROOT}/").removeprefix("sep_")
    if not re.fullmatch(rf"[0-9a-f]{{{_SHORTEST_PREFIX},64}}", wanted):
        raise ExecutorError(
            ErrorCode.INVALID_INPUT, "name an execution by its plan id or the beginning of it"
        )
    found = [one for one in list_executions(workspace) if one.plan_id.startswith(f"sep_{wanted}")]
    if not found:
        raise ExecutorError(ErrorCode.PLAN_NOT_FOUND, f"there is no execution {name} in this repository")
    if len(found) > 1:
        raise ExecutorError(ErrorCode.INVALID_INPUT, f"{name} may be any of {len(found)} executions")
    return found[0]


def branches_with(execution: Execution) -> list[str]:
    """Local branches that contain the result."""
    if execution.commit is None:
        return []
    git = Git(execution.repository.root)
    listed = git.line(
        "for-each-ref", "--format=%(refname:short)", "--contains", execution.commit, "refs/heads"
    )
    return [name for name in listed.split("\n") if name]


def difference(execution: Execution, *, summary: bool, color: bool) -> bytes:
    """The change against the base as a patch, or as a summary of paths.

    Raises ExecutorError EXECUTION_INCOMPLETE when there is no result.
    """
    commit = _result(execution)
    options = ["--stat"] if summary else ["--patch"]
    options.append("--color=always" if color else "--color=never")
    git = Git(execution.repository.root)
    return git.run(
        "diff-tree", "--no-ext-diff", "--no-textconv", "-M", *options, f"{commit}^1", commit
    ).stdout


def adopt(execution: Execution, branch: str) -> str:
    """Make the new branch `branch` at the result and return its ref; nothing is checked out or moved.

    Raises ExecutorError EXECUTION_INCOMPLETE, INVALID_INPUT (no valid branch name), OUTPUT_EXISTS (the branch
    exists: it is never forced) or PROCESS_FAILED.
    """
    commit = _result(execution)
    git = Git(execution.repository.root)
    ref = f"refs/heads/{branch}"
    valid = git.run("check-ref-format", ref, allowed=(0, 1)).status == 0
    if not valid or branch.startswith("-") or branch == "HEAD":
        raise ExecutorError(ErrorCode.INVALID_INPUT, f"{branch!r} is not a valid name for a branch")
    if git.ref_value(ref) is not None:
        raise ExecutorError(ErrorCode.OUTPUT_EXISTS, f"the branch {branch} exists")
    git.run("update-ref", "--no-deref", "-m", "adopted a session execution", ref, commit, "0" * len(commit))
    return ref


def discard(execution: Execution) -> None:
    """Remove ref, artifacts and whatever a killed run left. The commit stays for git to collect.

    Raises ExecutorError OUTPUT_EXISTS while the plan runs, or when its directory holds other people's files.
    """
    artifacts = Artifacts(execution.repository.common_dir, execution.plan_id)
    with artifacts.locked():
        if artifacts.exists() and not artifacts.is_only_ours():
            raise ExecutorError(ErrorCode.OUTPUT_EXISTS, f"{artifacts.path} holds files of somebody else")
        git = Git(execution.repository.root)
        commit = git.ref_value(execution.ref)
        if commit is not None:
            git.run("update-ref", "--no-deref", "-d", execution.ref, commit)
        warnings = artifacts.sweep() or artifacts.remove()
    if warnings:
        failure = ExecutorError(ErrorCode.EXECUTION_FAILED, "the execution could not be removed completely")
        failure.cleanup_warnings = warnings
        raise failure


def prunable(workspace: str, older_than_days: float | None, now: datetime | None = None) -> list[Execution]:
    """Crashed executions, and with `older_than_days` also complete ones that finished before that."""
    limit = None
    if older_than_days is not None:
        limit = (now or datetime.now(UTC)) - timedelta(days=older_than_days)
    return [
        one
        for one in list_executions(workspace)
        if one.status == CRASHED or (one.status == COMPLETE and _before(one.finished_at, limit))
    ]


def _before(moment: str | None, limit: datetime | None) -> bool:
    return moment is not None and limit is not None and datetime.fromisoformat(moment) < limit


def _result(execution: Execution) -> str:
    if execution.commit is None or execution.status not in {COMPLETE, PREPARED}:
        raise ExecutorError(
            ErrorCode.EXECUTION_INCOMPLETE, f"the execution is {execution.status}, it has no result"
        )
    return execution.commit


def _refs(git: Git) -> Iterator[tuple[str, str]]:
    listed = git.line("for-each-ref", "--format=%(objectname) %(refname)", f"{REF_ROOT}/")
    for line in listed.split("\n"):
        commit, _, ref = line.partition(" ")
        if ref:
            yield ref.removeprefix(f"{REF_ROOT}/"), commit


def _inspect(repository: Repository, plan_id: str, commit: str | None) -> Execution:
    artifacts = Artifacts(repository.common_dir, plan_id)
    receipt = artifacts.receipt()
    status = _status(artifacts, receipt, commit)
    return Execution(repository, plan_id, status, commit, receipt, artifacts.plan())


def _status(artifacts: Artifacts, receipt: dict[str, Any] | None, commit: str | None) -> str:
    if is_locked(artifacts.lock_path):
        return RUNNING
    recorded = (receipt or {}).get("status")
    matches = commit is not None and section(receipt or {}, "result").get("commit") == commit
    if matches and recorded in {COMPLETE, PREPARED}:
        return str(recorded)
    if commit is None and recorded != COMPLETE and (artifacts.is_only_ours() or not artifacts.exists()):
        return CRASHED
    return UNKNOWN
