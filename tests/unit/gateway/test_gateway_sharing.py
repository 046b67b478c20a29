"""Readers who ask for the same at once share a call that was sent after they asked."""

import asyncio

import pytest

from contracts.errors import Code, Fault
from services.gateway.sharing import Sharing


class Service:
    """Answers with the number of the call, when it is told to."""

    def __init__(self) -> None:
        self.calls: list[asyncio.Future[None]] = []
        self.cancelled = 0

    async def read(self) -> str:
        self.calls.append(asyncio.get_running_loop().create_future())
        number = len(self.calls)
        try:
            await self.calls[-1]
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return f"answer {number}"

    async def answer(self) -> None:
        """Let the newest call have its answer, and everybody go on."""
        self.calls[-1].set_result(None)
        await turns()


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def readers(sharing: Sharing[str], service: Service, count: int) -> list[asyncio.Task[str]]:
    tasks = [asyncio.create_task(sharing.ask(b"page", service.read)) for _ in range(count)]
    await turns()
    return tasks


async def test_those_who_ask_during_a_call_share_the_next_one() -> None:
    sharing, service = Sharing[str](60), Service()
    (first,) = await readers(sharing, service, 1)
    others = await readers(sharing, service, 3)
    assert len(service.calls) == 1
    await service.answer()
    assert await first == "answer 1"
    assert len(service.calls) == 2
    late = await readers(sharing, service, 2)
    await service.answer()
    assert [await task for task in others] == ["answer 2"] * 3
    await service.answer()
    assert [await task for task in late] == ["answer 3"] * 2
    await turns()
    (after,) = await readers(sharing, service, 1)
    await service.answer()
    assert await after == "answer 4"


async def test_other_questions_do_not_wait() -> None:
    sharing, service = Sharing[str](60), Service()
    (first,) = await readers(sharing, service, 1)
    other = asyncio.create_task(sharing.ask(b"another page", service.read))
    await turns()
    assert len(service.calls) == 2
    await service.answer()
    assert await other == "answer 2"
    service.calls[0].set_result(None)
    assert await first == "answer 1"


async def test_a_reader_behind_a_long_call_asks_alone() -> None:
    sharing, service = Sharing[str](0), Service()
    (first,) = await readers(sharing, service, 1)
    (other,) = await readers(sharing, service, 1)
    async with asyncio.timeout(10):
        while len(service.calls) < 2:  # noqa: ASYNC110 - the timer has no event
            await asyncio.sleep(0)
    await service.answer()
    assert await other == "answer 2"
    assert not first.done()
    service.calls[0].set_result(None)
    assert await first == "answer 1"


async def test_a_failure_is_told_to_all_who_share_it_and_to_nobody_else() -> None:
    sharing, service = Sharing[str](60), Service()
    (first,) = await readers(sharing, service, 1)
    others = await readers(sharing, service, 2)
    await service.answer()
    late = await readers(sharing, service, 1)
    service.calls[-1].set_exception(Fault(Code.TIMEOUT, "too long"))
    for task in others:
        with pytest.raises(Fault):
            await task
    await turns()
    await service.answer()
    assert [await first, await late[0]] == ["answer 1", "answer 3"]


async def test_a_call_that_nobody_waits_for_is_cancelled() -> None:
    sharing, service = Sharing[str](60), Service()
    (first,) = await readers(sharing, service, 1)
    others = await readers(sharing, service, 2)
    await service.answer()
    assert await first == "answer 1"
    others[0].cancel()
    await turns()
    assert service.cancelled == 0
    others[1].cancel()
    await turns()
    assert service.cancelled == 1
    (after,) = await readers(sharing, service, 1)
    await service.answer()
    assert await after == "answer 3"


async def test_a_reader_that_goes_leaves_the_others_their_answer() -> None:
    sharing, service = Sharing[str](60), Service()
    (first,) = await readers(sharing, service, 1)
    others = await readers(sharing, service, 2)
    first.cancel()
    others[0].cancel()
    await turns()
    assert service.cancelled == 1
    await service.answer()
    assert await others[1] == "answer 2"
