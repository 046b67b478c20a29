"""From a question over REST to approved rows, with the fake Pi and the real database."""

import csv
import io
import re

import duckdb
import pytest

from demo.flights import DATABASE
from launcher.stack import Stack
from tests.stack import Reviewer, take_recommended


@pytest.fixture(scope="module")
def finished(stack: Stack) -> tuple[str, list]:
    """A session whose every question was answered with what the agent recommended, and its events."""
    with Reviewer(stack.url) as reviewer:
        session = reviewer.ask()
        return session, reviewer.work_through(session)


def test_every_kind_of_widget_was_asked(finished: tuple[str, list]) -> None:
    widgets = {data["widget"] for name, data in finished[1] if name == "ui_request"}
    assert {"select", "multiselect", "artifact_gate"} <= widgets
    assert widgets & {"input", "editor"}


def test_the_rows_are_those_of_the_database(finished: tuple[str, list], reviewer: Reviewer) -> None:
    session, _ = finished
    assert reviewer.get(f"/sessions/{session}")["phase"]["phase"] == "F5"
    page = reviewer.post(f"/sessions/{session}/sql/preview?limit=1000")
    sql = reviewer.http.get(f"/sessions/{session}/artifacts/sql_final.sql").text
    with duckdb.connect(str(DATABASE), read_only=True) as connection:
        rows = connection.execute(sql).fetchall()
    assert [[_plain(cell) for cell in row] for row in page["rows"]] == [
        [_plain(cell) for cell in row] for row in rows
    ]
    assert page["rows"][0][0] == "Frontier Airlines Inc."


def test_the_download_is_what_was_on_the_screen(finished: tuple[str, list], reviewer: Reviewer) -> None:
    session, _ = finished
    page = reviewer.post(f"/sessions/{session}/sql/preview?limit=1000")
    answer = reviewer.http.post(f"/sessions/{session}/sql/export?format=csv&result_id={page['result_id']}")
    assert answer.status_code == 200
    lines = list(csv.reader(io.StringIO(answer.text)))
    assert lines[0] == [column["name"] for column in page["columns"]]
    assert lines[1:] == [["" if cell is None else str(cell) for cell in row] for row in page["rows"]]


def test_the_ledger_tells_who_decided_what(finished: tuple[str, list], reviewer: Reviewer) -> None:
    decisions = reviewer.get(f"/sessions/{finished[0]}/decisions")
    lines = decisions["decisions"] if isinstance(decisions, dict) else decisions
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["by"] for line in lines} == {"dev@local"}
    assert [line["kind"] for line in lines].count("approval") == 3


def test_the_transcript_holds_the_agents_words_and_no_hidden_ones(
    finished: tuple[str, list], reviewer: Reviewer
) -> None:
    transcript = reviewer.get(f"/sessions/{finished[0]}/transcript")
    messages = transcript["messages"] if isinstance(transcript, dict) else transcript
    assert {message["role"] for message in messages} & {"assistant"}
    assert not {message["role"] for message in messages} & {"system"}


def test_a_scripted_model_says_that_it_is_one(reviewer: Reviewer, finished: tuple[str, list]) -> None:
    assert finished[1][0][0] == "snapshot"
    assert finished[1][0][1]["scripted"] is True
    assert reviewer.get(f"/sessions/{finished[0]}")["live"]["scripted"] is True


def test_a_rejected_artifact_is_written_again_and_an_edited_one_is_what_runs(
    reviewer: Reviewer,
) -> None:
    session = reviewer.ask()
    seen: list[str] = []

    def choose(question: dict) -> dict:
        artifact = question.get("artifact") or {}
        if artifact.get("name") == "ctes.json" and "ctes.json" not in seen:
            seen.append("ctes.json")
            return {"decision": "reject", "comment": "say how many flights there are"}
        if artifact.get("name") == "sql_final.sql":
            text = reviewer.http.get(f"/sessions/{session}/artifacts/sql_final.sql").text
            return {"decision": "edit", "text": text.rstrip().rstrip(";") + "\nLIMIT 3"}
        return take_recommended(question)

    reviewer.work_through(session, choose)
    page = reviewer.post(f"/sessions/{session}/sql/preview")
    assert len(page["rows"]) == 3
    decisions = reviewer.get(f"/sessions/{session}/decisions")
    lines = decisions["decisions"] if isinstance(decisions, dict) else decisions
    kinds = [line["kind"] for line in lines]
    assert "rejection" in kinds and "edit" in kinds


def test_a_closed_session_goes_on_where_it_was(reviewer: Reviewer) -> None:
    session = reviewer.ask()
    answers = 0
    for name, _id, data in reviewer.events(session):
        if name == "ui_request":
            if answers == 2:
                break
            answers += 1
            reviewer.answer(session, data, take_recommended(data))
    before = reviewer.get(f"/sessions/{session}/decisions")
    reviewer.post(f"/sessions/{session}/close")
    assert reviewer.get(f"/sessions/{session}")["live"]["state"] == "closed"
    reviewer.post(f"/sessions/{session}/open")
    reviewer.work_through(session)
    after = reviewer.get(f"/sessions/{session}/decisions")
    assert str(after).startswith(str(before)[:-2])
    assert reviewer.get(f"/sessions/{session}")["phase"]["phase"] == "F5"


def _plain(cell: object) -> object:
    """Cells compare by value: wide integers and decimals travel as text."""
    text = str(cell)
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else cell
