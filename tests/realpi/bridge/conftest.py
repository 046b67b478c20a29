"""The bridge on the real Pi, with pi-subagents: a project in which every agent does as it is told."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.realpi.bridge.puppet import documents_in, puppet
from tests.realpi.pi_process import HARNESS, PiProcess, Record
from tests.realpi.scripted_model import MODEL, PROVIDER, ScriptedModel, text_of

SUBAGENTS = HARNESS / "node_modules/@tintinweb/pi-subagents/src/index.ts"
BRIDGE = HARNESS / ".pi/extensions/checkpoint-bridge"

ASKER = """\
---
description: asks
tools: ext:checkpoint-bridge
extensions: [checkpoint-bridge]
skills: none
---
You ask.
"""
SILENT = """\
---
description: has not opted in
tools: none
extensions: false
skills: none
---
You cannot ask.
"""
CONTROLS = """\
export default function (pi) {
  pi.registerCommand("reload-now", { description: "reload", handler: (_args, ctx) => ctx.reload() });
  pi.registerCommand("stop-agent", {
    description: "stop one sub-agent",
    handler: async (id) => pi.events.emit("subagents:rpc:stop", { requestId: "r", agentId: id.trim() }),
  });
}
"""


def is_dialog(record: Record) -> bool:
    return record.get("type") == "extension_ui_request" and record["method"] in ("select", "input")


def frames(pi: PiProcess) -> list[dict[str, Any]]:
    """What the bridge told a client of its frames so far."""
    told = [record for record in pi.of_type("extension_ui_request") if record["method"] == "setStatus"]
    return [json.loads(record["statusText"]) for record in told if record["statusKey"] == "checkpoint-bridge"]


def dialogs(pi: PiProcess) -> list[Record]:
    return [record for record in pi.records if is_dialog(record)]


def next_dialog(pi: PiProcess, *known: Record) -> Record:
    """The first dialog that is not one of `known`."""
    return pi.wait_for(lambda record: is_dialog(record) and record not in known)


def answer(pi: PiProcess, dialog: Record, value: Any = None, **more: Any) -> None:
    fields = more or {"value": value}
    pi.send({"type": "extension_ui_response", "id": dialog["id"], **fields})


def results(model: ScriptedModel) -> list[dict[str, Any]]:
    """Every result of the bridge's tool that reached an agent's model, in order."""
    found: list[dict[str, Any]] = []
    for request in model.requests:
        for message in request["messages"]:
            if message["role"] != "tool":
                continue
            for document in documents_in(text_of(message)):
                if document not in found:
                    found.append(document)
    return found


@pytest.fixture
def obedient(model: ScriptedModel) -> ScriptedModel:
    """The model of every agent."""
    model.script(puppet)
    return model


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the bridge, an agent that opted in and one that did not."""
    folder = tmp_path / "project"
    shutil.copytree(BRIDGE, folder / ".pi/extensions/checkpoint-bridge")
    (folder / ".pi/agents").mkdir()
    (folder / ".pi/agents/asker.md").write_text(ASKER)
    (folder / ".pi/agents/silent.md").write_text(SILENT)
    (folder / ".pi/extensions/controls").mkdir()
    (folder / ".pi/extensions/controls/index.js").write_text(CONTROLS)
    return folder


StartBridge = Callable[..., PiProcess]


@pytest.fixture
def start(
    tmp_path: Path, project: Path, agent_folder: Path, obedient: ScriptedModel, pi_cache: Path
) -> Iterator[StartBridge]:
    """Starts Pi in the project, without ThothII."""
    with ExitStack() as running:

        def run(*extra: str, approve: bool = True, environment: dict[str, str] | None = None) -> PiProcess:
            arguments = [
                *(["--approve"] if approve else ["--no-approve"]),
                *("-e", str(SUBAGENTS), "-nc", "--no-mcp", "--provider", PROVIDER, "--model", MODEL),
                *(extra or ("--session-dir", str(tmp_path / "pi"))),
            ]
            surroundings = {
                "PI_CODING_AGENT_DIR": str(agent_folder),
                "TMPDIR": str(pi_cache),
                "HOME": str(tmp_path),
                **(environment or {}),
            }
            return running.enter_context(PiProcess(arguments, cwd=project, environment=surroundings))

        yield run
