"""The tht-executor as a process: how it starts, how it refuses to, how it goes."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from services.runtime.channel import open_channel
from tests.integration.tht_executor.running import write_home
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc


async def start(**settings: str) -> asyncio.subprocess.Process:
    """`thothii-executor` with `settings` in its environment."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.tht_executor",
        env={**os.environ, **{f"THOTHII_{name.upper()}": value for name, value in settings.items()}},
        stderr=asyncio.subprocess.PIPE,
    )


async def test_it_serves_until_it_is_told_to_stop_and_logs_json_lines(tmp_path: Path) -> None:
    write_home(tmp_path)
    address = f"unix:{tmp_path}/executor.sock"
    process = await start(home=str(tmp_path), executor_address=address)
    assert process.stderr is not None
    first = json.loads(await process.stderr.readline())
    assert (first["event"], first["service"], first["address"]) == (
        "executor listens",
        "tht-executor",
        address,
    )
    async with open_channel(address) as channel:
        stub = pb_grpc.ExecutorServiceStub(channel)
        listed = await stub.ListWorkspaces(pb.ListWorkspacesRequest())
    assert b"shop" in listed.workspaces_json
    process.send_signal(signal.SIGTERM)
    _out, rest = await process.communicate()
    assert process.returncode == 0
    assert [json.loads(line)["service"] for line in rest.splitlines()] == ["tht-executor"]


@pytest.mark.parametrize(
    ("settings", "exit_code", "said"),
    [
        ({"workers": "many"}, 2, "thothii-executor: THOTHII_WORKERS:"),
        ({"executor_address": "0.0.0.0:50152"}, 2, "thothii-executor: 0.0.0.0:50152 is open"),
        ({"executor_address": "unix:/nowhere/executor.sock"}, 9, "thothii-executor: cannot listen on unix:"),
    ],
)
async def test_what_keeps_it_from_serving_is_said_without_a_traceback(
    settings: dict[str, str], exit_code: int, said: str
) -> None:
    process = await start(**settings)
    _out, errors = await process.communicate()
    assert process.returncode == exit_code
    assert errors.decode().splitlines()[-1].startswith(said)
    assert b"Traceback" not in errors
