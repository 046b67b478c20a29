"""What only a real server shows: cancelled statements leave its process list, roles are told apart, nothing
is revealed."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from contracts.errors import Code, Fault
from services.tht_executor.pool import WorkerPool
from services.tht_executor.worker import Worker as PooledWorker
from tests.databases.databases import Database
from tests.databases.worker import Worker
from tests.helpers import assert_eventually
from tht import sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases

SERVERS = ["postgres", "mariadb"]
SLOW = "SELECT count(*) AS n FROM numbers a, numbers b, numbers c, numbers d WHERE a.n + b.n + c.n + d.n = 7"


@pytest.fixture(params=SERVERS)
def dialect(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param
    warm.close_all()


def workspace_of(
    database: Callable[[str], Database], dialect: str, more: str = "", url: str | None = None
) -> Workspace:
    address = url or database(dialect).url
    return parse_workspace("w", f"dialect: {dialect}\nconnection: {{url: '{address}'}}\n{more}", Path("/"))


def running(database: Callable[[str], Database], dialect: str) -> int:
    """Statements of ours that the server is working on."""
    laid: Any = database(dialect)
    if dialect == "postgres":
        row = laid.look.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'thothii' AND state = 'active'"
        ).fetchone()
        return int(row[0])
    ours = "info LIKE 'SELECT count(*) AS n FROM numb%'"
    rows = laid.rows(f"SELECT count(*) FROM information_schema.processlist WHERE {ours}")
    return int(rows[0][0])


def wait_for(probe: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        threading.Event().wait(0.02)


def test_c09_a_cancelled_statement_leaves_the_server(
    dialect: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, dialect, "accept_writable_role: true\n")
    cancel = Cancel()
    caught: list[Fault] = []

    def run() -> None:
        try:
            sql.preview(workspace, SLOW, home_results=tmp_path, draft=True, cancel=cancel)
        except Fault as fault:
            caught.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: running(database, dialect) == 1, 10)
    cancel.set()
    wait_for(lambda: running(database, dialect) == 0, 2)
    thread.join()
    assert [fault.code for fault in caught] == [Code.CANCELLED]


async def test_c09_a_killed_worker_leaves_no_statement_behind(
    dialect: str, database: Callable[[str], Database], worker: Callable[[str], Worker]
) -> None:
    """PostgreSQL looks whether its client is still there; MariaDB does not, there another worker ends it."""
    folder = worker(dialect).home
    here_before = set(psutil.Process().children())
    pool = WorkerPool(lambda: PooledWorker.start(folder, 2048), size=1, queue=2, wait=20, idle=60)
    await pool.open()
    arguments = {"workspace": dialect, "sql": SLOW}
    call = asyncio.create_task(
        pool.call("sql.preview", arguments, affinity=dialect, asker=dialect, deadline=30)
    )
    await assert_eventually(lambda: running(database, dialect) == 1, 20)
    new = set(psutil.Process().children()) - here_before
    (child,) = [found for found in new if "worker" in found.cmdline()]
    child.kill()
    with pytest.raises(Fault) as told:
        await call
    assert told.value.code is Code.INTERNAL
    await assert_eventually(lambda: running(database, dialect) == 0, 3)
    await pool.close()


def test_a_role_that_may_write_is_not_used(
    dialect: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, dialect)
    with pytest.raises(Fault) as caught:
        sql.preview(workspace, "SELECT 1 AS a", home_results=tmp_path, draft=True)
    assert caught.value.code is Code.REFUSED
    assert "accept_writable_role" in caught.value.message
    failed = {check["name"] for check in sql.role_checks(workspace) if not check["ok"]}
    assert "role_is_no_superuser" in failed


@pytest.fixture
def reader_url(dialect: str, database: Callable[[str], Database]) -> Iterator[str]:
    """The URL of an account that may only read."""
    laid: Any = database(dialect)
    if dialect == "postgres":
        laid.admin.execute("CREATE ROLE reader LOGIN PASSWORD 'sesame'")
        laid.look.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        yield laid.url.replace("postgres@", "reader:sesame@")
        laid.look.execute("DROP OWNED BY reader")
        laid.admin.execute("DROP ROLE reader")
    else:
        laid.rows("CREATE USER reader@'%' IDENTIFIED BY 'sesame'")
        laid.rows("CREATE USER reader@localhost IDENTIFIED BY 'sesame'")
        for host in ("%", "localhost"):
            laid.rows(f"GRANT SELECT ON cases.* TO reader@'{host}'")
        yield laid.url.replace("root@", "reader:sesame@")
        laid.rows("DROP USER reader@'%'")
        laid.rows("DROP USER reader@localhost")


def test_a_reading_role_is_used(
    dialect: str, reader_url: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, dialect, url=reader_url)
    assert all(check["ok"] for check in sql.role_checks(workspace))
    page = sql.preview(workspace, "SELECT count(*) AS n FROM orders", home_results=tmp_path, draft=True)
    assert b'["7"]' in page
    warm.close_all()


@pytest.mark.parametrize("change", ["password", "port", "database"])
def test_c32_a_failed_connection_reveals_nothing(
    dialect: str, change: str, reader_url: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    url = {
        "password": reader_url.replace("sesame", "s3cret"),
        "port": reader_url.rsplit(":", 1)[0] + ":1/cases",
        "database": reader_url.replace("/cases", "/elsewhere"),
    }[change]
    # PostgreSQL's throw-away server trusts every password
    if dialect == "postgres" and change == "password":
        url = reader_url.replace("reader:", "nobody:")
    with pytest.raises(Fault) as caught:
        sql.preview(workspace_of(database, dialect, url=url), "SELECT 1", home_results=tmp_path, draft=True)
    assert caught.value.code is Code.DATABASE_UNAVAILABLE
    for secret in ("s3cret", "sesame", "reader", "nobody", "127.0.0.1", "elsewhere"):
        assert secret not in caught.value.message


def test_a_connection_lost_between_calls_is_made_again(
    dialect: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, dialect, "accept_writable_role: true\n")
    sql.preview(workspace, "SELECT 1 AS a", home_results=tmp_path, draft=True)
    laid: Any = database(dialect)
    if dialect == "postgres":
        laid.look.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'thothii'"
        )
        code = Code.DATABASE_UNAVAILABLE
        with pytest.raises(Fault) as caught:
            sql.preview(workspace, "SELECT 1 AS a", home_results=tmp_path, draft=True)
        assert caught.value.code is code
    else:
        for (number,) in laid.rows(
            "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root'"
        ):
            laid.rows(f"KILL {number}")
    assert b"[[1]]" in sql.preview(workspace, "SELECT 1 AS a", home_results=tmp_path, draft=True).replace(
        b'"1"', b"1"
    )


STUBBORN = """
CREATE FUNCTION stubborn() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    BEGIN
      PERFORM pg_sleep(0.2);
    EXCEPTION WHEN query_canceled THEN
    END;
  END LOOP;
