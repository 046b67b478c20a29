"""Processes that ask: an orchestrator on the fake Pi, and askers at its endpoint."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from tests.integration.orchestrator.conftest import make_rig  # noqa: F401 - a fixture
from tests.integration.orchestrator.rig import Listener, Rig


class Inbox:
    """One session, its reviewer's stream, and processes that ask in it."""

    def __init__(self, rig: Rig, session: str, listener: Listener) -> None:
        self.rig = rig
        self.session = session
        self.listener = listener
        self.environment = rig.orchestrator.endpoint.admit(session)
        path = self.environment["THT_AGENT_ENDPOINT"].removeprefix("unix:")
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        transport = httpx.AsyncHTTPTransport(uds=path, limits=limits)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://agent", timeout=60)

    async def post(self, body: Any, token: str | None = None) -> httpx.Response:
        """The response to `POST /v1/ask`."""
        headers = {"authorization": f"Bearer {token or self.environment['THT_AGENT_TOKEN']}"}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.http.post("/v1/ask", headers=headers, content=content)

    def ask(self, call: str, *questions: Any, **more: Any) -> "asyncio.Task[httpx.Response]":
        """A call under way; a question is a text or an object."""
        asked = [{"question": each} if isinstance(each, str) else each for each in questions]
        body = {"call": call, "from": "deploy.sh", "questions": asked, **more}
        return asyncio.get_running_loop().create_task(self.post(body))

    async def answer(self, question: dict[str, Any], **answer: Any) -> Any:
        """The receipt."""
        return await self.rig.answer(self.session, {"id": question["id"], **answer})

    async def pending(self) -> list[dict[str, Any]]:
        return json.loads((await self.rig.live(self.session)).pending_json)


MakeInbox = Callable[..., Awaitable[Inbox]]


@pytest.fixture
async def make_inbox(make_rig: Any) -> AsyncIterator[MakeInbox]:  # noqa: F811
    """Opens an inbox on a new session; `rig` and `session` name ones there are already."""
    opened: list[Inbox] = []

    async def make(
        scenario: str = "hello.yaml", rig: Rig | None = None, session: str = "", state: str = "idle"
    ) -> Inbox:
        rig = rig or await make_rig(scenario)
        if session:
            await rig.open(session)
        else:
            session = (await rig.create()).session_id
        listener = await rig.listen(session)
        await listener.until_state(state)
        inbox = Inbox(rig, session, listener)
        opened.append(inbox)
        return inbox

    yield make
    for inbox in opened:
        await inbox.http.aclose()


@pytest.fixture
async def inbox(make_inbox: MakeInbox) -> Inbox:
    """An inbox whose agent is idle."""
    return await make_inbox()
