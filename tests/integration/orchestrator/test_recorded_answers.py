"""Answers that are on the ledger though whoever sent them never heard so: not lost, not doubled."""

from typing import Any

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.rig import Rig
from tests.integration.orchestrator.test_questions import ask, refused, select, written

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
