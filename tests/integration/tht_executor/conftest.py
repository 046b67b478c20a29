"""The running executor as a fixture."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from services.runtime.channel import open_channel
from services.runtime.server import GrpcServer
from services.runtime.settings import ServiceSettings
from services.tht_executor.pool import WorkerPool
from services.tht_executor.service import NAME, ExecutorService
from services.tht_executor.worker import Worker
from tests.integration.tht_executor.running import Executor, write_home
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc
from tht.home import Home


@pytest.fixture
async def executor(tmp_path: Path) -> AsyncGenerator[Executor]:
    """An executor on a home with the workspaces of `write_home`."""
    home = tmp_path / "home"
    write_home(home)
    pool = WorkerPool(lambda: Worker.start(home, 2048), size=2, queue=8, wait=10.0, idle=60.0)
    service = ExecutorService(Home(home), pool, grace=1.0)
    settings = ServiceSettings()
    server = GrpcServer(
        settings,
        f"unix:{tmp_path}/executor.sock",
        [(NAME, pb_grpc.add_ExecutorServiceServicer_to_server, service)],
    )
    await pool.open()
    await server.start()
    async with open_channel(server.address) as channel:
        yield Executor(pb_grpc.ExecutorServiceStub(channel), pool, home)
    await server.stop(0)
    await pool.close()
