"""The orchestrator put together, for serving and for tests."""

import asyncio
import os
import platform
from collections.abc import Mapping

from contracts.errors import Code, Fault
from services.orchestrator.agent_endpoint import AgentEndpoint
from services.orchestrator.checkpoints.continuing import pi_runners
from services.orchestrator.checkpoints.places import AllowedPlaces
from services.orchestrator.checkpoints.runs import Runs
from services.orchestrator.checkpoints.service import CheckpointsService, MakeRunner
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
from thothii.checkpoints.v1 import checkpoints_service_pb2_grpc as checkpoints_grpc
from thothii.orchestrator.v1 import orchestrator_service_pb2_grpc as pb_grpc

NAME = "thothii.orchestrator.v1.OrchestratorService"
CHECKPOINTS_NAME = "thothii.checkpoints.v1.CheckpointsService"


class Orchestrator:
    """All parts of one orchestrator.

    Args:
        settings: what it is told.
        executor: the door to session files and databases.
        inherited: the environment of which a child sees the allowed part.
        make_runner: who continues a conversation into a commit; by default Pi.
    """

    def __init__(
        self,
        settings: OrchestratorSettings,
        executor: Executor,
        inherited: Mapping[str, str] = os.environ,
        make_runner: MakeRunner | None = None,
    ) -> None:
        self.settings = settings
        self.processes = PiProcessManager(StopDeadlines())
        installation = Installation(settings)
        self.launcher = Launcher(settings, installation, inherited)
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
        self.runs = Runs(settings.max_checkpoint_runs)
        places = AllowedPlaces(
            settings.checkpoint_repositories, settings.sessions, settings.checkpoint_sessions
        )
        checkpoints = CheckpointsService(
            places, self.runs, make_runner or pi_runners(settings, installation, inherited)
        )
        self.server = _listen(settings, service, checkpoints)

    async def start(self) -> None:
        """Listen."""
        await self.endpoint.start()
        self.manager.begin()
        await self.server.start()

    async def stop(self, reason: str = "the orchestrator stops") -> None:
        """Stop all children and continuations, say bye, stop listening."""
        await asyncio.gather(self.manager.shutdown(reason), self.runs.stop())
        # The streams have got their `bye` once the server's grace began.
        await asyncio.gather(self.server.stop(), self.endpoint.stop())


def _listen(
    settings: OrchestratorSettings, service: OrchestratorService, checkpoints: CheckpointsService
) -> GrpcServer:
    address = settings.orchestrator_address
    try:
        return GrpcServer(
            settings,
            address,
            [
                (NAME, pb_grpc.add_OrchestratorServiceServicer_to_server, service),
                (CHECKPOINTS_NAME, checkpoints_grpc.add_CheckpointsServiceServicer_to_server, checkpoints),
            ],
        )
    except RuntimeError as error:
        raise Fault(Code.UNAVAILABLE, f"{address} cannot be listened on; does another process?") from error
