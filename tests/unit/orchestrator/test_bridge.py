"""Records in, events and effects out; held against recordings of the real Pi."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.orchestrator.bridge import MESSAGE_KEPT, SessionBridge
from services.orchestrator.events import EventKind
from services.orchestrator.items import (
    Asked,
    DialogClosed,
    DialogUnusable,
    Item,
    PhaseChanged,
    Replied,
    RunSettled,
    RunStarted,
    Text,
    Told,
    UnknownRecord,
)
from services.orchestrator.line_splitter import LineProblem, Problem
from services.orchestrator.widgets import ENVELOPE_MARK

RECORDINGS = Path(__file__).resolve().parents[2] / "data" / "pi_recordings"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))


def recorded(name: str) -> list[bytes]:
    """The lines Pi wrote on stdout, as bytes."""
    # The recordings have U+2028 and its like escaped, and LF only between lines.
    text = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.split("\n") if line]
    return [
        encoded(line["record"]) for line in lines if line["dir"] == "out" and isinstance(line["record"], dict)
    ]


def encoded(record: dict[str, Any]) -> bytes:
    """As Pi writes it: raw, but for lone surrogates."""
    try:
        return json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(record).encode()


def play(name: str, bridge: SessionBridge | None = None) -> list[Item]:
    return (bridge or SessionBridge(1)).read(recorded(name))


def record(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def told(items: list[Item], kind: str) -> list[dict[str, Any]]:
    return [item.data for item in items if isinstance(item, Told) and item.data.get("kind") == kind]


def infos(items: list[Item]) -> list[dict[str, Any]]:
    return [item.data for item in items if isinstance(item, Told) and item.kind is EventKind.INFO]


def text(items: list[Item]) -> dict[str, str]:
    said: dict[str, str] = {}
    for item in items:
        if isinstance(item, Text):
            delta = json.loads(b'"' + b"".join(item.parts) + b'"')
            said[item.message_id] = said.get(item.message_id, "") + delta
    return said


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_is_understood_and_nothing_hidden_comes_out(name: str) -> None:
    items = play(name)
    assert told(items, "protocol") == []
    assert [item for item in items if isinstance(item, UnknownRecord)] == []
    shown = json.dumps([item.data for item in items if isinstance(item, Told)]) + json.dumps(text(items))
    assert "You are a coding assistant" not in shown and "HIDDEN KICKOFF" not in shown


@pytest.mark.parametrize("name", NAMES)
def test_runs_end_at_agent_settled_and_text_is_what_the_messages_say(name: str) -> None:
    lines = recorded(name)
    items = play(name)
    settled = sum(json.loads(line)["type"] == "agent_settled" for line in lines)
    assert len([item for item in items if isinstance(item, RunSettled)]) == settled
    finals: list[str] = []
    for line in lines:
        head = json.loads(line)
        if head["type"] == "message_end" and head["message"]["role"] == "assistant":
            blocks = head["message"]["content"]
            finals.append("".join(block["text"] for block in blocks if block["type"] == "text"))
    said = text(items)
    ends = [end for end in told(items, "message_end") if end["role"] == "assistant"]
    assert [said.get(end["message_id"], "") for end in ends] == finals


def test_one_of_the_five_copies_of_a_tool_result_is_used() -> None:
    items = play("run_bash_tool")
    ends = told(items, "tool_end")
    assert len(ends) == 1 and len(told(items, "tool_start")) == 1
    marker = ends[0]["text"].splitlines()[0]
    assert sum(marker in json.dumps(item.data) for item in items if isinstance(item, Told)) <= 2


def test_a_failed_answer_is_told_apart_from_its_retry() -> None:
    items = play("model_drop_mid_stream")
    ends = [end for end in told(items, "message_end") if end["role"] == "assistant"]
    assert [end["stop_reason"] for end in ends] == ["error", "stop"]
    assert len({end["message_id"] for end in ends}) == 2
    retries = told(items, "retry")
    assert [retry["active"] for retry in retries] == [True, False] and retries[1]["error"] is None
    assert [item.failure for item in items if isinstance(item, RunSettled)] == [None]


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("abort_streaming", "aborted"),
        ("model_401", "the model failed: 401"),
        ("model_length", "the answer was cut"),
        ("run_session_dir_vanished", "the model failed"),
        ("run_text", None),
    ],
)
def test_how_a_run_ended_is_its_last_message(name: str, failure: str | None) -> None:
    first = next(item for item in play(name) if isinstance(item, RunSettled))
    assert (first.failure or "").startswith(failure or "") and (first.failure is None) == (failure is None)


def test_dialogs_become_questions_and_answers_become_results() -> None:
    items = play("dialog_two_parallel")
    asked = [item for item in items if isinstance(item, Asked)]
    assert len(asked) == 2 and len({item.rpc_id for item in asked}) == 2
    assert all(item.dialog.envelope.kind == "plain" for item in asked)


def test_steers_are_shown_when_they_are_delivered() -> None:
    items = play("steer_during_tool")
    users = [end["text"] for end in told(items, "message_end") if end["role"] == "user"]
    assert "steer one" in users and not any(said.startswith("/nuova-domanda ") for said in users)
    assert told(items, "queue")[0] == {"kind": "queue", "steering": ["steer one"], "follow_up": []}


def test_one_way_calls_become_infos() -> None:
    sources = {each["source"] for each in infos(play("ui_oneway"))}
    assert sources == {"notify", "status", "widget", "title", "editor_text"}
    extension = infos(play("start_extension_error"))
    assert extension[0]["level"] == "error" and extension[0]["source"] == "extension"


def test_structured_payloads_of_one_way_calls_are_told_as_text() -> None:
    assert all(isinstance(each["text"], str) for each in infos(play("ui_structured_payloads")))


def test_responses_are_handed_on_whole() -> None:
    replies = [item.reply for item in play("start_queries_and_eof") if isinstance(item, Replied)]
    commands = {reply.command: json.loads(bytes(reply.data)) for reply in replies}
    assert commands["get_state"]["sessionId"] == "abc-1"
    assert commands["get_available_models"]["models"][0]["provider"] == "scripted"


def test_the_snapshot_knows_the_message_being_written() -> None:
    bridge = SessionBridge(2)
    bridge.read([record(type="message_start", message={"role": "assistant", "content": []})])
    delta = {"type": "text_delta", "contentIndex": 0, "delta": "Hel"}
    bridge.read([record(type="message_update", assistantMessageEvent=delta)])
    bridge.read([record(type="message_update", assistantMessageEvent=delta | {"delta": "lo"})])
    assert bridge.current_message() == {"message_id": "2-1", "text": "Hello"}
    bridge.read([record(type="message_end", message={"role": "assistant", "content": []})])
    assert bridge.current_message() is None


@pytest.mark.parametrize("timeout", [-5, 2**31, 1e15, 1e308])
@pytest.mark.parametrize("marked", [False, True])
def test_a19_a_dialog_whose_timer_ends_it_at_once_is_told_and_cancelled(timeout: float, marked: bool) -> None:
    envelope = {"v": 1, "kind": "plain", "widget": "input", "title": "x", "timeout_ms": timeout}
    asked = {"type": "extension_ui_request", "id": "q", "method": "input"}
    asked |= {"title": ENVELOPE_MARK + json.dumps(envelope)} if marked else {"title": "x", "timeout": timeout}
    items = SessionBridge(1).read([record(**asked)])
    assert [item.rpc_id for item in items if isinstance(item, DialogUnusable)] == ["q"]
    assert not [item for item in items if isinstance(item, Asked)]


def test_a19_a_native_timeout_of_zero_is_none() -> None:
    """Pi 1.6.0 sets no timer for it, and would wait for ever."""
    asked = record(type="extension_ui_request", id="q", method="input", title="x", timeout=0)
    (item,) = SessionBridge(1).read([asked])
    assert isinstance(item, Asked) and item.dialog.envelope.timeout_ms is None


NESTED = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "line",
    [
        NESTED,
        b'{"type":"unheard","a":%b}' % NESTED,
        b'{"type":"response","id":"t1","command":"x","success":true,"data":%b}' % NESTED,
        b'{"type":"tool_execution_start","toolCallId":"1","toolName":"x","args":%b}' % NESTED,
        b'{"type":"extension_ui_request","id":%b,"method":"input","title":"x"}' % NESTED,
    ],
)
def test_a32_a_record_nested_without_end_is_garbage_and_the_next_one_is_read(line: bytes) -> None:
    after = record(type="message_update", assistantMessageEvent={"type": "text_delta", "delta": "x"})
    items = SessionBridge(1).read([line, after])
    assert [each["problem"] for each in told(items, "protocol")] == ["garbage"]
    assert isinstance(items[-1], Text)


def test_the_message_being_written_is_kept_to_its_last_mebibyte() -> None:
    bridge = SessionBridge(1)
    bridge.read([record(type="message_start", message={"role": "assistant"})])
    written = ""
    for number in range(3000):
        delta = f"{number:06d}" * 100
        written += delta
        update = record(type="message_update", assistantMessageEvent={"type": "text_delta", "delta": delta})
        bridge.read([update])
    message = bridge.current_message()
    assert message is not None and message["text"] == written[-MESSAGE_KEPT:]
    assert len(bridge._text) < 2 * MESSAGE_KEPT


def test_a21_an_unknown_method_is_told_and_cancelled() -> None:
    items = SessionBridge(1).read([record(type="extension_ui_request", id="x1", method="futureDialog")])
    assert [item.rpc_id for item in items if isinstance(item, DialogUnusable)] == ["x1"]
    assert "futureDialog" in infos(items)[0]["text"] and infos(items)[0]["level"] == "warning"


def test_the_gates_channel() -> None:
    def entry(kind: str = "tht-gate", **data: Any) -> bytes:
        return record(type="entry_appended", entry={"type": "custom", "customType": kind, "data": data})

    bridge = SessionBridge(1, "F1")
    items = bridge.read(
        [
            entry(ev="ready", version="tht-gate/1", session="s"),
            entry(ev="dialog_opened", call="t1", widget="select"),
            entry(ev="dialog_closed", call="t1", how="timeout"),
            entry(ev="phase_changed", phase="F2", **{"from": "F1"}, reason="approved"),
            entry(ev="phase_changed", phase="F2", **{"from": "F1"}, reason="approved"),
            entry(ev="artifact_written", name="ctes.json", sha256="f" * 64),
            entry(ev="later", x=1),
            entry("other", ev="phase_changed", phase="F5"),
            record(type="entry_appended", entry={"type": "context_edit"}),
        ]
    )
    assert bridge.gate_ready == {"ev": "ready", "version": "tht-gate/1", "session": "s"}
    assert [item for item in items if isinstance(item, DialogClosed)] == [DialogClosed("t1", "timeout")]
    assert [item for item in items if isinstance(item, PhaseChanged)] == [PhaseChanged("F2")]
    assert told(items, "phase") == [{"kind": "phase", "phase": "F2", "from": "F1", "reason": "approved"}]
    assert told(items, "artifact") == [{"kind": "artifact", "name": "ctes.json", "sha256": "f" * 64}]


@pytest.mark.parametrize(
    "line",
    [
        b"Warning: foo",
        b"null",
        b"42",
        b"[]",
        b"{}",
        b'{"type":5}',
        b'{"type":"agent_settled","aborted":"x"}',
        b'{"type":"message_end"}',
        b'{"type":"message_start","message":5}',
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":5}}',
        b'{"type":"tool_execution_end","toolCallId":5}',
        b'{"type":"entry_appended"}',
        b'{"type":"a"} {"type":"b"}',
        b'\xff\xfe{"type":"a"}',
        b'{"type":"queue_update","steering":5}',
        b"[" * 200_000,
        b'{"type":"x","a":' + b"[" * 200_000,
    ],
)
def test_a32_a_line_that_is_no_record_is_counted_told_and_survived(line: bytes) -> None:
    items = SessionBridge(1).read([line, record(type="agent_start")])
    assert told(items, "protocol") == [
        {"kind": "protocol", "problem": "garbage", "bytes": len(line), "count": 1}
    ]
    assert isinstance(items[-1], RunStarted)


def test_lone_surrogates_are_replaced_and_their_record_is_kept() -> None:
    event = {"type": "text_delta", "contentIndex": 0, "delta": "a\ud83db"}
    items = SessionBridge(1).read([record(type="message_update", assistantMessageEvent=event)])
    assert text(items) == {"1-1": "a\ufffdb"}
    request = record(type="extension_ui_request", id="r", method="input", title="\udc00?")
    asked = SessionBridge(1).read([request])[0]
    assert isinstance(asked, Asked) and asked.dialog.envelope.title == "\ufffd?"


def test_an_unknown_record_type_passes_and_is_noticed_once() -> None:
    items = SessionBridge(1).read([record(type="future"), record(type="future"), record(type="agent_start")])
    assert items == [UnknownRecord("future"), RunStarted()]


def test_line_problems_are_told_with_their_counts() -> None:
    problem = LineProblem(Problem.OVERSIZED, 99)
    items = SessionBridge(1).read([problem, problem])
    assert [each["count"] for each in told(items, "protocol")] == [1, 2]


def test_arguments_and_results_of_tools_are_bounded() -> None:
    items = SessionBridge(1).read(
        [
            record(type="tool_execution_start", toolCallId="t", toolName="w", args={"text": "x" * 9000}),
            record(
                type="tool_execution_end",
                toolCallId="t",
                toolName="w",
                result={"content": [{"type": "text", "text": "y" * 5000}, {"type": "image"}]},
                isError=False,
                durationMs=12,
            ),
        ]
    )
    assert told(items, "tool_start")[0]["args"] is None
    end = told(items, "tool_end")[0]
    assert end["text"] == "y" * 4000 and end["truncated"] is True and end["duration_ms"] == 12


def test_a_shown_message_of_an_extension_comes_out_and_a_hidden_one_does_not() -> None:
    def custom(display: bool) -> bytes:
        return record(
            type="message_end",
            message={"role": "custom", "customType": "c", "content": f"shown {display}", "display": display},
        )

    assert [
        each["text"] for each in told(SessionBridge(1).read([custom(True), custom(False)]), "message_end")
    ] == ["shown True"]


def test_the_order_of_what_was_said_is_the_order_of_the_items() -> None:
    delta = {"type": "text_delta", "contentIndex": 0, "delta": "x"}
    items = SessionBridge(1).read(
        [
            record(type="agent_start"),
            record(type="message_update", assistantMessageEvent=delta),
            record(type="extension_ui_request", id="r", method="input", title=ENVELOPE_MARK + "{}"),
            record(type="message_update", assistantMessageEvent=delta),
            record(type="agent_settled", aborted=False),
        ]
    )
    assert [type(item) for item in items] == [RunStarted, Text, Told, DialogUnusable, Text, RunSettled]