END $$
"""


async def test_c09_a_statement_that_takes_no_interrupt_is_cut_off(
    database: Callable[[str], Database], tmp_path: Path
) -> None:
    laid: Any = database("postgres")
    workspace = workspace_of(database, "postgres", "accept_writable_role: true\n")
    laid.look.execute(STUBBORN)
    began = time.monotonic()
    try:
        with pytest.raises(Fault) as caught:
            sql.preview(workspace, "SELECT stubborn()", home_results=tmp_path, draft=True, timeout_s=0.5)
        assert caught.value.code is Code.TIMEOUT
        assert time.monotonic() - began < 10
        await assert_eventually(lambda: not running(database, "postgres"))
    finally:
        laid.look.execute("DROP FUNCTION stubborn()")
        warm.close_all()


def test_a_superuser_is_told_of_row_security_instead_of_missing_rows(
    database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, "postgres", "accept_writable_role: true\n")
    with pytest.raises(Fault, match="row-level security") as caught:
        sql.preview(workspace, "SELECT count(*) AS n FROM guarded", home_results=tmp_path, draft=True)
    assert caught.value.code is Code.DATABASE_ERROR
    warm.close_all()


INFORMATION = [
    "SELECT constraint_name FROM information_schema.referential_constraints",
    "SELECT column_default FROM information_schema.columns WHERE table_name IN ('audit_log') "
    "AND column_default IS NOT NULL",
    "WITH v AS (SELECT view_definition AS d FROM information_schema.views WHERE table_schema = 'public') "
    "SELECT upper(d) FROM v WHERE (d LIKE '%paid%')",
]
READS_A_FILE = [
    "SELECT {f}('PG_VERSION') FROM information_schema.sql_features LIMIT 1",
    "SELECT f.* FROM information_schema.sql_features s, {f}('PG_VERSION') f",
    "SELECT a.{f}('PG_VERSION') FROM information_schema.sql_features a LIMIT 1",
]


@pytest.mark.parametrize("text", INFORMATION)
def test_a_superuser_sees_all_of_the_information_schema(
    text: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, "postgres", "accept_writable_role: true\n")
    page = msgspec.json.decode(sql.preview(workspace, text, home_results=tmp_path, draft=True))
    laid: Any = database("postgres")
    assert len(page["rows"]) == len(laid.look.execute(text).fetchall()) > 0
    warm.close_all()


@pytest.mark.parametrize("text", READS_A_FILE)
@pytest.mark.parametrize("name", ["product_label", "public.product_label", 'U&"publ\\0069c"."product_label"'])
def test_a_superuser_beside_the_information_schema_reads_no_file(
    text: str, name: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, "postgres", "accept_writable_role: true\n")
    with pytest.raises(Fault) as caught:
        sql.preview(workspace, text.format(f=name), home_results=tmp_path, draft=True)
    assert caught.value.code in (Code.DATABASE_ERROR, Code.REFUSED)
    warm.close_all()


@pytest.mark.parametrize("text", ["SELECT FROM orders", "SELECT WHERE false"])
def test_a_statement_without_columns_is_refused(
    text: str, database: Callable[[str], Database], tmp_path: Path
) -> None:
    workspace = workspace_of(database, "postgres", "accept_writable_role: true\n")
    with pytest.raises(Fault, match="no columns"):
        sql.preview(workspace, text, home_results=tmp_path, draft=True)
    with pytest.raises(Fault, match="no columns"):
        list(sql.export(workspace, text, home_results=tmp_path))
    warm.close_all()
