"""A runner without a model: it changes files and leaves a continued session."""

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from session_executor.errors import ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan
from session_executor.runner import ContinuationRequest, ContinuationResult, ToolCall
from tests.unit.session_executor.executor_fixtures import TIMESTAMP


def write_files(files: dict[str, str | bytes]) -> Callable[[ContinuationRequest], None]:
    """An action that writes `files` below the worktree."""

    def action(request: ContinuationRequest) -> None:
        for name, content in files.items():
            path = Path(request.worktree, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return action


class ScriptedRunner:
    """Runs `action` where the model would work; `overrides` replace fields of the result."""

    def __init__(
        self,
        action: Callable[[ContinuationRequest], None] | None = None,
        **overrides: Any,
    ) -> None:
        self.action = action or write_files({"generated.txt": "continued from checkpoint\n"})
        self.overrides = overrides
        self.requests: list[ContinuationRequest] = []
        self.preflights = 0

    def preflight(self, plan: Plan) -> None:
        del plan
        self.preflights += 1

    def run(self, request: ContinuationRequest) -> ContinuationResult:
        self.requests.append(request)
        self.action(request)
        session_id = str(uuid.uuid4())
        session_file = Path(request.session_directory, f"{session_id}.jsonl")
        lines = [json.loads(line) for line in Path(request.source_session).read_bytes().splitlines()]
        lines[0] = {**lines[0], "id": session_id, "cwd": request.worktree}
        lines.append(
            {
                "type": "custom",
                "id": "continued5",
                "parentId": request.plan.checkpoint.entry_id,
                "timestamp": TIMESTAMP,
                "customType": "fixture",
            }
        )
        session_file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        result: dict[str, Any] = {
            "session_id": session_id,
            "session_file": str(session_file),
            "model": ("fixture", "no-network"),
            "tool_calls": (ToolCall("tool-1", "write"),),
            "output": "done",
        }
        return ContinuationResult(**{**result, **self.overrides})


def run(plan: Plan, runner: ScriptedRunner | None = None, **options: Any) -> dict[str, Any]:
    """Execute `plan`; `options` are those of ExecutionOptions."""
    return execute_plan(plan, runner or ScriptedRunner(), inspect_session, ExecutionOptions(**options))


def refuse(plan: Plan, runner: ScriptedRunner | None = None, **options: Any) -> ExecutorError:
    """The error with which executing `plan` ends."""
    with pytest.raises(ExecutorError) as caught:
        run(plan, runner, **options)
    return caught.value
