"""The orchestrator and the reviewer in one, for tests that drive the real Pi without the orchestrator."""

import json
from collections.abc import Callable
from typing import Any

from tests.realpi.agent_stub import StubSession
from tests.realpi.pi_process import PiProcess, Record

MARK = "thothii-widget/1 "

Envelope = dict[str, Any]
Choose = Callable[[Envelope], dict[str, Any] | None]


def envelope_of(request: Record) -> Envelope:
    """The widget in a native request; fails when it carries none."""
    assert request["method"] == "input", request
    assert request["title"].startswith(MARK), request
    return json.loads(request["title"].removeprefix(MARK))


def take_recommended(envelope: Envelope) -> dict[str, Any]:
    """The answer of a reviewer who agrees with everything."""
    recommended = [option["id"] for option in envelope["options"] if option.get("recommended")]
    answers: dict[str, dict[str, Any]] = {
        "select": {"value": recommended[0] if recommended else None},
        "multiselect": {"values": recommended},
        "confirm": {"confirmed": True},
        "input": {"text": "minutes"},
        "editor": {"text": "Nothing."},
        "artifact_gate": {"decision": "approve"},
    }
    return answers[envelope["widget"]]


def is_dialog(record: Record) -> bool:
    """Whether a record asks something that waits for an answer."""
    return record.get("type") == "extension_ui_request" and record["method"] in (
        "select",
        "confirm",
        "input",
        "editor",
    )


def respond(pi: PiProcess, session: StubSession, request: Record, answer: dict[str, Any] | None) -> None:
    """Record `answer` and give it to Pi; None cancels the dialog."""
    if answer is None:
        pi.send({"type": "extension_ui_response", "id": request["id"], "cancelled": True})
        return
    told = session.decide(envelope_of(request), answer)
    pi.send({"type": "extension_ui_response", "id": request["id"], "value": json.dumps(told)})


def review_until_settled(
    pi: PiProcess, session: StubSession, choose: Choose = take_recommended, since: int = 0
) -> list[Envelope]:
    """Answer every dialog until the run is over; the widgets that were seen, in order."""
    seen: list[Envelope] = []
    position = since
    while True:
        record = pi.wait_for(
            lambda record: is_dialog(record) or record.get("type") == "agent_settled", since=position
        )
        position = pi.records.index(record, position) + 1
        if not is_dialog(record):
            return seen
        envelope = envelope_of(record)
        seen.append(envelope)
        respond(pi, session, record, choose(envelope))
