"""The live side of a session that the fake orchestrator plays, for tests to drive."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from thothii.events.v1.events_pb2 import EventBatch, EventKind
from thothii.orchestrator.v1 import orchestrator_service_pb2 as orchestrator

AT = "2026-11-30T16:00:00.000Z"
BATCH = 256
"""Events in one batch at most."""


def kind_of(name: str) -> "EventKind.ValueType":
    return EventKind.Value(f"EVENT_KIND_{name.upper()}")


def encode(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


@dataclass
class Conversation:
    """A session's live side: its log of events, whoever listens, and what is asked."""

    session_id: str
    epoch: str = "e1"
    ring: int = 1000
    state: str = "running"
    log: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    pending: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    receipts: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    keys: dict[str, bytes] = field(default_factory=dict[str, bytes])
    steers: list[str] = field(default_factory=list[str])
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    subscriptions: int = 0
    opened: int = 0
    farewell: str = ""

    @property
    def cursor(self) -> str:
        return f"{self.epoch}-{len(self.log)}"

    async def emit(self, *events: tuple[str, dict[str, Any]]) -> None:
        self.log += events
        async with self.changed:
            self.changed.notify_all()

    async def say(self, text: str) -> None:
        await self.emit(("text_delta", {"message_id": "m1", "delta": text}))

    async def life(self, state: str) -> None:
        self.state = state
        await self.emit(("lifecycle", lifecycle(state)))

    async def ask(self, **descriptor: Any) -> dict[str, Any]:
        number = len(self.pending) + len(self.receipts) + 1
        asked = {
            "v": 1,
            "id": f"{self.session_id}.1.q{number}",
            "widget": "select",
            "title": "Which?",
            "body": None,
            "options": [],
            "min": 0,
            "max": 1,
            "free_text": False,
            "placeholder": None,
            "prefill": None,
            "artifact": None,
            "phase": "F1",
            "from": {"kind": "main", "name": "main"},
            "expires_at": None,
            "asked_at": AT,
            **descriptor,
        }
        self.pending[asked["id"]] = asked
        self.state = "waiting"
        await self.emit(("ui_request", asked))
        return asked

    async def say_bye(self, reason: str) -> None:
        self.farewell = reason
        async with self.changed:
            self.changed.notify_all()

    def snapshot(self, gap: bool, reason: str | None) -> dict[str, Any]:
        return {
            "cursor": self.cursor,
            "gap": gap,
            "reason": reason,
            "session": self.session_id,
            "state": self.state,
            "state_reason": "",
            "phase": "F1",
            "pending": list(self.pending.values()),
            "message": None,
            "scripted": True,
            "provider": "scripted",
            "model": "demo",
        }

    def live(self) -> orchestrator.LiveState:
        return orchestrator.LiveState(
            session_id=self.session_id,
            state=orchestrator.SessionState.Value(f"SESSION_STATE_{self.state.upper()}"),
            cursor=self.cursor,
            pending_json=encode(list(self.pending.values())),
            scripted=True,
            provider="scripted",
            model="demo",
        )


def lifecycle(state: str) -> dict[str, Any]:
    return {
        "state": state,
        "reason": "",
        "exit_code": None,
        "signal": None,
        "stderr": None,
        "generation": 1,
    }


def numbered(conversation: Conversation, after: int, upto: int) -> EventBatch:
    events = conversation.log[after : min(upto, after + BATCH)]
    return EventBatch(
        epoch=conversation.epoch,
        first_seq=after + 1,
        kinds=[kind_of(name) for name, _data in events],
        json=[encode(data) for _name, data in events],
    )


def unnumbered(conversation: Conversation, events: list[tuple[str, dict[str, Any]]]) -> EventBatch:
    return EventBatch(
        epoch=conversation.epoch,
        first_seq=0,
        kinds=[kind_of(name) for name, _data in events],
        json=[encode(data) for _name, data in events],
    )
