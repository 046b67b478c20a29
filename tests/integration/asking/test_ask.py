"""Processes ask through the agent endpoint: one inbox, one answer, the right asker."""

import asyncio
import json
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.asking import OPEN_CALLS
from services.orchestrator.journal import NAME
from tests.helpers import assert_eventually
from tests.integration.asking.conftest import Inbox, MakeInbox

ONE_SELECT = """\
name: one select
commands:
  - name: nuova-domanda
    steps: &ask
      - widget: select
        title: Main?
        kind: clarification
        phase: F1
        options: [{id: a, label: A}]
        as: answer
      - text: "heard=${answer|json}"
  - name: riprendi-sessione
    steps: *ask
"""


async def refused(work: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        await work
    return caught.value


async def test_a_process_asks_and_gets_the_persons_answer(inbox: Inbox) -> None:
    asking = inbox.ask("c-1", {"question": "Approve?", "options": ["yes", "no"]}, timeout_ms=60_000)
    question = await inbox.listener.until("ui_request")
    assert question["from"] == {"kind": "process", "name": "deploy.sh"}
    assert (question["widget"], question["title"], question["expires_at"] is None) == (
        "select",
        "Approve?",
        False,
    )
    assert [option["label"] for option in question["options"]] == ["yes", "no"]
    await inbox.listener.until_state("waiting")
    receipt = await inbox.answer(question, value="0")
    assert receipt["how"] == "answered"
    answered = await asking
    assert answered.status_code == 200
    assert answered.json() == {"status": "ok", "answers": [{"question": "Approve?", "answer": "yes"}]}
    resolved = await inbox.listener.until("ui_resolved")
    assert (resolved["id"], resolved["how"], resolved["by"]) == (question["id"], "answered", "anna")
    await inbox.listener.until_state("idle")
    decision = inbox.rig.executor.decisions[-1][1]
    assert (decision["kind"], decision["title"], decision["by"]) == ("plain", "Approve?", "anna")


async def test_questions_of_a_call_come_one_after_the_other(inbox: Inbox) -> None:
    asking = inbox.ask("c-1", "One?", "Two?", "Three?")
    for number, title in enumerate(("One?", "Two?"), 1):
        question = await inbox.listener.until("ui_request", number)
        assert question["title"] == title and len(await inbox.pending()) == 1
        await inbox.answer(question, **({"text": "1"} if number == 1 else {"cancelled": True}))
    result = (await asking).json()
    assert result == {"status": "timeout-or-cancelled", "answers": [{"question": "One?", "answer": "1"}]}
    assert len(inbox.listener.named("ui_request")) == 2


@pytest.mark.parametrize(
    ("times", "status"),
    [
        ({"timeout_ms": 300}, "timeout"),
        ({"timeout_ms": 60_000, "question_timeout_ms": 300}, "timeout-or-cancelled"),
    ],
)
async def test_both_times_run_out_with_the_answers_there_are(
    inbox: Inbox, times: dict[str, int], status: str
) -> None:
    asking = inbox.ask("c-1", "One?", "Two?", **{**times, "timeout_ms": max(times["timeout_ms"], 3000)})
    await inbox.answer(await inbox.listener.until("ui_request"), text="1")
    result = (await asking).json()
    assert result == {"status": status, "answers": [{"question": "One?", "answer": "1"}]}
    assert (await inbox.listener.until("ui_resolved", 2))["how"] == "expired"


async def test_a_late_answer_is_kept_marked_and_given_to_who_repeats_the_call(inbox: Inbox) -> None:
    first = await inbox.ask("c-1", "One?", timeout_ms=200)
    assert first.json() == {"status": "timeout", "answers": []}
    question = inbox.listener.named("ui_request")[0]
    fault = await refused(inbox.answer(question, text=""))
    assert fault.code is Code.ANSWER_DOES_NOT_FIT, "a late answer is checked too"
    fault = await refused(inbox.answer(question, text="better late"))
    assert (fault.code, fault.details["late"]) == (Code.EXPIRED, True) and "kept" in fault.message
    again = await refused(inbox.answer(question, text="another"))
    assert again.code is Code.EXPIRED and "late" not in again.details
    kept = [{"question": "One?", "answer": "better late", "late": True}]
    assert (await inbox.ask("c-1", "One?")).json() == {"status": "timeout", "answers": kept}
    assert len(inbox.listener.named("ui_request")) == 1, "nothing is asked again"
    assert inbox.rig.executor.decisions == []


async def test_the_same_call_id_asks_once_and_both_hear_the_answer(inbox: Inbox) -> None:
    first = inbox.ask("c-1", "One?")
    question = await inbox.listener.until("ui_request")
    second = inbox.ask("c-1", "One?", timeout_ms=1000)
    other = await inbox.ask("c-1", "Something else?")
    assert other.status_code == 409 and other.json()["code"] == "conflict"
    await inbox.answer(question, text="1")
    expected = {"status": "ok", "answers": [{"question": "One?", "answer": "1"}]}
    assert [(await task).json() for task in (first, second)] == [expected, expected]
    assert (await inbox.ask("c-1", "One?")).json() == expected
    assert len(inbox.listener.named("ui_request")) == 1


async def test_a_dropped_connection_cancels_its_own_question_only(inbox: Inbox) -> None:
    leaving = inbox.ask("c-1", "One?", "Never?")
    first = await inbox.listener.until("ui_request")
    staying = inbox.ask("c-2", "Two?")
    second = await inbox.listener.until("ui_request", 2)
    leaving.cancel()
    resolved = await inbox.listener.until("ui_resolved")
    assert (resolved["id"], resolved["how"], resolved["by"]) == (first["id"], "cancelled", None)
    fault = await refused(inbox.answer(first, text="1"))
    assert fault.code is Code.GONE
    await inbox.answer(second, text="2")
    assert (await staying).json()["status"] == "ok"
    assert (await inbox.ask("c-1", "One?", "Never?")).json()["status"] == "cancelled"
    assert len(inbox.listener.named("ui_request")) == 2


async def test_one_of_two_that_wait_for_a_call_may_leave(inbox: Inbox) -> None:
    leaving, staying = inbox.ask("c-1", "One?"), inbox.ask("c-1", "One?")
    question = await inbox.listener.until("ui_request")
    desk = inbox.rig.orchestrator.manager.find(inbox.session)._run.asks  # type: ignore[union-attr]
    await assert_eventually(lambda: desk._calls["c-1"].listeners == 2)
    leaving.cancel()
    await assert_eventually(lambda: desk._calls["c-1"].listeners == 1)
    await inbox.answer(question, text="1")
    assert (await staying).json()["status"] == "ok"


async def test_the_end_of_the_session_lets_its_askers_go(inbox: Inbox) -> None:
    asking = inbox.ask("c-1", "One?", "Two?")
    await inbox.answer(await inbox.listener.until("ui_request"), text="1")
    await inbox.listener.until("ui_request", 2)
    await inbox.rig.close_session(inbox.session)
    result = (await asking).json()
    assert result == {"status": "no-host", "answers": [{"question": "One?", "answer": "1"}]}
    assert (await inbox.listener.until("ui_resolved", 2))["how"] == "gone"
    refused_now = await inbox.ask("c-2", "Three?")
    assert (refused_now.status_code, refused_now.json()["code"]) == (409, "session_not_live")


async def test_calls_and_questions_survive_the_orchestrator(make_inbox: MakeInbox, make_rig: Any) -> None:
    before = await make_inbox()
    await before.ask("late", "Late?", timeout_ms=200)
    await refused(before.answer(before.listener.named("ui_request")[0], text="kept"))
    done = before.ask("done", "One?")
    await before.answer(await before.listener.until("ui_request", 2), text="1")
    await done
    broken = before.ask("broken", "Two?")
    question = await before.listener.until("ui_request", 3)
    folder = before.rig.settings.home / "sessions" / before.session
    journal = [json.loads(line) for line in (folder / NAME).read_text().splitlines()]
    asked = [line for line in journal if "asked" in line]
    assert asked[-1]["from"] == {"kind": "process", "name": "deploy.sh"} and asked[-1]["title"] == "Two?"
    assert asked[-1]["expires_at"]
    await before.rig.stop()
    broken.cancel()

    rig = await make_rig("hello.yaml", folder=before.rig.settings.home.parent)
    rig.executor.manifests = before.rig.executor.manifests
    after = await make_inbox(rig=rig, session=before.session)
    assert (await after.ask("done", "One?")).json()["answers"] == [{"question": "One?", "answer": "1"}]
    kept = (await after.ask("late", "Late?")).json()
    assert kept == {"status": "timeout", "answers": [{"question": "Late?", "answer": "kept", "late": True}]}
    assert (await after.ask("broken", "Two?")).json()["status"] == "no-host"
    assert (await refused(after.answer(question, text="2"))).code is Code.GONE
    assert after.listener.named("ui_request") == []


async def test_dialogs_and_processes_share_one_inbox(make_inbox: MakeInbox) -> None:
    inbox = await make_inbox(ONE_SELECT, state="waiting")
    dialog = (await inbox.pending())[0]
    asking = inbox.ask("c-1", "Process?")
    await assert_eventually(lambda: len(inbox.listener.named("ui_request")) == 2)
    pending = await inbox.pending()
    assert [each["from"]["kind"] for each in pending] == ["main", "process"]
    fresh = await inbox.rig.listen(inbox.session)
    await fresh.until("replay_complete")
    assert [each["id"] for each in fresh.named("ui_request")] == [each["id"] for each in pending]
    await inbox.answer(dialog, value="a")
    await inbox.listener.until("ui_resolved")
    assert [each["title"] for each in await inbox.pending()] == ["Process?"]
    await inbox.answer(pending[1], text="yes")
    assert (await asking).json()["answers"][0]["answer"] == "yes"


async def test_an_abort_of_the_run_leaves_a_process_its_question(make_inbox: MakeInbox) -> None:
    from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb

    inbox = await make_inbox(ONE_SELECT, state="waiting")
    asking = inbox.ask("c-1", "Process?")
    await assert_eventually(lambda: len(inbox.listener.named("ui_request")) >= 1)
    await inbox.rig.call("Abort", pb.AbortRequest(session_id=inbox.session, author="anna"))
    left = await inbox.pending()
    assert [each["title"] for each in left] == ["Process?"]
    await inbox.answer(left[0], text="still there")
    assert (await asking).json()["status"] == "ok"


async def test_without_the_sessions_token_nobody_asks(inbox: Inbox) -> None:
    for token in ("nothing", "x y", "x" * 4000):
        answered = await inbox.post({"call": "c", "questions": [{"question": "Q?"}]}, token)
        assert answered.status_code == 401
    assert inbox.listener.named("ui_request") == []


async def test_a_token_asks_and_answers_nothing(inbox: Inbox) -> None:
    headers = {"authorization": f"Bearer {inbox.environment['THT_AGENT_TOKEN']}"}
    asking = inbox.ask("c-1", "One?")
    question = await inbox.listener.until("ui_request")
    for path in ("/v1/response", "/v1/operations/decision.add", f"/sessions/{inbox.session}/response"):
        answered = await inbox.http.post(path, headers=headers, json={"id": question["id"], "text": "me"})
        assert answered.status_code in (403, 404)
    inbox.rig.orchestrator.endpoint.dismiss(inbox.environment["THT_AGENT_TOKEN"])
    assert (await inbox.ask("c-2", "Two?")).status_code == 401
    asking.cancel()


UNASKABLE: list[tuple[Any, int]] = [
    (b"", 400), (b"[]", 422), (b"{", 400), (b'{"call": "\xff"}', 400), (b"null", 422),
    ({"call": "c"}, 422), ({"call": "", "questions": [{"question": "Q"}]}, 422),
    ({"call": "c" * 201, "questions": [{"question": "Q"}]}, 422),
    ({"call": "c", "questions": []}, 422), ({"call": "c", "questions": [{"question": " "}]}, 422),
    ({"call": "c", "questions": [{"question": "Q" * 4001}]}, 422),
    ({"call": "c", "questions": [{"question": 5}]}, 422),
    ({"call": "c", "questions": [{"question": "Q", "options": [""]}]}, 422),
    ({"call": "c", "questions": [{"question": "Q", "options": ["a"] * 101}]}, 422),
    ({"call": "c", "questions": [{"question": "Q"}] * 51}, 422),
    ({"call": "c", "questions": [{"question": "Q"}], "timeout_ms": "1"}, 422),
    ({"call": "c", "questions": [{"question": "Q"}], "session": "other"}, 422),
    (b'{"call": "c", "questions": [{"question": "\\ud800"}]}', 400),
    (b'{"call": "c", "questions": ' + b"[" * 100_000, 422),
]  # fmt: skip


async def test_what_cannot_be_asked_is_refused(inbox: Inbox) -> None:
    for body, status in UNASKABLE:
        answered = await inbox.post(body)
        assert answered.status_code == status, f"{str(body)[:80]}: {answered.text}"
        assert answered.json()["code"] in ("malformed", "invalid_argument")
    assert inbox.listener.named("ui_request") == []


async def test_too_many_calls_at_once_are_refused(inbox: Inbox) -> None:
    waiting = [inbox.ask(f"c-{number}", "Q?") for number in range(OPEN_CALLS)]
    await assert_eventually(lambda: len(inbox.listener.named("ui_request")) == OPEN_CALLS)
    refused_now = await inbox.ask("one more", "Q?")
    assert (refused_now.status_code, refused_now.json()["code"]) == (429, "busy")
    for task in waiting:
        task.cancel()
    await assert_eventually(lambda: len(inbox.listener.named("ui_resolved")) == OPEN_CALLS)


async def test_answers_that_do_not_fit_leave_the_question_open(inbox: Inbox) -> None:
    asking = inbox.ask("c-1", {"question": "Which?", "options": ["a", "b"]}, "Why?")
    question = await inbox.listener.until("ui_request")
    for answer in ({"value": "2"}, {"value": 0}, {"text": "a"}, {"values": ["0"]}, {}):
        assert (await refused(inbox.answer(question, **answer))).code is Code.ANSWER_DOES_NOT_FIT
    await inbox.answer(question, value="1")
    question = await inbox.listener.until("ui_request", 2)
    for answer in ({"text": ""}, {"text": 5}, {"value": "x"}):
        assert (await refused(inbox.answer(question, **answer))).code is Code.ANSWER_DOES_NOT_FIT
    await inbox.answer(question, text="it fits")
    assert [each["answer"] for each in (await asking).json()["answers"]] == ["b", "it fits"]


async def test_two_tabs_answer_a_process_at_once_and_one_wins(inbox: Inbox) -> None:
    asking = inbox.ask("c-1", "One?")
    question = await inbox.listener.until("ui_request")
    results = await asyncio.gather(
        *(inbox.answer(question, text=text) for text in ("left", "right")), return_exceptions=True
    )
    faults = [each for each in results if isinstance(each, Fault)]
    assert [fault.code for fault in faults] == [Code.ANSWERED_ALREADY]
    assert (await asking).json()["answers"][0]["answer"] == faults[0].details["answer"]["text"]
