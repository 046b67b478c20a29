"""Values of every kind from real engines: one text each in a page, in CSV and, where they have the type, in
Arrow and Parquet."""

import base64
import datetime
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from contracts.errors import Fault
from tests.databases.databases import CASES, Database
from tests.databases.worker import Worker

pytestmark = pytest.mark.databases

DOCUMENT: dict[str, Any] = yaml.safe_load((CASES / "kinds.yaml").read_text(encoding="utf-8"))
KINDS: list[dict[str, Any]] = DOCUMENT["values"]


EVERY_KIND = pytest.mark.parametrize(
    ("case", "dialect"),
    [pytest.param(kind, kind["dialect"], id=f"{kind['dialect']}-{i}") for i, kind in enumerate(KINDS)],
)


def made(dialect: str, folder: Path, database: Callable[[str], Database]) -> str:
    """The URL of a database of its own that holds what the statements read."""
    setup: list[str] = DOCUMENT["setup"][dialect]
    path = folder / f"kinds.{dialect}"
    if dialect == "sqlite":
        with sqlite3.connect(path, isolation_level=None) as connection:
            for statement in setup:
                connection.execute(statement)
        connection.close()
        return f"sqlite:///{path}"
    if dialect == "duckdb":
        with duckdb.connect(str(path)) as database_:
            for statement in setup:
                database_.execute(statement)
        return f"duckdb:///{path}"
    laid: Any = database(dialect)
    if dialect == "postgres":
        import psycopg

        laid.admin.execute("CREATE DATABASE kinds")
        with psycopg.connect(f"{laid.dsn} dbname=kinds", autocommit=True) as session:
            for statement in setup:
                session.execute(statement.encode())
    else:
        for statement in ("CREATE DATABASE kinds CHARACTER SET utf8mb4", "USE kinds", *setup, "USE cases"):
            laid.rows(statement)
    return laid.url.replace("/cases", "/kinds")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory, database: Callable[[str], Database]) -> Iterator[Any]:
    """Gives the worker of a dialect; its workspaces are named like them."""
    home = tmp_path_factory.mktemp("home")
    (home / "workspaces").mkdir()
    worker = Worker(home)
    ready: set[str] = set()

    def get(dialect: str) -> Worker:
        if dialect not in ready:
            url = made(dialect, home, database)
            text = f"dialect: {dialect}\nconnection: {{url: '{url}'}}\naccept_writable_role: true\n"
            (home / "workspaces" / f"{dialect}.yaml").write_text(text, encoding="utf-8")
            ready.add(dialect)
        return worker

    yield get
    worker.stop()
    for dialect in ready & {"postgres", "mariadb"}:
        laid: Any = database(dialect)
        if dialect == "postgres":
            laid.admin.execute("DROP DATABASE kinds WITH (FORCE)")
        else:
            laid.rows("DROP DATABASE kinds")
            laid.rows("SET SESSION sql_mode = DEFAULT")


def csv_text(cell: Any, type_: str, storage: str | None = None) -> str:
    """What the table of the documentation makes of a page's cell in CSV."""
    if cell is None:
        return ""
    if type_ == "bytes" or storage == "blob":
        return "\\x" + base64.b64decode(cell).hex()
    if isinstance(cell, bool):
        return "true" if cell else "false"
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
    if text == "" or set(text) & set('",\r\n') or text != text.strip(" "):
        return '"' + text.replace('"', '""') + '"'
    return text


def identical(one: Any, other: Any) -> bool:
    """Equal, and of the same kind: 1, 1.0, true and "1" differ, so do 0.0 and -0.0."""
    return json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize(
    ("case", "dialect"),
    [pytest.param(v, v["dialect"], id=f"{v['dialect']}-{i}") for i, v in enumerate(KINDS)],
)
def test_c12_c13_c14_c19_one_text_of_every_kind(case: dict[str, Any], dialect: str, kinds: Any) -> None:
    worker: Worker = kinds(dialect)
    page, _ = worker.call("sql.preview", workspace=dialect, sql=case["sql"], limit=100)
    assert [column["type"] for column in page["columns"]] == case["types"]
    assert identical(page["rows"], case["rows"])
    assert page["warnings"] == []
    _, data = worker.call(
        "sql.export", workspace=dialect, sql=case["sql"], raw=True, options={"header": False}
    )
    # what class a cell of SQLite has, is said beside it
    classes = [row[-1] if "typeof(v)" in case["sql"] else None for row in case["rows"]]
    if "any" not in case["types"] or any(classes):
        assert data.decode() == "".join(
            ",".join(
                csv_text(cell, type_, class_ if type_ == "any" else None)
                for cell, type_ in zip(row, case["types"], strict=True)
            )
            + "\r\n"
            for row, class_ in zip(case["rows"], classes, strict=True)
        )


