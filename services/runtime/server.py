"""Server side of gRPC: faults, shared token, health, reflection, orderly stop."""

import asyncio
import hmac
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from contracts.errors import Code, Fault
from services.runtime.channel import OPTIONS
from services.runtime.faults import FaultInterceptor, status_of
from services.runtime.settings import ServiceSettings, is_local

STOP_GRACE = 2.0
"""Seconds that running calls have to end after a stop was asked for."""

_OPEN_METHODS = ("/grpc.health.v1.Health/",)

_log = structlog.get_logger(__name__)


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Refuses calls without the services' shared token; health checks stay open."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}"

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Pass the call on when its `authorization` fits."""
        details: Any = handler_call_details
        metadata = cast("dict[str, str]", dict(details.invocation_metadata or ()))
        given = metadata.get("authorization", "")
        if details.method.startswith(_OPEN_METHODS) or hmac.compare_digest(given, self._expected):
            return await continuation(handler_call_details)
        return cast(Any, grpc.unary_unary_rpc_method_handler(_unauthenticated))


async def _unauthenticated(_request: Any, context: Any) -> None:
    code, message, metadata = status_of(
        Fault(
            Code.UNAUTHENTICATED,
            "the call carries no valid service token; set THOTHII_SERVICE_TOKEN on both sides",
        )
    )
    await context.abort(code, message, metadata)


class GrpcServer:
    """One gRPC server on one address.

    Args:
        settings: gives the shared token.
        address: `unix:/path` or `host:port`.
        services: `(full name, add_..._to_server, servicer)` of each service.

    Raises Fault INVALID_ARGUMENT for an address that others can reach while there is no token, UNAVAILABLE
    for one that cannot be had.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        address: str,
        services: Sequence[tuple[str, Callable[[Any, Any], None], Any]],
    ) -> None:
        token = settings.service_token.get_secret_value()
        if not token and not is_local(address):
            raise Fault(
                Code.INVALID_ARGUMENT,
                f"{address} is open to other machines: set THOTHII_SERVICE_TOKEN or listen on loopback",
            )
        interceptors: list[grpc.aio.ServerInterceptor] = [FaultInterceptor()]
        if token:
            interceptors.insert(0, TokenInterceptor(token))
        self._server = grpc.aio.server(interceptors=interceptors, options=OPTIONS)
        self._health: Any = cast(Any, health).aio.HealthServicer()
        self._names = [name for name, _add, _servicer in services]
        self.address = address
        for _name, add, servicer in services:
            add(servicer, self._server)
        cast(Any, health_pb2_grpc).add_HealthServicer_to_server(self._health, self._server)
        reflected = (*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(reflected, self._server)
        try:
            self.port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise Fault(Code.UNAVAILABLE, f"cannot listen on {address}") from error

    async def start(self) -> None:
        """Listen, and say SERVING."""
        await self._server.start()
        for name in ("", *self._names):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self, grace: float = STOP_GRACE) -> None:
        """Say NOT_SERVING, let running calls end within `grace` seconds, then cut them."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace)


async def until_signalled() -> None:
    """Wait for SIGTERM or SIGINT. A second one ends the process at once with exit code 1."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    await stop.wait()
    _log.info("stopping")
