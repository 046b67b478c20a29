"""A gateway on a real port between a real HTTP client and the fake services."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import httpx
import pytest
import uvloop

from tests.integration.gateway.fakes import FakeServices
from tests.integration.gateway.running import RunningGateway, serving


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that the gateway runs on."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[FakeServices]:
    fakes = FakeServices(tmp_path)
    await fakes.start()
    try:
        yield fakes
    finally:
        await fakes.stop()


@pytest.fixture
async def gateway(services: FakeServices) -> AsyncIterator[RunningGateway]:
    async with serving(services) as running:
        yield running


@pytest.fixture
def client(gateway: RunningGateway) -> httpx.AsyncClient:
    return gateway.client