def test_c18_a_time_of_day_is_one_in_arrow(kinds: Any) -> None:
    text = "SELECT '23:59:59.5'::time AS a UNION ALL SELECT NULL"
    _, data = kinds("postgres").call("sql.export", workspace="postgres", sql=text, format="arrow")
    column: Any = pa.ipc.open_stream(data).read_all().column(0)
    assert column.type == pa.time64("us")
    assert column.to_pylist() == [datetime.time(23, 59, 59, 500_000), None]


def unchanged(cell: Any, value: Any, type_: str) -> bool:
    """The value of an Arrow column is what the page's cell says."""
    if cell is None or value is None:
        return cell is value
    if type_ in ("bigint", "decimal"):
        return Decimal(cell) == Decimal(value) or (cell == "NaN" and str(value) == "NaN")
    if type_ == "float":
        return repr(float(cell)) == repr(value) or pa.scalar(cell, pa.float32()).as_py() == value
    if type_ == "bytes":
        return base64.b64decode(cell) == value
    if type_ in ("integer", "boolean"):
        return int(cell) == value
    return not isinstance(value, str) or value == cell or type_ in ("array", "struct", "map", "any")


@pytest.mark.parametrize("format_", ["arrow", "parquet"])
@pytest.mark.parametrize(
    ("case", "dialect"),
    [pytest.param(v, v["dialect"], id=f"{v['dialect']}-{i}") for i, v in enumerate(KINDS)],
)
def test_c12_c13_typed_files_hold_the_same_or_say_that_they_cannot(
    case: dict[str, Any], dialect: str, format_: str, kinds: Any
) -> None:
    try:
        _, data = kinds(dialect).call("sql.export", workspace=dialect, sql=case["sql"], format=format_)
    except Fault as fault:
        assert "export as CSV" in fault.message
        assert any(held_by_text_alone(cell) for row in case["rows"] for cell in row)
        return
    table = pa.ipc.open_stream(data).read_all() if format_ == "arrow" else pq.read_table(io.BytesIO(data))
    assert table.num_rows == len(case["rows"])
    for index, type_ in enumerate(case["types"]):
        column: Any = table.column(index)
        if not pa.types.is_temporal(column.type):
            for row, value in zip(case["rows"], column.to_pylist(), strict=True):
                assert unchanged(row[index], value, type_)


def held_by_text_alone(cell: Any) -> bool:
    """Infinite and impossible dates, years that Arrow does not read, midnight at the end of a day, NaN as a
    decimal."""
    special = ("infinity", "NaN", "0000-00-00", "-00-00", " BC", "24:00:00")
    return isinstance(cell, str) and (
        any(mark in cell for mark in special) or (cell[:5].isdigit() and cell[5:6] == "-") or cell[6:7] == "-"
    )


def test_a_warning_is_told_with_its_own_statement_alone(kinds: Any) -> None:
    """A statement without tables leaves the server's list of warnings as it was."""
    told: list[list[str]] = []
    for text in ("SELECT CAST('x' AS SIGNED)", "SELECT 1", "SELECT CAST(c AS SIGNED) FROM texts"):
        page, _ = kinds("mariadb").call("sql.preview", workspace="mariadb", sql=text)
        told.append(sorted(set(page["warnings"])))
    cut = "Truncated incorrect INTEGER value: '...'"
    assert told == [[cut], [], [cut]]


def test_a_text_that_is_no_utf_8_loses_no_row(kinds: Any) -> None:
    """Half a surrogate pair, which a server's UCS-2 can hold."""
    text = "SELECT _ucs2 x'd83d' AS a, 'é' AS b, NULL AS c"
    page, _ = kinds("mariadb").call("sql.preview", workspace="mariadb", sql=text)
    assert page["rows"] == [["\ufffd\ufffd\ufffd", "é", None]]
