"""An executor in memory: makes session folders, keeps decisions, answers a few operations."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

from contracts.errors import Code, Fault
from contracts.identifiers import new_session_id
from services.orchestrator.executor_client import NewSession


class FakeExecutor:
    """Satisfies services.orchestrator.executor_client.Executor."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.manifests: dict[str, dict[str, Any]] = {}
        self.decisions: list[tuple[str, dict[str, Any]]] = []
        self.operations: list[tuple[str, str, dict[str, Any]]] = []
        self.decision_fault: Fault | None = None
        self.fails_after_recording = False
        """When set, the fault comes once the decision is recorded: as from a service killed in between."""
        self.cancelled: list[str] = []
        """Operations nobody waited for any more; sql.preview never ends by itself."""
        self.recording: asyncio.Event | None = None
        """When set, recording a decision waits for it."""

    async def create_session(self, wanted: NewSession) -> dict[str, Any]:
        if wanted.workspace != "flights":
            raise Fault(Code.NOT_FOUND, "there is no such workspace")
        session_id = new_session_id()
        (self.home / "sessions" / session_id / "pi").mkdir(parents=True)
        self.manifests[session_id] = {
            "id": session_id,
            "workspace": wanted.workspace,
            "question": wanted.question,
            "author": wanted.author,
            "name": wanted.name or wanted.question[:40],
            "provider": wanted.choice.provider,
            "model": wanted.choice.model,
            "thinking": wanted.choice.thinking,
            "temperature": wanted.temperature,
            "phase": {"phase": "F1", "closed": [], "missing": [], "reason": ""},
        }
        return self.manifests[session_id]

    async def get_session(self, session_id: str) -> dict[str, Any]:
        if session_id not in self.manifests:
            raise Fault(Code.NOT_FOUND, "there is no such session")
        return self.manifests[session_id]

    async def add_decision(
        self, session_id: str, decision: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        if self.recording is not None:
            await self.recording.wait()
        if self.decision_fault is not None and not self.fails_after_recording:
            raise self.decision_fault
        line = await self.find_decision(session_id, decision["question"])
        if line is None:
            self.decisions.append((session_id, decision))
            line = self._line(len(self.decisions))
        if self.decision_fault is not None:
            raise self.decision_fault
        phase = "F2" if line["kind"] == "reading" else "F1"
        return line, {"phase": phase, "closed": [], "missing": [], "reason": "a decision"}

    async def find_decision(self, session_id: str, question_id: str) -> dict[str, Any] | None:
        for number, (session, decision) in enumerate(self.decisions, start=1):
            if session == session_id and decision["question"] == question_id:
                return self._line(number)
        return None

    async def artifact_text(self, session_id: str, name: str) -> str:
        texts = [decision["edit"] for session, decision in self.decisions if session == session_id]
        return texts[-1]

    def _line(self, number: int) -> dict[str, Any]:
        decision = self.decisions[number - 1][1]
        line = {"seq": number, **decision}
        if "edit" in decision:
            digest = hashlib.sha256(decision["edit"].encode()).hexdigest()
            line["artifact"] = {"name": decision["artifact"]["name"], "sha256": digest}
        return line

    async def call_operation(self, session_id: str, operation: str, arguments: bytes) -> bytes:
        self.operations.append((session_id, operation, json.loads(arguments)))
        if operation == "decision.add":
            raise Fault(Code.REFUSED, "an agent may not call this operation")
        if operation == "sql.preview":
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.append(operation)
        if operation == "phase.show":
            return json.dumps(self.manifests[session_id]["phase"]).encode()
        return json.dumps({"session": session_id, "operation": operation}).encode()
