"""Questions in the terminal: what is typed, what is shown, what cannot be smuggled in."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terminal.clean import clean, one_line
from terminal.conversation import Conversation, Event
from terminal.display import Display
from terminal.questions import DoesNotFit, Question, accepting, hint, parse

OPTIONS = [
    {"id": "mean", "label": "Mean delay", "description": "over all flights"},
    {"id": "median", "label": "Median delay", "recommended": True},
    {"id": "share", "label": "Share of late flights", "recommended": True},
]


def question(widget: str, **members: Any) -> Question:
    return Question.read({"id": "q", "widget": widget, "title": "Which?", "options": OPTIONS, **members})


@pytest.mark.parametrize(
    ("asked", "line", "answer"),
    [
        (question("select"), "1", {"value": "mean"}),
        (question("select"), " median ", {"value": "median"}),
        (question("select"), "MEAN DELAY", {"value": "mean"}),
        (question("select"), "", {"value": "median"}),
        (question("select", free_text=True), "the worst hour", {"text": "the worst hour"}),
        (question("multiselect"), "1, 3", {"values": ["mean", "share"]}),
        (question("multiselect"), "3 3", {"values": ["share"]}),
        (question("multiselect"), "", {"values": ["median", "share"]}),
        (question("multiselect", free_text=True), "1: and hours", {"values": ["mean"], "text": "and hours"}),
        (question("multiselect", free_text=True), ": hours", {"values": [], "text": "hours"}),
        (question("confirm"), "Y", {"confirmed": True}),
        (question("confirm"), "no", {"confirmed": False}),
        (question("input"), " 2013 ", {"text": "2013"}),
        (question("input", prefill="2013"), "", {"text": "2013"}),
        (question("editor"), "a\n  b", {"text": "a\n  b"}),
        (question("artifact_gate"), "approve", {"decision": "approve"}),
        (question("artifact_gate"), "a", {"decision": "approve"}),
        (question("artifact_gate"), "reject: wrong year", {"decision": "reject", "comment": "wrong year"}),
        (question("artifact_gate"), "reject wrong: year", {"decision": "reject", "comment": "wrong: year"}),
        (question("artifact_gate"), "edit", {"decision": "edit"}),
        (question("select"), "/cancel", {"cancelled": True}),
    ],
)
def test_what_is_typed_is_understood(asked: Question, line: str, answer: dict[str, Any]) -> None:
    assert parse(asked, line) == answer


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (question("select"), "4"),
        (question("select"), "0"),
        (question("select"), "-1"),
        (question("select"), "²"),
        (question("select", options=OPTIONS[:1]), ""),
        (question("multiselect"), "1,9"),
        (question("multiselect", max=1), "1,2"),
        (question("multiselect", min=2), "1"),
        (question("confirm"), "perhaps"),
        (question("artifact_gate"), "reject"),
        (question("artifact_gate"), "reject:  "),
        (question("artifact_gate"), ""),
    ],
)
def test_what_answers_nothing_is_said(asked: Question, line: str) -> None:
    with pytest.raises(DoesNotFit, match=r"."):
        parse(asked, line)
    assert hint(asked)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (question("select"), {"value": "median"}),
        (question("select", options=OPTIONS[:1]), {"value": "mean"}),
        (question("select", options=[], free_text=True), {"text": "As you think best."}),
        (question("multiselect"), {"values": ["median", "share"]}),
        (question("multiselect", max=1), {"values": ["median"]}),
        (question("multiselect", min=3), {"values": ["median", "share", "mean"]}),
        (question("multiselect", options=OPTIONS[:1]), {"values": ["mean"]}),
        (question("confirm"), {"confirmed": True}),
        (question("artifact_gate"), {"decision": "approve"}),
        (question("input", prefill="2013"), {"text": "2013"}),
    ],
)
def test_agreement_takes_what_is_recommended_else_the_first(asked: Question, answer: dict[str, Any]) -> None:
    assert accepting(asked) == answer


def test_whoever_asks_is_named() -> None:
    assert question("select").asker == "the agent"
    asked = question("select", **{"from": {"kind": "subagent", "name": "linker\x1b[2J"}})
    assert asked.asker == "subagent linker\N{REPLACEMENT CHARACTER}[2J"


@given(st.text())
def test_nothing_that_a_terminal_obeys_gets_through(text: str) -> None:
    shown = clean(text)
    assert not any(
        (character < " " and character not in "\n\t") or "\x7f" <= character <= "\x9f" for character in shown
    )
    assert "\n" not in one_line(text)
    shown.encode()


def shown_by(*events: Event) -> str:
    file = io.StringIO()
    display = Display(file)
    for event in events:
        display.event(event)
    return file.getvalue()


@given(st.text(alphabet=st.sampled_from("a\x1b[31m\r\u202e\x07 \n"), max_size=30))
def test_events_of_the_agent_cannot_drive_the_terminal(text: str) -> None:
    shown = shown_by(
        Event("text_delta", {"message_id": "m", "delta": text}),
        Event("info", {"level": "warning", "text": text}),
        Event("system_event", {"kind": "tool_start", "tool": text, "args": {text: text}}),
        Event("lifecycle", {"state": "crashed", "reason": text, "stderr": text}),
    )
    assert not {"\x1b", "\r", "\u202e", "\x07"} & set(shown)


def test_text_is_shown_as_it_comes_and_notices_begin_a_line() -> None:
    shown = shown_by(
        Event("text_delta", {"delta": "Which "}),
        Event("text_delta", {"delta": "[carrier]"}),
        Event("system_event", {"kind": "phase", "phase": "F2"}),
        Event("text_delta", {"delta": "Next\n"}),
        Event("system_event", {"kind": "artifact", "name": "ctes.json"}),
    )
    assert shown == "Which [carrier]\nphase F2\nNext\nwritten: ctes.json\n"


def test_a_table_shows_nulls_and_hostile_values() -> None:
    file = io.StringIO()
    page = {
        "columns": [{"name": "a[red]", "type": "text"}, {"name": "n", "type": "int"}],
        "rows": [["\x1b[31mx", 1], [None, "2"], [True, [1]]],
        "truncated": True,
        "row_count": None,
        "warnings": ["capped"],
    }
    Display(file).rows(page)
    shown = file.getvalue()
    assert "NULL" in shown
    assert "\x1b" not in shown
    assert "a[red]" in shown
    assert "3 of more rows" in shown
    assert "capped" in shown


def descriptor(number: int) -> dict[str, Any]:
    return {"id": f"q{number}", "widget": "confirm", "title": "?"}


def snapshot(state: str, *pending: dict[str, Any], **members: Any) -> Event:
    return Event("snapshot", {"state": state, "pending": list(pending), "phase": None, **members})


def test_a14_a_repeated_question_is_one_question_and_an_answered_one_stays_away() -> None:
    """A-14, on the client's side."""
    conversation = Conversation()
    assert conversation.apply(snapshot("waiting", descriptor(1)))
    assert not conversation.apply(Event("ui_request", {**descriptor(1), "again": True}))
    assert list(conversation.pending) == ["q1"]
    conversation.answered("q1")
    assert not conversation.apply(Event("ui_request", {**descriptor(1), "again": True}))
    assert conversation.apply(Event("ui_request", descriptor(2)))
    assert conversation.apply(Event("ui_resolved", {"id": "q2", "how": "expired"}))
    assert not conversation.pending


def test_a_session_is_over_once_its_agent_has_settled_and_asks_nothing() -> None:
    conversation = Conversation()
    assert not conversation.over
    conversation.apply(snapshot("idle", descriptor(1)))
    assert not conversation.over
    conversation.answered("q1")
    assert conversation.over
    conversation.apply(Event("lifecycle", {"state": "resumed", "reason": None}))
    assert not conversation.over
    conversation.apply(Event("ui_request", descriptor(2)))
    conversation.apply(Event("lifecycle", {"state": "crashed", "reason": "exit 1"}))
    assert conversation.over
    assert conversation.reason == "exit 1"


def test_the_phase_is_kept_when_a_snapshot_does_not_know_it() -> None:
    conversation = Conversation()
    conversation.apply(snapshot("running", phase="F3", scripted=True))
    conversation.apply(snapshot("running"))
    assert conversation.phase == "F3"
    conversation.apply(Event("system_event", {"kind": "phase", "phase": "F2"}))
    assert conversation.phase == "F2"
