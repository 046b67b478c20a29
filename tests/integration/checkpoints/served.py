"""An orchestrator whose continuations are made by a scripted runner, and calls to it."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from services.orchestrator.app import Orchestrator
from services.orchestrator.config import OrchestratorSettings
from services.runtime.channel import open_channel
from services.runtime.faults import fault_of
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.runner import ContinuationRequest, Runner
from tests.integration.orchestrator.executor_fake import FakeExecutor
from tests.unit.session_executor.executor_fixtures import MESSAGE, PROMPT, TARGET_ENTRY, Repository
from tests.unit.session_executor.executor_runner import ScriptedRunner
from thothii.checkpoints.v1 import checkpoints_service_pb2 as pb
from thothii.checkpoints.v1 import checkpoints_service_pb2_grpc as pb_grpc


class Held:
    """An action of a runner that works until it is let go, or stopped as the real Pi is."""

    def __init__(self, action: Callable[[ContinuationRequest], None]) -> None:
        self.working = threading.Event()
        self.let_go = threading.Event()
        self._action = action

    def __call__(self, request: ContinuationRequest) -> None:
        self.working.set()
        while not self.let_go.wait(0.01):
            if request.stop.is_set():
                raise ExecutorError(ErrorCode.EXECUTION_FAILED, "the run was interrupted")
        self._action(request)


class Served:
    """The orchestrator, the runner that all its runs use, and its stub.

    `scripted` false: Pi continues, as in the product.
    """

    def __init__(
        self,
        folder: Path,
        repository: Repository,
        session: Path,
        settings: dict[str, Any],
        scripted: bool = True,
    ) -> None:
        home = folder / "harness"
        (home / "sessions").mkdir(parents=True)
        self.home = home
        self.repository = repository
        self.session = session
        self.runner: Runner = ScriptedRunner()
        self.models: list[tuple[str, str] | None] = []
        self.orchestrator_address = f"unix:{folder}/o.sock"
        self.executor_address = f"unix:{folder}/nobody.sock"
        values: dict[str, Any] = {
            "home": home,
            "state_dir": folder / "state",
            "runner": "fake_pi",
            "operator_agent_dir": str(folder / "operator"),
            "orchestrator_address": self.orchestrator_address,
            **settings,
        }
        self.orchestrator = Orchestrator(
            OrchestratorSettings(**values),
            FakeExecutor(home),
            make_runner=self._make_runner if scripted else None,
        )
        self.channel = open_channel(self.orchestrator_address)
        self.stub: Any = pb_grpc.CheckpointsServiceStub(self.channel)
        self._stopped = False

    def _make_runner(self, model: tuple[str, str] | None) -> Runner:
        self.models.append(model)
        return self.runner

    async def start(self) -> None:
        await self.orchestrator.start()

    async def stop_orchestrator(self) -> None:
        if not self._stopped:
            self._stopped = True
            await self.orchestrator.stop()

    async def stop(self) -> None:
        await self.channel.close()
        await self.stop_orchestrator()

    async def call(self, method: str, request: Any) -> Any:
        """The response. Raises the Fault that the service told."""
        try:
            return await getattr(self.stub, method)(request, timeout=30)
        except grpc.aio.AioRpcError as error:
            raise fault_of(error) from error

    def plan_request(self, **fields: Any) -> pb.PlanRequest:
        source = {} if "session_id" in fields else {"session_file": str(self.session)}
        given = {
            **source,
            "repository": str(self.repository.root),
            "base": "main",
            "entry_id": TARGET_ENTRY,
            "prompt": PROMPT,
            "commit_message": MESSAGE,
        }
        return pb.PlanRequest(**(given | fields))

    async def plan(self, **fields: Any) -> pb.PlanResponse:
        return await self.call("Plan", self.plan_request(**fields))

    def run_request(self, plan: pb.PlanResponse, **fields: Any) -> pb.RunRequest:
        given = {"repository": str(self.repository.root), "plan_json": plan.plan_json}
        return pb.RunRequest(**(given | fields))

    async def run(self, plan: pb.PlanResponse, **fields: Any) -> tuple[list[str], dict[str, Any]]:
        """The steps and the receipt. Raises the Fault that the service told."""
        steps: list[str] = []
        try:
            async for response in self.stub.Run(self.run_request(plan, **fields)):
                if response.WhichOneof("event") == "receipt_json":
                    return steps, json.loads(response.receipt_json)
                steps.append(response.progress.step)
        except grpc.aio.AioRpcError as error:
            raise fault_of(error) from error
        raise AssertionError(f"the run ended without a receipt after {steps}")

    async def executions(self) -> list[pb.Execution]:
        request = pb.ListRequest(repository=str(self.repository.root))
        return list((await self.call("List", request)).executions)
