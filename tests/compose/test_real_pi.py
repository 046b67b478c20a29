"""The real Pi in its container: PI=auto takes it once it has a model, and its gate leads to approved rows."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose.containers import Containers, run
from tests.helpers import assert_eventually
from tests.realpi.flow_script import FINAL_SQL
from tests.stack import Reviewer

pytestmark = pytest.mark.compose

REALPI = Path(__file__).parents[1] / "realpi"
AGENT_FOLDER = "/home/thothii/.pi/agent"
SERVE = f"""
import pathlib, signal
from tests.realpi.flow_script import FlowScript
from tests.realpi.scripted_model import ScriptedModel, write_agent_folder
with ScriptedModel(FlowScript()) as model:
    write_agent_folder(pathlib.Path("{AGENT_FOLDER}"), model.base_url)
    pathlib.Path("/tmp/serving").touch()
    signal.pause()
"""
"""A model on the orchestrator's own loopback, and a provider for it in the operator's Pi folder."""


async def serve_model(containers: Containers) -> None:
    """Start the scripted model in the orchestrator's present container."""
    containers.execute("orchestrator", "mkdir", "-p", "/tmp/tests/realpi")
    container = containers.inspect("orchestrator")["Id"]
    for name in ("scripted_model.py", "flow_script.py"):
        run("docker", "cp", str(REALPI / name), f"{container}:/tmp/tests/realpi/{name}")
    run("docker", "exec", "--detach", "--workdir", "/tmp", container, "python", "-c", SERVE)

    def serving() -> bool:
        return "serving" in containers.execute("orchestrator", "ls", "/tmp").split()

    await assert_eventually(serving, seconds=20, interval=0.2)


@pytest.fixture
def auto(containers: Containers) -> Iterator[dict[str, str]]:
    """The environment in which compose makes the orchestrator choose; afterwards it is as before."""
    yield {**os.environ, "PI": "auto"}
    containers.execute("orchestrator", "rm", "-f", f"{AGENT_FOLDER}/models.json")
    containers.compose("up", "--detach", "--wait", "--no-deps", "orchestrator")


async def test_auto_takes_the_real_pi_once_it_has_a_model(
    auto: dict[str, str], containers: Containers, reviewer: Reviewer
) -> None:
    await serve_model(containers)
    containers.compose("up", "--detach", "--wait", "--no-deps", "orchestrator", environment=auto)
    # The new container has the provider, from its volume, and needs the model behind it again.
    await serve_model(containers)
    runner = reviewer.get("/runner")
    assert (runner["runner"], runner["version"], runner["scripted"]) == ("pi", "1.6.0", False)
    assert [model["id"] for model in reviewer.get("/models")["models"]] == ["scripted"]

    session = reviewer.ask()
    reviewer.work_through(session)
    assert reviewer.http.get(f"/sessions/{session}/artifacts/sql_final.sql").text == FINAL_SQL
    page = reviewer.post(f"/sessions/{session}/sql/preview?limit=100")
    assert (len(page["rows"]), page["rows"][0][0]) == (16, "Frontier Airlines Inc.")
    reviewer.post(f"/sessions/{session}/close")
    await assert_eventually(lambda: containers.zombies("orchestrator") == [], seconds=10, interval=0.5)
