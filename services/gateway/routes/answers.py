"""What the reviewer says to the agent: answers, steers, abort."""

from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.bodies import ANSWER, Answer, Steer, check_answer
from services.gateway.documents import Receipt, SessionLive, Steered
from services.gateway.endpoints import Call, Endpoint, json_response
from services.gateway.routes.sessions import live_response
from thothii.orchestrator.v1.orchestrator_service_pb2 import AbortRequest, RespondRequest, SteerRequest

RESPOND_S = 30.0
"""Seconds in which an answer is on disk and with the agent."""
ABORT_S = 60.0
"""Seconds in which a run settles."""
KEY_LENGTH = 200


async def respond(call: Call) -> Response:
    """Deliver an answer, once."""
    answer: Answer = call.body
    check_answer(answer)
    key = call.request.headers.get("idempotency-key", "")
    if len(key) > KEY_LENGTH or not key.isprintable():
        raise Fault(Code.INVALID_ARGUMENT, f"Idempotency-Key: at most {KEY_LENGTH} printable characters")
    services = call.gateway.services
    request = RespondRequest(
        session_id=call.session_id, answer_json=call.raw, author=call.author, idempotency_key=key
    )
    receipt = await services.orchestrator.write(services.orchestrator_stub.Respond, request, RESPOND_S)
    return json_response(receipt.receipt_json)


async def steer(call: Call) -> Response:
    """Send the agent free text while it works."""
    body: Steer = call.body
    if not body.text.strip():
        raise Fault(Code.INVALID_ARGUMENT, "/text: say something", pointer="/text")
    services = call.gateway.services
    request = SteerRequest(session_id=call.session_id, text=body.text, author=call.author)
    answer = await services.orchestrator.write(services.orchestrator_stub.Steer, request, RESPOND_S)
    return json_response({"disposition": answer.disposition})


async def abort(call: Call) -> Response:
    """End the current run; the agent lives on."""
    services = call.gateway.services
    request = AbortRequest(session_id=call.session_id, author=call.author)
    answer = await services.orchestrator.write(services.orchestrator_stub.Abort, request, ABORT_S)
    return live_response(answer.live)


AGENT_FAULTS = (Code.SESSION_NOT_LIVE, Code.SESSION_BUSY, Code.AGENT_REFUSED, Code.PI_FAILED)

ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/sessions/{id}/response",
        name="respond",
        summary="Answer a pending question",
        handle=respond,
        answer=Receipt,
        body=Answer,
        body_limit=ANSWER,
        headers={"Idempotency-Key": "The same key with the same answer gets the same receipt."},
        faults=(
            *AGENT_FAULTS,
            Code.ANSWERED_ALREADY,
            Code.EXPIRED,
            Code.GONE,
            Code.ANSWER_DOES_NOT_FIT,
            Code.CONFLICT,
        ),
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/steer",
        name="steer",
        summary="Send free text to the running agent",
        handle=steer,
        answer=Steered,
        body=Steer,
        faults=AGENT_FAULTS,
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/abort",
        name="abort",
        summary="Cancel open questions and end the current run",
        handle=abort,
        answer=SessionLive,
        faults=AGENT_FAULTS,
    ),
)
