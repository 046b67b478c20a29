"""A service is killed while an answer is on its way: nothing is lost or doubled, and all records agree."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from launcher import services
from launcher.stack import MODULES, Stack
from tests import stack as product
from tests.stack import Reviewer, take_recommended

LEDGER = "review_decisions.jsonl"


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """A product of its own: its services are killed."""
    with product.running(tmp_path, product.fake_pi()) as running:
        yield running


def start_again(stack: Stack, name: str) -> None:
    dead = next(service for service in stack.services if service.name == name)
    dead.process.wait()
    fresh = services.start(name, MODULES[name], stack._environment, stack._logs)
    stack.services[stack.services.index(dead)] = fresh
    stack.wait_ready()


def kill_once_it_grows(path: Path, pid: int) -> threading.Thread:
    """Kill `pid` in the moment in which the ledger gets its first line: before anybody was told of it."""

    def watch() -> None:
        while not (path.exists() and path.stat().st_size):
            pass
        os.kill(pid, signal.SIGKILL)

    watching = threading.Thread(target=watch)
    watching.start()
    return watching


def first_question(reviewer: Reviewer, session: str) -> dict[str, Any]:
    return next(data for name, _, data in reviewer.events(session) if name == "ui_request")


@pytest.mark.parametrize("victim", ["executor", "orchestrator", "gateway"])
def test_a15_a17_a_kill_between_ledger_and_agent_loses_and_doubles_nothing(stack: Stack, victim: str) -> None:
    with Reviewer(stack.url) as reviewer:
        session = reviewer.ask()
        asked = first_question(reviewer, session)
        ledger = stack.home / "sessions" / session / LEDGER
        answer = {"id": asked["id"], **take_recommended(asked)}
        pid = next(service for service in stack.services if service.name == victim).process.pid
        killing = kill_once_it_grows(ledger, pid)

        def send() -> httpx.Response:
            path, key = f"/sessions/{session}/response", {"idempotency-key": "k"}
            return reviewer.http.post(path, json=answer, headers=key)

        try:
            first = send()
        except httpx.RemoteProtocolError:
            assert victim == "gateway"
        else:
            assert first.status_code == 200 or first.json()["may_have_happened"] is True, first.text
        killing.join()
        start_again(stack, victim)

        again = send()
        if victim == "orchestrator" and again.status_code != 200:
            # Its agent died with it: the answer stands, and says so.
            assert again.status_code == 410 and again.json()["recorded_seq"] == 1, again.text
        else:
            assert again.status_code == 200 and again.json()["seq"] == 1, again.text
        reviewer.post(f"/sessions/{session}/open")
        reviewer.work_through(session)
        lines = [json.loads(line) for line in ledger.read_text().splitlines()]
        questions = [line["question"] for line in lines]
        assert questions[0] == asked["id"] and len(set(questions)) == len(questions)
        assert [line["kind"] for line in lines].count("reading") == 1
        assert reviewer.get(f"/sessions/{session}")["phase"]["phase"] == "F5"
        assert reviewer.post(f"/sessions/{session}/sql/preview")["rows"]
