"""What read-only modes let through, refused by the policy and, where it is gone, by the locked engine; names
carry the id of the behaviour."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from contracts.errors import Code, Fault
from tests.databases.databases import Database
from tests.databases.worker import Worker
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.workspaces import Workspace

pytestmark = pytest.mark.databases

every_engine = pytest.mark.parametrize("dialect", ("sqlite", "duckdb", "postgres", "mariadb"))

Workers = Callable[[str], Worker]
Databases = Callable[[str], Database]


def preview(worker: Workers, dialect: str, text: str, **more: Any) -> dict[str, Any]:
    page, _ = worker(dialect).call("sql.preview", workspace=dialect, sql=text, **more)
    return page


ESCAPES = [
    "COMMIT; DELETE FROM orders",
    "SELECT 1; DELETE FROM orders",
    "ROLLBACK; SET TRANSACTION READ WRITE; DELETE FROM orders",
    "SELECT 1;\n-- x\nDELETE FROM orders;",
    "; DELETE FROM orders",
    "BEGIN; DELETE FROM orders; COMMIT",
]


@every_engine
@pytest.mark.parametrize("text", ESCAPES)
@pytest.mark.parametrize("operation", ["sql.preview", "sql.export"])
def test_c01_a_second_statement_is_refused_before_the_driver(
    operation: str, text: str, dialect: str, worker: Workers, database: Databases
) -> None:
    laid = database(dialect)
    with pytest.raises(Fault) as caught:
        worker(dialect).call(operation, workspace=dialect, sql=text)
    assert caught.value.code is Code.REFUSED
    assert laid.fingerprint() == laid.right  # type: ignore[attr-defined]


IN_READ_ONLY = [
    "COPY orders TO '/tmp/thothii-out'",
    "COPY orders TO PROGRAM 'cat'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT pg_switch_wal()",
    "SELECT pg_ls_dir('/')",
    "SELECT pg_reload_conf()",
    "SELECT lo_export(4242, '/tmp/thothii-out')",
]
REFUSED_BY_POLICY = [
    "SELECT lo_create(0)",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_advisory_lock(1)",
    "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE",
    "NOTIFY x",
    "SELECT pg_notify('x', 'y')",
    "SELECT nextval('order_seq')",
    "SELECT set_config('transaction_read_only', 'off', true)",
]


@pytest.mark.parametrize("text", IN_READ_ONLY + REFUSED_BY_POLICY)
def test_c03_what_a_read_only_transaction_allows_is_refused_by_policy(text: str, worker: Workers) -> None:
    with pytest.raises(Fault) as caught:
        preview(worker, "postgres", text)
    assert caught.value.code is Code.REFUSED


@pytest.mark.parametrize("text", IN_READ_ONLY)
def test_c03_files_and_programs_are_out_of_reach_without_the_policy(
    text: str, open_workspace: Callable[[str], Workspace]
) -> None:
    """The second layer alone, with the account of a superuser."""
    engine = warm.connect(open_workspace("postgres"))
    try:
        with (
            pytest.raises(Fault) as caught,
            engine.execute(text, timeout_s=5, cancel=Cancel()) as source,
        ):
            list(source.batches(10))
    finally:
        engine.close()
    assert caught.value.code in (Code.REFUSED, Code.DATABASE_ERROR)
    assert not Path("/tmp/thothii-out").exists()


WRITES_IN_READS = [
    "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x",
    "WITH x AS (INSERT INTO orders (id) VALUES (99) RETURNING id) SELECT * FROM x",
    "WITH x AS (UPDATE orders SET note = 'x' RETURNING id) SELECT * FROM x",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "DO $$ BEGIN DELETE FROM orders; END $$",
    "CALL do_touch()",
    "EXECUTE x",
    "VACUUM orders",
    "SET ROLE postgres",
    "SELECT * INTO made FROM orders",
    "SELECT * FROM orders FOR UPDATE",
]


@every_engine
@pytest.mark.parametrize("text", WRITES_IN_READS)
def test_c05_a_write_in_a_read_is_refused(
    text: str, dialect: str, worker: Workers, database: Databases
) -> None:
    laid = database(dialect)
    with pytest.raises(Fault) as caught:
        preview(worker, dialect, text)
    assert caught.value.code is Code.REFUSED
    assert laid.fingerprint() == laid.right  # type: ignore[attr-defined]


MEASURED_ON_DUCKDB = [
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "EXPORT DATABASE '{folder}/out'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '/etc/passwd'",
    "SET memory_limit = '1GB'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET memory_limit",
    "ATTACH '{folder}/other.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CREATE TEMP TABLE t (a INTEGER)",
    "PRAGMA database_list",
    "CHECKPOINT",
    "CALL pragma_version()",
]


@pytest.mark.parametrize("text", MEASURED_ON_DUCKDB)
def test_c06_what_duckdbs_read_only_mode_allows_is_refused(
    text: str, worker: Workers, tmp_path: Path
) -> None:
    with pytest.raises(Fault) as caught:
        preview(worker, "duckdb", text.format(folder=tmp_path))
    assert caught.value.code is Code.REFUSED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", MEASURED_ON_DUCKDB[:10])
def test_c06_the_locked_engine_alone_refuses_it(
    text: str, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    """The connection as it is, without the guard and without the look at the kind of statement."""
    engine: Any = warm.connect(open_workspace("duckdb"))
    try:
        with pytest.raises(duckdb.Error):
            engine._connection.execute(text.format(folder=tmp_path)).fetchall()
    finally:
        engine.close()
    assert list(tmp_path.iterdir()) == []


MEASURED_ON_SQLITE = [
    "ATTACH '{folder}/new.db' AS n",
    "VACUUM INTO '{folder}/copy.db'",
    "CREATE TEMP TABLE t (a)",
    "PRAGMA query_only = 0",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA writable_schema = 1",
    "SELECT load_extension('x')",
    "SELECT fts3_tokenizer('simple', x'00')",
    "DETACH main",
    "REINDEX",
]


@pytest.mark.parametrize("text", MEASURED_ON_SQLITE)
def test_c07_what_sqlites_read_only_mode_allows_is_refused(
    text: str, worker: Workers, tmp_path: Path
) -> None:
    with pytest.raises(Fault) as caught:
        preview(worker, "sqlite", text.format(folder=tmp_path))
    assert caught.value.code is Code.REFUSED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", MEASURED_ON_SQLITE)
def test_c07_the_locked_engine_alone_refuses_it(
    text: str, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    engine: Any = warm.connect(open_workspace("sqlite"))
    try:
        with pytest.raises(sqlite3.Error):
            engine._connection.execute(text.format(folder=tmp_path)).fetchall()
    finally:
        engine.close()
    assert list(tmp_path.iterdir()) == []


def test_c07_one_step_of_the_engine_cannot_run_for_long(worker: Workers) -> None:
    """A step is not interruptible, so the length of a value is limited."""
    with pytest.raises(Fault) as caught:
        preview(worker, "sqlite", "SELECT hex(randomblob(400000000)) AS a", timeout_s=0.5)
    assert caught.value.code is Code.OVER_CAP
    assert preview(worker, "sqlite", "SELECT 1 AS a")["rows"] == [[1]]
