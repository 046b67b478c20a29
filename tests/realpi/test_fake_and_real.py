"""The demo scenario on the fake Pi, and the same answers of the model on the real one with the real gate.

The fake plays the scenario; what its model said is then the script of the real Pi's model. Each has a session
of its own in the same workspace, the same reviewer and the same `tht`: they have to write the same records.
"""

import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.fake_pi.demo_home import DEMO, make_home, new_session, phase_of
from tests.integration.fake_pi.replay import plain
from tests.integration.fake_pi.reviewed_pi import ReviewedPi, fake_pi, new_socket, recommended
from tests.realpi.pi_process import GATE, GATE_TOOLS, HARNESS, PI_CLI, find_node
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, ToolCall

_FREE = {"toolCallId", "id", "call", "session", "reason", "content", "details", "sha256"}
"""What the two may say in other words: ids, hidden texts, the wording of a tool's result."""
_OWN_TEXTS = ("toolResult", "custom", "system")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path)


def real_pi(home: Path, session: str, agent_folder: Path, cache: Path) -> ReviewedPi:
    node = find_node()
    assert node is not None
    command = [node, str(PI_CLI), "-e", GATE, "--tools", ",".join(GATE_TOOLS)]
    command += ["--provider", PROVIDER, "--model", MODEL]
    environment = {
        "PATH": f"{Path(node).parent}:/usr/bin:/bin",
        "PI_OFFLINE": "1",
        "PI_CODING_AGENT_DIR": str(agent_folder),
        "TMPDIR": str(cache),
        "LANG": "C.UTF-8",
    }
    return ReviewedPi(home, session, new_socket(home), command, environment, cwd=HARNESS)


def answers_of(records: list[dict[str, Any]]) -> list[Answer]:
    """What the model said, request by request, in the pieces in which it was streamed."""
    answers: list[Answer] = []
    pieces: list[str] = []
    for record in records:
        event = record.get("assistantMessageEvent", {})
        if event.get("type") == "text_delta":
            pieces.append(event["delta"])
        if record["type"] != "message_end" or record["message"]["role"] != "assistant":
            continue
        blocks = record["message"]["content"]
        tools = [ToolCall(each["name"], each["arguments"]) for each in blocks if each["type"] == "toolCall"]
        answers.append(Answer(pieces, tools))
        pieces = []
    return answers


def comparable(records: list[dict[str, Any]]) -> Iterator[str]:
    """Each record as text, without what the two say in their own words."""
    for record in records:
        if record["type"] == "extension_ui_request" and str(record.get("title")).startswith("thothii-widget"):
            mark, _, envelope = record["title"].partition(" ")
            record = {**record, "title": {"mark": mark, **json.loads(envelope)}}
        yield json.dumps(_masked(plain(record, {})), ensure_ascii=False, sort_keys=True)[:3000]


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get("role") in _OWN_TEXTS:
            return {"role": value["role"]}
        if value.get("type") == "tool_execution_end":
            value = {**value, "result": sorted(value["result"])}
        if value.get("type") == "agent_end":
            value = {**value, "messages": [each["role"] for each in value["messages"]]}
        hidden = _FREE - {"content"} if value.get("type") == "text_end" else _FREE - {"content", "details"}
        return {key: "<own>" if key in hidden else _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("rejecting", [False, True], ids=["approving", "rejecting"])
def test_the_demo_writes_the_same_records_on_both(
    home: Path, agent_folder: Path, model: ScriptedModel, pi_cache: Path, rejecting: bool
) -> None:
    def reviewer() -> Any:
        seen: set[str] = set()

        def answer(widget: dict[str, Any]) -> dict[str, Any]:
            name = (widget["artifact"] or {}).get("name")
            if rejecting and name is not None and name not in seen:
                seen.add(name)
                return {"decision": "reject", "comment": "say more"}
            return recommended(widget)

        return answer

    with fake_pi(home, new_session(home), DEMO) as fake:
        fake.run(f"/nuova-domanda {fake.session}", reviewer())
    model.script(answers_of(fake.records))
    with real_pi(home, new_session(home), agent_folder, pi_cache) as real:
        real.run(f"/nuova-domanda {real.session}", reviewer())
    expected, actual = list(comparable(real.records)), list(comparable(fake.records))
    assert expected == actual, "\n".join(difflib.unified_diff(expected, actual, "real", "fake", n=1))[:6000]
    assert phase_of(home, real.session) == phase_of(home, fake.session) == "F5"
