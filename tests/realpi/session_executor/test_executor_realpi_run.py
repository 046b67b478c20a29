"""Plans run by the real Pi with a scripted model."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.pi.runner import PiRunner
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, ToolCall, text_of
from tests.unit.session_executor.executor_fixtures import PROMPT, Repository, make_plan

pytestmark = pytest.mark.realpi


def run(plan: Plan, **options: Any) -> dict[str, Any]:
    return execute_plan(plan, PiRunner(**options), inspect_session, ExecutionOptions())


def refuse(plan: Plan, **options: Any) -> ExecutorError:
    with pytest.raises(ExecutorError) as caught:
        run(plan, **options)
    return caught.value


def test_one_edit_becomes_a_commit(
    repository: Repository, session: Path, model: ScriptedModel, agent: Path
) -> None:
    plan, before = make_plan(repository, session), repository.snapshot()
    source = session.read_bytes()
    agent_before = {path.name: path.read_bytes() for path in agent.iterdir()}
    edit = {"path": "README.md", "edits": [{"oldText": "# fixture", "newText": "# changed"}]}
    model.script(
        [
            Answer(
                "I edit.",
                tools=[ToolCall("edit", edit), ToolCall("write", {"path": "a/b.txt", "content": "b"})],
            ),
            Answer("Done."),
        ]
    )
    receipt = run(plan)
    assert receipt["status"] == "complete"
    assert receipt["result"]["changedPaths"] == ["README.md", "a/b.txt"]
    assert receipt["execution"]["model"] == {"provider": PROVIDER, "id": MODEL}
    assert [call["name"] for call in receipt["execution"]["toolCalls"]] == ["edit", "write"]
    assert repository.git("show", f"{plan.output.ref}:README.md") == "# changed\n"
    assert repository.git("show", f"{plan.output.ref}:a/b.txt") == "b"
    assert repository.snapshot() == before
    assert session.read_bytes() == source
    assert {path.name: path.read_bytes() for path in agent.iterdir()} == agent_before
    assert repository.leftovers() == list(Path(tempfile.gettempdir()).glob("session-execution-*")) == []
    sent = model.requests[0]
    assert [text_of(message) for message in sent["messages"][1:]] == ["hello", PROMPT]
    assert sorted(tool["function"]["name"] for tool in sent["tools"]) == ["edit", "ls", "read", "write"]
    continued = Path(receipt["execution"]["sessionFile"])
    assert continued.stat().st_mode & 0o777 == 0o600
    assert continued.parent == Path(plan.output.artifact_dir, "sessions")


def test_nothing_changed(repository: Repository, session: Path, model: ScriptedModel) -> None:
    model.script([Answer("Nothing to do.")])
    plan = make_plan(repository, session)
    assert refuse(plan).code is ErrorCode.NO_CHANGES
    assert not Path(plan.output.artifact_dir).exists()
    assert repository.leftovers() == []
