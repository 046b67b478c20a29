"""A continuation by the real Pi, asked for over gRPC as in the product."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from launcher.pi_choice import REAL_PI
from tests.helpers import assert_eventually
from tests.integration.checkpoints.served import Served
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, ToolCall
from tests.unit.session_executor.executor_fixtures import Repository

pytestmark = pytest.mark.realpi


@pytest.fixture
async def served(
    tmp_path: Path,
    repository: Repository,
    session: Path,
    model: ScriptedModel,
    agent: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Served]:
    # The operator's folder is the setting's, not the environment's.
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "nobody"))
    settings: dict[str, Any] = {
        "checkpoint_repositories": [repository.root],
        "checkpoint_sessions": [session.parent],
        "runner": "pi",
        "pi_command": [str(REAL_PI)],
        "node_directory": str(Path(sys.executable).parent),
        "operator_agent_dir": str(agent),
    }
    served = Served(tmp_path / "service", repository, session, settings, scripted=False)
    await served.start()
    yield served
    await served.stop()


async def test_one_edit_becomes_a_commit(served: Served, model: ScriptedModel) -> None:
    before = served.repository.snapshot()
    model.script(
        [Answer("I write.", tools=[ToolCall("write", {"path": "a.txt", "content": "b"})]), Answer("Done.")]
    )
    steps, receipt = await served.run(await served.plan())
    assert steps[steps.index("continuing") + 1] == "starting-pi"
    assert {"prompted", "tool"} <= set(steps)
    assert receipt["execution"]["model"] == {"provider": PROVIDER, "id": MODEL}
    assert receipt["result"]["changedPaths"] == ["a.txt"]
    assert served.repository.snapshot() == before


async def test_a_caller_that_leaves_ends_pi(served: Served, model: ScriptedModel) -> None:
    before = served.repository.snapshot()
    model.script([Answer("Slow.", stall=True)])
    call = served.stub.Run(served.run_request(await served.plan()))
    while (await call.read()).progress.step != "prompted":
        pass
    await assert_eventually(lambda: len(model.requests) == 1)
    call.cancel()
    await assert_eventually(lambda: served.orchestrator.runs.active == 0, 20)
    assert await served.executions() == []
    assert served.repository.leftovers() == []
    assert served.repository.snapshot() == before
