"""From a question to approved rows through the published gateway, with the scripted Pi in its container."""

import csv
import io
import json
import re
from typing import Any

import httpx
import pytest

from tests.compose.containers import HOME, SERVICES, Containers
from tests.helpers import assert_eventually
from tests.stack import Reviewer, take_recommended

pytestmark = pytest.mark.compose


@pytest.fixture(scope="module")
def finished(containers: Containers) -> str:
    """A session whose every question was answered with what the agent recommended."""
    with Reviewer(containers.url) as reviewer:
        session = reviewer.ask()
        reviewer.work_through(session)
        return session


def answer_some(reviewer: Reviewer, session: str, count: int) -> None:
    """Answer the first `count` questions of a session and leave the next one open."""
    answered = 0
    for name, _id, data in reviewer.events(session):
        if name == "ui_request":
            if answered == count:
                return
            reviewer.answer(session, data, take_recommended(data))
            answered += 1
    raise AssertionError(f"the session asked only {answered} questions")


async def wait_ready(containers: Containers) -> None:
    """Wait until the gateway reaches both services again."""

    def ready() -> bool:
        try:
            return httpx.get(f"{containers.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    await assert_eventually(ready, seconds=60, interval=0.2)


def test_the_gateway_is_up_and_says_which_pi_runs(reviewer: Reviewer) -> None:
    assert reviewer.get("/healthz") == {"status": "ok"}
    assert reviewer.get("/readyz") == {"ready": True, "orchestrator": True, "executor": True}
    runner = reviewer.get("/runner")
    assert (runner["runner"], runner["scripted"]) == ("fake_pi", True)
    assert runner["reason"]
    assert [item["name"] for item in reviewer.get("/workspaces")["workspaces"]] == ["flights"]


def test_the_rows_are_those_of_the_database(
    finished: str, reviewer: Reviewer, containers: Containers
) -> None:
    assert reviewer.get(f"/sessions/{finished}")["phase"]["phase"] == "F5"
    page = reviewer.post(f"/sessions/{finished}/sql/preview?limit=1000")
    sql = reviewer.http.get(f"/sessions/{finished}/artifacts/sql_final.sql").text
    # DuckDB's own answer, on the file in the executor's container.
    expected: dict[str, Any] = containers.python(
        "tht-executor",
        f"""
import duckdb, json
answer = duckdb.connect("{HOME}/data/flights.duckdb", read_only=True).execute({sql!r})
names = [column[0] for column in answer.description]
print(json.dumps({{"names": names, "rows": [[str(cell) for cell in row] for row in answer.fetchall()]}}))
""",
    )
    assert [column["name"] for column in page["columns"]] == expected["names"]
    assert page["rows"]
    assert [[_plain(cell) for cell in row] for row in page["rows"]] == [
        [_plain(cell) for cell in row] for row in expected["rows"]
    ]


def test_the_download_is_what_was_on_the_screen(finished: str, reviewer: Reviewer) -> None:
    page = reviewer.post(f"/sessions/{finished}/sql/preview?limit=1000")
    answer = reviewer.http.post(f"/sessions/{finished}/sql/export?format=csv&result_id={page['result_id']}")
    assert answer.status_code == 200, answer.text
    lines = list(csv.reader(io.StringIO(answer.text)))
    assert lines[0] == [column["name"] for column in page["columns"]]
    assert lines[1:] == [["" if cell is None else str(cell) for cell in row] for row in page["rows"]]


def test_every_answer_stands_in_the_ledger(finished: str, reviewer: Reviewer) -> None:
    lines = reviewer.get(f"/sessions/{finished}/decisions")["decisions"]
    assert [line["kind"] for line in lines].count("approval") == 3
    assert {line["by"] for line in lines} == {"dev@local"}


def test_a_closed_session_has_no_agent(finished: str, reviewer: Reviewer, containers: Containers) -> None:
    reviewer.post(f"/sessions/{finished}/close")
    assert reviewer.get(f"/sessions/{finished}")["live"]["state"] == "closed"
    files = containers.execute("orchestrator", "ls", f"{HOME}/sessions/{finished}").split()
    assert {"session_manifest.yaml", "review_decisions.jsonl", "artifacts", "pi"} <= set(files)
    assert "live.json" not in files


async def test_b04_no_zombies_after_many_sessions(reviewer: Reviewer, containers: Containers) -> None:
    for number in range(10):
        session = reviewer.ask()
        if number % 3 == 0:
            # A child that dies by itself is waited for as well as one that is stopped in order.
            live = json.loads(
                containers.execute("orchestrator", "cat", f"{HOME}/sessions/{session}/live.json")
            )
            containers.execute("orchestrator", "sh", "-c", f"kill -KILL {live['child_pid']}")
        reviewer.post(f"/sessions/{session}/close")
    for service in SERVICES:
        await assert_eventually(
            lambda service=service: containers.zombies(service) == [], seconds=10, interval=0.5
        )


async def test_sessions_survive_a_restart(finished: str, reviewer: Reviewer, containers: Containers) -> None:
    started = reviewer.ask()
    answer_some(reviewer, started, 2)
    before = {
        session: reviewer.get(f"/sessions/{session}/decisions")["decisions"]
        for session in (finished, started)
    }
    containers.compose("restart")
    await wait_ready(containers)

    assert reviewer.get(f"/sessions/{finished}")["phase"]["phase"] == "F5"
    assert reviewer.get(f"/sessions/{started}")["live"]["state"] == "closed"
    for session, decisions in before.items():
        assert reviewer.get(f"/sessions/{session}/decisions")["decisions"] == decisions
    reviewer.post(f"/sessions/{started}/open")
    reviewer.work_through(started)
    after = reviewer.get(f"/sessions/{started}/decisions")["decisions"]
    assert after[: len(before[started])] == before[started]
    page = reviewer.post(f"/sessions/{started}/sql/preview?limit=1000")
    assert page["rows"] == reviewer.post(f"/sessions/{finished}/sql/preview?limit=1000")["rows"]


def _plain(cell: Any) -> Any:
    """Cells compare by value: wide integers and decimals travel as text."""
    text = str(cell)
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text
