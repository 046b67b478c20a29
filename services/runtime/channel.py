"""Client side of gRPC between the services."""

from typing import Any

import grpc

MESSAGE_LIMIT = 64 * 1024 * 1024
"""Largest gRPC message in bytes, the same on both sides. Pages and batches are capped well below it."""

OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_send_message_length", MESSAGE_LIMIT),
    ("grpc.max_receive_message_length", MESSAGE_LIMIT),
    # Both sides agree on the keepalive, so that no server answers a ping with GOAWAY too_many_pings.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 30_000),
    ("grpc.http2.max_pings_without_data", 0),
)

RECONNECT: tuple[tuple[str, int], ...] = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


def _with_token(details: grpc.aio.ClientCallDetails, token: str) -> grpc.aio.ClientCallDetails:
    metadata = grpc.aio.Metadata(*(details.metadata or ()), ("authorization", f"Bearer {token}"))
    return grpc.aio.ClientCallDetails(
        details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
    )


# One class for each kind of call: gRPC registers an interceptor for the first kind it matches only.
class _UnaryTokenAuth(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_unary(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(_with_token(client_call_details, self._token), request)


class _StreamTokenAuth(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_stream(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(_with_token(client_call_details, self._token), request)


def open_channel(address: str, token: str = "") -> grpc.aio.Channel:
    """A channel to `address` (unix:/path or host:port); calls carry `token` when there is one."""
    interceptors: list[grpc.aio.ClientInterceptor] = []
    if token:
        interceptors = [_UnaryTokenAuth(token), _StreamTokenAuth(token)]
    return grpc.aio.insecure_channel(address, options=[*OPTIONS, *RECONNECT], interceptors=interceptors)
