"""What is said of a file that cannot be read: one line that tells what it is and what to do."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from tests.unit.sql.conftest import MakeWorkspace
from tht import sql
from tht.workspaces import parse_workspace

WRITERS = {
    "duckdb": "import duckdb; c = duckdb.connect(path); c.execute('CREATE TABLE t (a INT)')",
    "sqlite": "import sqlite3; c = sqlite3.connect(path); c.execute('BEGIN EXCLUSIVE')",
    "unfinished": "import sqlite3; c = sqlite3.connect(path, isolation_level=None); "
    "c.execute('PRAGMA cache_size = 1'); c.execute('BEGIN'); c.execute('CREATE TABLE t (a)'); "
    "c.executemany('INSERT INTO t VALUES (?)', [('x' * 1000,)] * 500)",
}


def without(path: Path) -> None:
    path.unlink()


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def noise(path: Path) -> None:
    path.write_bytes(b"\x00\xff" * 10_000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:600])


def other_kind(path: Path) -> None:
    is_sqlite = path.suffix == ".sqlite"
    path.unlink()
    if is_sqlite:
        subprocess.run([sys.executable, "-c", f"path = {str(path)!r}; {WRITERS['duckdb']}"], check=True)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (a)")
        connection.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without, "there is no database file"),
        (folder, "there is no database file"),
        (noise, "the database file cannot be opened"),
        (cut, "the database file cannot be opened"),
        (other_kind, "is a database of another kind; write dialect: "),
    ],
)
def test_a_file_that_is_no_database_of_the_dialect(
    change: Callable[[Path], None], told: str, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    workspace = make_workspace()
    change(next(tmp_path.glob("data.*")))
    assert told in said(lambda: sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True))


def test_a_file_that_a_writer_holds(make_workspace: MakeWorkspace, tmp_path: Path) -> None:
    workspace = make_workspace()
    path = next(tmp_path.glob("data.*"))
    script = f"path = {str(path)!r}; {WRITERS[path.suffix[1:]]}; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"\n"
        message = said(lambda: sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True))
        writer.kill()
    assert "a writer" in message
    assert "try again" in message


def test_a_change_that_nobody_finished(make_sqlite: MakeWorkspace, tmp_path: Path) -> None:
    workspace = make_sqlite()
    path = next(tmp_path.glob("data.*"))
    script = f"import os; path = {str(path)!r}; {WRITERS['unfinished']}; os._exit(0)"
    subprocess.run([sys.executable, "-c", script], check=True)
    before = sorted(os.listdir(tmp_path))
    message = said(lambda: sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True))
    assert "left a change unfinished" in message
    assert sorted(os.listdir(tmp_path)) == before


def test_a_folder_that_takes_no_files_beside_a_wal(
    make_sqlite: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        # what SQLite says to an account that may not write there; the superuser always may
        raise sqlite3.OperationalError("attempt to write a readonly database")

    workspace = make_sqlite()
    monkeypatch.setattr(sqlite3, "connect", refuse)
    message = said(lambda: sql.preview(workspace, "SELECT 1", home_results=tmp_path, draft=True))
    assert "connection.immutable" in message


def test_an_immutable_file_gets_nothing_beside_it(make_sqlite: MakeWorkspace, tmp_path: Path) -> None:
    path = Path(str(make_sqlite().connection.path))
    text = f"dialect: sqlite\nconnection: {{path: {path}, immutable: true}}\n"
    workspace = parse_workspace("small", text, tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    page = json.loads(
        bytes(sql.preview(workspace, "SELECT count(*) FROM orders", home_results=tmp_path, draft=True))
    )
    assert page["rows"] == [[3]]
    assert [found.name for found in tmp_path.glob("data.*")] == [path.name]


def said(ask: Callable[[], object]) -> str:
    with pytest.raises(Fault) as caught:
        ask()
    assert caught.value.code is Code.DATABASE_UNAVAILABLE
    assert "\n" not in caught.value.message
    return caught.value.message
