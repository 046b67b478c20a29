"""Parts of the Pi adapter that need no Pi."""

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.pi.agent_directory import make_agent_directory
from session_executor.pi.conversation import Conversation, Expected, Outcome, require_success
from session_executor.pi.installation import PI_VARIABLE, find_pi


def code_of(call: Any) -> ErrorCode:
    with pytest.raises(ExecutorError) as caught:
        call()
    return caught.value.code


@pytest.mark.parametrize("reason", ["length", "error", "aborted", "toolUse", "pending", ""])
def test_only_an_answer_that_stopped_by_itself_counts(reason: str) -> None:
    outcome = Outcome(stop_reason=reason, written={"file.txt"})
    assert code_of(lambda: require_success(outcome)) is ErrorCode.PI_CONTINUATION_FAILED
    aborted = Outcome(stop_reason="stop", aborted=True)
    assert code_of(lambda: require_success(aborted)) is ErrorCode.PI_CONTINUATION_FAILED
    require_success(Outcome(stop_reason="stop"))


MODEL = {"provider": "p", "id": "m"}
STATE = {"sessionId": "s", "sessionFile": "/s.jsonl", "model": MODEL}
TOOLS = {"root": "/tree", "active": ["ls", "read"], "own": ["ls", "read"]}
ENTRIES = {
    "entries": [
        {"id": "a", "parentId": None, "type": "message"},
        {"id": "side", "parentId": "a", "type": "message"},
        {"id": "b", "parentId": "a", "type": "message"},
        {"id": "t", "parentId": "b", "type": "thinking_level_change"},
    ],
    "leafId": "t",
}


class ScriptedPi:
    """Answers commands from a table and says what it is told to beforehand."""

    def __init__(self, answers: dict[str, Any], records: Sequence[dict[str, Any]]) -> None:
        self.answers = answers
        self.pending = list(records)
        self.sent: list[dict[str, Any]] = []

    def send(self, command: str, **fields: Any) -> str:
        identifier = f"id-{len(self.sent)}"
        self.sent.append({"type": command, **fields})
        answer = self.answers.get(command)
        failure = {"success": False, "error": "no such model"}
        rest = failure if answer is None else {"success": True, "data": answer}
        self.pending.append({"type": "response", "id": identifier, **rest})
        return identifier

    def next(self, deadline: float) -> dict[str, Any] | None:
        return self.pending.pop(0) if self.pending else None


def status(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "extension_ui_request",
        "method": "setStatus",
        "statusKey": "session-executor-tools",
        "statusText": json.dumps(document),
    }


def conversation(pi: ScriptedPi, models: Sequence[tuple[str, str]] = ()) -> Conversation:
    expected = Expected("s", "/s.jsonl", "/tree", ["read", "ls"], ["a", "b"], models)
    return Conversation(pi, expected, lambda _step, _detail: None, threading.Event())  # type: ignore[arg-type]


def verify(
    state: dict[str, Any] = STATE,
    tools: dict[str, Any] | None = TOOLS,
    entries: dict[str, Any] = ENTRIES,
    models: Sequence[tuple[str, str]] = (),
) -> Outcome:
    records = [] if tools is None else [status(tools)]
    talk = conversation(ScriptedPi({"get_state": state, "get_entries": entries}, records), models)
    talk.verify()
    return talk.outcome


def test_what_pi_reports_must_be_the_plans() -> None:
    assert verify().model == ("p", "m")
    assert verify(models=[("p", "m"), ("virtual", "router")]).model == ("p", "m")
    wrong: list[dict[str, Any]] = [
        {"state": {**STATE, "sessionId": "other"}},
        {"state": {**STATE, "sessionFile": "/other.jsonl"}},
        {"state": {**STATE, "model": None}},
        {"state": {**STATE, "model": {"provider": "p", "id": "unknown"}}},
        {"models": [("gone", "m")]},
        {"tools": None},
        {"tools": {**TOOLS, "root": "/elsewhere"}},
        {"tools": {**TOOLS, "active": ["bash", "ls", "read"]}},
        {"tools": {**TOOLS, "own": ["ls"]}},
        {"entries": {**ENTRIES, "leafId": "side"}},
        {"entries": {**ENTRIES, "leafId": "a"}},
        {"entries": {**ENTRIES, "leafId": None}},
        {
            "entries": {
                "entries": [*ENTRIES["entries"], {"id": "u", "parentId": "b", "type": "message"}],
                "leafId": "u",
            }
        },
    ]
    for change in wrong:
        assert code_of(lambda change=change: verify(**change)) is ErrorCode.PI_TOOL_BOUNDARY_FAILED, change


