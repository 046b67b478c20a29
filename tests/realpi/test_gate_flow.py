"""The gate on the real Pi: from the kickoff to the approved SQL, with every widget."""

from pathlib import Path

from tests.realpi.agent_stub import AgentStub
from tests.realpi.conftest import SESSION_ID, StartPi
from tests.realpi.flow_script import CLOSING, FINAL_SQL, QUESTION, FlowScript, Step
from tests.realpi.reviewer import (
    Envelope,
    envelope_of,
    is_dialog,
    respond,
    review_until_settled,
    take_recommended,
)
from tests.realpi.scripted_model import ScriptedModel, text_of


def test_whole_flow_asks_with_every_widget_and_ends_in_approved_sql(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    model.script(FlowScript())
    pi = start_pi()
    assert pi.call("get_state")["data"]["sessionId"] == SESSION_ID

    assert pi.call("prompt", message=f"/nuova-domanda {SESSION_ID}")["data"] == {"disposition": "handled"}
    seen = review_until_settled(pi, stub.session)

    assert {envelope["widget"] for envelope in seen} == {
        "select",
        "multiselect",
        "confirm",
        "input",
        "editor",
        "artifact_gate",
    }
    assert [(envelope["phase"], envelope["kind"], envelope["widget"]) for envelope in seen] == [
        ("F1", "reading", "select"),
        ("F2", "clarification", "select"),
        ("F2", "selection", "multiselect"),
        ("F2", "answer", "input"),
        ("F2", "approval", "artifact_gate"),
        ("F3", "answer", "editor"),
        ("F3", "approval", "artifact_gate"),
        ("F4", "answer", "confirm"),
        ("F4", "approval", "artifact_gate"),
    ]
    assert stub.session.phase() == "F5"
    assert stub.session.artifacts["sql_final.sql"] == FINAL_SQL
    assert pi.call("get_last_assistant_text")["data"]["text"] == CLOSING
    assert pi.of_type("extension_error") == []
    assert stub.unauthenticated == 0


def test_the_client_hears_of_dialogs_phases_and_artifacts_on_the_one_way_channel(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    model.script(FlowScript())
    pi = start_pi()
    pi.call("prompt", message=f"/nuova-domanda {SESSION_ID}")
    seen = review_until_settled(pi, stub.session)

    said = pi.entries()
    assert said[0] == {"ev": "ready", "version": "tht-gate/1", "session": SESSION_ID}
    opened = [(entry["call"], entry["widget"]) for entry in said if entry["ev"] == "dialog_opened"]
    closed = [(entry["call"], entry["how"]) for entry in said if entry["ev"] == "dialog_closed"]
    assert opened == [(envelope["call"], envelope["widget"]) for envelope in seen]
    assert closed == [(call, "answered") for call, _widget in opened]
    assert [(entry["from"], entry["phase"]) for entry in said if entry["ev"] == "phase_changed"] == [
        ("F1", "F2"),
        ("F2", "F3"),
        ("F3", "F4"),
        ("F4", "F5"),
    ]
    written = [entry["name"] for entry in said if entry["ev"] == "artifact_written"]
    assert written == ["schema_linking.json", "ctes.json", "sql_final.sql"]


def test_each_answer_reaches_the_model(start_pi: StartPi, stub: AgentStub, model: ScriptedModel) -> None:
    model.script(FlowScript())
    pi = start_pi()
    pi.call("prompt", message=f"/nuova-domanda {SESSION_ID}")
    review_until_settled(pi, stub.session)

    results = "\n".join(
        text_of(message) for message in model.requests[-1]["messages"] if message["role"] == "tool"
    )
    for expected in (
        'chose "Highest mean of arr_delay over all flights that arrived" (all)',
        'Dropped: "flights.dep_delay: minutes late at departure" (flights.dep_delay)',
        "The reviewer answered: minutes",
        "The reviewer answered: Nothing.",
        "The reviewer answered: yes",
        "The reviewer approved sql_final.sql",
    ):
        assert expected in results


def test_a_rejection_an_edit_and_an_own_reading_reach_the_model(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    edited = FINAL_SQL.replace("ORDER BY b.mean_delay DESC", "ORDER BY b.mean_delay DESC, a.name")
    rejected: list[str] = []

    def choose(envelope: Envelope) -> dict[str, object]:
        name = (envelope["artifact"] or {}).get("name")
        if envelope["kind"] == "reading":
            return {"text": "the median, please"}
        if name == "ctes.json" and not rejected:
            rejected.append(name)
            return {"decision": "reject", "comment": "name the airports too"}
        if name == "sql_final.sql":
            return {"decision": "edit", "text": edited}
        return take_recommended(envelope)

    comments: list[str] = []

    def rewrite(step: Step, comment: str) -> Step:
        comments.append(comment)
        return step

    model.script(FlowScript(rewrite=rewrite))
    pi = start_pi()
    pi.call("prompt", message=f"/nuova-domanda {SESSION_ID}")
    review_until_settled(pi, stub.session, choose)

    assert "name the airports too" in comments[0]
    assert stub.session.artifacts["sql_final.sql"] == edited
    assert stub.session.phase() == "F5"
    results = [text_of(message) for message in model.requests[-1]["messages"] if message["role"] == "tool"]
    assert any("answered: the median, please" in text for text in results)
    assert any("REJECTED ctes.json" in text for text in results)
    assert edited in results[-1]


def test_a_resumed_session_hears_what_was_decided_and_goes_on(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    model.script(FlowScript())
    first = start_pi()
    first.call("prompt", message=f"/nuova-domanda {SESSION_ID}")
    reading = first.wait_for(is_dialog)
    respond(first, stub.session, reading, take_recommended(envelope_of(reading)))
    unanswered = first.wait_for(lambda record: is_dialog(record) and record is not reading)
    assert envelope_of(unanswered)["kind"] == "clarification"
    assert first.close() == 0

    second = start_pi()
    assert second.call("get_state")["data"]["messageCount"] > 0
    second.call("prompt", message=f"/riprendi-sessione {SESSION_ID}")
    seen = review_until_settled(second, stub.session)

    assert [envelope["kind"] for envelope in seen][:2] == ["clarification", "selection"]
    assert stub.session.phase() == "F5"
    kickoff = [text_of(message) for message in model.requests[-1]["messages"] if message["role"] == "user"][
        -1
    ]
    assert "Highest mean of arr_delay over all flights that arrived" in kickoff
    assert "You go on with ThothII session" in kickoff


def test_hidden_kickoff_names_question_dialect_notes_and_next_step(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    pi = start_pi()
    pi.call("prompt", message=f"/nuova-domanda {SESSION_ID}")
    pi.wait_for_type("agent_settled")

    system, kickoff = model.requests[0]["messages"]
    assert kickoff["role"] == "user"
    for expected in (
        QUESTION,
        "duckdb",
        "arr_delay is NULL for cancelled flights.",
        "F1 (question)",
        "reviewer_select",
    ):
        assert expected in text_of(kickoff)
    skill = Path("harness/.pi/skills/tht-sessione/SKILL.md")
    rules = (Path(__file__).parents[2] / skill).read_text().split("\n---\n", 1)[1].strip()
    assert rules in text_of(system)
    hidden = [
        record["message"] for record in pi.of_type("message_start") if record["message"]["role"] == "custom"
    ]
    assert [message["display"] for message in hidden] == [False]
    assert hidden[0]["details"] == {"session": SESSION_ID}
