"""Failures as problem+json (RFC 9457): one place where a `Fault` becomes an HTTP answer."""

from typing import Any
from urllib.parse import quote

import grpc
import msgspec
import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.errors import Code, Fault
from services.runtime.faults import fault_of

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "/problems/"
"""A problem's type is this and its code: a URI reference that the gateway itself answers."""

_MEMBERS = frozenset({"type", "title", "status", "detail", "instance", "code"})

_log = structlog.get_logger(__name__)


def problem_document(fault: Fault, instance: str) -> dict[str, Any]:
    """The problem details of `fault`; its machine-readable details become extension members."""
    kind = fault.code.kind
    extensions = {key: value for key, value in fault.details.items() if key not in _MEMBERS}
    return {
        "type": TYPE_PREFIX + fault.code.value,
        "title": kind.title,
        "status": kind.http_status,
        "detail": fault.message,
        "instance": instance,
        "code": fault.code.value,
        **extensions,
    }


def problem_response(fault: Fault, instance: str) -> Response:
    """The HTTP answer that tells `fault`."""
    kind = fault.code.kind
    headers = {"cache-control": "no-store"}
    if kind.retry:
        headers["retry-after"] = "1"
    if fault.code is Code.METHOD_NOT_ALLOWED:
        headers["allow"] = ", ".join(fault.details.get("allowed", []))
    return Response(
        msgspec.json.encode(problem_document(fault, instance)),
        status_code=kind.http_status,
        headers=headers,
        media_type=MEDIA_TYPE,
    )


def instance_of(scope: Scope) -> str:
    """The path of the request as a URI reference, without its query."""
    return quote(scope.get("path", "/"))


def _routing_fault(error: HTTPException, method: str) -> Fault:
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return Fault(
            Code.METHOD_NOT_ALLOWED,
            f"{method} is not offered here; /openapi.json shows what is",
            allowed=sorted(name.strip() for name in allowed.split(",") if name.strip()),
        )
    if error.status_code == 404:
        return Fault(Code.NOT_FOUND, "there is nothing at this path; /openapi.json shows what there is")
    return Fault(Code.MALFORMED, "the request cannot be read")


def fault_from(error: Exception, method: str) -> Fault:
    """The fault that `error` means to a client; what nobody foresaw is logged and becomes INTERNAL."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, HTTPException):
        return _routing_fault(error, method)
    if isinstance(error, grpc.aio.AioRpcError):
        return fault_of(error)
    _log.error("request failed", exc_info=error)
    return Fault(Code.INTERNAL, "something went wrong in the gateway; its log has the reason")


class ProblemMiddleware:
    """Answers a failure with its problem; a failure after the answer began cuts the connection."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watching(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watching)
        except Exception as error:
            fault = fault_from(error, scope["method"])
            if started:
                # Without the end of the body the server closes the connection: the client sees that it broke.
                _log.warning(
                    "answer cut off", path=scope["path"], code=fault.code.value, detail=fault.message
                )
                return
            await problem_response(fault, instance_of(scope))(scope, receive, send)
