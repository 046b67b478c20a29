"""Run a plan: all is checked first, a failure leaves nothing, a crash is cleaned up by the next run."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from session_executor.artifacts import CACHE_DIRECTORY, SESSION_DIRECTORY, Artifacts
from session_executor.checkpoint import Inspect
from session_executor.commit import commit_staged, create_ref, stage_changes
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import private_directory
from session_executor.git import Git
from session_executor.plan import Plan, timestamp
from session_executor.receipt import COMPLETE, PREPARED, complete_receipt, prepared_receipt, section
from session_executor.runner import ContinuationRequest, Progress, Runner, check_result
from session_executor.validate import (
    ValidPlan,
    preflight,
    require_absent_ref,
    validate_checkpoint,
    validate_workspace,
)
from session_executor.worktree import Worktree, WorktreePlace, add_worktree

STEPS = (
    "validating",
    "locking",
    "recovering",
    "freezing",
    "checking-out",
    "continuing",
    "verifying",
    "staging",
    "committing",
    "preparing",
    "referencing",
    "checking",
    "removing",
    "completing",
    "unlocking",
)
"""Steps in order; each is announced just before it begins."""

_POINT_OF_NO_RETURN = STEPS.index("checking")


class AfterCommit(Protocol):
    """Something to do with the worktree after the commit; its result goes into the receipt as `check`."""

    def __call__(
        self, worktree: Worktree, lost_files: list[dict[str, Any]], artifacts: Artifacts
    ) -> dict[str, Any]:
        """Run; failures are part of the result. `lost_files` is `result.ignoredFiles` of the receipt."""
        ...


def _ignore_progress(step: str, detail: str) -> None:
    del step, detail


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """How a run is watched, stopped and checked."""

    progress: Progress = _ignore_progress
    stop: threading.Event = field(default_factory=threading.Event)
    """When set, the run ends at the next step before the ref exists, and cleans up."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    after_commit: AfterCommit | None = None
    keep_ignored: bool = False
    """Copy files that git ignores from the worktree into `ignored/` of the artifact directory."""


def execute_plan(
    plan: Plan, runner: Runner, inspect: Inspect, options: ExecutionOptions | None = None
) -> dict[str, Any]:
    """Continue the session as `plan` says and return the receipt.

    A run that a crash interrupted after the ref was made is only finished. Raises ExecutorError; unless it
    carries cleanup warnings, nothing of the run is left then.
    """
    try:
        return _Execution(plan, runner, inspect, options or ExecutionOptions()).run()
    except OSError as error:
        raise ExecutorError(ErrorCode.EXECUTION_FAILED, f"{type(error).__name__}: {error}") from error


