"""The services behind the gateway. What cannot have had an effect is tried again while they restart."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tenacity import AsyncRetrying, retry_if_exception, stop_after_delay, wait_random_exponential

from contracts.errors import Code, Fault
from services.gateway.config import GatewaySettings
from services.gateway.wire import Batch, decode_batch
from services.runtime.channel import open_channel
from services.runtime.faults import fault_after_sending, fault_of
from thothii.checkpoints.v1.checkpoints_service_pb2_grpc import CheckpointsServiceStub
from thothii.executor.v1.executor_service_pb2 import ExportSqlRequest, ExportSqlResponse
from thothii.executor.v1.executor_service_pb2_grpc import ExecutorServiceStub
from thothii.orchestrator.v1.orchestrator_service_pb2 import SubscribeRequest
from thothii.orchestrator.v1.orchestrator_service_pb2_grpc import OrchestratorServiceStub

if TYPE_CHECKING:
    # The names exist in the generated types only.
    from thothii.checkpoints.v1.checkpoints_service_pb2_grpc import CheckpointsServiceAsyncStub
    from thothii.executor.v1.executor_service_pb2_grpc import ExecutorServiceAsyncStub
    from thothii.orchestrator.v1.orchestrator_service_pb2_grpc import OrchestratorServiceAsyncStub

SUBSCRIBE = "/thothii.orchestrator.v1.OrchestratorService/Subscribe"

READ_S = 15.0
"""Seconds that one attempt of a plain read may take."""

END: Any = cast(Any, grpc.aio).EOF
"""What reading a call gives after its last message; grpc's types leave the name out."""

# A multi-callable of a generated stub; grpc has no types of its own.
Method = Callable[..., Any]


class Peer:
    """One service behind the gateway."""

    def __init__(self, name: str, channel: grpc.aio.Channel, retry_s: float) -> None:
        self.name = name
        self.channel = channel
        self._retry_s = retry_s

    async def read(self, method: Method, request: Any, seconds: float = READ_S, retry: bool = True) -> Any:
        """Call something that changes nothing; an absent service is waited for. Raises Fault."""
        return await self._retrying(lambda: self._once(method, request, seconds), retry)

    async def write(self, method: Method, request: Any, seconds: float) -> Any:
        """Call something with an effect: wait for a connection, then send it once. Raises Fault."""
        await self._retrying(self._connected, True)
        try:
            return await method(request, timeout=seconds)
        except grpc.aio.AioRpcError as error:
            raise self.fault_after_sending(error) from error

    def fault_after_sending(self, error: grpc.aio.AioRpcError) -> Fault:
        """What the failure of a call with an effect means, once it was sent."""
        return fault_after_sending(error, self.name)

    async def stream(self, open_call: Callable[[], Any]) -> tuple[Any, Any]:
        """Open a stream of responses and wait for the first: (call, first or EOF). Raises Fault."""

        async def attempt() -> tuple[Any, Any]:
            try:
                return await _first(open_call)
            except grpc.aio.AioRpcError as error:
                raise fault_of(error) from error

        return await self._retrying(attempt, True)

    async def begin(self, open_call: Callable[[], Any]) -> tuple[Any, Any]:
        """As `stream`, for something with an effect: wait for a connection, then open it once."""
        await self._retrying(self._connected, True)
        try:
            return await _first(open_call)
        except grpc.aio.AioRpcError as error:
            raise self.fault_after_sending(error) from error

    async def serving(self, seconds: float = 2.0) -> bool:
        """True when the service answers its health check with SERVING."""
        stub: Any = health_pb2_grpc.HealthStub(self.channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=seconds)
        except grpc.aio.AioRpcError:
            return False
        return answer.status == health_pb2.HealthCheckResponse.SERVING

    async def _once(self, method: Method, request: Any, seconds: float) -> Any:
        try:
            return await method(request, timeout=seconds)
        except grpc.aio.AioRpcError as error:
            raise fault_of(error) from error

    async def _connected(self) -> None:
        state = self.channel.get_state(try_to_connect=True)
        if state is not grpc.ChannelConnectivity.READY:
            try:
                async with asyncio.timeout(1.0):
                    await self.channel.channel_ready()
            except TimeoutError as error:
                raise self._absent() from error

    def _absent(self) -> Fault:
        return Fault(Code.UNAVAILABLE, f"the {self.name} does not answer; try again")

    async def _retrying(self, attempt: Callable[[], Awaitable[Any]], retry: bool) -> Any:
        """What `attempt` gives; while the service is absent it is tried again, for `retry_s` seconds.

        Most calls succeed at once: the machinery of trying again costs as much as half of such a call.
        """
        began = time.monotonic()
        try:
            return await attempt()
        except Fault as fault:
            if not retry or not _worth_it(fault):
                raise
            failed = [fault]

        async def again() -> Any:
            if failed:
                # The attempt that was made already is the first.
                raise failed.pop()
            return await attempt()

        attempts = AsyncRetrying(
            retry=retry_if_exception(_worth_it),
            stop=stop_after_delay(began + self._retry_s - time.monotonic()),
            wait=wait_random_exponential(multiplier=0.05, max=1.0),
            reraise=True,
        )
        return await attempts(again)


