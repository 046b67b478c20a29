"""The same over gRPC."""

import grpc
import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.asking.conftest import Inbox
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb


def request(inbox: Inbox, call: str = "c-1", **more: object) -> pb.AskRequest:
    questions = [pb.AskQuestion(question="One?", options=["a", "b"]), pb.AskQuestion(question="Two?")]
    return pb.AskRequest(session_id=inbox.session, call_id=call, asker="cron", questions=questions, **more)  # type: ignore[arg-type]


async def test_a_call_over_grpc_is_answered(inbox: Inbox) -> None:
    asking = inbox.rig.stub.Ask(request(inbox))
    question = await inbox.listener.until("ui_request")
    assert question["from"] == {"kind": "process", "name": "cron"}
    await inbox.answer(question, value="1")
    await inbox.answer(await inbox.listener.until("ui_request", 2), text="2")
    response = await asking
    assert response.status == pb.ASK_STATUS_OK
    assert [(each.question, each.answer, each.late) for each in response.answers] == [
        ("One?", "b", False),
        ("Two?", "2", False),
    ]
    repeated = await inbox.rig.call("Ask", request(inbox))
    assert repeated == response


async def test_a_caller_that_leaves_cancels_its_question(inbox: Inbox) -> None:
    asking = inbox.rig.stub.Ask(request(inbox))
    await inbox.listener.until("ui_request")
    asking.cancel()
    assert (await inbox.listener.until("ui_resolved"))["how"] == "cancelled"
    assert (await inbox.rig.call("Ask", request(inbox))).status == pb.ASK_STATUS_CANCELLED


async def test_a_callers_deadline_is_its_leaving(inbox: Inbox) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await inbox.rig.stub.Ask(request(inbox), timeout=0.5)
    assert ended.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await assert_eventually(lambda: inbox.listener.named("ui_resolved"))
    assert inbox.listener.named("ui_resolved")[0]["how"] == "cancelled"


async def test_a_time_that_runs_out_and_faults(inbox: Inbox) -> None:
    late = await inbox.rig.call("Ask", request(inbox, "c-2", timeout_ms=200))
    assert late.status == pb.ASK_STATUS_TIMEOUT
    for call, code in (
        (pb.AskRequest(session_id=inbox.session, call_id="c-3"), Code.INVALID_ARGUMENT),
        (
            pb.AskRequest(session_id="no-such", call_id="c", questions=[pb.AskQuestion(question="Q")]),
            Code.NOT_FOUND,
        ),
    ):
        with pytest.raises(Fault) as caught:
            await inbox.rig.call("Ask", call)
        assert caught.value.code is code
