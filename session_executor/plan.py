"""The plan: every input of an execution, frozen with full ids and digests.

The names of the fields, the id and the output places are those of the public session executor, so that a plan
made by either tool is the same plan.
"""

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from session_executor import fields
from session_executor.canonical import (
    JAVASCRIPT_BLANKS,
    canonical_json,
    parse_json,
    readable_json,
    sha256,
    sha256_text,
)
from session_executor.checkpoint import Inspect, read_session
from session_executor.constraints import Constraints
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.git import locate_repository, resolve_base

PLAN_VERSION = "session-execution-plan-v1"
PROVIDER = "pi"
REF_ROOT = "refs/better-harness/session-executions"
ARTIFACT_ROOT = ("better-harness", "session-executions")
PLAN_ID = re.compile(r"sep_[0-9a-f]{64}")

_RESERVED_TRAILER = re.compile(
    r"(?:^|[\n\r\u2028\u2029])(?:Harness-Session|Harness-Checkpoint|Harness-Execution-Plan)[ \t]*:",
    re.IGNORECASE,
)


class Workspace(msgspec.Struct, frozen=True, rename="camel"):
    """The repository and the base of the new commit."""

    root: str
    git_common_dir: str
    base_commit: str
    base_tree: str


class Checkpoint(msgspec.Struct, frozen=True, rename="camel"):
    """The session file and the entry to continue from."""

    session_file: str
    session_sha256: str
    session_id: str
    session_version: int
    source_cwd: str
    entry_count: int
    entry_id: str
    entry_type: str
    branch_entry_ids: list[str]
    branch_digest: str


class Continuation(msgspec.Struct, frozen=True, rename="camel"):
    """What the model is told and what the commit says."""

    prompt: str
    prompt_sha256: str
    commit_message: str


class Output(msgspec.Struct, frozen=True, rename="camel"):
    """Where the result goes; follows from the plan id."""

    ref: str
    artifact_dir: str


class Plan(msgspec.Struct, frozen=True, rename="camel"):
    """A checked plan; fields beside these in a plan file are accepted and mean nothing."""

    schema_version: str
    provider: str
    plan_id: str
    created_at: str
    workspace: Workspace
    checkpoint: Checkpoint
    continuation: Continuation
    constraints: dict[str, Any]
    output: Output

    @property
    def limits(self) -> Constraints:
        """The constraints with their names."""
        return Constraints(self.constraints)

    def document(self) -> dict[str, Any]:
        """The plan as it stands in a plan file."""
        return msgspec.to_builtins(self)


def create_plan(
    *,
    workspace: str,
    base: str,
    session_file: str,
    entry_id: str,
    prompt: str,
    commit_message: str,
    inspect: Inspect,
    allow_delete: bool = False,
    now: datetime | None = None,
) -> Plan:
    """Resolve and check every input; creates nothing.

    `base` is any revision git understands; `now` becomes `createdAt` and so part of the id.
    Raises ExecutorError INVALID_INPUT or RESERVED_TRAILER, or as `locate_repository`, `resolve_base`,
    `read_session` and `Inspect` do.
    """
    fields.text(prompt, "the prompt", ErrorCode.INVALID_INPUT)
    message = checked_commit_message(commit_message)
    fields.text(workspace, "the workspace", ErrorCode.INVALID_INPUT)
    fields.text(base, "the base", ErrorCode.INVALID_INPUT)
    if base.startswith("-"):
        raise ExecutorError(ErrorCode.INVALID_INPUT, "the base must not start with '-'")
    fields.token(entry_id, "the entry id", ErrorCode.INVALID_INPUT)
    repository = locate_repository(workspace)
    resolved = resolve_base(repository.root, base)
    resolved_file, data = read_session(session_file)
    fields.text(resolved_file, "the path of the session", ErrorCode.INVALID_INPUT)
    inspection = inspect(data, entry_id)
    identity: dict[str, Any] = {
        "schemaVersion": PLAN_VERSION,
        "provider": PROVIDER,
        "createdAt": timestamp(now),
        "workspace": {
            "root": repository.root,
            "gitCommonDir": repository.common_dir,
            "baseCommit": resolved.commit,
            "baseTree": resolved.tree,
        },
        "checkpoint": {
            "sessionFile": resolved_file,
            "sessionSha256": sha256(data),
            "sessionId": inspection.session_id,
            "sessionVersion": inspection.version,
            "sourceCwd": inspection.source_cwd,
            "entryCount": inspection.entry_count,
            "entryId": inspection.entry_id,
            "entryType": inspection.entry_type,
            "branchEntryIds": list(inspection.branch_entry_ids),
            "branchDigest": inspection.branch_digest,
        },
        "continuation": {
            "prompt": prompt,
            "promptSha256": sha256_text(prompt),
            "commitMessage": message,
        },
        "constraints": Constraints.choose(allow_delete=allow_delete).document,
    }
    plan_id = plan_id_of(identity)
    output = msgspec.to_builtins(output_of(repository.common_dir, plan_id))
    return check_plan({**identity, "planId": plan_id, "output": output})


