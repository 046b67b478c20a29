"""A client of an event stream, by libraries that are not ours."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from tests.helpers import assert_eventually


class Listener:
    """Collects the events of one connection."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.events: list[ServerSentEvent] = []
        self.ended = False

    async def listen(self) -> None:
        with suppress(httpx.RemoteProtocolError):
            async for event in EventSource(self.response).aiter_sse():
                self.events.append(event)
        self.ended = True

    @property
    def names(self) -> list[str]:
        return [event.event for event in self.events]

    @property
    def ids(self) -> list[str]:
        """Ids of the events that have one, each once: the decoder repeats the last id on events without."""
        return list(dict.fromkeys(event.id for event in self.events if event.id))

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event.json() for event in self.events if event.event == name]

    async def until(self, probe: Callable[["Listener"], Any], seconds: float = 10.0) -> None:
        await assert_eventually(lambda: probe(self), seconds)


@asynccontextmanager
async def listening(
    client: httpx.AsyncClient, session_id: str = "s1", last_event_id: str = ""
) -> AsyncIterator[Listener]:
    """Listen to a session while the block runs."""
    headers = {"accept": "text/event-stream"}
    if last_event_id:
        headers["last-event-id"] = last_event_id
    path = f"/sessions/{session_id}/events"
    async with client.stream("GET", path, headers=headers, timeout=None) as response:
        assert response.status_code == 200, await response.aread()
        listener = Listener(response)
        task = asyncio.create_task(listener.listen())
        try:
            yield listener
        finally:
            task.cancel()
            await asyncio.wait({task})
