"""Sessions: made, listed, opened, closed."""

import asyncio
from typing import Any

import msgspec
from msgspec import Struct
from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.bodies import CreateSession, SessionsQuery
from services.gateway.documents import Decisions, Session, SessionLive, Sessions, Transcript
from services.gateway.endpoints import Call, Endpoint, Gateway, json_response, spliced
from services.gateway.routes.models import PI_FAULTS
from thothii.executor.v1.executor_service_pb2 import (
    GetSessionRequest,
    ListDecisionsRequest,
    ListSessionsRequest,
    ListSessionsResponse,
)
from thothii.orchestrator.v1.orchestrator_service_pb2 import (
    CloseSessionRequest,
    CreateSessionRequest,
    GetLiveStatesRequest,
    GetLiveStatesResponse,
    GetTranscriptRequest,
    LiveState,
    OpenSessionRequest,
    SessionState,
)

STATES = {
    number: name.removeprefix("SESSION_STATE_").lower() if number else "closed"
    for name, number in SessionState.items()
}
LIVE_S = 2.0
"""Seconds for which a read of sessions waits for their live state; the disk can be told without it."""

START_FAULTS = (*PI_FAULTS, Code.GATE_MISSING, Code.MODEL_UNKNOWN, Code.SESSION_BUSY, Code.WORKSPACE_BROKEN)


class _Head(Struct):
    id: str


def live_document(live: LiveState) -> bytes:
    """A live state as JSON."""
    started = live.started_at.ToJsonString() if live.HasField("started_at") else None
    return msgspec.json.encode(
        {
            "state": STATES.get(live.state, "closed"),
            "reason": live.reason,
            "cursor": live.cursor,
            "pending": msgspec.Raw(live.pending_json or b"[]"),
            "message": msgspec.Raw(live.message_json or b"null"),
            "scripted": live.scripted,
            "provider": live.provider,
            "model": live.model,
            "started_at": started,
        }
    )


