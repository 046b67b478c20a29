"""Trailer fields after a chunked body (RFC 9112, 7.1.2), which uvicorn sends over HTTP/2 alone.

The ASGI extension `http.response.trailers`: a start with `trailers: True` promises a last message with the
fields. A body whose trailers never come has no end, as one that breaks off.
"""

from typing import Any, cast

from starlette.types import Message, Receive, Scope, Send
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

EXTENSION = "http.response.trailers"


def with_trailers(app: ASGI3Application, cycle: RequestResponseCycle) -> ASGI3Application:
    """`app`, able to send trailers in the answer that `cycle` writes; unchanged before HTTP/1.1, which has no
    chunks."""
    if cycle.scope["http_version"] != "1.1":
        return app
    cast(Any, cycle.scope).setdefault("extensions", {})[EXTENSION] = {}

    async def trailing(scope: Scope, receive: Receive, send: Send) -> None:
        await cast(Any, app)(scope, receive, _Trailing(cycle, send))

    return cast(Any, trailing)


class _Trailing:
    """Holds the end of the body back until its trailers are there."""

    def __init__(self, cycle: RequestResponseCycle, send: Send) -> None:
        self._cycle = cycle
        self._send = send
        self._awaited = False
        self._fields: list[tuple[bytes, bytes]] = []

    async def __call__(self, message: Message) -> None:
        """Send a message of the application."""
        kind = message["type"]
        if kind == "http.response.start":
            self._awaited = bool(message.get("trailers", False))
        elif kind == EXTENSION:
            self._fields += message["headers"]
            if not message.get("more_trailers", False):
                await self._end()
            return
        elif self._awaited and not message.get("more_body", False):
            message = {**message, "more_body": True}
        await self._send(message)

    async def _end(self) -> None:
        cycle = self._cycle
        if cycle.chunked_encoding and not cycle.disconnected:
            fields = b"".join(b"%b: %b\r\n" % field for field in self._fields)
            cycle.transport.write(b"0\r\n%b\r\n" % fields)
            # the end is written: uvicorn has only to note it
            cycle.chunked_encoding, cycle.expected_content_length = False, 0
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