class _Execution:
    def __init__(self, plan: Plan, runner: Runner, inspect: Inspect, options: ExecutionOptions) -> None:
        self._plan = plan
        self._runner = runner
        self._inspect = inspect
        self._options = options
        self._artifacts = Artifacts(plan.workspace.git_common_dir, plan.plan_id)
        self._git = Git(plan.workspace.root)

    def _step(self, name: str, detail: str = "") -> None:
        if self._options.stop.is_set() and STEPS.index(name) < _POINT_OF_NO_RETURN:
            raise ExecutorError(ErrorCode.EXECUTION_FAILED, "the run was interrupted")
        self._options.progress(name, detail)

    def run(self) -> dict[str, Any]:
        self._step("validating")
        validate_workspace(self._plan)
        if self._unfinished_receipt() is None:
            valid = validate_checkpoint(self._plan, self._inspect)
            self._require_absent_ref()
            preflight(valid)
            self._runner.preflight(self._plan)
        else:
            valid = None
        self._step("locking")
        with ExitStack() as stack:
            lock = stack.enter_context(self._artifacts.locked())
            receipt = self._unfinished_receipt()
            if receipt is not None:
                return self._resume(receipt, lock.descriptor)
            require_absent_ref(self._plan)
            if valid is None:
                raise ExecutorError(ErrorCode.OUTPUT_EXISTS, "another process has just finished the plan")
            self._step("recovering")
            self._recover()
            return self._continue(valid, lock.descriptor)

    def _unfinished_receipt(self) -> dict[str, Any] | None:
        """The prepared receipt of a run that ended between the ref and the complete receipt."""
        commit = self._git.ref_value(self._plan.output.ref)
        receipt = self._artifacts.receipt()
        if commit is None or receipt is None or receipt.get("status") != PREPARED:
            return None
        return receipt if section(receipt, "result").get("commit") == commit else None

    def _resume(self, receipt: dict[str, Any], lock: int) -> dict[str, Any]:
        """Finish a run that was killed when it had made the ref; a check runs on a new checkout."""
        warnings = self._artifacts.sweep()
        if self._options.after_commit is None or warnings:
            return self._finish(receipt, warnings, None)
        place = WorktreePlace.choose()
        self._artifacts.note(place)
        workspace, commit = self._plan.workspace, str(receipt["result"]["commit"])
        worktree = add_worktree(workspace.root, workspace.git_common_dir, place, commit, (lock,))
        check = self._options.after_commit(worktree, [], self._artifacts)
        return self._finish(receipt, self._artifacts.sweep(), check)

    def _require_absent_ref(self) -> None:
        """As the function of this name; a finished run is pointed to, and swept up after."""
        try:
            require_absent_ref(self._plan)
        except ExecutorError as error:
            receipt = self._artifacts.receipt()
            if receipt is None or receipt.get("status") != COMPLETE:
                raise
            message = f"the plan has run already; its receipt is in {self._artifacts.path}"
            failure = ExecutorError(ErrorCode.OUTPUT_EXISTS, message)
            with self._artifacts.locked():
                failure.cleanup_warnings = self._artifacts.sweep()
            raise failure from error

    def _recover(self) -> None:
        """Clean up after a run that was killed before it made the ref."""
        artifacts = self._artifacts
        if not artifacts.exists():
            return
        receipt = artifacts.receipt()
        if not artifacts.is_only_ours() or (receipt is not None and receipt.get("status") == COMPLETE):
            message = f"{artifacts.path} exists and is not the rest of a killed run; see discard"
            raise ExecutorError(ErrorCode.OUTPUT_EXISTS, message)
        warnings = artifacts.sweep() or artifacts.remove()
        if warnings:
            failure = ExecutorError(ErrorCode.EXECUTION_FAILED, "a killed run could not be cleaned up")
            failure.cleanup_warnings = warnings
            raise failure

    def _continue(self, valid: ValidPlan, lock: int) -> dict[str, Any]:
        started_at = timestamp(self._options.now())
        place = WorktreePlace.choose()
        self._step("freezing")
        self._artifacts.create(place)
        try:
            source = self._artifacts.freeze(self._plan.document(), valid.session)
            self._step("checking-out")
            workspace = self._plan.workspace
            worktree = add_worktree(
                workspace.root, workspace.git_common_dir, place, workspace.base_commit, (lock,)
            )
            receipt = self._make_commit(worktree, source, started_at, lock)
        except BaseException as error:
            warnings = self._artifacts.sweep() or self._artifacts.remove()
            if isinstance(error, ExecutorError):
                error.cleanup_warnings += warnings
                raise
            if not isinstance(error, Exception):
                raise
            failure = ExecutorError(ErrorCode.EXECUTION_FAILED, f"{type(error).__name__}: {error}")
            failure.cleanup_warnings = warnings
            raise failure from error
        check = self._check(worktree, receipt)
        self._step("removing")
        return self._finish(receipt, self._artifacts.sweep(), check)

    def _make_commit(self, worktree: Worktree, source: str, started_at: str, lock: int) -> dict[str, Any]:
        self._step("continuing")
        result = self._runner.run(
            ContinuationRequest(
                plan=self._plan,
                worktree=worktree.place.tree,
                source_session=source,
                session_directory=self._artifacts.file(SESSION_DIRECTORY),
                temporary_root=worktree.place.temporary_root,
                cache_directory=private_directory(self._plan.workspace.git_common_dir, *CACHE_DIRECTORY),
                submodules=worktree.submodules(),
                inherit=(lock,),
                progress=self._options.progress,
                stop=self._options.stop,
            )
        )
        self._step("verifying")
        continuation = check_result(result, self._plan, self._artifacts.path, self._inspect)
        require_absent_ref(self._plan)
        self._step("staging")
        staged = stage_changes(worktree, self._plan, continuation.written_paths)
        self._step("committing")
        commit, tree = commit_staged(worktree, self._plan, continuation.session_id)
        self._step("preparing")
        receipt = prepared_receipt(
            self._plan,
            continuation,
            started_at=started_at,
            frozen_session=source,
            commit=commit,
            tree=tree,
            changed_paths=staged.changed_paths,
            lost_files=staged.lost_files,
        )
        if self._options.keep_ignored:
            self._artifacts.keep(worktree.place.tree, receipt["result"]["ignoredPaths"])
        self._artifacts.write_receipt(receipt)
        self._step("referencing", self._plan.output.ref)
        create_ref(self._git, self._plan.output.ref, commit)
        return receipt

    def _check(self, worktree: Worktree, receipt: dict[str, Any]) -> dict[str, Any] | None:
        self._step("checking")
        if self._options.after_commit is None:
            return None
        return self._options.after_commit(worktree, receipt["result"]["ignoredFiles"], self._artifacts)

    def _finish(
        self, receipt: dict[str, Any], warnings: list[str], check: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The ref exists: whatever fails now is a warning, the result stays."""
        self._step("completing")
        receipt = complete_receipt(
            receipt, completed_at=timestamp(self._options.now()), warnings=warnings, check=check
        )
        try:
            self._artifacts.write_receipt(receipt)
            self._artifacts.sweep()
        except OSError as error:
            receipt["cleanup"]["warnings"].append(f"the receipt could not be completed: {error}")
        self._step("unlocking")
        return receipt
