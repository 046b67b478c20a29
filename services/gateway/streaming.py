"""Answers that last: event streams and downloads. Both end when their client goes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from urllib.parse import quote

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from services.gateway.connections import cut, reset
from services.gateway.readers import Reader
from services.gateway.sse import retry
from services.gateway.trailers import EXTENSION
from services.runtime.web.serving import until_gone

EVENT_STREAM = "text/event-stream"
RETRY_MS = 1_000
"""Milliseconds after which a client comes back."""
FAREWELL_S = 2.0
"""Seconds that a reader which is to end has to take what still waits for it."""


class EventStream(Response):
    """The events that wait for `reader`, as they come; `leave` is called once at the end."""

    def __init__(self, reader: Reader, leave: Callable[[Reader], None]) -> None:
        super().__init__(
            media_type=EVENT_STREAM,
            headers={"cache-control": "no-store, no-transform", "x-accel-buffering": "no"},
        )
        del self.headers["content-length"]
        self._reader = reader
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader ends, the client goes, or one that is to go does not take its farewell."""
        sending = asyncio.create_task(self._send(send))
        tired = asyncio.create_task(self._tire())
        tasks = {sending, tired, asyncio.create_task(until_gone(receive))}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tired in done and sending not in done:
                cut(scope)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            self._leave(self._reader)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        chunk = retry(RETRY_MS)
        while chunk:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            chunk = await self._reader.take()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _tire(self) -> None:
        await self._reader.until_ended()
        await asyncio.sleep(FAREWELL_S)


class Download(Response):
    """A file in pieces. A failure in the middle leaves the body without its end: the client notices.

    `trailers`: called after the last piece, gives the fields that follow the body where the connection can
    send them; `announced` are their names.
    """

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        media_type: str,
        filename: str,
        headers: Mapping[str, str],
        *,
        announced: tuple[str, ...] = (),
        trailers: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        super().__init__(
            media_type=media_type,
            headers={
                "cache-control": "no-store",
                "content-disposition": content_disposition(filename),
                **headers,
            },
        )
        del self.headers["content-length"]
        self._pieces = pieces
        self._announced = announced
        self._trailers = trailers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send every piece; stop when the client goes."""
        trailing = bool(self._announced) and EXTENSION in scope.get("extensions", {})
        if trailing:
            self.headers["trailer"] = ", ".join(self._announced)
        sending = asyncio.create_task(self._send(send, trailing))
        gone = asyncio.create_task(until_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                # before HTTP/1.1 a body ends with its connection, a broken one too
                if sending.exception() is not None and scope["http_version"] == "1.0":
                    reset(scope)
                await sending
        finally:
            gone.cancel()
            sending.cancel()
            await asyncio.wait({sending})

    async def _send(self, send: Send, trailing: bool) -> None:
        start: Message = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send({**start, "trailers": True} if trailing else start)
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if trailing:
            fields = [(name.encode(), value.encode()) for name, value in self._trailers().items()]
            await send({"type": EXTENSION, "headers": fields, "more_trailers": False})


def content_disposition(filename: str) -> str:
    """An attachment called `filename` (RFC 6266): plain for old clients, `filename*` for every other name."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\/%' else "_" for c in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
