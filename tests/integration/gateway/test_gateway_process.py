"""The gateway as a process: how it starts, how it refuses to, how it goes."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx

from services.gateway.__main__ import listen
from tests.helpers import assert_eventually, free_port
from tests.integration.gateway.fakes import FakeServices
from tests.integration.gateway.listener import listening

CORE_LINE = re.compile(rb"[IWEF]\d{4} [\d:.]+ +\d+ chttp2_transport\.cc:")


async def start(services: FakeServices, **settings: Any) -> asyncio.subprocess.Process:
    """`thothii-gateway` with `settings` in its environment."""
    environment = {
        **os.environ,
        "THOTHII_ORCHESTRATOR_ADDRESS": services.orchestrator_address,
        "THOTHII_EXECUTOR_ADDRESS": services.executor_address,
        **{f"THOTHII_GATEWAY_{name.upper()}": str(value) for name, value in settings.items()},
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.gateway",
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def running(
    services: FakeServices, **settings: Any
) -> AsyncIterator[tuple[asyncio.subprocess.Process, httpx.AsyncClient]]:
    """A started gateway and a client of it; killed at the end when it has not gone before."""
    port = free_port()
    process = await start(services, port=port, **settings)
    try:
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", limits=limits) as client:

            async def ready() -> bool:
                assert process.returncode is None
                try:
                    return (await client.get("/readyz")).status_code == 200
                except httpx.ConnectError:
                    return False

            await assert_eventually(ready, 20)
            yield process, client
    finally:
        if process.returncode is None:
            process.kill()
        # Reads the pipes to their end, so that their transports close.
        await process.communicate()


async def test_a11_a_stop_with_open_streams_is_orderly(services: FakeServices) -> None:
    """A-11: SIGTERM with 20 streams and a pending question: bye, the end of the body, exit code 0."""
    conversation = services.add_session()
    await conversation.ask(options=[{"id": "a", "label": "A"}])
    async with running(services) as (process, client), AsyncExitStack() as stack:
        listeners = [await stack.enter_async_context(listening(client)) for _ in range(20)]
        for listener in listeners:
            await listener.until(lambda it: "replay_complete" in it.names)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(5):
            assert await process.wait() == 0
        for listener in listeners:
            await listener.until(lambda it: it.ended)
            assert listener.names[-1] == "bye"


async def test_a11_a_second_signal_ends_it_at_once(services: FakeServices) -> None:
    """A-11: even while a request hangs that the first one would wait for."""
    services.add_session()
    services.executor.hold_preview = asyncio.Event()
    async with running(services, stop_s=60) as (process, client):
        hanging = asyncio.create_task(client.post("/sessions/s1/sql/preview", timeout=60))
        await assert_eventually(lambda: "PreviewSql" in services.executor.calls)
        process.send_signal(signal.SIGTERM)

        async def refuses() -> bool:
            try:
                await client.get("/healthz")
            except httpx.TransportError:
                return True
            return False

        await assert_eventually(refuses)
        assert process.returncode is None
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(5):
            assert await process.wait() == 1
        hanging.cancel()
        await asyncio.wait({hanging})


async def test_a11_a_request_that_hangs_is_cut_after_the_grace_time(services: FakeServices) -> None:
    """A-11: one slow query does not keep the gateway."""
    services.add_session()
    services.executor.hold_preview = asyncio.Event()
    async with running(services, stop_s=1) as (process, client):
        hanging = asyncio.create_task(client.post("/sessions/s1/sql/preview", timeout=60))
        await assert_eventually(lambda: "PreviewSql" in services.executor.calls)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(10):
            assert await process.wait() == 0
        await asyncio.wait({hanging})
        await assert_eventually(lambda: services.executor.preview_cancelled)


async def test_no_answer_waits_for_a_delayed_acknowledgement() -> None:
    """asyncio sets TCP_NODELAY on accepted sockets only when the listening one names its protocol."""
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def on_connection(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listening = listen("127.0.0.1", 0)
    async with await asyncio.start_server(on_connection, sock=listening):
        _reader, writer = await asyncio.open_connection(*listening.getsockname())
        assert await accepted
        writer.close()


async def test_a34_it_does_not_start_where_strangers_could_reach_it(services: FakeServices) -> None:
    """A-34: one line and the exit code of a usage error."""
    process = await start(services, host="0.0.0.0", port=free_port())
    _out, errors = await process.communicate()
    assert process.returncode == 2
    assert errors.decode().startswith("thothii-gateway: 0.0.0.0:")
    assert errors.count(b"\n") == 1


async def test_a_port_that_is_taken_is_said_in_one_line(services: FakeServices) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = await start(services, port=taken.getsockname()[1])
        _out, errors = await process.communicate()
    assert process.returncode == 9
    assert b"cannot listen" in errors
    assert errors.count(b"\n") == 1


async def test_a_setting_that_cannot_be_is_said_in_one_line(services: FakeServices) -> None:
    process = await start(services, port="many")
    _out, errors = await process.communicate()
    assert process.returncode == 2
    assert b"THOTHII_GATEWAY_PORT" in errors
    assert errors.count(b"\n") == 1


async def test_a13_no_query_and_no_header_is_logged(services: FakeServices) -> None:
    """A-13: whatever secret a client puts there."""
    services.add_session()
    async with running(services, retry_s=0) as (process, client):
        await client.get("/sessions?after=secret-query", headers={"authorization": "secret-header"})
        await client.post("/sessions/s1/sql/export")
        await services.stop_executor()
        await client.get("/workspaces?x=secret-query")
        process.terminate()
        _out, errors = await process.communicate()
    assert b"exported" in errors
    assert b"secret" not in errors
    # gRPC's C core may still write a line of its own form when a peer goes down.
    lines = [json.loads(line) for line in errors.splitlines() if not CORE_LINE.match(line)]
    assert {line["service"] for line in lines} == {"gateway"}
    assert "uvicorn.error" in {line.get("logger") for line in lines}
