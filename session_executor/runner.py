"""What the core asks of a runner (who continues the conversation) and what it believes of the answer."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from session_executor import fields
from session_executor.canonical import sha256, sha256_text
from session_executor.checkpoint import Inspect
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.plan import Plan

Progress = Callable[[str, str], None]
"""Called with the name of a step or event and a short detail (may be empty)."""


@dataclass(frozen=True, slots=True)
class ContinuationRequest:
    """All a runner gets. It may write below its directories only."""

    plan: Plan
    worktree: str
    source_session: str
    """The frozen copy of the session."""
    session_directory: str
    temporary_root: str
    """Removed after the run, whatever happens."""
    cache_directory: str
    """Private and kept: what makes the next run in this repository start faster, such as compiled code."""
    submodules: Sequence[str]
    """Paths of submodules: what is written below them would be lost."""
    inherit: Sequence[int]
    """File descriptors that child processes must keep open (the lock of the run)."""
    progress: Progress
    stop: threading.Event
    """Set when the run shall end early."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that started, refused ones included."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ContinuationResult:
    """What a runner reports."""

    session_id: str
    session_file: str
    model: tuple[str, str] | None = None
    """Provider and model id."""
    tool_calls: Sequence[ToolCall] = ()
    output: str = ""
    written_paths: frozenset[str] | None = None
    """Paths (relative to the worktree) that successful tool calls changed; None when unknown."""
    warnings: list[str] = field(default_factory=list[str])


class Runner(Protocol):
    """Continues a conversation in a worktree."""

    def preflight(self, plan: Plan) -> None:
        """Raise ExecutorError when the run cannot succeed; called before anything is created."""
        ...

    def run(self, request: ContinuationRequest) -> ContinuationResult:
        """Continue and return when nothing writes to the worktree any more. Raises ExecutorError."""
        ...


@dataclass(frozen=True, slots=True)
class CheckedContinuation:
    """A runner's result after the checks."""

    session_id: str
    session_file: str
    session_sha256: str
    model: tuple[str, str] | None
    tool_calls: Sequence[ToolCall]
    output_sha256: str
    written_paths: frozenset[str] | None


def check_result(
    result: ContinuationResult, plan: Plan, artifact_dir: str, inspect: Inspect
) -> CheckedContinuation:
    """Check the result against the session it left. Raises ExecutorError INVALID_RUNNER_RESULT."""
    code = ErrorCode.INVALID_RUNNER_RESULT
    fields.token(result.session_id, "the id of the continued session", code)
    session_file = os.path.realpath(result.session_file)
    if not Path(session_file).is_relative_to(os.path.realpath(artifact_dir)):
        raise ExecutorError(code, "the continued session is not in the artifact directory")
    try:
        data = Path(session_file).read_bytes()
        inspection = inspect(data, plan.checkpoint.entry_id)
    except (OSError, ExecutorError) as error:
        raise ExecutorError(code, f"the continued session cannot be read: {error}") from error
    if inspection.session_id != result.session_id:
        raise ExecutorError(code, "the continued session has another id than reported")
    if list(inspection.branch_entry_ids) != plan.checkpoint.branch_entry_ids:
        raise ExecutorError(code, "the continued session has another way to the entry")
    if result.model is not None:
        for part in result.model:
            fields.token(part, "the model", code)
    for call in result.tool_calls:
        fields.token(call.id, "the id of a tool call", code)
        fields.token(call.name, "the name of a tool call", code)
    return CheckedContinuation(
        session_id=result.session_id,
        session_file=session_file,
        session_sha256=sha256(data),
        model=result.model,
        tool_calls=tuple(result.tool_calls),
        output_sha256=sha256_text(result.output.encode("utf-8", "replace").decode("utf-8")),
        written_paths=result.written_paths,
    )
