"""Requests that no client of ours would send: each is one problem, reaches no service, and hurts nobody."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from contracts.errors import Code
from services.gateway.connections import HEAD_LIMIT
from tests.integration.gateway.fakes import FakeServices
from tests.integration.gateway.running import RunningGateway

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
BODY = b'{"workspace":"flights","question":"q"}'
POST = b"POST /sessions HTTP/1.1\r\n" + HOST + JSON
SMUGGLED = b"0\r\n\r\nPOST /sessions HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 38\r\n\r\n" + BODY


async def send(gateway: RunningGateway, *pieces: bytes) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status, headers and document of the one answer to `pieces`, after which the connection is closed."""
    host, _, port = urlsplit(gateway.url).netloc.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        for piece in pieces:
            try:
                writer.write(piece)
                await writer.drain()
            except ConnectionError:
                break
        head, _, rest = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
    finally:
        writer.close()
    status, *fields = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    assert len(rest) == int(headers["content-length"]), "more than one answer"
    return int(status.split()[1]), headers, json.loads(rest)


@pytest.mark.parametrize(
    "request_bytes",
    [
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 4\r\nContent-Length: 38\r\n\r\n" + BODY,
        POST + b"Content-Length: +38\r\n\r\n" + BODY,
        POST + b"Content-Length: -1\r\n\r\n" + BODY,
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding : chunked\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BODY,
        b"GET /sessions HTTP/1.1\r\n" + HOST + b"X-A: a\r\n Host: evil\r\n\r\n",
        b"GET /sessions/a\x00b HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /sessions/\xff HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /sessions HTTP/1.1\r\nHost: local\x00host\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT evil:80 HTTP/1.1\r\n" + HOST + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_one_problem_and_reaches_no_service(
    gateway: RunningGateway, services: FakeServices, request_bytes: bytes
) -> None:
    status, headers, problem = await send(gateway, request_bytes)
    assert (status, headers["content-type"]) == (400, "application/problem+json")
    assert problem["code"] == Code.MALFORMED.value and problem["detail"]
    assert headers["connection"] == "close" and headers["x-content-type-options"] == "nosniff"
    assert services.orchestrator.calls == services.executor.calls == []


@pytest.mark.parametrize(
    ("before", "piece", "count"),
    [
        (b"GET /healthz?", b"x" * 4096, 200),
        (b"GET /healthz HTTP/1.1\r\n" + HOST, b"X-A: " + b"a" * 1000 + b"\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: ", b"a" * 4096, 200),
        (b"GET /healthz HTTP/1.1\r\n" + HOST, b"a" * 4096, 200),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n1;", b"e" * 4096, 200),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-T: " + b"t" * 1000 + b"\r\n", 200),
    ],
    ids=["url", "fields", "value", "name", "chunk extension", "trailers"],
)
async def test_a_head_without_end_is_refused_before_it_fills_the_memory(
    gateway: RunningGateway, services: FakeServices, before: bytes, piece: bytes, count: int
) -> None:
    assert len(piece) * count > HEAD_LIMIT
    status, headers, problem = await send(gateway, before, *[piece] * count)
    assert (status, headers["content-type"]) == (413, "application/problem+json")
    assert problem["code"] == Code.TOO_LARGE.value
    assert services.orchestrator.calls == []
    assert (await gateway.client.get("/healthz")).status_code == 200


async def test_a_large_body_behind_a_small_head_is_read(gateway: RunningGateway) -> None:
    """The limit of the head is not one of bodies, and each request on a connection has its own."""
    for _ in range(3):
        answer = await gateway.client.post(
            "/sessions",
            json={"workspace": "flights", "question": "q" * 300_000},
            headers={"x-a": "a" * 40_000},
        )
        assert answer.json()["pointer"] == "/question"
