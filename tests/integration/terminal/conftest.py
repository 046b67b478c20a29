"""The `thothii` command as a process, a gateway on a real port, and an agent that follows a small script."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gateway.fakes import Conversation, FakeServices
from tests.integration.gateway.running import RunningGateway, serving

SQL = "SELECT 'é'\n"
READING = {
    "widget": "select",
    "title": "Which reading?",
    "body": "Two are possible.",
    "free_text": True,
    "options": [
        {"id": "mean", "label": "Mean delay"},
        {"id": "median", "label": "Median delay", "recommended": True},
    ],
}
TABLES = {
    "widget": "multiselect",
    "title": "Which tables?",
    "phase": "F2",
    "min": 1,
    "max": 2,
    "from": {"kind": "subagent", "name": "linker"},
    "options": [
        {"id": "flights", "label": "flights", "recommended": True},
        {"id": "airlines", "label": "airlines", "recommended": True},
        {"id": "weather", "label": "weather"},
    ],
}


def sql_gate(services: FakeServices) -> dict[str, Any]:
    import hashlib

    sha256 = hashlib.sha256(services.executor.artifacts["sql_final.sql"]).hexdigest()
    artifact = {"name": "sql_final.sql", "sha256": sha256, "media_type": "application/sql"}
    return {"widget": "artifact_gate", "title": "The final SQL", "phase": "F4", "artifact": artifact}


class Agent:
    """Asks for a reading, tables and approval, then stands in F5; a rejection asks again."""

    def __init__(self, services: FakeServices) -> None:
        self.services = services
        self.answers: list[dict[str, Any]] = []
        self.questions: list[dict[str, Any]] = [READING, TABLES, sql_gate(services)]
        services.orchestrator.on_create = self.begin
        services.orchestrator.on_respond = self.go_on
        services.executor.approved = False

    async def begin(self, conversation: Conversation) -> None:
        self.services.executor.add_session(conversation.session_id)
        await conversation.emit(("system_event", {"kind": "message_start", "message_id": "m1"}))
        await conversation.say("Let me ")
        await conversation.say("look.")
        await conversation.ask(**self.questions[0])

    async def go_on(self, conversation: Conversation, answer: dict[str, Any]) -> None:
        self.answers.append({name: value for name, value in answer.items() if name != "id"})
        conversation.state = "running"
        if answer.get("decision") == "reject":
            await conversation.ask(**self.questions[-1])
            return
        step = len([given for given in self.answers if given.get("decision") != "reject"])
        if step < len(self.questions):
            await conversation.ask(**self.questions[step])
            return
        await self.finish(conversation)

    async def finish(self, conversation: Conversation) -> None:
        self.services.executor.approved = True
        phase = {"phase": "F5", "closed": ["F1", "F2", "F3", "F4"], "missing": [], "reason": None}
        self.services.executor.sessions[conversation.session_id]["phase"] = phase
        event = {"kind": "phase", "phase": "F5", "from": "F4", "reason": "approved"}
        await conversation.emit(("system_event", event))
        await conversation.life("idle")


@dataclass
class Run:
    """A command that has ended."""

    code: int
    out: str
    err: str


class Terminal:
    """Runs `thothii` in a folder of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    async def start(
        self, *arguments: str, stdin: int = asyncio.subprocess.PIPE
    ) -> asyncio.subprocess.Process:
        root = Path(__file__).parents[3]
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from terminal.cli import main; main()",
            *arguments,
            cwd=self.folder,
            env={**os.environ, "THOTHII_URL": self.url, "PYTHONPATH": str(root), "COLUMNS": "100"},
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *arguments: str, typed: str = "") -> Run:
        process = await self.start(*arguments)
        try:
            async with asyncio.timeout(60):
                out, err = await process.communicate(typed.encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
        return Run(process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[FakeServices]:
    fakes = FakeServices(tmp_path)
    await fakes.start()
    try:
        yield fakes
    finally:
        await fakes.stop()


@pytest.fixture
async def gateway(services: FakeServices) -> AsyncIterator[RunningGateway]:
    async with serving(services) as running:
        yield running


@pytest.fixture
def agent(services: FakeServices) -> Agent:
    return Agent(services)


@pytest.fixture
def terminal(gateway: RunningGateway, tmp_path: Path) -> Terminal:
    folder = tmp_path / "here"
    folder.mkdir()
    return Terminal(gateway.url, folder)
