"""The gRPC face of the orchestrator: requests in, faults and messages out, nothing decided here."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import msgspec

from contracts.errors import Code, Fault
from contracts.identifiers import check_session_id
from services.orchestrator.asking import CALL_MS, QUESTION_MS, Ask, AskedQuestion
from services.orchestrator.command_line import ModelChoice
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.executor_client import NewSession
from services.orchestrator.hub import Batch, Subscription
from services.orchestrator.launching import Launcher
from services.orchestrator.manager import SessionManager
from services.orchestrator.models import ModelCatalogue, thinking_levels
from services.orchestrator.session import Session
from services.orchestrator.transcript import read_transcript
from services.orchestrator.wire import encode_batch
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb
from thothii.orchestrator.v1 import orchestrator_service_pb2_grpc as pb_grpc

_STATES = {
    "closed": pb.SESSION_STATE_CLOSED,
    "starting": pb.SESSION_STATE_STARTING,
    "ready": pb.SESSION_STATE_READY,
    "running": pb.SESSION_STATE_RUNNING,
    "waiting": pb.SESSION_STATE_WAITING,
    "idle": pb.SESSION_STATE_IDLE,
    "closing": pb.SESSION_STATE_CLOSING,
    "crashed": pb.SESSION_STATE_CRASHED,
}

_ASK_STATUSES = {
    "ok": pb.ASK_STATUS_OK,
    "timeout-or-cancelled": pb.ASK_STATUS_TIMEOUT_OR_CANCELLED,
    "timeout": pb.ASK_STATUS_TIMEOUT,
    "cancelled": pb.ASK_STATUS_CANCELLED,
    "no-host": pb.ASK_STATUS_NO_HOST,
}


class OrchestratorService(pb_grpc.OrchestratorServiceServicer):
    """See orchestrator_service.proto. Handlers raise Fault; the server's interceptor tells it."""

    def __init__(
        self,
        settings: OrchestratorSettings,
        manager: SessionManager,
        launcher: Launcher,
        catalogue: ModelCatalogue,
    ) -> None:
        self._settings = settings
        self._manager = manager
        self._launcher = launcher
        self._catalogue = catalogue

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Any) -> pb.CreateSessionResponse:
        """See the proto."""
        wanted = NewSession(
            workspace=request.workspace,
            question=request.question,
            author=request.author,
            name=request.name,
            choice=ModelChoice(request.provider, request.model, request.thinking),
            temperature=request.temperature if request.HasField("temperature") else None,
        )
        session = await self._manager.create(wanted)
        return pb.CreateSessionResponse(live=self._live(session))

    async def OpenSession(self, request: pb.OpenSessionRequest, context: Any) -> pb.OpenSessionResponse:
        """See the proto."""
        session = await self._manager.open(request.session_id)
        return pb.OpenSessionResponse(live=self._live(session))

    async def CloseSession(self, request: pb.CloseSessionRequest, context: Any) -> pb.CloseSessionResponse:
        """See the proto."""
        by = request.author or "somebody"
        session = await self._manager.close(request.session_id, f"closed by {by}")
        return pb.CloseSessionResponse(live=self._live(session))

    async def GetLiveStates(self, request: pb.GetLiveStatesRequest, context: Any) -> pb.GetLiveStatesResponse:
        """See the proto."""
        if not request.session_ids:
            return pb.GetLiveStatesResponse(live=[self._live(session) for session in self._manager.live()])
        states: list[pb.LiveState] = []
        for session_id in request.session_ids:
            session = self._manager.remembered(session_id)
            if session is not None:
                states.append(self._live(session))
            else:
                states.append(self._closed(check_session_id(session_id)))
        return pb.GetLiveStatesResponse(live=states)

    async def Respond(self, request: pb.RespondRequest, context: Any) -> pb.RespondResponse:
        """See the proto."""
        session = self._manager.find(request.session_id)
        receipt = await session.respond(request.answer_json, request.author, request.idempotency_key)
        return pb.RespondResponse(receipt_json=msgspec.json.encode(receipt))

    async def Steer(self, request: pb.SteerRequest, context: Any) -> pb.SteerResponse:
        """See the proto."""
        session = self._manager.find(request.session_id)
        return pb.SteerResponse(disposition=await session.steer(request.text))

    async def Abort(self, request: pb.AbortRequest, context: Any) -> pb.AbortResponse:
        """See the proto."""
        session = self._manager.find(request.session_id)
        await session.abort(request.author)
        return pb.AbortResponse(live=self._live(session))

    async def Subscribe(
        self, request: pb.SubscribeRequest, context: Any
    ) -> AsyncIterator[pb.SubscribeResponse]:
        """See the proto. The messages are serialized here."""
        subscription = self._manager.subscribe(request.session_id, request.last_event_id)
        epoch = self._manager.find(request.session_id).hub.epoch
        try:
            await context.send_initial_metadata(())
            async for batch in _batches(subscription):
                yield cast(pb.SubscribeResponse, encode_batch(epoch, batch))
        finally:
            subscription.close()

    async def ListModels(self, request: pb.ListModelsRequest, context: Any) -> pb.ListModelsResponse:
        """See the proto."""
        models = [
            pb.Model(
                provider=str(model.get("provider", "")),
                id=str(model.get("id", "")),
                name=str(model.get("name") or model.get("id", "")),
                context_window=int(model.get("contextWindow") or 0),
                max_tokens=int(model.get("maxTokens") or 0),
                thinking_levels=thinking_levels(model),
            )
            for model in await self._catalogue.models()
        ]
        return pb.ListModelsResponse(models=models, scripted=self._settings.is_scripted)

    async def GetTranscript(self, request: pb.GetTranscriptRequest, context: Any) -> pb.GetTranscriptResponse:
        """See the proto."""
        session = self._manager.find(request.session_id)
        messages = await asyncio.to_thread(read_transcript, session.directory / "pi", session.id)
        return pb.GetTranscriptResponse(messages_json=msgspec.json.encode(messages))

    async def Ask(self, request: pb.AskRequest, context: Any) -> pb.AskResponse:
        """See the proto."""
        asked = Ask(
            call=request.call_id,
            questions=[
                AskedQuestion(each.question, list(each.options), each.placeholder or None)
                for each in request.questions
            ],
            sender=request.asker,
            timeout_ms=request.timeout_ms or CALL_MS,
            question_timeout_ms=request.question_timeout_ms or QUESTION_MS,
        )
        result = await self._manager.ask(request.session_id, asked.checked())
        return pb.AskResponse(
            status=_ASK_STATUSES[result["status"]],
            answers=[
                pb.AskAnswer(
                    question=each["question"], answer=each["answer"], late=bool(each.get("late", False))
                )
                for each in result["answers"]
            ],
        )

    async def GetRunner(self, request: pb.GetRunnerRequest, context: Any) -> pb.GetRunnerResponse:
        """See the proto."""
        settings = self._settings
        reason = settings.runner_reason
        try:
            version = await self._launcher.version()
            await self._launcher.check()
        except Fault as fault:
            if fault.code not in (Code.PI_MISSING, Code.PI_UNSUPPORTED, Code.PI_FAILED):
                raise
            version = str(fault.details.get("version", ""))
            reason = fault.message
        return pb.GetRunnerResponse(
            runner=settings.runner, version=version, scripted=settings.is_scripted, reason=reason
        )

    def _live(self, session: Session) -> pb.LiveState:
        state = pb.LiveState(
            session_id=session.id,
            state=_STATES[session.state],
            reason=session.reason or "",
            cursor=session.hub.cursor(),
            pending_json=msgspec.json.encode(session.pending()),
            message_json=msgspec.json.encode(session.message()),
            scripted=self._settings.is_scripted,
            provider=session.provider or "",
            model=session.model or "",
        )
        if session.started_at is not None:
            state.started_at.FromDatetime(session.started_at)
        return state

    def _closed(self, session_id: str) -> pb.LiveState:
        return pb.LiveState(
            session_id=session_id,
            state=pb.SESSION_STATE_CLOSED,
            pending_json=b"[]",
            message_json=b"null",
            scripted=self._settings.is_scripted,
        )


async def _batches(subscription: Subscription) -> AsyncIterator[Batch]:
    while (batch := await subscription.next()) is not None:
        yield batch
