"""Both services in memory, behind real gRPC on Unix sockets, for tests of the gateway and of its clients."""

from pathlib import Path
from typing import Any

from services.runtime.server import GrpcServer
from services.runtime.settings import ServiceSettings
from tests.integration.gateway.fake_conversation import AT, Conversation
from tests.integration.gateway.fake_executor import PAGE, FakeExecutor
from tests.integration.gateway.fake_orchestrator import FakeOrchestrator
from thothii.executor.v1.executor_service_pb2_grpc import add_ExecutorServiceServicer_to_server
from thothii.orchestrator.v1.orchestrator_service_pb2_grpc import add_OrchestratorServiceServicer_to_server

__all__ = ["AT", "PAGE", "Conversation", "FakeExecutor", "FakeOrchestrator", "FakeServices"]


class FakeServices:
    """Both services on Unix sockets of `directory`; each can go away and come back."""

    def __init__(self, directory: Path) -> None:
        self.orchestrator = FakeOrchestrator()
        self.executor = FakeExecutor()
        self.orchestrator_address = f"unix:{directory}/orchestrator.sock"
        self.executor_address = f"unix:{directory}/executor.sock"
        self._orchestrator_server: GrpcServer | None = None
        self._executor_server: GrpcServer | None = None

    def add_session(self, session_id: str = "s1", **live: Any) -> Conversation:
        """A session that exists on disk and has a conversation."""
        self.executor.add_session(session_id)
        conversation = self.orchestrator.sessions[session_id] = Conversation(session_id, **live)
        return conversation

    async def start_orchestrator(self) -> None:
        name = "thothii.orchestrator.v1.OrchestratorService"
        service = (name, add_OrchestratorServiceServicer_to_server, self.orchestrator)
        self._orchestrator_server = GrpcServer(ServiceSettings(), self.orchestrator_address, [service])
        await self._orchestrator_server.start()

    async def start_executor(self) -> None:
        name = "thothii.executor.v1.ExecutorService"
        service = (name, add_ExecutorServiceServicer_to_server, self.executor)
        self._executor_server = GrpcServer(ServiceSettings(), self.executor_address, [service])
        await self._executor_server.start()

    async def stop_orchestrator(self) -> None:
        if self._orchestrator_server:
            await self._orchestrator_server.stop(0)
            self._orchestrator_server = None

    async def stop_executor(self) -> None:
        if self._executor_server:
            await self._executor_server.stop(0)
            self._executor_server = None

    async def start(self) -> None:
        await self.start_orchestrator()
        await self.start_executor()

    async def stop(self) -> None:
        await self.stop_orchestrator()
        await self.stop_executor()
