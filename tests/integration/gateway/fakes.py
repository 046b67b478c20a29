"""An orchestrator and an executor that keep everything in memory, behind real gRPC on Unix sockets.

They follow docs/contracts.md so far as a client can see it: the gateway and the terminal client are tested
against them.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.errors import Code, Fault
from services.runtime.server import GrpcServer
from services.runtime.settings import ServiceSettings
from thothii.events.v1.events_pb2 import EventBatch, EventKind
from thothii.executor.v1 import executor_service_pb2 as executor
from thothii.executor.v1.executor_service_pb2_grpc import (
    ExecutorServiceServicer,
    add_ExecutorServiceServicer_to_server,
)
from thothii.orchestrator.v1 import orchestrator_service_pb2 as orchestrator
from thothii.orchestrator.v1.orchestrator_service_pb2_grpc import (
    OrchestratorServiceServicer,
    add_OrchestratorServiceServicer_to_server,
)

AT = "2026-11-30T16:00:00.000Z"
PAGE = {
    "columns": [
        {"name": "carrier", "key": "carrier", "type": "text"},
        {"name": "delay", "key": "delay", "type": "decimal"},
    ],
    "rows": [["F9", "21.92"], ["FL", "20.12"]],
    "truncated": False,
    "row_count": 2,
    "result_id": "r1",
    "elapsed_ms": 1.5,
    "warnings": [],
}

BATCH = 256
WORKSPACES: list[dict[str, Any]] = [
    {"name": "flights", "dialect": "duckdb", "transport": "direct", "notes": "Flights of 2013"},
    {
        "name": "broken",
        "dialect": None,
        "transport": None,
        "notes": None,
        "error": "broken.yaml: dialect is missing",
    },
]


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


class FakeOrchestrator(OrchestratorServiceServicer):
    """The orchestrator's service. `fail` makes the next call of a method fail before it does anything."""

    def __init__(self) -> None:
        self.sessions: dict[str, Conversation] = {}
        self.fail: dict[str, Fault] = {}
        self.calls: list[str] = []
        self.created: list[orchestrator.CreateSessionRequest] = []
        self.on_create: Callable[[Conversation], Any] | None = None
        self.on_respond: Callable[[Conversation, dict[str, Any]], Any] | None = None
        self.hold_respond: asyncio.Event | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def session(self, session_id: str) -> Conversation:
        if session_id not in self.sessions:
            raise Fault(Code.NOT_FOUND, "there is no session with this id")
        return self.sessions[session_id]

    def start(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _called(self, method: str) -> None:
        self.calls.append(method)
        if fault := self.fail.pop(method, None):
            raise fault

    async def CreateSession(self, request: orchestrator.CreateSessionRequest, context: Any) -> Any:
        self._called("CreateSession")
        self.created.append(request)
        session_id = f"20261130t160000-{len(self.created):03d}"
        conversation = self.sessions[session_id] = Conversation(session_id)
        if self.on_create:
            self.start(self.on_create(conversation))
        return orchestrator.CreateSessionResponse(live=conversation.live())

    async def OpenSession(self, request: Any, context: Any) -> Any:
        self._called("OpenSession")
        conversation = self.session(request.session_id)
        conversation.opened += 1
        if conversation.state == "closed":
            await conversation.life("running")
        return orchestrator.OpenSessionResponse(live=conversation.live())

    async def CloseSession(self, request: Any, context: Any) -> Any:
        self._called("CloseSession")
        conversation = self.session(request.session_id)
        if conversation.state != "closed":
            await conversation.life("closed")
        return orchestrator.CloseSessionResponse(live=conversation.live())

    async def GetLiveStates(self, request: Any, context: Any) -> Any:
        self._called("GetLiveStates")
        closed = orchestrator.SessionState.SESSION_STATE_CLOSED
        live = [
            self.sessions[session_id].live()
            if session_id in self.sessions
            else orchestrator.LiveState(session_id=session_id, state=closed)
            for session_id in request.session_ids
        ]
        return orchestrator.GetLiveStatesResponse(live=live)

    async def Respond(self, request: orchestrator.RespondRequest, context: Any) -> Any:
        self._called("Respond")
        conversation = self.session(request.session_id)
        answer = json.loads(request.answer_json)
        public_id = answer["id"]
        if request.idempotency_key and request.idempotency_key in conversation.keys:
            return orchestrator.RespondResponse(receipt_json=conversation.keys[request.idempotency_key])
        if receipt := conversation.receipts.get(public_id):
            raise Fault(
                Code.ANSWERED_ALREADY,
                "the question was answered already",
                id=public_id,
                how="answered",
                resolved_by=receipt["by"],
                resolved_at=receipt["at"],
                answer=receipt["answer"],
            )
        descriptor = conversation.pending.get(public_id)
        if descriptor is None:
            raise Fault(Code.NOT_FOUND, "no question has this id")
        options = {option["id"] for option in descriptor["options"]}
        if "value" in answer and answer["value"] not in options:
            raise Fault(Code.ANSWER_DOES_NOT_FIT, "/value: that is none of the options", pointer="/value")
        del conversation.pending[public_id]
        receipt = {"id": public_id, "how": "answered", "by": request.author, "at": AT, "answer": answer}
        conversation.receipts[public_id] = receipt
        encoded = encode(receipt)
        if request.idempotency_key:
            conversation.keys[request.idempotency_key] = encoded
        await conversation.emit(("ui_resolved", receipt))
        if self.on_respond:
            self.start(self.on_respond(conversation, answer))
        if self.hold_respond:
            await self.hold_respond.wait()
        return orchestrator.RespondResponse(receipt_json=encoded)

    async def Steer(self, request: orchestrator.SteerRequest, context: Any) -> Any:
        self._called("Steer")
        conversation = self.session(request.session_id)
        if conversation.state == "closed":
            raise Fault(Code.SESSION_NOT_LIVE, "the session has no running agent; open it first")
        conversation.steers.append(request.text)
        return orchestrator.SteerResponse(disposition="queued")

    async def Abort(self, request: Any, context: Any) -> Any:
        self._called("Abort")
        return orchestrator.AbortResponse(live=self.session(request.session_id).live())

    async def ListModels(self, request: Any, context: Any) -> Any:
        self._called("ListModels")
        model = orchestrator.Model(
            provider="scripted", id="demo", name="Demo", context_window=8192, thinking_levels=["off"]
        )
        return orchestrator.ListModelsResponse(models=[model], scripted=True)

    async def GetTranscript(self, request: Any, context: Any) -> Any:
        self._called("GetTranscript")
        self.session(request.session_id)
        messages = [{"id": "m1", "role": "assistant", "at": AT, "text": "Hello"}]
        return orchestrator.GetTranscriptResponse(messages_json=encode(messages))

    async def GetRunner(self, request: Any, context: Any) -> Any:
        self._called("GetRunner")
        return orchestrator.GetRunnerResponse(
            runner="fake_pi", version="1.6.0", scripted=True, reason="no <real> Pi is installed"
        )

    async def Subscribe(
        self, request: orchestrator.SubscribeRequest, context: Any
    ) -> AsyncIterator[orchestrator.SubscribeResponse]:
        self._called("Subscribe")
        conversation = self.session(request.session_id)
        await context.send_initial_metadata(())
        conversation.subscriptions += 1
        try:
            async for batch in self._events(conversation, request.last_event_id):
                yield orchestrator.SubscribeResponse(batch=batch)
        finally:
            conversation.subscriptions -= 1

    async def _events(self, conversation: Conversation, cursor: str) -> AsyncIterator[EventBatch]:
        told = len(conversation.log)
        epoch, _, seq = cursor.rpartition("-")
        head: list[tuple[str, dict[str, Any]]] = []
        if not cursor:
            head = [("snapshot", conversation.snapshot(False, None))]
        elif not seq.isdigit() or epoch != conversation.epoch:
            head = [("snapshot", conversation.snapshot(True, "epoch"))]
        elif int(seq) < told - conversation.ring:
            head = [("snapshot", conversation.snapshot(True, "evicted"))]
        else:
            for start in range(int(seq), told, BATCH):
                yield numbered(conversation, start, told)
        head += [("ui_request", {**asked, "again": True}) for asked in conversation.pending.values()]
        head.append(("replay_complete", {"cursor": f"{conversation.epoch}-{told}"}))
        yield unnumbered(conversation, head)
        while True:
            if told < len(conversation.log):
                batch = numbered(conversation, told, len(conversation.log))
                told += len(batch.kinds)
                yield batch
                continue
            if conversation.farewell:
                yield unnumbered(conversation, [("bye", {"reason": conversation.farewell})])
                return
            async with conversation.changed:
                if told == len(conversation.log) and not conversation.farewell:
                    await conversation.changed.wait()


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


class FakeExecutor(ExecutorServiceServicer):
    """The executor's service: sessions are made by `add_session`, the SQL is approved by `approved`."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.artifacts: dict[str, bytes] = {"sql_final.sql": "SELECT 'é'\n".encode()}
        self.workspaces = WORKSPACES
        self.approved = True
        self.fail: dict[str, Fault] = {}
        self.calls: list[str] = []
        self.preview: executor.PreviewSqlRequest | None = None
        self.hold_preview: asyncio.Event | None = None
        self.preview_cancelled = False
        self.page: dict[str, Any] = PAGE
        self.chunks: list[bytes] = [b"carrier,delay\r\n", b"F9,21.92\r\nFL,20.12\r\n"]
        self.break_after: int | None = None
        self.filename = "risultati però.csv"

    def add_session(self, session_id: str, **manifest: Any) -> None:
        self.sessions[session_id] = {
            "id": session_id,
            "workspace": "flights",
            "question": "Which carrier?",
            "author": "dev@local",
            "created_at": AT,
            "name": "Which carrier",
            "provider": None,
            "model": None,
            "thinking": None,
            "temperature": None,
            "phase": {"phase": "F1", "closed": [], "missing": ["a reading"], "reason": None},
            **manifest,
        }

    def session(self, session_id: str) -> dict[str, Any]:
        if session_id not in self.sessions:
            raise Fault(Code.NOT_FOUND, "there is no session with this id")
        return self.sessions[session_id]

    def _called(self, method: str) -> None:
        self.calls.append(method)
        if fault := self.fail.pop(method, None):
            raise fault

    async def ListWorkspaces(self, request: Any, context: Any) -> Any:
        self._called("ListWorkspaces")
        return executor.ListWorkspacesResponse(workspaces_json=encode(self.workspaces))

    async def GetSchema(self, request: Any, context: Any) -> Any:
        self._called("GetSchema")
        if request.workspace != "flights":
            raise Fault(Code.NOT_FOUND, "there is no workspace with this name; GET /workspaces lists them")
        table = {
            "name": "airlines",
            "schema": "main",
            "kind": "table",
            "comment": None,
            "row_estimate": 16,
            "columns": [{"name": "carrier", "type": "VARCHAR", "nullable": False, "comment": None}],
            "primary_key": ["carrier"],
            "foreign_keys": [],
        }
        schema = {"workspace": "flights", "dialect": "duckdb", "as_of": AT, "tables": [table]}
        return executor.GetSchemaResponse(schema_json=encode(schema))

    async def GetSession(self, request: Any, context: Any) -> Any:
        self._called("GetSession")
        return executor.GetSessionResponse(session_json=encode(self.session(request.session_id)))

    async def ListSessions(self, request: executor.ListSessionsRequest, context: Any) -> Any:
        self._called("ListSessions")
        found = [
            session
            for session in reversed(self.sessions.values())
            if request.workspace in {"", session["workspace"]}
        ]
        start = int(request.page_token or 0)
        end = start + (request.page_size or 50)
        return executor.ListSessionsResponse(
            sessions_json=encode(found[start:end]), next_page_token=str(end) if end < len(found) else ""
        )

    async def ListArtifacts(self, request: Any, context: Any) -> Any:
        self._called("ListArtifacts")
        self.session(request.session_id)
        artifacts = [
            {
                "name": name,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "modified_at": AT,
                "media_type": "application/sql",
            }
            for name, content in self.artifacts.items()
        ]
        return executor.ListArtifactsResponse(artifacts_json=encode(artifacts))

    async def GetArtifact(self, request: Any, context: Any) -> Any:
        self._called("GetArtifact")
        self.session(request.session_id)
        if request.name not in self.artifacts:
            raise Fault(Code.NOT_FOUND, "the session has no such artifact")
        content = self.artifacts[request.name]
        return executor.GetArtifactResponse(
            name=request.name,
            sha256=hashlib.sha256(content).hexdigest(),
            media_type="application/sql",
            content=content,
        )

    async def ListDecisions(self, request: Any, context: Any) -> Any:
        self._called("ListDecisions")
        self.session(request.session_id)
        return executor.ListDecisionsResponse(decisions_json=encode([{"seq": 1, "kind": "reading"}]))

    def _check_approved(self, session_id: str) -> None:
        self.session(session_id)
        if not self.approved:
            raise Fault(Code.NOT_APPROVED, "nobody has approved sql_final.sql; approve it first")

    async def PreviewSql(self, request: executor.PreviewSqlRequest, context: Any) -> Any:
        self._called("PreviewSql")
        self.preview = request
        self._check_approved(request.session_id)
        if self.hold_preview:
            try:
                await self.hold_preview.wait()
            except asyncio.CancelledError:
                self.preview_cancelled = True
                raise
        return executor.PreviewSqlResponse(page_json=encode(self.page))

    async def ExportSql(
        self, request: executor.ExportSqlRequest, context: Any
    ) -> AsyncIterator[executor.ExportSqlResponse]:
        self._called("ExportSql")
        self._check_approved(request.session_id)
        yield executor.ExportSqlResponse(
            head=executor.ExportHead(media_type="text/csv", filename=self.filename, result_id="r1")
        )
        for number, chunk in enumerate(self.chunks):
            if number == self.break_after:
                raise Fault(Code.DATABASE_ERROR, "division by zero")
            yield executor.ExportSqlResponse(chunk=chunk)
        yield executor.ExportSqlResponse(tail=executor.ExportTail(row_count=2, sha256="0" * 64))


class FakeServices:
    """Both services on Unix sockets of `directory`; each can go away and come back."""

    def __init__(self, directory: Path) -> None:
        self.orchestrator = FakeOrchestrator()
        self.executor = FakeExecutor()
        self.orchestrator_address = f"unix:{directory}/orchestrator.sock"
        self.executor_address = f"unix:{directory}/executor.sock"
        self._orchestrator_server: GrpcServer | None = None
        self._executor_server: GrpcServer | None = None

    def add_session(self, session_id: str = "s1", **live: Any) -> Conversation:
        """A session that exists on disk and has a conversation."""
        self.executor.add_session(session_id)
        conversation = self.orchestrator.sessions[session_id] = Conversation(session_id, **live)
        return conversation

    async def start_orchestrator(self) -> None:
        name = "thothii.orchestrator.v1.OrchestratorService"
        service = (name, add_OrchestratorServiceServicer_to_server, self.orchestrator)
        self._orchestrator_server = GrpcServer(ServiceSettings(), self.orchestrator_address, [service])
        await self._orchestrator_server.start()

    async def start_executor(self) -> None:
        name = "thothii.executor.v1.ExecutorService"
        service = (name, add_ExecutorServiceServicer_to_server, self.executor)
        self._executor_server = GrpcServer(ServiceSettings(), self.executor_address, [service])
        await self._executor_server.start()

    async def stop_orchestrator(self) -> None:
        if self._orchestrator_server:
            await self._orchestrator_server.stop(0)
            self._orchestrator_server = None

    async def stop_executor(self) -> None:
        if self._executor_server:
            await self._executor_server.stop(0)
            self._executor_server = None

    async def start(self) -> None:
        await self.start_orchestrator()
        await self.start_executor()

    async def stop(self) -> None:
        await self.stop_orchestrator()
        await self.stop_executor()


__all__ = ["AT", "PAGE", "Conversation", "FakeExecutor", "FakeOrchestrator", "FakeServices", "lifecycle"]