def test_a_prompt_that_a_command_takes_is_refused() -> None:
    talk = conversation(ScriptedPi({"prompt": {"disposition": "handled"}, "abort": {}}, []))
    assert code_of(lambda: talk.prompt("x", 64, 5)) is ErrorCode.PI_TOOL_BOUNDARY_FAILED


def test_more_calls_than_allowed_fail_even_a_settled_run() -> None:
    start = {"type": "tool_execution_start", "toolCallId": "c 1", "toolName": "read"}
    records = [start, start, start, {"type": "agent_settled", "aborted": False}]
    pi = ScriptedPi({"prompt": {"disposition": "started"}, "abort": {}}, records)
    assert code_of(lambda: conversation(pi).prompt("x", 2, 5)) is ErrorCode.PI_TOOL_CALL_LIMIT


def test_the_private_agent_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(user))
    for name in ("auth.json", "models.json", "models-store.json", "trust.json", "SYSTEM.md"):
        (user / name).write_text("{}")
    settings = {
        "defaultProvider": "p",
        "defaultTools": ["bash"],
        "extensions": ["x"],
        "retry": {"maxRetries": 50, "provider": {"maxRetries": 1}},
        "compaction": {"enabled": True},
    }
    (user / "settings.json").write_text(json.dumps(settings))
    make_agent_directory(str(tmp_path / "private"))
    private = tmp_path / "private"
    names = sorted(path.name for path in private.iterdir())
    assert names == ["auth.json", "models-store.json", "models.json", "settings.json"]
    assert (private / "auth.json").readlink() == Path(os.path.realpath(user / "auth.json"))
    assert not (private / "models-store.json").is_symlink()
    made = json.loads((private / "settings.json").read_text())
    assert made["defaultProvider"] == "p"
    assert made["retry"]["maxRetries"] == 5
    assert made["compaction"] == {"enabled": False}
    assert not {"defaultTools", "extensions"} & set(made)


@pytest.mark.parametrize("content", [None, "{", "[]", '{"retry": 5}'])
def test_settings_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    if content is not None:
        (tmp_path / "settings.json").write_text(content)
    make_agent_directory(str(tmp_path / "private"))
    made = json.loads((tmp_path / "private/settings.json").read_text())
    assert made["retry"] == {"enabled": True, "maxRetries": 3, "baseDelayMs": 1000}


def fake_package(root: Path, version: str) -> Path:
    package = root / "node_modules/@earendil-works/pi-coding-agent"
    (package / "dist").mkdir(parents=True)
    document = {"name": "@earendil-works/pi-coding-agent", "version": version}
    (package / "package.json").write_text(json.dumps(document))
    program = package / "dist/cli.js"
    program.write_text("#!/usr/bin/env node\n")
    program.chmod(0o755)
    (root / "bin").mkdir()
    (root / "bin/pi").symlink_to(program)
    return root / "bin"


@pytest.mark.parametrize(
    ("version", "fits"),
    [("1.6.0", True), ("1.10.2", True), ("1.5.9", False), ("0.84.2", False), ("2.0.0", False), ("", False)],
)
def test_which_versions_of_pi_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fits: bool
) -> None:
    monkeypatch.setenv(PI_VARIABLE, str(fake_package(tmp_path, version) / "pi"))
    if fits:
        installation = find_pi()
        assert installation.version == version
        assert installation.command[1].endswith("dist/cli.js")
    else:
        assert code_of(find_pi) is ErrorCode.PI_SDK_UNAVAILABLE


def test_every_code_has_a_place_in_the_taxonomy_of_the_services() -> None:
    for code in ErrorCode:
        fault = ExecutorError(code, "a\nmessage").as_fault()
        assert fault.details == {"executor_code": code.value}
        assert fault.message == "a message"
    assert ExecutorError(ErrorCode.PLAN_NOT_FOUND, "x").as_fault().code is Code.NOT_FOUND
    assert ExecutorError(ErrorCode.OUTPUT_EXISTS, "x").as_fault().code is Code.CONFLICT
    assert ExecutorError(ErrorCode.PI_EXECUTION_TIMEOUT, "x").as_fault().code is Code.TIMEOUT