def live_response(live: LiveState, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`{id, live}`."""
    document = {"id": live.session_id, "live": msgspec.Raw(live_document(live))}
    return json_response(document, status, headers)


async def live_documents(gateway: Gateway, session_ids: list[str]) -> list[bytes]:
    """The live state of each session as JSON; null for all of them while the orchestrator is away."""
    if not session_ids:
        return []
    services = gateway.services
    request = GetLiveStatesRequest(session_ids=session_ids)
    try:
        answer: GetLiveStatesResponse = await services.orchestrator.read(
            services.orchestrator_stub.GetLiveStates, request, LIVE_S, retry=False
        )
    except Fault as fault:
        if fault.code not in {Code.UNAVAILABLE, Code.TIMEOUT}:
            raise
        return [b"null"] * len(session_ids)
    states = {live.session_id: live_document(live) for live in answer.live}
    return [states.get(session_id, b"null") for session_id in session_ids]


async def create_session(call: Call) -> Response:
    """Make it on disk, start Pi, send the kickoff."""
    body: CreateSession = call.body
    if not body.question.strip():
        raise Fault(Code.INVALID_ARGUMENT, "/question: ask something", pointer="/question")
    request = CreateSessionRequest(
        workspace=body.workspace,
        question=body.question,
        author=call.author,
        name=body.name or "",
        provider=body.provider or "",
        model=body.model or "",
        thinking=body.thinking or "",
    )
    if body.temperature is not None:
        request.temperature = body.temperature
    services = call.gateway.services
    answer = await services.orchestrator.write(
        services.orchestrator_stub.CreateSession, request, call.gateway.settings.gateway_create_s
    )
    live: LiveState = answer.live
    return live_response(live, 201, {"location": f"/sessions/{live.session_id}"})


async def list_sessions(call: Call) -> Response:
    """A page of sessions with their live state."""
    query: SessionsQuery = call.query
    services = call.gateway.services
    request = ListSessionsRequest(
        workspace=query.workspace or "",
        author=query.author or "",
        phase=query.phase or "",
        page_size=query.limit,
        page_token=query.after,
    )
    answer: ListSessionsResponse = await services.executor.read(services.executor_stub.ListSessions, request)
    documents = msgspec.json.decode(answer.sessions_json, type=list[msgspec.Raw])
    ids = [msgspec.json.decode(document, type=_Head).id for document in documents]
    states = await live_documents(call.gateway, ids)
    sessions = [
        msgspec.Raw(spliced(bytes(document), "live", state))
        for document, state in zip(documents, states, strict=True)
    ]
    following, broken = answer.next_page_token or None, list(answer.broken_session_ids)
    return json_response({"sessions": sessions, "next": following, "broken": broken})


async def get_session(call: Call) -> Response:
    """One session with its live state."""
    services = call.gateway.services
    session_id = call.session_id
    answer, states = await asyncio.gather(
        services.executor.read(services.executor_stub.GetSession, GetSessionRequest(session_id=session_id)),
        live_documents(call.gateway, [session_id]),
    )
    return json_response(spliced(answer.session_json, "live", states[0]))


async def list_decisions(call: Call) -> Response:
    """The ledger."""
    services = call.gateway.services
    request = ListDecisionsRequest(session_id=call.session_id)
    answer = await services.executor.read(services.executor_stub.ListDecisions, request)
    return json_response({"decisions": msgspec.Raw(answer.decisions_json or b"[]")})


async def get_transcript(call: Call) -> Response:
    """The conversation so far."""
    services = call.gateway.services
    request = GetTranscriptRequest(session_id=call.session_id)
    answer = await services.orchestrator.read(services.orchestrator_stub.GetTranscript, request)
    return json_response({"messages": msgspec.Raw(answer.messages_json or b"[]")})


async def open_session(call: Call) -> Response:
    """Start Pi again where it was left."""
    request = OpenSessionRequest(session_id=call.session_id, author=call.author)
    return await _live_call(call, call.gateway.services.orchestrator_stub.OpenSession, request)


async def close_session(call: Call) -> Response:
    """Stop Pi in an orderly way."""
    request = CloseSessionRequest(session_id=call.session_id, author=call.author)
    return await _live_call(call, call.gateway.services.orchestrator_stub.CloseSession, request)


async def _live_call(call: Call, method: Any, request: Any) -> Response:
    timeout = call.gateway.settings.gateway_create_s
    answer = await call.gateway.services.orchestrator.write(method, request, timeout)
    return live_response(answer.live)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/sessions",
        name="createSession",
        summary="Ask a question: makes the session on disk, then starts its agent",
        handle=create_session,
        status=201,
        answer=SessionLive,
        answer_headers={"Location": "Path of the session."},
        body=CreateSession,
        faults=(*START_FAULTS, Code.NOT_FOUND),
    ),
    Endpoint(
        method="GET",
        path="/sessions",
        name="listSessions",
        summary="Sessions, newest first",
        handle=list_sessions,
        answer=Sessions,
        query=SessionsQuery,
    ),
    Endpoint(
        method="GET",
        path="/sessions/{id}",
        name="getSession",
        summary="One session: manifest, phase, live state",
        handle=get_session,
        answer=Session,
    ),
    Endpoint(
        method="GET",
        path="/sessions/{id}/decisions",
        name="listDecisions",
        summary="The ledger of the review",
        handle=list_decisions,
        answer=Decisions,
    ),
    Endpoint(
        method="GET",
        path="/sessions/{id}/transcript",
        name="getTranscript",
        summary="The conversation so far",
        handle=get_transcript,
        answer=Transcript,
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/open",
        name="openSession",
        summary="Start the agent again; does nothing when it runs",
        handle=open_session,
        answer=SessionLive,
        faults=START_FAULTS,
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/close",
        name="closeSession",
        summary="Stop the agent; does nothing when none runs",
        handle=close_session,
        answer=SessionLive,
        faults=(Code.SESSION_BUSY,),
    ),
)
