"""A gateway on a real port, with a client that holds every answer against /openapi.json."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from services.gateway.__main__ import listen, make_server
from services.gateway.app import create_gateway
from services.gateway.config import GatewaySettings
from services.gateway.endpoints import Gateway
from tests.integration.gateway.contract import assert_as_documented
from tests.integration.gateway.fakes import FakeServices


class RunningGateway:
    """The gateway under test, where it listens, and a client that checks every answer."""

    def __init__(self, gateway: Gateway, url: str, client: httpx.AsyncClient) -> None:
        self.gateway = gateway
        self.url = url
        self.client = client


@asynccontextmanager
async def serving(services: FakeServices, **settings: Any) -> AsyncIterator[RunningGateway]:
    """A gateway with `settings` over `services`."""
    values: dict[str, Any] = {"gateway_port": 0, "gateway_retry_s": 0.3, "gateway_stop_s": 1.0, **settings}
    gateway = create_gateway(
        GatewaySettings(
            orchestrator_address=services.orchestrator_address,
            executor_address=services.executor_address,
            **values,
        )
    )
    listening = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = make_server(gateway)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    hooks = {"response": [assert_as_documented]}
    try:
        async with httpx.AsyncClient(base_url=url, timeout=20, event_hooks=hooks) as client:
            yield RunningGateway(gateway, url, client)
    finally:
        gateway.feeds.close("the test is over")
        server.should_exit = True
        await task
