"""Answers that are on the ledger though whoever sent them never heard so: not lost, not doubled."""

import asyncio
import errno
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator import answers, conversation
from services.orchestrator.journal import QuestionJournal
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.rig import Rig
from tests.integration.orchestrator.test_questions import ask, refused, select, written
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb

AWAY = Fault(Code.UNAVAILABLE, "the executor went away", may_have_happened=True)

GATE = """\
name: one gate
commands:
  - name: nuova-domanda
    steps:
      - widget: artifact_gate
        title: Approve?
        kind: approval
        phase: F4
        artifact: {name: sql_final.sql, sha256: "%s", media_type: application/sql}
        as: answer
      - text: "heard=${answer|json}"
""" % ("0" * 64)


async def lose_the_first(rig: Rig, session: str, answer: dict[str, Any]) -> None:
    """The answer is recorded, and the executor is gone before it can say so."""
    rig.executor.decision_fault, rig.executor.fails_after_recording = AWAY, True
    fault = await refused(rig.answer(session, answer, key="k"))
    assert fault.code is Code.UNAVAILABLE and fault.details["may_have_happened"] is True
    rig.executor.decision_fault, rig.executor.fails_after_recording = None, False


async def test_a17_an_answer_sent_again_after_a_lost_receipt_is_recorded_once(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)
    lines = written(rig, session)
    answer = {"id": asked["id"], "value": "a"}
    await lose_the_first(rig, session, answer)
    assert lines == []
    receipt = await rig.answer(session, answer, key="k")
    assert receipt["seq"] == 1 and receipt["how"] == "answered"
    assert await rig.answer(session, answer, key="k") == receipt
    await listener.until_state("idle")
    assert len(rig.executor.decisions) == len(lines) == 1


async def test_a16_another_answer_after_a_lost_receipt_does_not_win(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)
    await lose_the_first(rig, session, {"id": asked["id"], "value": "a"})
    fault = await refused(rig.answer(session, {"id": asked["id"], "value": "b"}, author="bea", key="k2"))
    assert fault.code is Code.ANSWERED_ALREADY
    assert fault.details["resolved_by"] == "anna" and fault.details["answer"] == {"value": "a"}
    resolved = await listener.until("ui_resolved")
    assert resolved["by"] == "anna" and resolved["answer"] == {"value": "a"}
    await listener.until_state("idle")
    assert '"a"' in listener.text() and '"b"' not in listener.text()
    assert len(rig.executor.decisions) == 1


async def test_an_edit_after_a_lost_edit_tells_the_agent_the_recorded_text(make_rig: MakeRig) -> None:
    rig = await make_rig(GATE)
    session, listener, asked = await ask(rig)
    edit = {"id": asked["id"], "decision": "edit", "text": "SELECT 1"}
    await lose_the_first(rig, session, edit)
    fault = await refused(rig.answer(session, {**edit, "text": "SELECT 2"}))
    assert fault.code is Code.ANSWERED_ALREADY and fault.details["answer"]["text"] == "SELECT 1"
    await listener.until_state("idle")
    assert "SELECT 1" in listener.text() and "SELECT 2" not in listener.text()


async def test_a15_a_recorded_answer_whose_agent_died_is_never_called_unasked(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, asked = await ask(rig)
    answer = {"id": asked["id"], "value": "a"}
    await lose_the_first(rig, session, answer)
    run = rig.orchestrator.manager.find(session)._run
    assert run is not None
    run.child.process._popen.kill()
    await assert_eventually(lambda: not rig.orchestrator.manager.find(session).live)
    for _ in range(2):
        fault = await refused(rig.answer(session, answer, key="k"))
        assert fault.code is Code.GONE and fault.details["recorded_seq"] == 1
        assert "recorded" in fault.message
    await rig.open(session)
    listener = await rig.listen(session)
    await listener.next_question([])
    fault = await refused(rig.answer(session, answer, key="k"))
    assert fault.code is Code.GONE and fault.details["recorded_seq"] == 1
    assert len(rig.executor.decisions) == 1


async def test_a_full_disk_costs_the_journal_and_no_question(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)

    def full(_journal: QuestionJournal, _line: dict[str, Any]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(QuestionJournal, "append", full)
    assert (await rig.answer(session, {"id": asked["id"], "value": "a"}))["seq"] == 1
    assert (await listener.until("ui_resolved"))["how"] == "answered"
    await listener.until_state("idle")
    await rig.close_session(session)
    fault = await refused(rig.open(session))
    assert fault.code is Code.UNAVAILABLE and "No space left" in fault.message
    monkeypatch.undo()
    await rig.open(session)
    again = await listener.next_question([asked["id"]])
    assert again["id"].startswith(f"{session}.2.")


async def test_a36_a_session_that_is_a_symlink_is_none_for_the_orchestrator_either(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, _ = await ask(rig)
    (rig.settings.sessions / "linked").symlink_to(rig.settings.sessions / session)
    for call, request in (
        ("GetTranscript", pb.GetTranscriptRequest(session_id="linked")),
        ("OpenSession", pb.OpenSessionRequest(session_id="linked")),
        ("CloseSession", pb.CloseSessionRequest(session_id="linked")),
        ("Steer", pb.SteerRequest(session_id="linked", text="x")),
    ):
        assert (await refused(rig.call(call, request))).code is Code.NOT_FOUND


async def test_b12_a_session_forgotten_while_it_is_opened_is_not_lost(make_rig: MakeRig) -> None:
    rig = await make_rig(select(), kept_closed_sessions=0)
    manager = rig.orchestrator.manager
    sessions = [(await rig.create()).session_id for _ in range(2)]
    for session in sessions:
        await rig.close_session(session)
    reading, read_on = asyncio.Event(), asyncio.Event()
    get_session = rig.executor.get_session

    async def slowly(session_id: str) -> dict[str, Any]:
        reading.set()
        await read_on.wait()
        return await get_session(session_id)

    rig.executor.get_session = slowly  # type: ignore[method-assign]
    opening = asyncio.create_task(rig.open(sessions[0]))
    await reading.wait()
    await rig.close_session(sessions[1])  # looks for room in memory
    await rig.close_session(sessions[1])
    read_on.set()
    await opening
    assert [session.id for session in manager.live()] == [sessions[0]]
    await rig.close_session(sessions[0])
    assert rig.orchestrator.processes.count == 0


@pytest.mark.parametrize("hours", [-1, 1])
async def test_a19_a_clock_that_is_set_moves_no_deadline(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    rig = await make_rig(select("timeout_ms: 60000"))
    session, listener, asked = await ask(rig)

    def wrong() -> datetime:
        return datetime.now(UTC) + timedelta(hours=hours)

    for module in (answers, conversation):
        monkeypatch.setattr(module, "now", wrong)
    assert (await rig.answer(session, {"id": asked["id"], "value": "a"}))["how"] == "answered"
    await listener.until_state("idle")
