"""The whole product for a test: a home of its own, the three services, a reviewer over REST."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx_sse

from demo.flights import DATABASE
from launcher.pi_choice import DEMO_SCENARIO, PROJECT, REAL_PI, PiChoice
from launcher.stack import Stack
from tests.helpers import free_port

QUESTION = "Which carrier had the worst average arrival delay in 2013?"

Answer = dict[str, Any]
Choose = Callable[[dict[str, Any]], Answer]


def make_home(folder: Path) -> Path:
    """A harness folder like the project's, with the demo workspace and no sessions."""
    home = folder / "harness"
    shutil.copytree(PROJECT / "harness" / ".pi", home / ".pi")
    shutil.copytree(PROJECT / "harness" / "workspaces", home / "workspaces")
    (home / "data").mkdir()
    (home / "data" / DATABASE.name).symlink_to(DATABASE)
    return home


def fake_pi(scenario: Path = DEMO_SCENARIO) -> PiChoice:
    """The fake Pi with a scenario."""
    return PiChoice(
        "fake_pi",
        "a test",
        {
            "THOTHII_RUNNER": "fake_pi",
            "THOTHII_PI_COMMAND": json.dumps([sys.executable, "-m", "fake_pi"]),
            "THOTHII_FAKE_PI_SCENARIO": str(scenario),
        },
    )


def real_pi(agent_folder: Path) -> PiChoice:
    """The real Pi with the providers of `agent_folder`, whose model is a scripted one."""
    return PiChoice(
        "pi",
        "a test",
        {
            "THOTHII_RUNNER": "pi",
            "THOTHII_SCRIPTED": "true",
            "THOTHII_PI_COMMAND": json.dumps([str(REAL_PI)]),
            "THOTHII_NODE_DIRECTORY": str(Path(sys.executable).parent),
            "THOTHII_OPERATOR_AGENT_DIR": str(agent_folder),
            "PI_OFFLINE": "1",
        },
    )


@contextmanager
def running(folder: Path, choice: PiChoice, **environment: str) -> Iterator[Stack]:
    """The three services, ready, on a home of their own below `folder`."""
    settings = {"THOTHII_STATE_DIR": str(folder / "state"), **environment}
    with Stack(make_home(folder), free_port(), choice, folder / "logs", settings) as stack:
        stack.wait_ready()
        yield stack


def take_recommended(question: dict[str, Any]) -> Answer:
    """What a reviewer answers who agrees with everything."""
    options = question.get("options") or []
    recommended = [option["id"] for option in options if option.get("recommended")]
    first = [option["id"] for option in options[:1]]
    by_widget: dict[str, Answer] = {
        "select": {"value": (recommended or first or [None])[0]},
        "multiselect": {"values": recommended or first},
        "confirm": {"confirmed": True},
        "artifact_gate": {"decision": "approve"},
    }
    return by_widget.get(question["widget"], {"text": "as you think best"})


class Reviewer:
    """A person at the REST interface of a running stack."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)

    def __enter__(self) -> "Reviewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, path: str) -> Any:
        """The JSON of a GET that must succeed."""
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, document: Any = None, expect: int = 200) -> Any:
        """The JSON of a POST that must answer `expect`."""
        answer = self.http.post(path, json=document)
        assert answer.status_code == expect, f"{answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def ask(self, question: str = QUESTION, workspace: str = "flights", **more: Any) -> str:
        """A new session; its id."""
        document = {"workspace": workspace, "question": question, **more}
        return self.post("/sessions", document, expect=201)["id"]

    def events(self, session: str, last_event_id: str = "") -> Iterator[tuple[str, str, Any]]:
        """`(name, id, data)` of a session's events for as long as they come."""
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        with httpx_sse.connect_sse(
            self.http, "GET", f"/sessions/{session}/events", headers=headers
        ) as source:
            for event in source.iter_sse():
                yield event.event, event.id, event.json()

    def answer(self, session: str, question: dict[str, Any], answer: Answer, expect: int = 200) -> Any:
        """Answer one question."""
        return self.post(f"/sessions/{session}/response", {"id": question["id"], **answer}, expect=expect)

    def work_through(
        self, session: str, choose: Choose = take_recommended, seconds: float = 90
    ) -> list[tuple[str, Any]]:
        """Answer every question until the agent has settled. Returns all events, in order."""
        seen: list[tuple[str, Any]] = []
        answered: set[str] = set()
        deadline = time.monotonic() + seconds
        for name, _id, data in self.events(session):
            seen.append((name, data))
            assert time.monotonic() < deadline, f"not settled within {seconds} s; last events: {seen[-5:]}"
            if name == "ui_request" and data["id"] not in answered:
                answered.add(data["id"])
                self.answer(session, data, choose(data))
            elif name == "lifecycle":
                assert data["state"] not in {"crashed", "closed"}, data
                if data["state"] == "idle":
                    return seen
        raise AssertionError(f"the stream ended early; last events: {seen[-5:]}")
