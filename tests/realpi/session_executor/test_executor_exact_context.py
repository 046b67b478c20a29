"""The scripted model receives exactly the messages up to the entry, whatever kind the entry is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import execute_plan
from session_executor.pi.runner import PiRunner
from session_executor.pi.session_file import inspect_session
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel
from tests.unit.session_executor.executor_fixtures import (
    PROMPT,
    TIMESTAMP,
    Repository,
    entry,
    make_plan,
    write_session,
)

pytestmark = pytest.mark.realpi

USAGE = {
    "input": 1,
    "output": 1,
    "cacheRead": 0,
    "cacheWrite": 0,
    "totalTokens": 2,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, "timestamp": 1, **more}}


def assistant(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    made_by = {"api": "openai-completions", "provider": PROVIDER, "model": MODEL, "usage": USAGE}
    blocks = [{"type": "text", "text": text}, *calls]
    return message("assistant", blocks, stopReason="toolUse" if calls else "stop", **made_by)


def call(identifier: str, marker: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": identifier, "name": "bash", "arguments": {"command": marker}}


def result(identifier: str, marker: str) -> dict[str, Any]:
    content = [{"type": "text", "text": marker}]
    return message("toolResult", content, toolCallId=identifier, toolName="bash", isError=False)


SYSTEM = message(
    "system",
    "",
    sections={"preamble": "M-old-preamble", "cwd": "/M-old-cwd"},
    toolsAdded=[{"name": "bash", "description": "M-old-bash", "parameters": {"type": "object"}}],
)
BASH = {
    "type": "message",
    "message": {
        "role": "bashExecution",
        "command": "M-sh",
        "output": "out\u2028\u0085 put",
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
        "timestamp": 1,
    },
}
EDIT = {"type": "context_edit", "targetId": "user2", "replacement": {"content": "M-edited"}}
OMIT = {"type": "context_edit", "targetId": "note", "replacement": None}
COMPACTION = {"type": "compaction", "summary": "M-compacted", "firstKeptEntryId": "user3", "tokensBefore": 9}
SUMMARY = {"type": "branch_summary", "fromId": "branched", "summary": "M-branch"}
NOTE = {"type": "custom_message", "customType": "x", "content": "M-note", "display": False}
SHOWN = {"type": "custom_message", "customType": "x", "content": "M-shown", "display": True}

# Entry id, its fields, and the markers of the request when the session is continued right there.
PATH: list[tuple[str, dict[str, Any], list[str]]] = [
    ("model", {"type": "model_change", "provider": PROVIDER, "modelId": MODEL}, []),
    ("thinking", {"type": "thinking_level_change", "thinkingLevel": "off"}, []),
    ("system", SYSTEM, []),
    ("user1", message("user", "M-u1"), ["M-u1"]),
    ("calls", assistant("M-a1", call("c1", "M-c1"), call("c2", "M-c2")), ["M-u1", "M-a1", "M-c1", "M-c2"]),
    ("result1", result("c1", "M-r1"), ["M-u1", "M-a1", "M-c1", "M-c2", "M-r1"]),
    ("result2", result("c2", "M-r2"), ["M-u1", "M-a1", "M-c1", "M-c2", "M-r1", "M-r2"]),
    ("answer", assistant("M-a2"), ["M-u1", "M-a1", "M-c1", "M-c2", "M-r1", "M-r2", "M-a2"]),
]
_SO_FAR = PATH[-1][2]
PATH += [
    ("custom", {"type": "custom", "customType": "x", "data": {"m": "M-never"}}, _SO_FAR),
    ("label", {"type": "label", "targetId": "user1", "label": "M-never"}, _SO_FAR),
    ("info", {"type": "session_info", "name": "M-never"}, _SO_FAR),
    ("usage", {"type": "usage", "kind": "x", "provider": PROVIDER, "model": MODEL, "usage": USAGE}, _SO_FAR),
    ("note", NOTE, [*_SO_FAR, "M-note"]),
    ("user2", message("user", [{"type": "text", "text": "M-u2"}]), [*_SO_FAR, "M-note", "M-u2"]),
    ("edit", EDIT, [*_SO_FAR, "M-note", "M-edited"]),
    ("omit", OMIT, [*_SO_FAR, "M-edited"]),
    ("bash", BASH, [*_SO_FAR, "M-edited", "M-sh"]),
    ("summary", SUMMARY, [*_SO_FAR, "M-edited", "M-sh", "M-branch"]),
    ("user3", message("user", "M-u3"), [*_SO_FAR, "M-edited", "M-sh", "M-branch", "M-u3"]),
    ("compaction", COMPACTION, ["M-compacted", "M-u3"]),
    ("answer3", assistant("M-a3"), ["M-compacted", "M-u3", "M-a3"]),
    ("shown", SHOWN, ["M-compacted", "M-u3", "M-a3", "M-shown"]),
]
UNANSWERED = {"calls": 2, "result1": 1}


def whole_session() -> list[dict[str, Any]]:
    """The path, with an abandoned branch at every entry and a tail after the last one."""
    entries: list[dict[str, Any]] = []
    parent = None
    for identifier, fields, _ in PATH:
        entries.append(entry(identifier, parent, **fields))
        entries.append(entry(f"{identifier}-side", identifier, **message("user", "M-abandoned")))
        parent = identifier
    return [*entries, entry("tail", parent, **message("user", "M-tail"))]


@pytest.fixture
def rich_session(tmp_path: Path, repository: Repository) -> Path:
    return write_session(tmp_path / "sessions/rich.jsonl", repository.root, *whole_session())


@pytest.mark.parametrize(("identifier", "markers"), [(step[0], step[2]) for step in PATH])
def test_exactly_the_messages_up_to_the_entry(
    repository: Repository, rich_session: Path, model: ScriptedModel, identifier: str, markers: list[str]
) -> None:
    source = rich_session.read_bytes()
    model.script([Answer("Nothing to do.")])
    plan = make_plan(repository, rich_session, entry_id=identifier)
    with pytest.raises(ExecutorError) as caught:
        execute_plan(plan, PiRunner(), inspect_session)
    assert caught.value.code is ErrorCode.NO_CHANGES, caught.value
    [request] = model.requests
    system, *conversation = request["messages"]
    assert system["role"] in {"system", "developer"}
    assert "M-" not in system["content"]
    assert TIMESTAMP not in json.dumps(conversation)
    assert conversation[-1] == {"role": "user", "content": [{"type": "text", "text": PROMPT}]} or (
        conversation[-1] == {"role": "user", "content": PROMPT}
    )
    found = re.findall(r"M-[a-z0-9]+", json.dumps(conversation, ensure_ascii=False))
    assert found == markers
    added = [one for one in conversation if one["role"] == "tool" and "No result provided" in json.dumps(one)]
    assert len(added) == UNANSWERED.get(identifier, 0)
    blocks = len([marker for marker in markers if marker not in {"M-c1", "M-c2"}])
    assert len(conversation) == blocks + len(added) + 1
    assert sorted(tool["function"]["name"] for tool in request["tools"]) == ["edit", "ls", "read", "write"]
    assert rich_session.read_bytes() == source
