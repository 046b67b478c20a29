"""The agent endpoint over its Unix socket."""

# ruff: noqa: ASYNC240

import asyncio
import json
import socket
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from services.orchestrator.agent_endpoint import BODY_LIMIT, AgentEndpoint
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.executor_fake import FakeExecutor


@pytest.fixture
async def endpoint(tmp_path: Path) -> Any:
    served = AgentEndpoint(FakeExecutor(tmp_path), tmp_path / "state")
    await served.start()
    yield served
    await served.stop()


async def post(endpoint: AgentEndpoint, operation: str, token: str, **given: Any) -> httpx.Response:
    path = endpoint.admit("nobody")["THT_AGENT_ENDPOINT"].removeprefix("unix:")
    async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=path)) as client:
        headers = {"authorization": f"Bearer {token}"}
        return await client.post(f"http://agent/v1/operations/{operation}", headers=headers, **given)


async def test_a_token_reaches_its_own_session_until_its_child_ends(endpoint: AgentEndpoint) -> None:
    variables = endpoint.admit("s-1")
    token = variables["THT_AGENT_TOKEN"]
    answered = await post(endpoint, "schema.tables", token, json={"session": "s-2"})
    assert answered.status_code == 200
    assert answered.json() == {"session": "s-1", "operation": "schema.tables"}
    endpoint.dismiss(token)
    refused = await post(endpoint, "schema.tables", token, json={})
    assert refused.status_code == 401 and refused.json()["code"] == "unauthenticated"


@pytest.mark.parametrize("token", ["x", "x y", "x" * 4000])
async def test_without_a_token_nothing_is_done(endpoint: AgentEndpoint, token: str) -> None:
    assert (await post(endpoint, "schema.tables", token, json={})).status_code == 401
    assert endpoint._executor.operations == []  # type: ignore[attr-defined]


async def test_an_agent_cannot_record_a_decision(endpoint: AgentEndpoint) -> None:
    token = endpoint.admit("s-1")["THT_AGENT_TOKEN"]
    refused = await post(endpoint, "decision.add", token, json={"kind": "approval"})
    assert refused.status_code == 403
    assert refused.json() == {
        "code": "refused",
        "message": "an agent may not call this operation",
        "details": {},
    }


async def test_too_large_a_body_is_refused(endpoint: AgentEndpoint) -> None:
    token = endpoint.admit("s-1")["THT_AGENT_TOKEN"]
    assert (await post(endpoint, "artifact.put", token, content=b"x" * (BODY_LIMIT + 1))).status_code == 413


async def test_the_socket_is_this_users_alone_and_is_removed(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90)
    served = AgentEndpoint(FakeExecutor(tmp_path), deep)
    await served.start()
    path = Path(served.admit("s")["THT_AGENT_ENDPOINT"].removeprefix("unix:"))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700 and path.is_socket()
    await served.stop()
    assert not path.exists() and not path.parent.exists()


async def test_the_socket_of_an_orchestrator_that_was_killed_is_cleared_away(tmp_path: Path) -> None:
    left, used = tmp_path / "agent-old" / "endpoint.sock", tmp_path / "agent-used" / "endpoint.sock"
    sockets = []
    for path in (left, used):
        path.parent.mkdir()
        sockets.append(socket.socket(socket.AF_UNIX))
        sockets[-1].bind(str(path))
    sockets[1].listen()
    served = AgentEndpoint(FakeExecutor(tmp_path), tmp_path)
    await served.start()
    await served.stop()
    assert not left.parent.exists() and used.exists()
    for each in sockets:
        each.close()


async def test_the_agent_of_a_session_calls_operations_for_it(make_rig: MakeRig) -> None:
    rig = await make_rig(
        """\
name: calls
commands:
  - name: nuova-domanda
    steps:
      - {call: schema.tables, args: {x: 1}, as: tables}
      - text: "${tables|json}"
"""
    )
    session = (await rig.create()).session_id
    listener = await rig.listen_from_the_start(session)
    await listener.until_state("idle")
    assert (session, "schema.tables") in [(who, what) for who, what, _ in rig.executor.operations]
    assert json.loads(listener.text())["session"] == session


async def test_c09_a_statement_of_a_caller_that_is_gone_is_cancelled(endpoint: AgentEndpoint) -> None:
    token = endpoint.admit("s-1")["THT_AGENT_TOKEN"]
    executor = endpoint._executor
    calling = asyncio.create_task(post(endpoint, "sql.preview", token, json={"sql": "SELECT 1"}))
    await assert_eventually(lambda: executor.operations)  # type: ignore[attr-defined]
    calling.cancel()
    await assert_eventually(lambda: executor.cancelled == ["sql.preview"])  # type: ignore[attr-defined]


async def test_a_caller_that_goes_in_the_middle_of_its_body_is_no_error(
    endpoint: AgentEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    variables = endpoint.admit("s-1")
    path = variables["THT_AGENT_ENDPOINT"].removeprefix("unix:")
    head = "POST /v1/operations/artifact.put HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n"
    head += f"Authorization: Bearer {variables['THT_AGENT_TOKEN']}\r\n\r\n{{"
    with capture_logs() as logs:
        _, writer = await asyncio.open_unix_connection(path)
        writer.write(head.encode())
        await writer.drain()
        writer.close()
        assert (
            await post(endpoint, "schema.tables", variables["THT_AGENT_TOKEN"], json={})
        ).status_code == 200
        await assert_eventually(lambda: not endpoint._server.server_state.tasks)  # type: ignore[union-attr]
    assert logs == [] and "Traceback" not in caplog.text


@pytest.mark.parametrize(
    "path",
    [
        "v1/operations/../operations/decision.add",
        "v1/operations/",
        "v1/operations/x/y",
        "v1//operations/schema.tables",
        "V1/operations/schema.tables",
        "v1/operations/schema.tables/",
        "",
    ],
)
async def test_other_paths_are_told_apart_and_run_nothing(endpoint: AgentEndpoint, path: str) -> None:
    variables = endpoint.admit("s-1")
    transport = httpx.AsyncHTTPTransport(uds=variables["THT_AGENT_ENDPOINT"].removeprefix("unix:"))
    async with httpx.AsyncClient(transport=transport) as client:
        headers = {"authorization": f"Bearer {variables['THT_AGENT_TOKEN']}"}
        url = httpx.URL("http://agent", raw_path=b"/" + path.encode())
        answer = await client.post(url, headers=headers, json={})
        assert answer.status_code in (403, 404) and answer.json()["code"] in ("not_found", "refused")
        wrong = await client.get("http://agent/v1/operations/schema.tables", headers=headers)
        assert wrong.status_code == 405 and wrong.json()["code"] == "method_not_allowed"
    assert "schema.tables" not in [name for _, name, _ in endpoint._executor.operations]  # type: ignore[attr-defined]
