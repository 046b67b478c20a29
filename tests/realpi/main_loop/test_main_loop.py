"""The main loop on the real Pi: REST, SSE, orchestrator, gate, executor, database."""

import duckdb
import pytest

from demo.flights import DATABASE
from launcher.stack import Stack
from tests.realpi.flow_script import FINAL_SQL
from tests.realpi.scripted_model import MODEL, PROVIDER, ScriptedModel, text_of
from tests.stack import Reviewer, take_recommended

WIDGETS = {"select", "multiselect", "confirm", "input", "editor", "artifact_gate"}


def said_by_tools(model: ScriptedModel) -> str:
    """Every tool result that reached the model."""
    return "\n".join(
        text_of(message)
        for request in model.requests
        for message in request["messages"]
        if message["role"] == "tool"
    )


@pytest.fixture(scope="module")
def finished(stack: Stack) -> tuple[str, list]:
    """A session worked through from F1 to F5, and its events."""
    with Reviewer(stack.url) as reviewer:
        session = reviewer.ask(name="worst carrier", provider=PROVIDER, model=MODEL, temperature=0.25)
        return session, reviewer.work_through(session)


def test_the_whole_flow_ends_in_the_rows_of_the_database(
    finished: tuple[str, list], reviewer: Reviewer
) -> None:
    session, _ = finished
    shown = reviewer.get(f"/sessions/{session}")
    assert (shown["phase"]["phase"], shown["live"]["state"]) == ("F5", "idle")
    page = reviewer.post(f"/sessions/{session}/sql/preview?limit=100")
    with duckdb.connect(str(DATABASE), read_only=True) as connection:
        rows = connection.execute(FINAL_SQL).fetchall()
    assert [row[0] for row in page["rows"]] == [row[0] for row in rows]
    assert [float(row[1]) for row in page["rows"]] == [float(row[1]) for row in rows]


def test_every_widget_reaches_the_person_once(finished: tuple[str, list]) -> None:
    asked = [data for name, data in finished[1] if name == "ui_request"]
    assert {question["widget"] for question in asked} == WIDGETS
    assert len({question["id"] for question in asked}) == len(asked)
    resolved = [data["id"] for name, data in finished[1] if name == "ui_resolved"]
    assert sorted(resolved) == sorted(question["id"] for question in asked)


def test_every_answer_reaches_the_gate_and_the_model(
    finished: tuple[str, list], flow_model: ScriptedModel
) -> None:
    answers = [data["answer"] for name, data in finished[1] if name == "ui_resolved"]
    assert len(answers) == len([data for name, data in finished[1] if name == "ui_request"])
    heard = said_by_tools(flow_model)
    assert "as you think best" in heard, "the free text"
    assert heard.count("APPROVED") >= 3 or heard.lower().count("approved") >= 3


def test_the_kickoff_fires_for_a_prompt_over_rpc_and_stays_hidden(
    finished: tuple[str, list], flow_model: ScriptedModel, reviewer: Reviewer
) -> None:
    first = flow_model.requests[0]["messages"]
    told = "\n".join(text_of(message) for message in first if message["role"] == "user")
    assert finished[0] in told and "Which carrier" in told
    assert "/nuova-domanda" not in told, "it was taken for plain text"
    shown = "".join(data["delta"] for name, data in finished[1] if name == "text_delta")
    assert "tht_schema" not in shown
    transcript = reviewer.get(f"/sessions/{finished[0]}/transcript")["messages"]
    assert not [message for message in transcript if message["role"] in {"system", "custom"}]


def test_the_sessions_temperature_reaches_the_model(
    finished: tuple[str, list], flow_model: ScriptedModel
) -> None:
    assert flow_model.requests[0]["temperature"] == 0.25


def test_the_model_has_the_gates_tools_and_no_others(
    finished: tuple[str, list], flow_model: ScriptedModel
) -> None:
    offered = {tool["function"]["name"] for tool in flow_model.requests[0]["tools"]}
    assert "artifact_gate" in offered
    assert not offered & {"bash", "write", "edit", "read"}


def test_the_reviewers_are_named_in_the_ledger_and_the_agent_cannot_decide(
    finished: tuple[str, list], reviewer: Reviewer
) -> None:
    lines = reviewer.get(f"/sessions/{finished[0]}/decisions")["decisions"]
    assert {line["by"] for line in lines} == {"dev@local"}
    assert [line["kind"] for line in lines if line["kind"] in {"reading", "approval"}] == [
        "reading", "approval", "approval", "approval",
    ]  # fmt: skip


def test_a_steer_reaches_the_model_through_the_gates_hook(
    reviewer: Reviewer, flow_model: ScriptedModel
) -> None:
    session = reviewer.ask()
    steered = False

    def choose(question: dict) -> dict:
        nonlocal steered
        if not steered:
            steered = True
            reviewer.post(f"/sessions/{session}/steer", {"text": "leave out carriers nobody knows"})
        return take_recommended(question)

    reviewer.work_through(session, choose)
    told = [
        text_of(message)
        for request in flow_model.requests
        for message in request["messages"]
        if message["role"] == "user"
    ]
    assert any("leave out carriers nobody knows" in text for text in told)


def test_a_closed_session_resumes_with_the_same_settings(
    reviewer: Reviewer, flow_model: ScriptedModel
) -> None:
    session = reviewer.ask(name="to be resumed", provider=PROVIDER, model=MODEL, thinking="off")
    for name, _id, data in reviewer.events(session):
        if name == "ui_request" and data["widget"] == "artifact_gate":
            break
        if name == "ui_request":
            reviewer.answer(session, data, take_recommended(data))
    decided = reviewer.get(f"/sessions/{session}/decisions")["decisions"]
    reviewer.post(f"/sessions/{session}/close")
    assert reviewer.get(f"/sessions/{session}")["live"]["state"] == "closed"
    reviewer.post(f"/sessions/{session}/open")
    events = reviewer.work_through(session)
    shown = reviewer.get(f"/sessions/{session}")
    assert (shown["name"], shown["live"]["provider"], shown["live"]["model"]) == (
        "to be resumed", PROVIDER, MODEL,
    )  # fmt: skip
    assert shown["phase"]["phase"] == "F5"
    after = reviewer.get(f"/sessions/{session}/decisions")["decisions"]
    assert after[: len(decided)] == decided
    assert any(name == "lifecycle" or name == "snapshot" for name, _ in events)


def test_an_abort_with_an_open_question_ends_the_run_and_the_child_lives_on(reviewer: Reviewer) -> None:
    session = reviewer.ask()
    question = next(data for name, _id, data in reviewer.events(session) if name == "ui_request")
    reviewer.post(f"/sessions/{session}/abort")
    shown = reviewer.get(f"/sessions/{session}")
    assert shown["live"]["state"] == "idle"
    assert shown["live"]["pending"] == []
    reviewer.answer(session, question, take_recommended(question), expect=410)
    reviewer.post(f"/sessions/{session}/steer", {"text": "go on"})
    reviewer.work_through(session)
