"""Questions and answers: races, retries, deadlines, restarts."""

import asyncio
import json
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.journal import NAME
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.rig import Listener, Rig
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb

SELECT = """\
name: one select
commands:
  - name: nuova-domanda
    steps: &ask
      - widget: select
        title: Which?
        kind: clarification
        phase: F1
        {more}
        options: [{{id: a, label: A}}, {{id: b, label: B}}]
        as: answer
      - text: "heard=${{answer|json}}"
  - name: riprendi-sessione
    steps: *ask
"""


def select(more: str = "") -> str:
    return SELECT.format(more=more or "min: 0")


async def ask(rig: Rig) -> tuple[str, Listener, dict[str, Any]]:
    session = (await rig.create()).session_id
    listener = await rig.listen(session)
    return session, listener, await listener.next_question([])


async def refused(work: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        await work
    return caught.value


def written(rig: Rig, session: str) -> list[bytes]:
    """What was written to the child's stdin, from now on."""
    run = rig.orchestrator.manager.find(session)._run
    assert run is not None
    process = run.child.process
    lines: list[bytes] = []
    write = process.write

    def spy(line: bytes) -> None:
        lines.append(line)
        write(line)

    process.write = spy  # type: ignore[method-assign]
    return lines


async def test_a14_on_reconnects_there_is_one_question_and_after_the_answer_none(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)
    for last in ("", listener.last_id(), "nonsense"):
        again = await rig.listen(session, last)
        await again.until("replay_complete")
        repeated = again.named("ui_request")
        assert [each["id"] for each in repeated] == [asked["id"]] and repeated[0]["again"] is True
        assert repeated[0] | {"again": True} == asked | {"again": True}
    await rig.answer(session, {"id": asked["id"], "value": "a"})
    await listener.until("ui_resolved")
    for last in ("", listener.last_id()):
        again = await rig.listen(session, last)
        await again.until("replay_complete")
        assert again.named("ui_request") == []


async def test_a15_after_a_restart_the_old_id_is_gone_and_then_superseded(make_rig: MakeRig) -> None:
    first = await make_rig(select())
    session, _, asked = await ask(first)
    # As after kill -9: nothing was said, the journal is what there is, and the child is gone.
    second = await make_rig(select(), orchestrator_address=f"unix:{first.settings.home.parent}/o2.sock")
    second.executor.manifests = first.executor.manifests
    fault = await refused(second.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.SESSION_BUSY and "o.sock" in fault.message
    fault = await refused(second.open(session))
    assert fault.code is Code.SESSION_BUSY
    run = first.orchestrator.manager.find(session)._run
    assert run is not None
    run.child.process._popen.kill()
    await assert_eventually(lambda: not first.orchestrator.manager.find(session).live)
    fault = await refused(second.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.GONE and fault.details["how"] == "gone"
    await second.open(session)
    listener = await second.listen(session)
    again = await listener.next_question([])
    assert again["id"] == asked["id"].replace(".1.", ".2.", 1) or again["id"].startswith(f"{session}.2.")
    fault = await refused(second.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.GONE
    assert fault.details == {"id": asked["id"], "how": "superseded", "superseded_by": again["id"]}
    assert second.executor.decisions == []
    assert (await second.answer(session, {"id": again["id"], "value": "a"}))["how"] == "answered"


async def test_a16_of_two_answers_at_once_one_wins_and_the_agent_hears_one(make_rig: MakeRig) -> None:
    rounds = 100
    rig = await make_rig(
        f"""\
name: many selects
commands:
  - name: nuova-domanda
    steps:
      - repeat:
          - widget: select
            title: Which?
            kind: clarification
            options: [{{id: a, label: A}}, {{id: b, label: B}}]
            as: answer
        at_most: {rounds}
      - text: "done"
"""
    )
    session, listener, asked = await ask(rig)
    lines = written(rig, session)
    known: list[str] = []
    for _ in range(rounds):
        answers = [({"id": asked["id"], "value": value}, by) for value, by in (("a", "anna"), ("b", "bea"))]
        results = await asyncio.gather(
            *(rig.answer(session, answer, by) for answer, by in answers), return_exceptions=True
        )
        won = [each for each in results if isinstance(each, dict)]
        lost = [each for each in results if isinstance(each, Fault)]
        assert len(won) == len(lost) == 1
        assert lost[0].code is Code.ANSWERED_ALREADY
        assert (
            lost[0].details["resolved_by"] == won[0]["by"] and lost[0].details["answer"] == won[0]["answer"]
        )
        assert lost[0].details["resolved_at"]
        known.append(asked["id"])
        if len(known) < rounds:
            asked = await listener.next_question(known)
    await listener.until_state("idle")
    assert len([line for line in lines if b"extension_ui_response" in line]) == rounds
    assert len(rig.executor.decisions) == rounds


async def test_a17_the_same_answer_again_gets_the_same_receipt(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, asked = await ask(rig)
    answer = {"id": asked["id"], "value": "a"}
    receipts = await asyncio.gather(*(rig.answer(session, answer, key="k1") for _ in range(3)))
    assert receipts[0] == receipts[1] == receipts[2] and receipts[0]["seq"] == 1
    assert len(rig.executor.decisions) == 1
    for other in (
        rig.answer(session, {**answer, "value": "b"}, key="k1"),
        rig.answer(session, answer, key="k2"),
        rig.answer(session, answer, author="bea", key="k1"),
        rig.answer(session, answer),
    ):
        assert (await refused(other)).code is Code.ANSWERED_ALREADY
    await rig.close_session(session)
    assert await rig.answer(session, answer, key="k1") == receipts[0]


async def test_a19_a_question_ends_on_its_deadline_and_no_answer_is_delivered(make_rig: MakeRig) -> None:
    rig = await make_rig(select("timeout_ms: 700"))
    session, listener, asked = await ask(rig)
    assert asked["expires_at"] > asked["asked_at"]
    lines = written(rig, session)
    resolved = await listener.until("ui_resolved")
    assert resolved["id"] == asked["id"] and resolved["how"] == "expired" and resolved["by"] is None
    fault = await refused(rig.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.EXPIRED
    assert rig.executor.decisions == [] and lines == []


async def test_a19_an_answer_that_took_too_long_to_record_is_not_called_delivered(make_rig: MakeRig) -> None:
    rig = await make_rig(select("timeout_ms: 600"))
    session, listener, asked = await ask(rig)
    rig.executor.recording = asyncio.Event()
    lines = written(rig, session)
    answering = asyncio.create_task(rig.answer(session, {"id": asked["id"], "value": "a"}))
    await listener.until_state("idle")
    rig.executor.recording.set()
    fault = await refused(answering)
    assert fault.code is Code.GONE and fault.details["recorded_seq"] == 1
    assert lines == [] or all(b'"cancelled":true' in line for line in lines)


async def test_a21_an_unknown_method_is_cancelled_where_all_can_see_it(make_rig: MakeRig) -> None:
    rig = await make_rig(
        """\
name: future
commands:
  - name: nuova-domanda
    steps:
      - tool: tht_sql
        do:
          - {request: {method: futureDialog, title: x}, answered: true, as: answer}
      - text: "heard ${answer|json}"
"""
    )
    session = (await rig.create()).session_id
    listener = await rig.listen_from_the_start(session)
    await listener.until_state("idle")
    told = [each for each in listener.named("info") if "futureDialog" in each["text"]]
    assert len(told) == 1 and told[0]["level"] == "warning"
    assert listener.named("ui_request") == []
    assert "heard" in listener.text()


async def test_a21_without_anybody_listening_a_question_waits(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session = (await rig.create()).session_id

    async def waiting() -> bool:
        return (await rig.live(session)).state == pb.SESSION_STATE_WAITING

    await assert_eventually(waiting)
    pending = json.loads((await rig.live(session)).pending_json)
    assert [each["title"] for each in pending] == ["Which?"]
    await rig.answer(session, {"id": pending[0]["id"], "value": "b"})


async def test_a24_an_answer_that_does_not_fit_leaves_the_question_open(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, asked = await ask(rig)
    lines = written(rig, session)
    wrong: list[dict[str, Any]] = [
        {"value": "c"},
        {"confirmed": 5},
        {"text": "x" * (2 << 20)},
        {"value": "\ud800"},
    ]
    for answer in wrong:
        fault = await refused(rig.answer(session, {"id": asked["id"], **answer}))
        assert fault.code is Code.ANSWER_DOES_NOT_FIT and fault.details["pointer"].startswith("/")
    assert lines == [] and rig.executor.decisions == []
    assert (await refused(rig.answer(session, {"id": "nope", "value": "a"}))).code is Code.NOT_FOUND
    assert (await rig.answer(session, {"id": asked["id"], "value": "a"}))["how"] == "answered"


async def test_a_decision_that_cannot_be_recorded_leaves_the_question_open(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, asked = await ask(rig)
    lines = written(rig, session)
    rig.executor.decision_fault = Fault(Code.UNAVAILABLE, "the executor is away")
    fault = await refused(rig.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.UNAVAILABLE and lines == []
    rig.executor.decision_fault = None
    assert (await rig.answer(session, {"id": asked["id"], "value": "a"}))["how"] == "answered"


async def test_a_client_that_hangs_up_while_its_answer_is_recorded_loses_nothing(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)
    rig.executor.recording = asyncio.Event()
    answering = asyncio.create_task(rig.answer(session, {"id": asked["id"], "value": "a"}))
    question = rig.orchestrator.manager.find(session)._run.conversation.table.find(asked["id"])  # type: ignore[union-attr]
    await assert_eventually(lambda: question.lock.locked())
    answering.cancel()
    await asyncio.wait([answering])
    rig.executor.recording.set()
    assert (await listener.until("ui_resolved"))["by"] == "anna"
    await listener.until_state("idle")
    assert '"a"' in listener.text()


async def test_a_cancelled_question_is_delivered_and_not_recorded(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, listener, asked = await ask(rig)
    receipt = await rig.answer(session, {"id": asked["id"], "cancelled": True})
    assert receipt["how"] == "cancelled" and rig.executor.decisions == []
    assert (await listener.until("ui_resolved"))["how"] == "cancelled"
    fault = await refused(rig.answer(session, {"id": asked["id"], "value": "a"}))
    assert fault.code is Code.GONE and fault.details["how"] == "cancelled"


async def test_a25_questions_of_several_askers_are_told_apart(make_rig: MakeRig) -> None:
    rig = await make_rig(
        """\
name: three at once
commands:
  - name: nuova-domanda
    steps:
      - tools:
          - tool: tht_sql
            do:
              - {widget: input, title: host, kind: answer, as: host}
          - tool: tht_schema
            do:
              - {widget: input, title: sub 1, kind: answer, from: {kind: subagent, name: scout}, as: scout}
          - tool: ask_reviewer
            do:
              - {widget: input, title: sub 2, kind: answer, from: {kind: subagent, name: judge}, as: judge}
      - text: "${host|json} ${scout|json} ${judge|json}"
"""
    )
    session = (await rig.create()).session_id
    listener = await rig.listen(session)
    asked = [await listener.next_question([])]
    for _ in range(2):
        asked.append(await listener.next_question([each["id"] for each in asked]))
    by_title = {each["title"]: each for each in asked}
    assert by_title["sub 1"]["from"] == {"kind": "subagent", "name": "scout"}
    await rig.answer(session, {"id": by_title["sub 2"]["id"], "cancelled": True})
    for title in ("sub 1", "host"):
        await rig.answer(session, {"id": by_title[title]["id"], "text": f"to {title}"})
    await listener.until_state("idle")
    said = listener.text()
    assert '"to host"' in said and '"to sub 1"' in said


async def test_every_question_and_its_end_are_in_the_journal(make_rig: MakeRig) -> None:
    rig = await make_rig(select())
    session, _, asked = await ask(rig)
    await rig.answer(session, {"id": asked["id"], "value": "a"}, key="k")
    path = rig.settings.sessions / session / NAME
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [next(iter(sorted(set(line) & {"generation", "asked", "ended"}))) for line in lines] == [
        "generation",
        "asked",
        "ended",
    ]
    assert lines[2]["receipt"]["by"] == "anna"
