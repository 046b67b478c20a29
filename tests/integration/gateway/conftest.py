"""A gateway on a real port between a real HTTP client and the fake services."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.integration.gateway.fakes import FakeServices
from tests.integration.gateway.running import RunningGateway, serving


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
