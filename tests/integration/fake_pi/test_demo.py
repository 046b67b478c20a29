"""The demo scenario on a small copy of the flights database: every widget, every answer, the real `tht`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.fake_pi.demo_home import DEMO, make_home, new_session, phase_of
from tests.integration.fake_pi.reviewed_pi import ReviewedPi, fake_pi, recommended
from tht.home import Home
from tht.operations import call


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path)


@pytest.fixture
def pi(home: Path) -> Iterator[ReviewedPi]:
    with fake_pi(home, new_session(home), DEMO) as pi:
        yield pi


def gate_events(pi: ReviewedPi, kind: str) -> list[dict[str, Any]]:
    entries = [record["entry"] for record in pi.records if record["type"] == "entry_appended"]
    return [entry["data"] for entry in entries if entry["data"]["ev"] == kind]


def test_whole_flow_ends_with_real_rows_in_f5(home: Path, pi: ReviewedPi) -> None:
    text = pi.run(f"/nuova-domanda {pi.session}", recommended)
    assert phase_of(home, pi.session) == "F5"
    widgets = [widget["widget"] for widget in pi.asked]
    assert widgets == ["select", "multiselect", "input", "artifact_gate", "artifact_gate", "artifact_gate"]
    assert "scripted model" in text
    assert "United | UA | 25.0 | 2" in text
    assert [event["phase"] for event in gate_events(pi, "phase_changed")] == ["F2", "F3", "F4", "F5"]
    written = [event["name"] for event in gate_events(pi, "artifact_written")]
    assert written == ["schema_linking.json", "ctes.json", "sql_final.sql"]


def test_another_reading_gives_another_answer(home: Path, pi: ReviewedPi) -> None:
    def late_only(widget: dict[str, Any]) -> dict[str, Any]:
        return {"value": "late_only"} if widget["kind"] == "reading" else recommended(widget)

    assert "Frontier | F9 | 90.0 | 1" in pi.run(f"/nuova-domanda {pi.session}", late_only)


def test_rejected_files_are_revised_with_the_comment_until_approved(home: Path, pi: ReviewedPi) -> None:
    rejected: list[str] = []

    def once(widget: dict[str, Any]) -> dict[str, Any]:
        if widget["widget"] != "artifact_gate" or widget["artifact"]["name"] in rejected:
            return recommended(widget)
        rejected.append(widget["artifact"]["name"])
        return {"decision": "reject", "comment": "say more;\n-- DROP TABLE flights"}

    pi.run(f"/nuova-domanda {pi.session}", once)
    assert rejected == ["schema_linking.json", "ctes.json", "sql_final.sql"]
    assert phase_of(home, pi.session) == "F5"
    final = call(Home(home), "artifact.get", {"session": pi.session, "name": "sql_final.sql"})
    assert isinstance(final, dict)
    assert final["text"].startswith("-- The reviewer asks: say more; -- DROP TABLE flights\nWITH")


def test_an_edit_of_the_final_sql_is_what_runs(home: Path, pi: ReviewedPi) -> None:
    def edit(widget: dict[str, Any]) -> dict[str, Any]:
        if widget["widget"] == "artifact_gate" and widget["artifact"]["name"] == "sql_final.sql":
            return {"decision": "edit", "text": "SELECT carrier FROM airlines ORDER BY carrier"}
        return recommended(widget)

    text = pi.run(f"/nuova-domanda {pi.session}", edit)
    assert "| carrier |\n| --- |\n| B6 |\n| F9 |\n| UA |" in text


def test_dropped_names_are_left_out_of_the_sql(home: Path, pi: ReviewedPi) -> None:
    def drop(widget: dict[str, Any]) -> dict[str, Any]:
        if widget["widget"] == "multiselect":
            return {"values": ["flights.arr_delay", "flights.carrier", "flights.year"]}
        return recommended(widget)

    pi.run(f"/nuova-domanda {pi.session}", drop)
    final = call(Home(home), "artifact.get", {"session": pi.session, "name": "sql_final.sql"})
    assert isinstance(final, dict) and "airlines" not in final["text"]


def test_a_closed_question_stops_the_work_and_a_resume_goes_on(home: Path, pi: ReviewedPi) -> None:
    def close_ctes(widget: dict[str, Any]) -> dict[str, Any]:
        if widget["artifact"] and widget["artifact"]["name"] == "ctes.json":
            return {"cancelled": True}
        return recommended(widget)

    assert "nothing is decided" in pi.run(f"/nuova-domanda {pi.session}", close_ctes)
    assert phase_of(home, pi.session) == "F3"
    with fake_pi(home, pi.session, DEMO) as resumed:
        text = resumed.run(f"/riprendi-sessione {pi.session}", recommended)
        widgets = [widget["artifact"]["name"] for widget in resumed.asked]
    assert widgets == ["ctes.json", "sql_final.sql"]
    assert "United | UA | 25.0 | 2" in text


def test_another_question_is_told_that_the_script_knows_one_only(home: Path) -> None:
    with fake_pi(home, new_session(home, "How many planes are there?"), DEMO) as pi:
        text = pi.run(f"/nuova-domanda {pi.session}", recommended)
    assert "works out that one instead of “How many planes are there?”" in text
    assert "United | UA | 25.0 | 2" in text
