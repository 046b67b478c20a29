"""Work that ends with whoever asked for it."""

import asyncio
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.runtime.web.serving import while_connected


class Client:
    """A client that stays until it is told to go."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.watched = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        self.watched.set()
        await self.gone.wait()
        return {"type": "http.disconnect"}


class Work:
    """Work that lasts until it is told to end."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.cancelled = False

    async def run(self) -> str:
        try:
            await self.end.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return "done"


async def test_short_work_is_done_without_a_look_at_the_client() -> None:
    client, work = Client(), Work()
    work.end.set()
    assert await while_connected(client.receive, work.run()) == "done"
    assert not client.watched.is_set()


async def test_work_is_cancelled_when_the_client_goes() -> None:
    client, work = Client(), Work()
    client.gone.set()
    with pytest.raises(Fault) as caught:
        await while_connected(client.receive, work.run())
    assert caught.value.code is Code.CANCELLED
    assert work.cancelled
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_the_watch_ends_with_the_work() -> None:
    client, work = Client(), Work()
    before = asyncio.all_tasks()
    task = asyncio.create_task(while_connected(client.receive, work.run()))
    async with asyncio.timeout(10):
        await client.watched.wait()
    work.end.set()
    assert await task == "done"
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_a_failure_of_the_work_is_told_as_it_is() -> None:
    async def failing() -> None:
        raise Fault(Code.REFUSED, "no")

    with pytest.raises(Fault) as caught:
        await while_connected(Client().receive, failing())
    assert caught.value.code is Code.REFUSED


async def test_whoever_cancels_the_whole_cancels_the_work() -> None:
    client, work = Client(), Work()
    task = asyncio.create_task(while_connected(client.receive, work.run()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.cancelled
