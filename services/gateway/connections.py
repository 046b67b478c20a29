"""Connections: what cannot be parsed is a problem too, heads have a size, bodies may have trailers; any can
be cut."""

import socket
import struct
from collections.abc import Callable
from typing import Any, cast

import msgspec
from starlette.types import Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from contracts.errors import Code, Fault
from services.gateway.problems import MEDIA_TYPE, problem_document
from services.gateway.trailers import with_trailers

HEAD_LIMIT = 64 * 1024
"""Bytes of a request line, and of all header fields of a request, trailers among them."""
LINGER_S = 1.0
"""Seconds that a client which was refused has to take the answer."""
_CUT, _RESET = "thothii.cut", "thothii.reset"
_NO_LINGER = struct.pack("ii", 1, 0)
"""SO_LINGER of no seconds: closing resets the connection (tcp(7), socket(7))."""


class CuttableProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, which by itself keeps a head of any size in memory.

    Its requests carry a way to drop their connection and what waits in it.
    """

    _silent = 0
    """Bytes since the parser last said anything: what an endless field or chunk extension piles up."""
    _head = 0
    _too_large = False
    _refused = False

    def data_received(self, data: bytes) -> None:
        """Parse `data`; a field that does not end is refused before it fills the memory."""
        if self._refused:
            return
        self._silent += len(data)
        super().data_received(data)
        if self._silent > HEAD_LIMIT and not self._refused:
            self._too_large = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Put the way to cut into the scope, as an ASGI extension."""
        super().on_message_begin()
        self._silent = self._head = 0
        cast(Any, self.scope)["extensions"] = {_CUT: self.transport.abort, _RESET: self._reset}

    def _reset(self) -> None:
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        super()._start_asgi_task(cycle, with_trailers(app, cycle))

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header field."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body; its size is the endpoint's to judge."""
        self._silent = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Tell what is wrong with a request that cannot be parsed, and close the connection."""
        self._refused = True
        if self._too_large:
            fault = Fault(Code.TOO_LARGE, f"the head of the request is larger than {HEAD_LIMIT} bytes")
        else:
            fault = Fault(Code.MALFORMED, "this is not a request in HTTP/1.1 as RFC 9112 has it")
        body = msgspec.json.encode(problem_document(fault, ""))
        status = fault.code.kind.http_status
        head = f"HTTP/1.1 {status} {'Content Too Large' if status == 413 else 'Bad Request'}\r\n"
        fields = {
            "content-type": MEDIA_TYPE,
            "content-length": str(len(body)),
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            "connection": "close",
        }
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.transport.write(head.encode() + b"\r\n" + body)
        # A socket closed over unread bytes is reset, and the client loses the answer (RFC 9112, 9.6).
        self.transport.write_eof()
        self.loop.call_later(LINGER_S, self.transport.abort)

    def _count(self, size: int) -> None:
        self._silent = 0
        self._head += size
        if self._head > HEAD_LIMIT:
            # The parser stops at an exception and has the connection answered with 400.
            self._too_large = True
            raise ValueError("the head is too large")


def cut(scope: Scope) -> None:
    """Drop the connection of `scope` at once; does nothing under another server."""
    _call(scope, _CUT)


def reset(scope: Scope) -> None:
    """Drop the connection of `scope` so that its client sees an error where it expects an end; does nothing
    under another server."""
    _call(scope, _RESET)


def _call(scope: Scope, extension: str) -> None:
    drop: Callable[[], None] | None = scope.get("extensions", {}).get(extension)
    if drop is not None:
        drop()