def timestamp(now: datetime | None = None) -> str:
    """A moment (the present one by default) as ECMAScript writes it: UTC, milliseconds, `Z`."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def plan_id_of(identity: dict[str, Any]) -> str:
    """`sep_` and the SHA-256 of the canonical JSON of the covered fields (all but `planId` and `output`)."""
    return f"sep_{sha256(canonical_json(identity))}"


def output_of(common_dir: str, plan_id: str) -> Output:
    """The ref and the artifact directory of a plan."""
    directory = Path(common_dir, *ARTIFACT_ROOT, plan_id)
    return Output(ref=f"{REF_ROOT}/{plan_id}", artifact_dir=str(directory))


def checked_commit_message(value: Any) -> str:
    """The trimmed message. Raises ExecutorError INVALID_INPUT when empty, RESERVED_TRAILER on our keys."""
    message = fields.text(value, "the commit message", ErrorCode.INVALID_INPUT).strip(JAVASCRIPT_BLANKS)
    if _RESERVED_TRAILER.search(message):
        raise ExecutorError(
            ErrorCode.RESERVED_TRAILER, "the commit message must not hold the executor's own trailers"
        )
    return message


def check_plan(document: Any) -> Plan:
    """The plan in `document`, checked for shape and for every digest it holds.

    Raises ExecutorError INVALID_PLAN, UNSUPPORTED_PLAN, UNSUPPORTED_PROVIDER, RESERVED_TRAILER or
    PLAN_TAMPERED.
    """
    plan = _shaped(document)
    if sha256_text(plan.continuation.prompt) != plan.continuation.prompt_sha256:
        raise _tampered("the digest of the prompt does not match")
    if sha256(canonical_json(plan.checkpoint.branch_entry_ids)) != plan.checkpoint.branch_digest:
        raise _tampered("the digest of the branch does not match")
    Constraints.accept(plan.constraints)
    covered = plan.document()
    del covered["planId"], covered["output"]
    if plan_id_of(covered) != plan.plan_id:
        raise _tampered("planId does not match the contents of the plan")
    expected = output_of(plan.workspace.git_common_dir, plan.plan_id)
    if plan.output.ref != expected.ref or os.path.normpath(plan.output.artifact_dir) != expected.artifact_dir:
        raise _tampered("the output places do not follow from planId")
    return plan


def _shaped(document: Any) -> Plan:
    if not isinstance(document, dict):
        raise ExecutorError(ErrorCode.INVALID_PLAN, "the plan is not a JSON object")
    if document.get("schemaVersion") != PLAN_VERSION:
        raise ExecutorError(ErrorCode.UNSUPPORTED_PLAN, f"the plan is not a {PLAN_VERSION}")
    if document.get("provider") != PROVIDER:
        raise ExecutorError(ErrorCode.UNSUPPORTED_PROVIDER, f"only provider {PROVIDER} is supported")
    try:
        plan = msgspec.convert(document, Plan)
    except msgspec.ValidationError as error:
        raise ExecutorError(ErrorCode.INVALID_PLAN, f"the plan has a wrong shape: {error}") from error
    _check_fields(plan)
    return plan


def _check_fields(plan: Plan) -> None:
    code = ErrorCode.INVALID_PLAN
    workspace, checkpoint, continuation = plan.workspace, plan.checkpoint, plan.continuation
    for name, value in (
        ("planId", plan.plan_id),
        ("workspace.baseCommit", workspace.base_commit),
        ("workspace.baseTree", workspace.base_tree),
        ("checkpoint.sessionSha256", checkpoint.session_sha256),
        ("checkpoint.sessionId", checkpoint.session_id),
        ("checkpoint.entryId", checkpoint.entry_id),
        ("checkpoint.branchDigest", checkpoint.branch_digest),
        ("continuation.promptSha256", continuation.prompt_sha256),
    ):
        fields.token(value, name, code)
    for name, value in (
        ("workspace.root", workspace.root),
        ("workspace.gitCommonDir", workspace.git_common_dir),
        ("checkpoint.sessionFile", checkpoint.session_file),
        ("checkpoint.entryType", checkpoint.entry_type),
        ("continuation.prompt", continuation.prompt),
        ("continuation.commitMessage", continuation.commit_message),
        ("output.ref", plan.output.ref),
        ("output.artifactDir", plan.output.artifact_dir),
    ):
        fields.text(value, name, code)
    for value in checkpoint.branch_entry_ids:
        fields.token(value, "an id in checkpoint.branchEntryIds", code)
    if not checkpoint.branch_entry_ids:
        raise ExecutorError(code, "checkpoint.branchEntryIds is empty")
    fields.positive(checkpoint.session_version, "checkpoint.sessionVersion", code)
    fields.positive(checkpoint.entry_count, "checkpoint.entryCount", code)
    try:
        datetime.fromisoformat(plan.created_at)
    except ValueError as error:
        raise ExecutorError(code, "createdAt is not an ISO timestamp") from error
    checked_commit_message(continuation.commit_message)


def _tampered(message: str) -> ExecutorError:
    return ExecutorError(ErrorCode.PLAN_TAMPERED, message)


def write_plan(path: str, plan: Plan) -> str:
    """Write a new plan file, readable by its owner alone, and return its absolute path.

    Raises ExecutorError OUTPUT_EXISTS when anything has that name already, INVALID_INPUT when the place
    cannot be written.
    """
    target = Path(path).absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ExecutorError(ErrorCode.OUTPUT_EXISTS, "the plan file exists already") from error
    except (OSError, ValueError) as error:
        raise ExecutorError(ErrorCode.INVALID_INPUT, "the plan file cannot be created") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(readable_json(plan.document()))
    except OSError as error:
        target.unlink(missing_ok=True)
        raise ExecutorError(ErrorCode.EXECUTION_FAILED, "the plan file cannot be written") from error
    return str(target)


def read_plan(path: str) -> Plan:
    """The checked plan in a file. Raises ExecutorError PLAN_NOT_FOUND, INVALID_UTF8 or as `check_plan`."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise ExecutorError(ErrorCode.PLAN_NOT_FOUND, "the plan file cannot be read") from error
    return parse_plan(data)


def parse_plan(data: bytes) -> Plan:
    """The checked plan in the bytes of a plan file. Raises ExecutorError INVALID_UTF8 or as `check_plan`."""
    try:
        document = parse_json(data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise ExecutorError(ErrorCode.INVALID_UTF8, "the plan is not valid UTF-8") from error
    except ValueError as error:
        raise ExecutorError(ErrorCode.INVALID_PLAN, "the plan file is not JSON") from error
    return check_plan(document)
