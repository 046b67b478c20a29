"""Descriptors and answers."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from services.orchestrator.records import DialogRequest
from services.orchestrator.widgets import (
    ENVELOPE_MARK,
    Dialog,
    DialogRefused,
    check_answer,
    decision_of,
    encode_answer,
    parse_answer,
    public_id,
    read_dialog,
)

AT = datetime(2026, 11, 30, 16, 10, 35, 120_000, tzinfo=UTC)
OPTIONS = [{"id": "a", "label": "A"}, {"id": "b", "label": "B", "recommended": True}]


def envelope(**fields: Any) -> DialogRequest:
    given = {"v": 1, "call": "t1", "kind": "answer", "widget": "input", "title": "T"} | fields
    return DialogRequest(id="r1", method="input", title=ENVELOPE_MARK + json.dumps(given))


def dialog(**fields: Any) -> Dialog:
    return read_dialog(envelope(**fields), "F1")


SELECT = dialog(widget="select", kind="reading", options=OPTIONS)
FREE_SELECT = dialog(widget="select", kind="reading", options=OPTIONS, free_text=True)
MULTI = dialog(widget="multiselect", kind="selection", options=OPTIONS, min=1, max=2)
FREE_MULTI = dialog(widget="multiselect", kind="selection", options=OPTIONS, min=0, max=1, free_text=True)
CONFIRM = dialog(widget="confirm")
INPUT = dialog(widget="input")
GATE = dialog(widget="artifact_gate", kind="approval", artifact={"name": "ctes.json", "sha256": "0" * 64})


def test_the_descriptor_is_version_one_without_what_stays_inside() -> None:
    asked = dialog(
        widget="select", kind="reading", options=OPTIONS, phase="F2", timeout_ms=60_000, body="*b*"
    )
    assert asked.descriptor("s.1.r1", AT) == {
        "v": 1,
        "id": "s.1.r1",
        "widget": "select",
        "title": "T",
        "body": "*b*",
        "options": OPTIONS,
        "min": 0,
        "max": 2,
        "free_text": False,
        "placeholder": None,
        "prefill": None,
        "artifact": None,
        "phase": "F2",
        "from": {"kind": "main", "name": "main"},
        "expires_at": "2026-11-30T16:11:35.120Z",
        "asked_at": "2026-11-30T16:10:35.120Z",
    }


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (SELECT, {"value": "a"}),
        (FREE_SELECT, {"text": "neither"}),
        (FREE_SELECT, {"value": "b"}),
        (MULTI, {"values": ["b", "a"]}),
        (FREE_MULTI, {"values": []}),
        (FREE_MULTI, {"values": ["a"], "text": "and more"}),
        (CONFIRM, {"confirmed": False}),
        (INPUT, {"text": ""}),
        (INPUT, {"text": "x" * 1024 * 1024}),
        (GATE, {"decision": "approve"}),
        (GATE, {"decision": "approve", "comment": "good"}),
        (GATE, {"decision": "reject", "comment": "no"}),
        (GATE, {"decision": "edit", "text": "{}", "comment": "fixed"}),
        (SELECT, {"cancelled": True}),
    ],
)
def test_an_answer_that_fits_is_taken_as_it_is(asked: Dialog, answer: dict[str, Any]) -> None:
    assert check_answer(asked, {"id": "q", **answer}) == answer


@pytest.mark.parametrize(
    ("asked", "answer", "pointer"),
    [
        (SELECT, {"value": "c"}, "/value"),
        (SELECT, {"value": 1}, "/value"),
        (SELECT, {"value": ["a"]}, "/value"),
        (SELECT, {"value": None}, "/value"),
        (SELECT, {}, "/value"),
        (SELECT, {"text": "x"}, "/text"),
        (SELECT, {"value": "a", "by": "eve"}, "/by"),
        (SELECT, {"value": "a", "a/b~c": 1}, "/a~1b~0c"),
        (FREE_SELECT, {"text": "  "}, "/text"),
        (FREE_SELECT, {"value": "a", "text": "x"}, "/text"),
        (MULTI, {"values": []}, "/values"),
        (MULTI, {"values": ["a", "a"]}, "/values/1"),
        (MULTI, {"values": ["a", "c"]}, "/values/1"),
        (MULTI, {"values": "ab"}, "/values"),
        (MULTI, {"values": [{"id": "a"}]}, "/values/0"),
        (FREE_MULTI, {"values": ["a", "b"]}, "/values"),
        (FREE_MULTI, {"values": [], "text": ""}, "/text"),
        (CONFIRM, {"confirmed": 1}, "/confirmed"),
        (CONFIRM, {"confirmed": "yes"}, "/confirmed"),
        (CONFIRM, {"confirmed": None}, "/confirmed"),
        (INPUT, {"text": 5}, "/text"),
        (INPUT, {"text": "x" * (1024 * 1024 + 1)}, "/text"),
        (INPUT, {"text": "\ud800"}, "/text"),
        (GATE, {"decision": "maybe"}, "/decision"),
        (GATE, {"decision": ["approve"]}, "/decision"),
        (GATE, {"decision": "reject"}, "/comment"),
        (GATE, {"decision": "reject", "comment": " \n"}, "/comment"),
        (GATE, {"decision": "edit"}, "/text"),
        (GATE, {"decision": "approve", "text": "x"}, "/text"),
        (GATE, {"decision": "approve", "comment": "\udfff"}, "/comment"),
        (INPUT, {"cancelled": False}, "/cancelled"),
        (INPUT, {"cancelled": True, "text": "x"}, "/cancelled"),
    ],
)
def test_a24_an_answer_that_does_not_fit_is_refused_with_a_pointer(
    asked: Dialog, answer: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Fault) as refused:
        check_answer(asked, {"id": "q", **answer})
    assert refused.value.code is Code.ANSWER_DOES_NOT_FIT
    assert refused.value.details == {"pointer": pointer}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["value", "values", "confirmed", "text", "decision", "comment", "cancelled", "x"])


@given(
    st.sampled_from([SELECT, FREE_SELECT, MULTI, FREE_MULTI, CONFIRM, INPUT, GATE]),
    st.dictionaries(
        FIELDS, JSON | st.sampled_from(["a", "b", "approve", "edit", "reject", True, ["a"]]), max_size=3
    ),
)
def test_a24_whatever_is_answered_is_either_refused_or_safe_to_send(
    asked: Dialog, answer: dict[str, Any]
) -> None:
    try:
        taken = check_answer(asked, {"id": "q", **answer})
    except Fault as fault:
        assert fault.code is Code.ANSWER_DOES_NOT_FIT and fault.details["pointer"].startswith("/")
        return
    line = encode_answer(asked, "r1", taken, "anna")
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    told = json.loads(line)
    assert told["type"] == "extension_ui_response" and told["id"] == "r1"


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"5", b"[" * 100_000])
def test_a_body_that_is_no_object_is_malformed(body: bytes) -> None:
    with pytest.raises(Fault) as refused:
        parse_answer(body)
    assert refused.value.code is Code.MALFORMED


@pytest.mark.parametrize("body", [b"{}", b'{"id": 5}', b'{"id": null}'])
def test_an_answer_needs_the_id_of_the_question(body: bytes) -> None:
    with pytest.raises(Fault) as refused:
        parse_answer(body)
    assert refused.value.details == {"pointer": "/id"}


def test_the_gate_hears_the_answer_with_who_gave_it() -> None:
    line = json.loads(encode_answer(SELECT, "r1", {"value": "a"}, "anna"))
    assert json.loads(line["value"]) == {"value": "a", "by": "anna"}
    line = json.loads(encode_answer(GATE, "r1", {"decision": "edit", "text": "{}"}, "anna", "f" * 64))
    assert json.loads(line["value"])["sha256"] == "f" * 64
    line = json.loads(encode_answer(SELECT, "r1", {"cancelled": True}, "anna"))
    assert line == {"type": "extension_ui_response", "id": "r1", "cancelled": True}


@pytest.mark.parametrize(
    ("request_", "answer", "heard"),
    [
        (
            DialogRequest(id=7, method="select", title="which?", options=["x", {"deep": 1}]),
            {"value": "1"},
            {"value": {"deep": 1}},
        ),
        (
            DialogRequest(id=7, method="confirm", title="Sure?", message="All of it"),
            {"confirmed": True},
            {"confirmed": True},
        ),
        (DialogRequest(id=7, method="input", title="Name?"), {"text": "n"}, {"value": "n"}),
        (DialogRequest(id=7, method="editor", title="Edit", prefill="p"), {"text": "n"}, {"value": "n"}),
    ],
)
def test_a_dialog_that_knows_nothing_of_thothii_hears_what_pi_would_say(
    request_: DialogRequest, answer: dict[str, Any], heard: dict[str, Any]
) -> None:
    asked = read_dialog(request_, "F3")
    assert asked.envelope.kind == "plain" and asked.descriptor("q", AT)["phase"] == "F3"
    line = json.loads(encode_answer(asked, 7, check_answer(asked, {"id": "q", **answer}), "anna"))
    assert line == {"type": "extension_ui_response", "id": 7, **heard}


@pytest.mark.parametrize(
    "request_",
    [
        DialogRequest(id="r", method="futureDialog"),
        DialogRequest(id="r", method=None),
        DialogRequest(id="r", method=["select"]),
        DialogRequest(id="r", method="select", title="T"),
        DialogRequest(id="r", method="select", title="T", options=[]),
        DialogRequest(id="r", method="select", title="T", options="ab"),
        DialogRequest(id="r", method="input", title=ENVELOPE_MARK + "{"),
        DialogRequest(id="r", method="input", title=ENVELOPE_MARK + "[]"),
        envelope(v=2),
        envelope(widget="colour"),
        envelope(kind="whatever"),
        envelope(widget="select", kind="reading"),
        envelope(widget="select", kind="reading", options=[*OPTIONS, OPTIONS[0]]),
        envelope(widget="select", kind="reading", options=[{"id": "", "label": "x"}]),
        envelope(widget="multiselect", kind="selection", options=OPTIONS, min=3, max=3),
        envelope(widget="multiselect", kind="selection", options=OPTIONS, min=2, max=1),
        envelope(widget="artifact_gate", kind="approval"),
        envelope(widget="artifact_gate", kind="answer", artifact={"name": "ctes.json", "sha256": "0" * 64}),
        envelope(widget="artifact_gate", kind="approval", artifact={"name": "ctes.json", "sha256": "0"}),
        envelope(widget="artifact_gate", kind="approval", artifact={"name": "../x", "sha256": "0" * 64}),
        envelope(widget="select", kind="approval", options=OPTIONS),
        envelope(timeout_ms=0),
    ],
)
def test_a21_a_dialog_nobody_could_answer_is_refused(request_: DialogRequest) -> None:
    with pytest.raises(DialogRefused):
        read_dialog(request_, None)


def test_decisions_have_the_kind_of_what_was_decided() -> None:
    kinds = {"approve": "approval", "reject": "rejection", "edit": "edit"}
    for decision, kind in kinds.items():
        answer = {"decision": decision, "comment": "c"} | ({"text": "{}"} if decision == "edit" else {})
        recorded = decision_of(GATE, check_answer(GATE, {"id": "q", **answer}), "anna")
        assert recorded is not None and recorded["kind"] == kind and recorded["by"] == "anna"
        assert recorded["artifact"] == {"name": "ctes.json", "sha256": "0" * 64}
        assert recorded["answer"] == {"decision": decision, "comment": "c"}
        assert recorded.get("edit") == ("{}" if decision == "edit" else None)
    assert decision_of(GATE, {"cancelled": True}, "anna") is None
    recorded = decision_of(SELECT, {"value": "a"}, "anna")
    assert recorded is not None and recorded["kind"] == "reading" and recorded["options"] == OPTIONS


def test_what_the_ledger_does_not_take_is_left_out() -> None:
    asked = dialog(title="t" * 5000, artifact={"name": "x", "sha256": "y"})
    recorded = decision_of(asked, {"text": "x"}, "anna")
    assert recorded is not None and len(recorded["title"]) == 4096 and "artifact" not in recorded


@pytest.mark.parametrize("rpc_id", [5, None, {"a": 1}, "", "a b", "x" * 65, "../x", "é"])
def test_an_rpc_id_that_is_no_word_is_numbered(rpc_id: Any) -> None:
    assert public_id("s", 3, rpc_id, 2) == "s.3.q2"
    assert public_id("s", 3, "ab-1", 2) == "s.3.ab-1"