def _worth_it(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.code is Code.UNAVAILABLE


class EventSubscription:
    """A subscription at the orchestrator whose first batch has arrived."""

    def __init__(self, call: Any, first: Batch) -> None:
        self._call = call
        self._first: Batch | None = first

    async def read(self) -> Batch | None:
        """The next batch; None at the end. Raises Fault when the orchestrator fails."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            response = await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise fault_of(error) from error
        return None if response is END else response

    def cancel(self) -> None:
        """Give the subscription up."""
        self._call.cancel()


class Services:
    """The orchestrator and the tht-executor."""

    def __init__(self, settings: GatewaySettings) -> None:
        token = settings.service_token.get_secret_value()
        orchestrator = open_channel(settings.orchestrator_address, token)
        executor = open_channel(settings.executor_address, token)
        self.orchestrator = Peer("orchestrator", orchestrator, settings.gateway_retry_s)
        self.executor = Peer("tht-executor", executor, settings.gateway_retry_s)
        self.orchestrator_stub: OrchestratorServiceAsyncStub = OrchestratorServiceStub(orchestrator)
        # Beside the stub, whose Subscribe would decode every payload into a message first.
        self._subscribe: Method = orchestrator.unary_stream(
            SUBSCRIBE, SubscribeRequest.SerializeToString, decode_batch
        )
        self.checkpoints_stub: CheckpointsServiceAsyncStub = CheckpointsServiceStub(orchestrator)
        self.executor_stub: ExecutorServiceAsyncStub = ExecutorServiceStub(executor)

    async def subscribe(self, session_id: str, last_event_id: str) -> EventSubscription:
        """Subscribe to a session's events; returns once its first batch is here. Raises Fault.

        Every subscription begins with a batch, so that its arrival is the acknowledgement.
        """
        request = SubscribeRequest(session_id=session_id, last_event_id=last_event_id)
        call, first = await self.orchestrator.stream(lambda: self._subscribe(request))
        if first is END:
            raise Fault(Code.UNAVAILABLE, "the orchestrator ended the event stream at once; try again")
        return EventSubscription(call, first)

    async def export(
        self, request: ExportSqlRequest, seconds: float
    ) -> tuple[ExportSqlResponse, AsyncIterator[ExportSqlResponse]]:
        """Begin an export: its head, then the parts that follow. Raises Fault, in the middle too."""
        call, head = await self.executor.stream(
            lambda: self.executor_stub.ExportSql(request, timeout=seconds)
        )
        if head is END:
            raise Fault(Code.INTERNAL, "the export ended before it began")
        return head, _parts(call)

    async def close(self) -> None:
        """Close both channels."""
        await self.orchestrator.channel.close()
        await self.executor.channel.close()


async def _first(open_call: Callable[[], Any]) -> tuple[Any, Any]:
    call = open_call()
    try:
        return call, await call.read()
    except asyncio.CancelledError:
        call.cancel()
        raise


async def _parts(call: Any) -> AsyncIterator[ExportSqlResponse]:
    try:
        while (part := await call.read()) is not END:
            yield part
    except grpc.aio.AioRpcError as error:
        raise fault_of(error) from error
    finally:
        call.cancel()
