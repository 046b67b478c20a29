"""Frames of the checkpoint bridge: whose a dialog is, and when it is over."""

import json
from typing import Any

import pytest

from services.orchestrator import bridge as seen
from services.orchestrator.bridge import SessionBridge
from services.orchestrator.events import EventKind

ONE = {"id": "r-1", "from": "s-1", "kind": "subagent", "name": "scout#1", "n": 1, "titles": ["One?"]}
TWO = {"id": "r-2", "from": "s-2", "kind": "subagent", "name": "scout#2", "n": 1, "titles": ["Two?"]}


def request(**fields: Any) -> bytes:
    return json.dumps({"type": "extension_ui_request", **fields}).encode()


def frame(ev: str, told: dict[str, Any], **more: Any) -> bytes:
    text = json.dumps({"ev": ev, **told, **more})
    return request(id="x", method="setStatus", statusKey="checkpoint-bridge", statusText=text)


def dialog(title: str, **more: Any) -> bytes:
    return request(id=f"d-{title}", method="input", title=title, **more)


def asked(items: list[Any]) -> list[tuple[str, str, str | None]]:
    found = [item.dialog for item in items if isinstance(item, seen.Asked)]
    return [(each.envelope.origin.kind, each.envelope.origin.name, each.frame) for each in found]


def test_a25_dialogs_between_two_records_are_their_askers() -> None:
    bridge = SessionBridge(1)
    items = bridge.read(
        [
            frame("open", ONE), dialog("One?"), frame("closed", ONE, status="ok"),
            frame("open", TWO), dialog("Two?"), frame("closed", TWO, status="cancelled"),
            dialog("Three?"),
        ]
    )  # fmt: skip
    assert asked(items) == [
        ("subagent", "scout#1", "r-1"),
        ("subagent", "scout#2", "r-2"),
        ("main", "extension", None),
    ]
    closed = [(item.frame.id, item.frame.ended) for item in items if isinstance(item, seen.FrameClosed)]
    assert closed == [("r-1", "gone"), ("r-2", "cancelled")]
    assert not [item for item in items if isinstance(item, seen.Told)], "frames are no status lines"


def test_a_frame_without_titles_owns_every_plain_dialog_but_no_marked_one() -> None:
    bridge = SessionBridge(1)
    told = {"id": "r", "from": "session-9", "n": 2}
    envelope = {"v": 1, "kind": "answer", "widget": "input", "title": "Gate?"}
    items = bridge.read(
        [frame("open", told), dialog("A?"), dialog(f"thothii-widget/1 {json.dumps(envelope)}"), dialog("B?")]
    )
    assert asked(items) == [
        ("subagent", "session-9", "r"),
        ("main", "main", None),
        ("subagent", "session-9", "r"),
    ]


def test_a_dialog_of_another_extension_meanwhile_is_not_the_askers() -> None:
    items = SessionBridge(1).read([frame("open", ONE), dialog("Something else?"), dialog("One?")])
    assert asked(items) == [("main", "extension", None), ("subagent", "scout#1", "r-1")]


def test_the_main_sessions_own_call_is_the_mains() -> None:
    told = {**ONE, "kind": "main", "name": "main"}
    assert asked(SessionBridge(1).read([frame("open", told), dialog("One?")])) == [("main", "main", "r-1")]


@pytest.mark.parametrize(
    "text",
    [
        "2 questions",
        "{",
        '{"ev": "open"}',
        '{"ev": "half", "id": "r"}',
        '{"ev":"open","id":5}',
        "[]",
        None,
        5,
    ],
)
def test_what_is_no_frame_stays_a_status_line(text: Any) -> None:
    line = request(id="x", method="setStatus", statusKey="checkpoint-bridge", statusText=text)
    items = SessionBridge(1).read([line, dialog("One?")])
    told = [item for item in items if isinstance(item, seen.Told)]
    assert [item.kind for item in told] == [EventKind.INFO] and told[0].data["source"] == "status"
    assert asked(items) == [("main", "extension", None)]


@pytest.mark.parametrize(
    ("status", "how"),
    [
        ("timeout", "expired"), ("timeout-or-cancelled", "expired"), ("cancelled", "cancelled"),
        ("no-host", "gone"), ("error", "gone"), (None, "gone"), ("whatever", "gone"),
    ],
)  # fmt: skip
def test_the_status_of_a_call_says_how_its_open_question_ended(status: str | None, how: str) -> None:
    items = SessionBridge(1).read([frame("open", ONE), frame("closed", ONE, status=status)])
    assert [item.frame.ended for item in items if isinstance(item, seen.FrameClosed)] == [how]
