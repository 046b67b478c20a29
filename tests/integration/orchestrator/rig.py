"""An orchestrator on the fake Pi, and a client that listens to one of its sessions."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc

from services.orchestrator.app import Orchestrator
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.events import EventKind
from services.runtime.channel import open_channel
from services.runtime.faults import fault_of
from tests.helpers import assert_eventually
from tests.integration.orchestrator.executor_fake import FakeExecutor
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb
from thothii.orchestrator.v1 import orchestrator_service_pb2_grpc as pb_grpc

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


class Listener:
    """Gathers what a subscription brings."""

    def __init__(self, stub: Any, session_id: str, last_event_id: str = "") -> None:
        request = pb.SubscribeRequest(session_id=session_id, last_event_id=last_event_id)
        self._call = stub.Subscribe(request)
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        """Id ("" without one), name, data."""
        self.over = False
        self._task = asyncio.get_running_loop().create_task(self._read())

    async def acknowledged(self) -> "Listener":
        await self._call.initial_metadata()
        return self

    async def _read(self) -> None:
        try:
            async for response in self._call:
                batch = response.batch
                for index, (kind, data) in enumerate(zip(batch.kinds, batch.json, strict=True)):
                    identity = f"{batch.epoch}-{batch.first_seq + index}" if batch.first_seq else ""
                    self.events.append((identity, EventKind(kind).name.lower(), json.loads(data)))
        except (grpc.aio.AioRpcError, asyncio.CancelledError):
            pass
        self.over = True

    def named(self, name: str) -> list[dict[str, Any]]:
        return [data for _, event, data in self.events if event == name]

    def states(self) -> list[str]:
        return [data["state"] for data in self.named("lifecycle")]

    def system(self, kind: str) -> list[dict[str, Any]]:
        return [data for data in self.named("system_event") if data["kind"] == kind]

    def text(self) -> str:
        return "".join(data["delta"] for data in self.named("text_delta"))

    def last_id(self) -> str:
        return next((identity for identity, _, _ in reversed(self.events) if identity), "")

    async def until(self, name: str, count: int = 1, seconds: float = 15.0) -> dict[str, Any]:
        """The `count`-th event of that name."""
        await assert_eventually(lambda: len(self.named(name)) >= count, seconds)
        return self.named(name)[count - 1]

    async def until_state(self, state: str, seconds: float = 15.0) -> dict[str, Any]:
        """The last lifecycle event, once it says `state`; a snapshot counts."""

        def reached() -> dict[str, Any]:
            told = [data for _, name, data in self.events if name in ("snapshot", "lifecycle")]
            assert told and told[-1]["state"] == state, f"events so far: {self.events[-8:]}"
            return told[-1]

        return await assert_eventually(reached, seconds)

    async def next_question(self, known: list[str], seconds: float = 15.0) -> dict[str, Any]:
        """The first question that is not one of `known`."""

        def asked() -> list[dict[str, Any]]:
            fresh = [each for each in self.named("ui_request") if each["id"] not in known]
            assert fresh, f"events so far: {self.events[-8:]}"
            return fresh

        return (await assert_eventually(asked, seconds))[0]

    async def close(self) -> None:
        self._call.cancel()
        await self._task


class Rig:
    """The orchestrator, its stub, and what a test wants to do with them."""

    def __init__(
        self, folder: Path, scenario: Path, inherited: Mapping[str, str], settings: dict[str, Any]
    ) -> None:
        home = folder / "harness"
        (home / "sessions").mkdir(parents=True, exist_ok=True)
        self.executor = FakeExecutor(home)
        self.settings = OrchestratorSettings(
            **{
                "home": home,
                "state_dir": folder / "state",
                "runner": "fake_pi",
                "pi_command": [sys.executable, "-m", "fake_pi"],
                "fake_pi_scenario": str(scenario),
                "operator_agent_dir": str(folder / "operator"),
                "orchestrator_address": f"unix:{folder}/o.sock",
                **settings,
            }
        )
        self.orchestrator = Orchestrator(self.settings, self.executor, inherited)
        self.channel = open_channel(self.settings.orchestrator_address)
        self.stub: Any = pb_grpc.OrchestratorServiceStub(self.channel)
        self.listeners: list[Listener] = []

    async def start(self) -> None:
        await self.orchestrator.start()

    async def stop(self) -> None:
        for listener in self.listeners:
            await listener.close()
        await self.channel.close()
        await self.orchestrator.stop()

    async def call(self, method: str, request: Any) -> Any:
        """The response. Raises the Fault the service told."""
        try:
            return await getattr(self.stub, method)(request, timeout=60)
        except grpc.aio.AioRpcError as error:
            raise fault_of(error) from error

    async def create(self, **fields: Any) -> pb.LiveState:
        given = {"workspace": "flights", "question": "Which carrier?", "author": "anna"} | fields
        return (await self.call("CreateSession", pb.CreateSessionRequest(**given))).live

    async def listen(self, session_id: str, last_event_id: str = "") -> Listener:
        listener = Listener(self.stub, session_id, last_event_id)
        self.listeners.append(listener)
        return await listener.acknowledged()

    async def listen_from_the_start(self, session_id: str) -> Listener:
        """Everything since the session was first known here."""
        return await self.listen(session_id, f"{self.orchestrator.manager.find(session_id).hub.epoch}-0")

    async def answer(
        self, session_id: str, answer: dict[str, Any], author: str = "anna", key: str = ""
    ) -> Any:
        request = pb.RespondRequest(
            session_id=session_id, answer_json=json.dumps(answer).encode(), author=author, idempotency_key=key
        )
        return json.loads((await self.call("Respond", request)).receipt_json)

    async def open(self, session_id: str) -> pb.LiveState:
        return (
            await self.call("OpenSession", pb.OpenSessionRequest(session_id=session_id, author="anna"))
        ).live

    async def close_session(self, session_id: str) -> pb.LiveState:
        request = pb.CloseSessionRequest(session_id=session_id, author="anna")
        return (await self.call("CloseSession", request)).live

    async def live(self, session_id: str) -> pb.LiveState:
        response = await self.call("GetLiveStates", pb.GetLiveStatesRequest(session_ids=[session_id]))
        return response.live[0]
