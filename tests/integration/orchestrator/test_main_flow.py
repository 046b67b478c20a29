"""A session from its creation to its end."""

import json

import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb


async def test_a_new_session_says_hello_and_settles(make_rig: MakeRig) -> None:
    rig = await make_rig()
    live = await rig.create()
    assert live.session_id and live.scripted
    assert (live.provider, live.model) == ("scripted", "scripted")
    listener = await rig.listen(live.session_id)
    await listener.until_state("idle")
    snapshot = listener.events[0][2]
    assert listener.events[0][:2] == ("", "snapshot")
    assert snapshot["gap"] is False and snapshot["session"] == live.session_id and snapshot["phase"] == "F1"
    said = (snapshot["message"] or {"text": ""})["text"] + listener.text()
    fresh = await rig.listen_from_the_start(live.session_id)
    await fresh.until("replay_complete")
    assert fresh.text() == f"Hello. The session is {live.session_id}."
    assert fresh.text().endswith(said)
    assert fresh.states() == ["starting", "ready", "running", "idle"]
    assert [end["stop_reason"] for end in fresh.system("message_end")] == ["stop"]


async def test_each_widget_reaches_the_reviewer_and_each_answer_the_agent(make_rig: MakeRig) -> None:
    rig = await make_rig("widgets.yaml")
    session = (await rig.create()).session_id
    listener = await rig.listen(session)
    answers = [
        {"value": "worst"},
        {"values": ["flights", "weather"]},
        {"confirmed": True},
        {"text": "niente"},
        {"text": "line 1\nline 2 è 😀"},
        {"decision": "edit", "text": "SELECT 1", "comment": "shorter"},
    ]
    seen: list[str] = []
    for answer in answers:
        descriptor = await listener.next_question(seen)
        seen.append(descriptor["id"])
        assert descriptor["v"] == 1 and descriptor["id"].startswith(f"{session}.1.")
        assert "kind" not in descriptor and "call" not in descriptor
        receipt = await rig.answer(session, {"id": descriptor["id"], **answer})
        assert receipt["how"] == "answered" and receipt["by"] == "anna" and receipt["answer"] == answer
        await listener.until("ui_resolved", len(seen))
    await listener.until_state("idle")
    assert len({each["id"] for each in listener.named("ui_request")}) == 6
    kinds = [decision["kind"] for _, decision in rig.executor.decisions]
    assert kinds == ["reading", "selection", "clarification", "answer", "answer", "edit"]
    assert all(decision["by"] == "anna" for _, decision in rig.executor.decisions)
    edited = rig.executor.decisions[-1][1]
    assert edited["edit"] == "SELECT 1" and "text" not in edited["answer"]
    said = listener.text()
    assert '"worst"' in said and '"weather"' in said and "niente" in said and "line 2 è 😀" in said
    heard = json.loads(said.partition("gate=")[2])
    assert heard["decision"] == "edit" and len(heard["sha256"]) == 64 and heard["by"] == "anna"


async def test_a_steer_reaches_the_agent(make_rig: MakeRig) -> None:
    rig = await make_rig()
    session = (await rig.create()).session_id
    listener = await rig.listen(session)
    await listener.until_state("idle")
    request = pb.SteerRequest(session_id=session, text="only 2013", author="anna")
    assert (await rig.call("Steer", request)).disposition in ("started", "queued")
    await assert_eventually(lambda: any(e["role"] == "user" for e in listener.system("message_end")))
    assert [e["text"] for e in listener.system("message_end") if e["role"] == "user"] == ["only 2013"]


async def test_closing_and_opening_are_idempotent_and_a_session_resumes(make_rig: MakeRig) -> None:
    rig = await make_rig()
    session = (await rig.create()).session_id
    listener = await rig.listen(session)
    await listener.until_state("idle")
    assert (await rig.open(session)).state == pb.SESSION_STATE_IDLE
    assert (await rig.close_session(session)).state == pb.SESSION_STATE_CLOSED
    assert (await rig.close_session(session)).state == pb.SESSION_STATE_CLOSED
    await listener.until_state("closed")
    with pytest.raises(Fault) as refused:
        await rig.call("Steer", pb.SteerRequest(session_id=session, text="hello"))
    assert refused.value.code is Code.SESSION_NOT_LIVE
    await rig.open(session)
    await listener.until_state("idle")
    assert listener.states()[-4:] == ["starting", "resumed", "running", "idle"]
    assert f"Welcome back to {session}." in listener.text()
    transcript = json.loads(
        (await rig.call("GetTranscript", pb.GetTranscriptRequest(session_id=session))).messages_json
    )
    assert [message["role"] for message in transcript] == ["assistant", "assistant"]
    assert transcript[0]["text"] == f"Hello. The session is {session}."
