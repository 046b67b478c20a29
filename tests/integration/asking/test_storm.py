"""1,000 questions of 20 askers at once: no answer at the wrong asker."""

import asyncio
import random
from typing import Any

from tests.integration.asking.conftest import Inbox
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb

ASKERS = 20
CALLS = 25
PER_CALL = 2


async def asker(inbox: Inbox, number: int) -> list[tuple[str, str]]:
    """Asks its calls one after the other, over HTTP or gRPC; what it heard."""
    heard: list[tuple[str, str]] = []
    for call in range(CALLS):
        titles = [f"asker {number}, call {call}, question {index}" for index in range(PER_CALL)]
        if number % 2:
            questions = [pb.AskQuestion(question=title) for title in titles]
            request = pb.AskRequest(
                session_id=inbox.session,
                call_id=f"{number}-{call}",
                asker=f"asker-{number}",
                questions=questions,
            )
            response = await inbox.rig.call("Ask", request)
            heard += [(each.question, each.answer) for each in response.answers]
        else:
            questions = [{"question": title} for title in titles]
            body = {"call": f"{number}-{call}", "from": f"asker-{number}", "questions": questions}
            answered = await inbox.post(body)
            heard += [(each["question"], each["answer"]) for each in answered.json()["answers"]]
    return heard


async def reviewer(inbox: Inbox) -> int:
    """Answers whatever is open, in random order, until all is answered; how many those were."""
    choose = random.Random(1)
    answered: set[str] = set()
    while len(answered) < ASKERS * CALLS * PER_CALL:
        fresh = [each for each in inbox.listener.named("ui_request") if each["id"] not in answered]
        choose.shuffle(fresh)
        await asyncio.gather(*(answer(inbox, question) for question in fresh))
        answered |= {question["id"] for question in fresh}
        await asyncio.sleep(0)
    return len(answered)


async def answer(inbox: Inbox, question: dict[str, Any]) -> None:
    said_by = question["title"].split(",")[0].removeprefix("asker ")
    assert question["from"] == {"kind": "process", "name": f"asker-{said_by}"}
    await inbox.answer(question, text=f"answer to {question['title']}")


async def test_a_storm_of_questions_brings_each_answer_to_its_asker(inbox: Inbox) -> None:
    reviewing = asyncio.create_task(reviewer(inbox))
    heard = await asyncio.gather(*(asker(inbox, number) for number in range(ASKERS)))
    assert await reviewing == 1_000
    for number, answers in enumerate(heard):
        assert len(answers) == CALLS * PER_CALL
        for question, text in answers:
            assert question.startswith(f"asker {number},") and text == f"answer to {question}"
    assert await inbox.pending() == []
    resolved = inbox.listener.named("ui_resolved")
    assert len({each["id"] for each in resolved}) == len(resolved) == 1_000
