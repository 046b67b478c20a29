"""The gateway as this client sees it: REST calls, an event stream that survives cuts, downloads."""

import asyncio
import contextlib
import hashlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlsplit

import httpx
from httpx_sse import EventSource, SSEError

from contracts.errors import Code, Fault
from terminal.conversation import Event

SILENCE_S = 45.0
"""Seconds without a byte after which a stream counts as cut; the gateway's comments come every 15."""
PATIENCE_S = 60.0
"""Seconds for which a cut stream is tried again before it is given up."""
CALL_S = 330.0
"""Seconds that a call may take; a preview runs a query."""
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Download:
    """A file that has arrived whole."""

    path: Path
    size: int
    sha256: str


class Api:
    """One gateway. Every method raises Fault, with the code the gateway told."""

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self.url = url
        self._client = client

    async def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """The document at `path`."""
        given = {name: value for name, value in parameters.items() if value is not None}
        return await self._document("GET", path, params=given)

    async def post(
        self, path: str, body: dict[str, Any] | None = None, key: str = "", **parameters: Any
    ) -> dict[str, Any]:
        """Send `body` to `path`; gives the answer's document. `key` is the call's idempotency key."""
        headers = {"idempotency-key": key} if key else {}
        given = {name: value for name, value in parameters.items() if value is not None}
        return await self._document("POST", path, json=body, params=given, headers=headers)

    async def artifact(self, session_id: str, name: str) -> tuple[str, str]:
        """Text and sha256 of an artifact."""
        response = await self._send("GET", f"/sessions/{quote(session_id)}/artifacts/{quote(name)}")
        return response.text, hashlib.sha256(response.content).hexdigest()

    async def respond(self, session_id: str, answer: dict[str, Any], key: str) -> dict[str, Any]:
        """Answer a question. A connection that breaks is tried again: the same key gets the same receipt."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await self.post(f"/sessions/{quote(session_id)}/response", answer, key)
            except Fault as fault:
                if fault.code is not Code.UNAVAILABLE or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(1.0)

    async def events(self, session_id: str, cursor: str) -> AsyncGenerator[Event]:
        """Events of a session after `cursor`, over as many connections as it takes.

        Without a cursor they begin with a snapshot.
        """
        place = _Place(cursor)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(httpx.TransportError, _Cut):
                async with contextlib.aclosing(self._connection(session_id, place)) as connection:
                    async for event in connection:
                        yield event
            if place.connected:
                place.connected = False
                deadline = time.monotonic() + PATIENCE_S
            elif time.monotonic() > deadline:
                raise self._absent()
            await asyncio.sleep(place.pause)

    async def download(self, path: str, target: Path, **parameters: Any) -> Download:
        """Write the answer of a POST to `target`, which appears only once it is whole."""
        partial = target.with_name(f".{target.name}.part")
        digest, size = hashlib.sha256(), 0
        try:
            async with self._client.stream("POST", path, params=parameters) as response:
                if response.is_error:
                    await response.aread()
                    raise fault_from(response)
                with partial.open("wb") as file:
                    async for chunk in response.aiter_bytes():
                        file.write(chunk)
                        digest.update(chunk)
                        size += len(chunk)
            partial.replace(target)
        except httpx.TransportError as error:
            raise Fault(
                Code.DATABASE_ERROR, "the download broke off: it failed on the way; nothing was kept"
            ) from error
        except OSError as error:
            raise Fault(Code.INVALID_ARGUMENT, f"cannot write {target}: {error.strerror}") from error
        finally:
            partial.unlink(missing_ok=True)
        return Download(target, size, digest.hexdigest())

    async def _connection(self, session_id: str, place: "_Place") -> AsyncGenerator[Event]:
        headers = {"accept": EVENT_STREAM, "cache-control": "no-store"}
        if place.cursor:
            headers["last-event-id"] = place.cursor
        timeout = httpx.Timeout(CALL_S, read=SILENCE_S)
        path = f"/sessions/{quote(session_id)}/events"
        async with self._client.stream("GET", path, headers=headers, timeout=timeout) as response:
            if response.is_error:
                await response.aread()
                fault = fault_from(response)
                raise _Cut if fault.code.kind.retry else fault
            place.connected = True
            try:
                async for sent in EventSource(response).aiter_sse():
                    if sent.retry is not None:
                        place.pause = sent.retry / 1000
                    if not sent.data or sent.event in {"bye", "evicted"}:
                        continue
                    event = Event(sent.event, cast("dict[str, Any]", sent.json()))
                    # An event without an id may say where the stream stands now.
                    place.cursor = event.data.get("cursor") or sent.id or place.cursor
                    yield event
            except (SSEError, ValueError) as error:
                raise Fault(Code.INTERNAL, f"{self.url} sent no events that can be read") from error

    async def _document(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        response = await self._send(method, path, **sent)
        try:
            return response.json()
        except ValueError as error:
            raise Fault(Code.INTERNAL, f"{self.url} is no ThothII gateway: it answers no JSON") from error

    async def _send(self, method: str, path: str, **sent: Any) -> httpx.Response:
        try:
            response = await self._client.request(method, path, **sent)
        except httpx.TransportError as error:
            raise self._absent() from error
        if response.is_error:
            raise fault_from(response)
        return response

    def _absent(self) -> Fault:
        return Fault(
            Code.UNAVAILABLE,
            f"no gateway answers at {self.url}; start one with `make run` or name another with --url",
        )


@dataclass
class _Place:
    """Where a stream stands between two connections."""

    cursor: str = ""
    pause: float = 1.0
    connected: bool = False


class _Cut(Exception):
    """A connection that is worth another try."""


def fault_from(response: httpx.Response) -> Fault:
    """The failure a gateway told as problem+json; INTERNAL for an answer that is none."""
    try:
        problem = cast("dict[str, Any]", response.json())
        code = Code(problem["code"])
        message = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        where = response.url.copy_with(query=None)
        return Fault(Code.INTERNAL, f"{where} answers {response.status_code}: no ThothII gateway")
    members = {
        name: value
        for name, value in problem.items()
        if name not in {"type", "title", "status", "detail", "instance", "code", "message"}
    }
    return Fault(code, message, **members)


@contextlib.asynccontextmanager
async def connect(url: str) -> AsyncGenerator[Api]:
    """An `Api` of the gateway at `url`. Raises Fault INVALID_ARGUMENT for what is no URL."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Fault(Code.INVALID_ARGUMENT, f"{url} is no URL of a gateway, such as http://127.0.0.1:8080")
    local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    # A proxy of the environment cannot reach this machine's loopback.
    async with httpx.AsyncClient(base_url=url, timeout=CALL_S, trust_env=not local) as client:
        yield Api(url, client)
