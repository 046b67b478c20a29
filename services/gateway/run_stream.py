"""The run of a plan as Server-Sent Events: `progress` as it comes, then `receipt` or `problem`."""

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc
import msgspec

from contracts.errors import Code, Fault
from services.gateway.clients import END, Services
from services.gateway.problems import problem_document
from services.gateway.readers import Reader
from services.gateway.sse import frame
from thothii.checkpoints.v1.checkpoints_service_pb2 import RunRequest, RunResponse

_CHECKS = frozenset({"validating", "locking", "recovering"})
"""Steps before anything of the run exists: what fails in them is answered with a status."""


class RunStream:
    """A run that has passed its checks, and the one client that watches it. When it goes, the run stops.

    Args:
        services: where the run is.
        call: the call there.
        first: what it has given so far.
        instance: the path of the request, for a problem.
        limit: bytes that may wait for the client.
        heartbeat: seconds of silence after which it gets a comment.
    """

    def __init__(
        self,
        services: Services,
        call: Any,
        first: Sequence[RunResponse],
        instance: str,
        limit: int,
        heartbeat: float,
    ) -> None:
        self.reader = Reader(limit)
        self._orchestrator = services.orchestrator
        self._call = call
        self._instance = instance
        for message in first:
            self._put(message)
        self._tasks = [asyncio.create_task(self._pump()), asyncio.create_task(self._beat(heartbeat))]

    def leave(self, reader: Reader) -> None:
        """The client has gone, or has got everything."""
        reader.end()
        for task in self._tasks:
            task.cancel()
        self._call.cancel()

    async def _pump(self) -> None:
        try:
            while not self.reader.ended:
                message = await self._call.read()
                if message is END:
                    raise Fault(Code.INTERNAL, "the run ended without its receipt")
                self._put(message)
        except grpc.aio.AioRpcError as error:
            self._fail(self._orchestrator.fault_after_sending(error))
        except Fault as fault:
            self._fail(fault)
        finally:
            self.reader.end()

    def _put(self, message: RunResponse) -> None:
        if message.WhichOneof("event") == "receipt_json":
            self.reader.end(frame(b"receipt", message.receipt_json))
            return
        progress = message.progress
        data = {"step": progress.step, "detail": progress.detail, "elapsed_ms": progress.elapsed_ms}
        self.reader.put(frame(b"progress", msgspec.json.encode(data)))

    def _fail(self, fault: Fault) -> None:
        self.reader.end(frame(b"problem", msgspec.json.encode(problem_document(fault, self._instance))))

    async def _beat(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds / 2)
            self.reader.beat()


async def begin_run(services: Services, request: RunRequest) -> tuple[Any, list[RunResponse]]:
    """Begin a run: (call, what it has said), once its checks are over. Raises Fault when they fail."""
    call, message = await services.orchestrator.begin(lambda: services.checkpoints_stub.Run(request))
    said: list[RunResponse] = []
    try:
        while message is not END:
            said.append(message)
            if message.WhichOneof("event") != "progress" or message.progress.step not in _CHECKS:
                return call, said
            message = await call.read()
    except grpc.aio.AioRpcError as error:
        raise services.orchestrator.fault_after_sending(error) from error
    except asyncio.CancelledError:
        call.cancel()
        raise
    raise Fault(Code.INTERNAL, "the run ended before it began")
