"""What the orchestrator asks of the tht-executor."""

from dataclasses import dataclass
from typing import Any, Protocol

import grpc
import msgspec

from services.orchestrator.command_line import ModelChoice
from services.runtime.faults import fault_after_sending
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

CALL_SECONDS = 20.0
OPERATION_SECONDS = 120.0
"""An operation may run a statement; the workspace's own timeout is the tighter one."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a session is made of."""

    workspace: str
    question: str
    author: str
    name: str
    """Empty: the question gives the name."""
    choice: ModelChoice
    temperature: float | None
    """None: the model's own."""


class Executor(Protocol):
    """The session files and the database, behind one door. Every method raises Fault."""

    async def create_session(self, wanted: NewSession) -> dict[str, Any]:
        """Make a session on disk; its manifest and phase."""
        ...

    async def get_session(self, session_id: str) -> dict[str, Any]:
        """Manifest and phase of a session."""
        ...

    async def add_decision(
        self, session_id: str, decision: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Record a decision; the ledger line and the phase after it. On disk when this returns.

        A question that has a decision already keeps it: then that line is given.
        """
        ...

    async def find_decision(self, session_id: str, question_id: str) -> dict[str, Any] | None:
        """The ledger line of the answer to a question; None without one."""
        ...

    async def artifact_text(self, session_id: str, name: str) -> str:
        """The text of an artifact as it is now."""
        ...

    async def call_operation(self, session_id: str, operation: str, arguments: bytes) -> bytes:
        """Run an operation for a session's agent; arguments and result are JSON objects."""
        ...


class GrpcExecutor:
    """The executor over gRPC.

    Calls wait for a connection, so that a restart of the executor shorter than their deadline is not seen;
    a call that was sent is never sent again.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.ExecutorServiceStub(channel)

    async def create_session(self, wanted: NewSession) -> dict[str, Any]:
        """See Executor."""
        request = pb.CreateSessionRequest(
            workspace=wanted.workspace,
            question=wanted.question,
            author=wanted.author,
            name=wanted.name,
            provider=wanted.choice.provider,
            model=wanted.choice.model,
            thinking=wanted.choice.thinking,
            temperature=wanted.temperature,
        )
        response = await self._call(self._stub.CreateSession, request)
        return _object(response.session_json) | {"id": response.session_id}

    async def get_session(self, session_id: str) -> dict[str, Any]:
        """See Executor."""
        response = await self._call(self._stub.GetSession, pb.GetSessionRequest(session_id=session_id))
        return _object(response.session_json)

    async def add_decision(
        self, session_id: str, decision: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """See Executor."""
        request = pb.AddDecisionRequest(session_id=session_id, decision_json=msgspec.json.encode(decision))
        response = await self._call(self._stub.AddDecision, request)
        return _object(response.line_json), _object(response.phase_json)

    async def find_decision(self, session_id: str, question_id: str) -> dict[str, Any] | None:
        """See Executor."""
        response = await self._call(self._stub.ListDecisions, pb.ListDecisionsRequest(session_id=session_id))
        lines = msgspec.json.decode(response.decisions_json, type=list[dict[str, Any]])
        return next((line for line in lines if line.get("question") == question_id), None)

    async def artifact_text(self, session_id: str, name: str) -> str:
        """See Executor."""
        request = pb.GetArtifactRequest(session_id=session_id, name=name)
        return (await self._call(self._stub.GetArtifact, request)).content.decode()

    async def call_operation(self, session_id: str, operation: str, arguments: bytes) -> bytes:
        """See Executor."""
        request = pb.CallOperationRequest(
            session_id=session_id, operation=operation, arguments_json=arguments
        )
        response = await self._call(self._stub.CallOperation, request, OPERATION_SECONDS)
        return response.result_json

    async def _call(self, method: Any, request: Any, seconds: float = CALL_SECONDS) -> Any:
        try:
            return await method(request, timeout=seconds, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            # Waiting for a connection ends in a timeout: one that broke did so after the call was sent.
            raise fault_after_sending(error, "executor") from error


def _object(content: bytes) -> dict[str, Any]:
    return msgspec.json.decode(content, type=dict[str, Any])
