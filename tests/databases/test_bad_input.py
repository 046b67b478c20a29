"""What people get wrong, and what databases do at the wrong moment, through one real worker: one clear error
each, no traceback, no secret, and the same process answers the next call."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from contracts.errors import Code, Fault
from tests.databases.databases import Database
from tests.databases.worker import Worker
from tests.helpers import assert_eventually, free_port

pytestmark = pytest.mark.databases

DIALECTS = ("sqlite", "duckdb", "postgres", "mariadb")
QUESTION = "SELECT count(*) AS n FROM orders"
SLOW = "SELECT count(*) AS n FROM numbers a, numbers b, numbers c, numbers d WHERE a.n + b.n + c.n + d.n = 7"
SECRET = "s3cret-and-long"


@dataclass
class Bench:
    """One worker, its home and what it wrote to its standard error."""

    worker: Worker
    home: Path
    log: Path
    url: Callable[[str], str]

    def workspace(self, name: str, text: str) -> str:
        (self.home / "workspaces" / f"{name}.yaml").write_text(text, encoding="utf-8")
        return name

    def on(self, dialect: str, url: str | None = None, name: str | None = None) -> str:
        """The name of a workspace for a database."""
        connection = f"connection: {{url: '{url or self.url(dialect)}'}}"
        text = f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n"
        return self.workspace(name or dialect, text)

    def fault(self, operation: str, **arguments: Any) -> Fault:
        """The fault of a call, after a look at what every fault must be; the worker must live on."""
        self.answers()
        process = self.worker.process
        with pytest.raises(Fault) as caught:
            self.worker.call(operation, **arguments)
        message = caught.value.message
        assert message and "\n" not in message and len(message) < 1000
        assert "Traceback" not in message and SECRET not in message
        self.answers()
        assert self.worker.process is process
        log = self.log.read_text(encoding="utf-8")
        assert "Traceback" not in log and SECRET not in log
        return caught.value

    def answers(self) -> None:
        page, _ = self.worker.call("sql.preview", workspace="good", sql=QUESTION)
        assert page["rows"] == [[7]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, database: Callable[[str], Database]) -> Iterator[Bench]:
    home = tmp_path_factory.mktemp("home")
    (home / "workspaces").mkdir()
    log = home / "worker.log"
    with log.open("wb") as errors:
        worker = Worker(home, errors=errors)
        made = Bench(worker, home, log, lambda dialect: database(dialect).url)
        made.on("sqlite", name="good")
        yield made
        worker.stop()


BROKEN = {
    "no YAML": ("dialect: [sqlite\n", Code.WORKSPACE_BROKEN),
    "a tab": ("dialect:\tsqlite\n\tconnection: x\n", Code.WORKSPACE_BROKEN),
    "a list": ("- dialect: sqlite\n", Code.WORKSPACE_BROKEN),
    "nothing": ("", Code.WORKSPACE_BROKEN),
    "bytes": ("dialect: \x00sqlite\n", Code.WORKSPACE_BROKEN),
    "an object": ("!!python/object/apply:os.system ['true']\n", Code.WORKSPACE_BROKEN),
    "an unknown dialect": ("dialect: oracle\nconnection: {url: 'oracle://x/y'}\n", Code.WORKSPACE_BROKEN),
    "an unknown key": ("dialect: sqlite\nconnection: {path: /x}\nlimit: {rows: 1}\n", Code.WORKSPACE_BROKEN),
    "no connection": ("dialect: sqlite\n", Code.WORKSPACE_BROKEN),
    "a limit that is none": (
        "dialect: sqlite\nconnection: {path: /x}\nlimits: {rows: many}\n",
        Code.WORKSPACE_BROKEN,
    ),
    "another scheme": ("dialect: sqlite\nconnection: {url: 'postgresql://h/d'}\n", Code.WORKSPACE_BROKEN),
    "an unset variable": (
        "dialect: postgres\nconnection: {url: 'postgresql://u:${NOT_SET_ANYWHERE}@h/d'}\n",
        Code.WORKSPACE_BROKEN,
    ),
    "a file that is not there": (
        "dialect: sqlite\nconnection: {path: nowhere.db}\n",
        Code.DATABASE_UNAVAILABLE,
    ),
    "a folder": ("dialect: duckdb\nconnection: {path: /}\n", Code.DATABASE_UNAVAILABLE),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_workspace_that_cannot_be_used(kind: str, bench: Bench) -> None:
    text, code = BROKEN[kind]
    name = bench.workspace("bad", text)
    fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
    assert fault.code is code
    checked, _ = bench.worker.call("workspace.check", workspace=name)
    assert not checked["ok"]
    told = [check["message"] for check in checked["checks"] if not check["ok"]]
    assert len(told) == 1
    if kind == "an unset variable":
        assert "NOT_SET_ANYWHERE" in fault.message
    if kind == "an unknown dialect":
        assert "oracle" in fault.message


def test_a_secret_in_clear_is_warned_about_and_shown_nowhere(bench: Bench) -> None:
    port = free_port()
    for name, connection in (
        ("clear", f"{{url: 'postgresql://reader:{SECRET}@127.0.0.1:{port}/d'}}"),
        ("hidden", f"{{url: 'postgresql://reader:${{HOME}}@127.0.0.1:{port}/d'}}"),
    ):
        bench.workspace(name, f"dialect: postgres\nconnection: {connection}\n")
        shown, _ = bench.worker.call("workspace.show", workspace=name)
        checked, _ = bench.worker.call("workspace.check", workspace=name)
        warned = [text for text in shown["warnings"] if "in clear" in text]
        assert len(warned) == (name == "clear")
        assert SECRET not in str(shown) + str(checked)


def test_a_host_that_cannot_be_reached(bench: Bench) -> None:
    for dialect, scheme in (("postgres", "postgresql"), ("mariadb", "mysql")):
        for host in (f"127.0.0.1:{free_port()}", "no-such-host.invalid", "[::1]:1", "127.0.0.1:notaport"):
            name = bench.on(dialect, f"{scheme}://reader:{SECRET}@{host}/d", name="bad")
            fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
            assert fault.code in (Code.DATABASE_UNAVAILABLE, Code.WORKSPACE_BROKEN)
            assert not {"reader", "no-such-host", "127.0.0.1"} & set(fault.message.replace("/", " ").split())


@asynccontextmanager
async def asked_for_a_password(dialect: str, laid: Any) -> AsyncGenerator[None]:
    """Makes the account `locked`, whose password is not SECRET."""
    if dialect == "mariadb":
        laid.rows("CREATE USER locked@localhost IDENTIFIED BY 'another'")
        try:
            yield
        finally:
            laid.rows("DROP USER locked@localhost")
        return
    rules = Path(laid.admin.execute("SHOW hba_file").fetchone()[0])
    before = rules.read_text(encoding="utf-8")  # noqa: ASYNC240 - a test, and a small file
    laid.admin.execute("CREATE ROLE locked LOGIN PASSWORD 'another'")
    try:
        await reloaded(laid, rules, f"host all locked 127.0.0.1/32 scram-sha-256\n{before}")
        yield
    finally:
        await reloaded(laid, rules, before)
        laid.admin.execute("DROP ROLE locked")
        # the time of the last reload is a part of it
        laid.right = laid.fingerprint()


async def reloaded(laid: Any, rules: Path, text: str) -> None:
    """The server has read its rules anew, which it does a moment after it is told."""

    def loaded() -> Any:
        return laid.look.execute("SELECT pg_conf_load_time()").fetchone()

    before = loaded()
    rules.write_text(text, encoding="utf-8")  # noqa: ASYNC240 - a test, and a small file
    laid.admin.execute("SELECT pg_reload_conf()")
    await assert_eventually(lambda: loaded() != before)


@pytest.mark.parametrize("dialect", ["postgres", "mariadb"])
async def test_c32_a_wrong_password(dialect: str, bench: Bench, database: Callable[[str], Database]) -> None:
    laid: Any = database(dialect)
    user = "postgres@" if dialect == "postgres" else "root@"
    url = laid.url.replace(user, f"locked:{SECRET}@")
    async with asked_for_a_password(dialect, laid):
        name = bench.on(dialect, url, name="bad")
        fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
    assert fault.code is Code.DATABASE_UNAVAILABLE
    assert "refused the account" in fault.message
    assert "locked" not in fault.message


def test_a_sqlite_file_that_a_writer_has_locked(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "busy.sqlite"
    with sqlite3.connect(path, isolation_level=None) as writer:
        writer.execute("CREATE TABLE orders (id INTEGER)")
        name = bench.on("sqlite", f"sqlite:///{path}", name="bad")
        writer.execute("BEGIN EXCLUSIVE")
        fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
        assert fault.code is Code.DATABASE_UNAVAILABLE
        assert "locked by a writer" in fault.message
        writer.execute("COMMIT")
        page, _ = bench.worker.call("sql.preview", workspace=name, sql=QUESTION)
        assert page["rows"] == [[0]]
    writer.close()


HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


def test_a_duckdb_file_that_a_writer_holds(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    with duckdb.connect(str(path)) as maker:
        maker.execute("CREATE TABLE orders (id INTEGER)")
    name = bench.on("duckdb", f"duckdb:///{path}", name="bad")
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
        holder.stdin.close()
    assert fault.code is Code.DATABASE_UNAVAILABLE
    assert "a writer holds" in fault.message
    page, _ = bench.worker.call("sql.preview", workspace=name, sql=QUESTION)
    assert page["rows"] == [["0"]]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize(
    "content", [b"", b"no database at all\n" * 500, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_file_that_is_no_database(dialect: str, content: bytes, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    name = bench.on(dialect, f"{dialect}:///{path}", name="bad")
    fault = bench.fault("sql.preview", workspace=name, sql=QUESTION)
    # an empty file is a database without tables to SQLite
    empty = dialect == "sqlite" and not content
    assert fault.code is (Code.DATABASE_ERROR if empty else Code.DATABASE_UNAVAILABLE)
    assert str(tmp_path) not in fault.message


@pytest.mark.parametrize("operation", ["sql.preview", "sql.export"])
@pytest.mark.parametrize("dialect", ["postgres", "mariadb"])
async def test_a_database_that_goes_away_in_mid_query(
    operation: str, dialect: str, bench: Bench, database: Callable[[str], Database]
) -> None:
    laid: Any = database(dialect)
    name = bench.on(dialect)
    stopped: list[bool] = []

    def end() -> bool:
        """Ends what runs, as a restart of the server would; true once it was there."""
        if dialect == "postgres":
            rows = laid.look.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'thothii' AND state = 'active'"
            ).fetchall()
        else:
            rows = laid.rows(
                "SELECT id FROM information_schema.processlist "
                "WHERE info LIKE 'SELECT count(*) AS n FROM numb%'"
            )
            for (number,) in rows:
                laid.rows(f"KILL {number}")
        stopped.extend([True] * len(rows))
        return bool(rows)

    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02) and not end():
            pass

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        fault = bench.fault(operation, workspace=name, sql=SLOW, timeout_s=25)
    finally:
        over.set()
        watcher.join()
    assert stopped
    assert fault.code is Code.DATABASE_UNAVAILABLE
    assert "connection" in fault.message
    page, _ = bench.worker.call("sql.preview", workspace=name, sql=QUESTION)
    assert page["rows"] == [["7"]]


@pytest.mark.parametrize("operation", ["sql.check", "sql.preview", "sql.export"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_text_of_ten_megabytes(operation: str, dialect: str, bench: Bench) -> None:
    name = bench.on(dialect)
    for text in ("SELECT '" + "x" * 10_000_000 + "'", "SELECT 1 --" + "x" * 10_000_000, "(" * 10_000_000):
        assert bench.fault(operation, workspace=name, sql=text).code is Code.TOO_LARGE


DEEP = {
    "parentheses": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "open parentheses": "SELECT " + "(" * 10_000,
    "queries": "SELECT * FROM (" * 10_000 + "SELECT 1" + ") t" * 10_000,
    "nots": "SELECT " + "NOT " * 10_000 + "1",
    "minus": "SELECT " + "- " * 10_000 + "1",
    "cases": "SELECT " + "CASE WHEN 1 = 1 THEN " * 10_000 + "1" + " END" * 10_000,
    "functions": "SELECT " + "abs(" * 10_000 + "1" + ")" * 10_000,
    "comments": "SELECT " + "/*" * 10_000 + "1",
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_text_nested_ten_thousand_deep(kind: str, dialect: str, bench: Bench) -> None:
    fault = bench.fault("sql.preview", workspace=bench.on(dialect), sql=DEEP[kind])
    # where comments do not nest, those are signs that the engine cannot read
    assert fault.code is Code.REFUSED or (kind == "comments" and fault.code is Code.DATABASE_ERROR)


LONG = {
    "additions": "SELECT " + "1 + " * 10_000 + "1 AS n",
    "ors": "SELECT 1 AS n WHERE " + "1 = 2 OR " * 10_000 + "1 = 1",
    "unions": "SELECT 1 AS n UNION ALL " * 3_000 + "SELECT 1 AS n",
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_chain_is_answered_or_told_to_be_too_long(kind: str, dialect: str, bench: Bench) -> None:
    name = bench.on(dialect)
    process = bench.worker.process
    try:
        page, _ = bench.worker.call("sql.preview", workspace=name, sql=LONG[kind], limit=1)
        assert page["columns"][0]["name"] == "n"
    except Fault as fault:
        assert fault.code in (Code.REFUSED, Code.OVER_CAP, Code.DATABASE_ERROR)
        assert "\n" not in fault.message
    bench.answers()
    assert bench.worker.process is process
