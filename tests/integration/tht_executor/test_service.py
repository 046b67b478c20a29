"""The executor over real gRPC with real workers."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Awaitable
from typing import Any

import grpc
import pytest

from contracts.errors import Code, Fault
from services.runtime.faults import fault_of
from tests.helpers import assert_eventually
from tests.integration.tht_executor.running import FINAL_SQL, Executor
from thothii.executor.v1 import executor_service_pb2 as pb

SLOW_LATER = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
    "SELECT i, CASE WHEN i > 300 THEN (WITH RECURSIVE m(k) AS "
    "(SELECT i UNION ALL SELECT k + 1 FROM m WHERE k < 60000) SELECT count(*) FROM m) END AS steps FROM n"
)
"""Rows of which the first three hundred come at once and the last hundred in a second or more."""
COUNT_FOR_EVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


async def fault(call: Awaitable[object]) -> Fault:
    """The fault with which `call` ends."""
    with pytest.raises(grpc.RpcError) as error:
        await call
    return fault_of(error.value)


async def until_a_worker_works(executor: Executor) -> None:
    """Wait until the pool has given its only worker to a call."""
    await assert_eventually(lambda: executor.pool.busy == 1 and not executor.pool._idle)


async def test_workspaces_are_listed_and_a_broken_one_says_why(executor: Executor) -> None:
    found = await executor.stub.ListWorkspaces(pb.ListWorkspacesRequest())
    by_name = {entry["name"]: entry for entry in json.loads(found.workspaces_json)}
    assert by_name["shop"]["dialect"] == "sqlite"
    assert by_name["broken"]["error"]


async def test_a_session_is_made_found_and_listed(executor: Executor) -> None:
    session = await executor.new_session()
    shown = json.loads(
        (await executor.stub.GetSession(pb.GetSessionRequest(session_id=session))).session_json
    )
    assert (shown["workspace"], shown["author"], shown["phase"]["phase"]) == ("shop", "ann", "F1")
    other = await executor.new_session()
    page = await executor.stub.ListSessions(pb.ListSessionsRequest(page_size=1))
    assert [entry["id"] for entry in json.loads(page.sessions_json)] == [other]
    rest = await executor.stub.ListSessions(pb.ListSessionsRequest(page_token=page.next_page_token))
    assert [entry["id"] for entry in json.loads(rest.sessions_json)] == [session]
    assert not rest.next_page_token


@pytest.mark.parametrize("session", ["../x", "a" * 65, "a\0b", "", "20260101t000000-000000"])
async def test_an_id_that_is_no_session_is_not_found(executor: Executor, session: str) -> None:
    told = await fault(executor.stub.GetSession(pb.GetSessionRequest(session_id=session)))
    assert told.code is Code.NOT_FOUND


async def test_an_unknown_workspace_makes_nothing(executor: Executor) -> None:
    told = await fault(executor.new_session("nowhere"))
    assert told.code is Code.NOT_FOUND
    assert not list(executor.home.glob("sessions/*"))


async def test_sql_runs_only_after_its_approval(executor: Executor) -> None:
    session = await executor.new_session()
    told = await fault(executor.stub.PreviewSql(pb.PreviewSqlRequest(session_id=session)))
    assert told.code is Code.NOT_APPROVED
    assert (await executor.approve_all(session))["phase"] == "F5"
    found = await executor.stub.PreviewSql(pb.PreviewSqlRequest(session_id=session, limit=2))
    page = json.loads(found.page_json)
    assert [column["name"] for column in page["columns"]] == ["name", "price"]
    assert page["rows"] == [["fig", 5], ["plum", 3]]
    rest = await executor.stub.PreviewSql(
        pb.PreviewSqlRequest(session_id=session, limit=2, offset=2, result_id=page["result_id"])
    )
    assert json.loads(rest.page_json)["rows"] == [["apple", 2]]


async def test_c31_a_text_changed_after_approval_does_not_run(executor: Executor) -> None:
    session = await executor.new_session()
    await executor.approve_all(session)
    await executor.put(session, "sql_final.sql", FINAL_SQL.replace("DESC", " DESC").encode())
    told = await fault(executor.stub.PreviewSql(pb.PreviewSqlRequest(session_id=session)))
    assert told.code in {Code.APPROVAL_MISMATCH, Code.NOT_APPROVED}
    assert told.code.kind.http_status == 409


async def call_for_agent(executor: Executor, session: str, operation: str, /, **arguments: object) -> dict:
    called = await executor.stub.CallOperation(
        pb.CallOperationRequest(
            session_id=session, operation=operation, arguments_json=json.dumps(arguments).encode()
        )
    )
    return json.loads(called.result_json)


async def test_an_agent_reaches_its_own_session_and_workspace_only(executor: Executor) -> None:
    mine, other = await executor.new_session(), await executor.new_session()
    shown = await call_for_agent(executor, mine, "session.show", session=other)
    assert shown["id"] == mine
    tables = await call_for_agent(executor, mine, "schema.tables", workspace="broken")
    assert [table["name"] for table in tables["tables"]] == ["fruit"]
    draft = await call_for_agent(executor, mine, "sql.preview", sql="SELECT 1 AS one")
    assert draft["draft"] is True and draft["rows"] == [[1]]


@pytest.mark.parametrize("operation", ["decision.add", "session.new", "sql.export", "doctor"])
async def test_an_agent_can_neither_decide_nor_do_what_is_not_its_own(
    executor: Executor, operation: str
) -> None:
    session = await executor.new_session()
    told = await fault(call_for_agent(executor, session, operation))
    assert told.code is Code.REFUSED


async def test_a_statement_that_writes_is_refused_and_changes_nothing(executor: Executor) -> None:
    session = await executor.new_session()
    told = await fault(call_for_agent(executor, session, "sql.preview", sql="DELETE FROM fruit"))
    assert told.code is Code.REFUSED
    left = await call_for_agent(executor, session, "sql.preview", sql="SELECT count(*) FROM fruit")
    assert left["rows"] == [[3]]


async def test_a_statement_past_its_timeout_is_told_and_the_next_one_runs(executor: Executor) -> None:
    session = await executor.new_session()
    told = await fault(call_for_agent(executor, session, "sql.preview", sql=COUNT_FOR_EVER, timeout_s=0.3))
    assert told.code is Code.TIMEOUT
    page = await call_for_agent(executor, session, "sql.preview", sql="SELECT 1")
    assert page["rows"] == [[1]]


async def test_a_caller_that_goes_away_stops_its_statement(executor: Executor) -> None:
    session = await executor.new_session()
    running = asyncio.ensure_future(call_for_agent(executor, session, "sql.preview", sql=COUNT_FOR_EVER))
    await until_a_worker_works(executor)
    running.cancel()
    started = time.monotonic()
    # Both workers are free again well before the statement's own limit of thirty seconds.
    pages = await asyncio.gather(
        *(call_for_agent(executor, session, "sql.preview", sql="SELECT 1") for _ in range(2))
    )
    assert [page["rows"] for page in pages] == [[[1]], [[1]]]
    assert time.monotonic() - started < 20


async def test_the_first_page_comes_while_the_statement_runs(executor: Executor) -> None:
    session = await executor.new_session()
    await executor.approve_all(session, SLOW_LATER)

    async def page(**wanted: Any) -> dict[str, Any]:
        request = pb.PreviewSqlRequest(session_id=session, limit=100, **wanted)
        return json.loads((await executor.stub.PreviewSql(request)).page_json)

    first = await page()
    assert [row[0] for row in first["rows"]] == list(range(1, 101))
    assert (first["row_count"], first["truncated"]) == (None, True)
    assert executor.pool._after, "the worker is still at work"
    last = await page(offset=300, result_id=first["result_id"])
    assert last["rows"][-1] == [400, 60000 - 400 + 1]
    assert (last["row_count"], last["truncated"]) == (400, False)
    assert last["result_id"] == first["result_id"]


async def test_a_worker_that_is_killed_loses_one_call_and_no_more(executor: Executor) -> None:
    session = await executor.new_session()
    await call_for_agent(executor, session, "sql.preview", sql="SELECT 1")
    victims = [worker._process.pid for worker in executor.pool._idle]
    running = asyncio.ensure_future(call_for_agent(executor, session, "sql.preview", sql=COUNT_FOR_EVER))
    await until_a_worker_works(executor)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    told = await fault(running)
    assert told.code is Code.INTERNAL
    page = await call_for_agent(executor, session, "sql.preview", sql="SELECT 1")
    assert page["rows"] == [[1]]


@pytest.mark.parametrize("arguments", [b"[]", b"{", b"\xff", b'{"a":' * 100_000])
async def test_arguments_that_are_no_object_are_told_as_such(executor: Executor, arguments: bytes) -> None:
    session = await executor.new_session()
    request = pb.CallOperationRequest(session_id=session, operation="artifact.put", arguments_json=arguments)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await executor.stub.CallOperation(request)
    assert fault_of(raised.value).code is Code.MALFORMED
