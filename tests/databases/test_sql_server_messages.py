"""What a failing statement or connection is told as: one line, without a value of a row."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from contracts.errors import Code, Fault
from tests.databases.databases import Database
from tests.helpers import assert_eventually
from tht import sql
from tht.sql import warm
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases

VALUES = ("Ada", "Lovelace", "ada@", "Brien", "Bob", "line one", "line two")
"""Parts of the rows of `customers`: names, addresses, and notes with quotes and line ends."""

FAILING = {
    "postgres": [
        "{c}::int",
        "{c}::date",
        "{c}::uuid",
        "{c}::regtype",
        "{c}::regclass",
        "{c}::regrole",
        "{c}::int[]",
        "current_setting({c})",
        "('(' || {c})::tsquery",
        "has_column_privilege('customers', {c}, 'SELECT')",
        "has_database_privilege({c}, 'CONNECT')",
        "pg_has_role({c}, 'MEMBER')",
        "now() AT TIME ZONE {c}",
        "date_trunc({c}, now())",
        "to_date({c}, 'YYYY')",
        "encode('a'::bytea, {c})",
        "{c}::jsonpath",
    ],
    "mariadb": [
        "EXTRACTVALUE(1, CONCAT('~', {c}))",
        "UPDATEXML(1, CONCAT('~', {c}), 1)",
        "CAST({c} AS UUID)",
        "CAST({c} AS INET6)",
        "{c} + 1",
        "ADDTIME({c}, 1)",
        "STR_TO_DATE({c}, '%Y')",
        "JSON_EXTRACT({c}, '$.a')",
        "GeomFromText({c})",
    ],
}
LONG = "SELECT count(*) AS n FROM numbers a, numbers b, numbers c, numbers d WHERE a.n + b.n + c.n + d.n = 7"


@pytest.fixture(params=sorted(FAILING))
def workspace(request: pytest.FixtureRequest, database: Callable[[str], Database]) -> Iterator[Workspace]:
    dialect: str = request.param
    url = database(dialect).url
    text = f"dialect: {dialect}\nconnection: {{url: '{url}'}}\naccept_writable_role: true\n"
    yield parse_workspace("w", text, Path("/"))
    warm.close_all()


@pytest.mark.parametrize("column", ["name", "email", "notes"])
def test_a_failing_statement_tells_no_value(workspace: Workspace, column: str, tmp_path: Path) -> None:
    told = 0
    for expression in FAILING[workspace.dialect]:
        for key in (1, 2):
            text = f"SELECT {expression.format(c=column)} IS NULL AS x FROM customers WHERE id = {key}"
            try:
                page = sql.preview(workspace, text, home_results=tmp_path, draft=True)
                message = page.decode().partition('"warnings"')[2]
            except Fault as fault:
                assert fault.code is Code.DATABASE_ERROR
                message = f"{fault.message} {fault.details}"
            assert "\n" not in message
            assert not [part for part in VALUES if part in message], (expression, message)
            told += "'...'" in message
    assert told


@pytest.mark.parametrize("way", ["preview", "export"])
async def test_a_session_that_the_server_ends_is_a_lost_connection(
    workspace: Workspace, way: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    def run() -> None:
        if way == "preview":
            sql.preview(workspace, LONG, home_results=tmp_path, draft=True)
        else:
            list(sql.export(workspace, LONG, home_results=tmp_path))

    running = asyncio.create_task(asyncio.to_thread(run))
    await assert_eventually(lambda: ended(database, workspace.dialect))
    with pytest.raises(Fault) as caught:
        await running
    assert caught.value.code is Code.DATABASE_UNAVAILABLE


@pytest.mark.parametrize("dialect", sorted(FAILING))
def test_a_server_that_never_speaks_cannot_be_reached_within_the_time_limit(
    dialect: str, tmp_path: Path
) -> None:
    began = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{dialect.replace('postgres', 'postgresql')}://reader:sesame@127.0.0.1:{silent.getsockname()[1]}/d"
        workspace = parse_workspace("w", f"dialect: {dialect}\nconnection: {{url: '{url}'}}\n", tmp_path)
        with pytest.raises(Fault, match="cannot be reached") as caught:
            sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True, timeout_s=1)
    assert time.monotonic() - began < 8
    assert caught.value.code is Code.DATABASE_UNAVAILABLE


@pytest.mark.parametrize("name", ["ssl", "password", "too many", "invalid"])
def test_a_name_is_not_taken_for_the_reason(
    name: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    url = database("postgres").url.rpartition("/")[0] + "/" + name.replace(" ", "%20")
    workspace = parse_workspace("w", f"dialect: postgres\nconnection: {{url: '{url}'}}\n", tmp_path)
    with pytest.raises(Fault, match="no such database"):
        sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True)


def ended(database: Callable[[str], Database], dialect: str) -> int:
    """How many sessions with the long statement were ended."""
    laid: Any = database(dialect)
    if dialect == "postgres":
        found = laid.look.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'thothii' AND state = 'active' AND query LIKE '%numbers a%'"
        ).fetchall()
        return len(found)
    mark = "info LIKE '%numbers a, numbers b%' AND id <> connection_id()"
    found = laid.rows(f"SELECT id FROM information_schema.processlist WHERE {mark}")
    told = 0
    for (session,) in found:
        # One that an earlier test left may end by itself in this moment.
        with contextlib.suppress(pymysql.OperationalError):
            laid.rows(f"KILL {session}")
            told += 1
    return told
