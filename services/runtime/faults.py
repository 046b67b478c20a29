"""Faults across gRPC: `google.rpc.Status` with an `ErrorInfo` whose reason is the taxonomy's code."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, cast

import grpc
import structlog
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from contracts.errors import Code, Fault

DOMAIN = "thothii"
DETAILS_KEY = "grpc-status-details-bin"

_log = structlog.get_logger(__name__)


def status_of(fault: Fault) -> tuple[grpc.StatusCode, str, tuple[tuple[str, bytes], ...]]:
    """The gRPC status, message and trailing metadata that tell `fault` to the caller."""
    code = grpc.StatusCode[fault.code.kind.grpc_status]
    info = error_details_pb2.ErrorInfo(
        reason=fault.code.value,
        domain=DOMAIN,
        metadata={key: json.dumps(value, ensure_ascii=False) for key, value in fault.details.items()},
    )
    packed = any_pb2.Any()
    packed.Pack(info)
    number = cast("tuple[int, str]", code.value)[0]
    status = status_pb2.Status(code=number, message=fault.message, details=[packed])
    return code, fault.message, ((DETAILS_KEY, status.SerializeToString()),)


def told_fault(error: grpc.RpcError) -> Fault | None:
    """The fault a service told with a failed call; None when the call failed without one."""
    call = cast("grpc.aio.AioRpcError", error)
    for key, value in call.trailing_metadata() or ():
        if key == DETAILS_KEY:
            status = status_pb2.Status.FromString(cast(bytes, value))
            for packed in status.details:
                info = error_details_pb2.ErrorInfo()
                if packed.Unpack(info) and info.domain == DOMAIN:
                    details = {key: json.loads(text) for key, text in info.metadata.items()}
                    return Fault.from_document(
                        {"code": info.reason, "message": status.message, "details": details}
                    )
    return None


def fault_of(error: grpc.RpcError) -> Fault:
    """The fault a service told with a failed call.

    A call that failed without one (nobody listens, deadline, connection lost) becomes UNAVAILABLE,
    TIMEOUT, CANCELLED or INTERNAL.
    """
    if (told := told_fault(error)) is not None:
        return told
    call = cast("grpc.aio.AioRpcError", error)
    transport = {
        grpc.StatusCode.UNAVAILABLE: (
            Code.UNAVAILABLE,
            "a service behind this one does not answer; try again",
        ),
        grpc.StatusCode.DEADLINE_EXCEEDED: (Code.TIMEOUT, "a service behind this one took too long"),
        grpc.StatusCode.CANCELLED: (Code.CANCELLED, "the call was cancelled"),
        grpc.StatusCode.RESOURCE_EXHAUSTED: (Code.TOO_LARGE, "the message is too large"),
        grpc.StatusCode.UNAUTHENTICATED: (Code.UNAUTHENTICATED, "the services do not share a token"),
    }
    code, message = transport.get(call.code(), (Code.INTERNAL, "a service behind this one failed"))
    return Fault(code, message)


def fault_after_sending(error: grpc.RpcError, service: str) -> Fault:
    """The fault of a call with an effect that was sent to `service`, once.

    A service that tells of its failure knows what it did. A connection that broke leaves that open: then it
    is UNAVAILABLE with `may_have_happened`.
    """
    call = cast("grpc.aio.AioRpcError", error)
    if call.code() is grpc.StatusCode.UNAVAILABLE and told_fault(error) is None:
        return Fault(
            Code.UNAVAILABLE,
            f"the {service} went away during the call and may have done it: look before repeating",
            may_have_happened=True,
        )
    return fault_of(error)


class FaultInterceptor(grpc.aio.ServerInterceptor):
    """Turns a `Fault` raised by a handler into its status, anything else into a logged INTERNAL.

    It stands next to the handlers: what another interceptor answers instead of them is not remembered.
    """

    def __init__(self) -> None:
        self._guarded: dict[str, Any] = {}
        """By method. A server's handlers stay the same, so each is wrapped once."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap unary-unary and unary-stream handlers; the project has no others."""
        # gRPC's types leave the name of the method open; at run time it is there.
        method = cast(Any, handler_call_details).method
        if (known := self._guarded.get(method)) is not None:
            return known
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        if handler.unary_unary is not None:
            guarded = grpc.unary_unary_rpc_method_handler(
                _guard_unary(handler.unary_unary, method),
                request_deserializer=handler.request_deserializer,
                response_serializer=handler.response_serializer,
            )
        elif handler.unary_stream is not None:
            guarded = grpc.unary_stream_rpc_method_handler(
                _guard_stream(handler.unary_stream, method),
                request_deserializer=handler.request_deserializer,
                response_serializer=_unless_serialized(handler.response_serializer),
            )
        else:
            return handler
        self._guarded[method] = guarded
        return guarded


def _unless_serialized(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """`serialize`, but for messages that a handler has serialized itself."""
    return lambda message: message if isinstance(message, bytes) else serialize(message)


async def abort(context: Any, fault: Fault) -> NoReturn:
    """End the call of `context` with `fault`."""
    code, message, metadata = status_of(fault)
    await context.abort(code, message, metadata)
    raise AssertionError("abort returned")


async def _end(context: Any, method: str, error: Exception) -> NoReturn:
    """End the call with what a handler raised; what nobody foresaw is logged and becomes INTERNAL."""
    if isinstance(error, Fault):
        fault = error
    elif isinstance(error, grpc.RpcError):
        fault = fault_of(error)
    elif isinstance(error, grpc.aio.AbortError | grpc.aio.BaseError):
        raise error
    else:
        _log.error("handler failed", method=method, error=type(error).__name__, exc_info=error)
        fault = Fault(Code.INTERNAL, "something went wrong in ThothII; the log of the service has the reason")
    await abort(context, fault)


def _guard_unary(inner: Callable[..., Any], method: str) -> Callable[..., Any]:
    async def guarded(request: Any, context: Any) -> Any:
        try:
            return await inner(request, context)
        except Exception as error:
            await _end(context, method, error)

    return guarded


def _guard_stream(inner: Callable[..., Any], method: str) -> Callable[..., Any]:
    async def guarded(request: Any, context: Any) -> Any:
        try:
            async for response in inner(request, context):
                yield response
        except Exception as error:
            await _end(context, method, error)

    return guarded
