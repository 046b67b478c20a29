"""Does the world still look as the plan says? Asked before anything is created."""

import shutil
import tempfile
from dataclasses import dataclass

from session_executor.canonical import sha256
from session_executor.checkpoint import Inspect, read_session
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.git import Git, locate_repository, resolve_base
from session_executor.plan import REF_ROOT, Plan

_SPARE_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ValidPlan:
    """A plan whose inputs are as they were, and the bytes of the session as they were checked."""

    plan: Plan
    session: bytes


def validate_workspace(plan: Plan) -> None:
    """Root, common directory, base commit and tree are the plan's.

    Raises ExecutorError WORKSPACE_NOT_FOUND, PROCESS_FAILED, WORKSPACE_CHANGED or BASE_CHANGED.
    """
    workspace = plan.workspace
    repository = locate_repository(workspace.root)
    if (repository.root, repository.common_dir) != (workspace.root, workspace.git_common_dir):
        message = "the workspace root or its Git common directory is not the plan's any more"
        raise ExecutorError(ErrorCode.WORKSPACE_CHANGED, message)
    try:
        base = resolve_base(workspace.root, workspace.base_commit)
    except ExecutorError as error:
        raise ExecutorError(ErrorCode.BASE_CHANGED, "the base commit is not there any more") from error
    if (base.commit, base.tree) != (workspace.base_commit, workspace.base_tree):
        raise ExecutorError(ErrorCode.BASE_CHANGED, "the base commit or its tree is not the plan's")


def validate_checkpoint(plan: Plan, inspect: Inspect) -> ValidPlan:
    """The session file and the entry are the plan's.

    Raises ExecutorError SESSION_NOT_FOUND, INVALID_SESSION, CHECKPOINT_NOT_FOUND or CHECKPOINT_CHANGED.
    """
    expected = plan.checkpoint
    resolved, data = read_session(expected.session_file)
    found = inspect(data, expected.entry_id)
    for name, actual, wanted in (
        ("file", resolved, expected.session_file),
        ("digest", sha256(data), expected.session_sha256),
        ("id", found.session_id, expected.session_id),
        ("version", found.version, expected.session_version),
        ("number of entries", found.entry_count, expected.entry_count),
        ("entry", found.entry_id, expected.entry_id),
        ("entry type", found.entry_type, expected.entry_type),
        ("branch", found.branch_digest, expected.branch_digest),
        ("cwd", found.source_cwd, expected.source_cwd),
    ):
        if actual != wanted:
            raise ExecutorError(
                ErrorCode.CHECKPOINT_CHANGED, f"the session's {name} is not the plan's any more"
            )
    return ValidPlan(plan, data)


def require_absent_ref(plan: Plan) -> None:
    """Raises ExecutorError OUTPUT_EXISTS when the output ref, or a ref in its way, exists."""
    parent = REF_ROOT.rpartition("/")[0]
    taken = Git(plan.workspace.root).line("for-each-ref", "--format=%(refname)", parent).split("\n")
    for ref in (plan.output.ref, REF_ROOT, parent):
        if ref in taken:
            raise ExecutorError(ErrorCode.OUTPUT_EXISTS, f"the ref {ref} exists")


def preflight(valid: ValidPlan) -> None:
    """The user has an identity and there is room. Raises ExecutorError PROCESS_FAILED or EXECUTION_FAILED."""
    git = Git(valid.plan.workspace.root)
    for variable in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        try:
            git.run("var", variable)
        except ExecutorError as error:
            message = "git knows no identity for the commit; set user.name and user.email"
            raise ExecutorError(ErrorCode.PROCESS_FAILED, message) from error
    needed = _SPARE_BYTES + 4 * len(valid.session)
    for place in (valid.plan.workspace.git_common_dir, tempfile.gettempdir()):
        if shutil.disk_usage(place).free < needed:
            raise ExecutorError(ErrorCode.EXECUTION_FAILED, f"less than {needed} bytes are free in {place}")
