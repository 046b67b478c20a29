"""The orchestrator put together, for serving and for tests."""

import asyncio
import os
import platform
from collections.abc import Mapping

from contracts.errors import Code, Fault
from services.orchestrator.agent_endpoint import AgentEndpoint
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.executor_client import Executor
from services.orchestrator.installation import Installation
from services.orchestrator.launching import Launcher
from services.orchestrator.manager import SessionManager
from services.orchestrator.models import ModelCatalogue, ask_pi
from services.orchestrator.process import StopDeadlines
from services.orchestrator.service import OrchestratorService
from services.orchestrator.supervisor import PiProcessManager
from services.orchestrator.surroundings import Surroundings
from services.runtime.server import GrpcServer
from thothii.orchestrator.v1 import orchestrator_service_pb2_grpc as pb_grpc

NAME = "thothii.orchestrator.v1.OrchestratorService"


class Orchestrator:
    """All parts of one orchestrator.

    Args:
        settings: what it is told.
        executor: the door to session files and databases.
        inherited: the environment of which a child sees the allowed part.
    """

    def __init__(
        self, settings: OrchestratorSettings, executor: Executor, inherited: Mapping[str, str] = os.environ
    ) -> None:
        self.settings = settings
        self.processes = PiProcessManager(StopDeadlines())
        self.launcher = Launcher(settings, Installation(settings), inherited)
        self.endpoint = AgentEndpoint(executor, settings.state_dir)
        self.catalogue = ModelCatalogue(
            lambda: ask_pi(self.launcher, self.processes, settings.start_seconds),
            self.launcher.credentials_stamp,
            settings.models_seconds,
        )
        owner = settings.advertised_address or f"{platform.node()} {settings.orchestrator_address}"
        surroundings = Surroundings(settings, owner, self.processes, executor, self.launcher, self.endpoint)
        self.manager = SessionManager(surroundings, self.launcher, self.catalogue)
        self.endpoint.asker = self.manager.ask
        service = OrchestratorService(settings, self.manager, self.launcher, self.catalogue)
        self.server = _listen(settings, service)

    async def start(self) -> None:
        """Listen."""
        await self.endpoint.start()
        self.manager.begin()
        await self.server.start()

    async def stop(self, reason: str = "the orchestrator stops") -> None:
        """Stop all children, say bye, stop listening."""
        await self.manager.shutdown(reason)
        # The streams have got their `bye` once the server's grace began.
        await asyncio.gather(self.server.stop(), self.endpoint.stop())


def _listen(settings: OrchestratorSettings, service: OrchestratorService) -> GrpcServer:
    address = settings.orchestrator_address
    try:
        return GrpcServer(
            settings, address, [(NAME, pb_grpc.add_OrchestratorServiceServicer_to_server, service)]
        )
    except RuntimeError as error:
        raise Fault(Code.UNAVAILABLE, f"{address} cannot be listened on; does another process?") from error
