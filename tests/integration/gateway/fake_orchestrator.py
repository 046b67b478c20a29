"""The orchestrator's service in memory, as docs/contracts.md lets a client see it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from contracts.errors import Code, Fault
from tests.integration.gateway.fake_conversation import (
    AT,
    BATCH,
    Conversation,
    encode,
    numbered,
    unnumbered,
)
from thothii.events.v1.events_pb2 import EventBatch
from thothii.orchestrator.v1 import orchestrator_service_pb2 as orchestrator
from thothii.orchestrator.v1.orchestrator_service_pb2_grpc import OrchestratorServiceServicer


class FakeOrchestrator(OrchestratorServiceServicer):
    """The orchestrator's service. `fail` makes the next call of a method fail before it does anything."""

    def __init__(self) -> None:
        self.sessions: dict[str, Conversation] = {}
        self.fail: dict[str, Fault] = {}
        self.calls: list[str] = []
        self.created: list[orchestrator.CreateSessionRequest] = []
        self.on_create: Callable[[Conversation], Any] | None = None
        self.on_steer: Callable[[Conversation], Any] | None = None
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
        if self.on_steer:
            await self.on_steer(conversation)
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
