"""Values, pages and files of real databases where others go wrong; names carry the id of the behaviour."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.errors import Code, Fault
from tests.databases.databases import Database
from tests.databases.worker import START, Worker
from tht import sql
from tht.workspaces import Workspace

pytestmark = pytest.mark.databases

DIALECTS = ("sqlite", "duckdb", "postgres", "mariadb")
every_engine = pytest.mark.parametrize("dialect", DIALECTS)

Workers = Callable[[str], Worker]
Databases = Callable[[str], Database]


def preview(worker: Workers, dialect: str, text: str, **more: Any) -> dict[str, Any]:
    page, _ = worker(dialect).call("sql.preview", workspace=dialect, sql=text, **more)
    return page


def export(worker: Workers, dialect: str, text: str, **more: Any) -> bytes:
    _, data = worker(dialect).call("sql.export", workspace=dialect, sql=text, **more)
    return data


def counted(dialect: str, last: int, columns: str = "i") -> str:
    """A query of `last` rows with the column i."""
    if dialect == "mariadb":
        return f"SELECT {columns} FROM (SELECT seq AS i FROM seq_1_to_{last}) s"
    if dialect == "sqlite":
        rows = f"WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {last})"
        return f"{rows} SELECT {columns} FROM s"
    return f"SELECT {columns} FROM generate_series(1, {last}) s(i)"


@every_engine
def test_c12_c13_c14_numbers_are_one_text_in_page_csv_and_arrow(dialect: str, worker: Workers) -> None:
    """What JSON's numbers cannot hold goes as text, by the type of the column."""
    wide = {
        "sqlite": "SELECT 9007199254740993 AS a, -9223372036854775807 - 1 AS b, 9e999 AS c",
        "duckdb": "SELECT 9007199254740993 AS a, (2::HUGEINT ** 126)::HUGEINT - 1 AS b, 'inf'::DOUBLE AS c",
        "postgres": "SELECT 9007199254740993 AS a, 1.10::numeric(38, 18) AS b, 'NaN'::float8 AS c",
        "mariadb": "SELECT 9007199254740993 AS a, 18446744073709551615 AS b, CAST(1 AS DECIMAL(38, 9)) AS c",
    }[dialect]
    page = preview(worker, dialect, wide)
    row = page["rows"][0]
    assert all(isinstance(cell, str) for cell in row)
    assert row[0] == "9007199254740993"
    assert export(worker, dialect, wide, raw=True).decode() == "a,b,c\r\n" + ",".join(row) + "\r\n"
    table = pa.ipc.open_stream(export(worker, dialect, wide, format="arrow")).read_all()
    assert table.column(0).to_pylist() == [9007199254740993]


@every_engine
def test_c15_equal_and_odd_names_are_kept_with_unique_keys(dialect: str, worker: Workers) -> None:
    quote = "`" if dialect == "mariadb" else '"'
    odd = ["id", "id", "a.b", "é", "a b", "=x", "ID"]
    text = "SELECT " + ", ".join(f"{i} AS {quote}{name}{quote}" for i, name in enumerate(odd))
    page = preview(worker, dialect, text)
    assert [column["name"] for column in page["columns"]] == odd
    assert len({column["key"] for column in page["columns"]}) == len(odd)
    assert [str(cell) for cell in page["rows"][0]] == [str(i) for i in range(len(odd))]
    assert export(worker, dialect, text, raw=True).decode() == "id,id,a.b,é,a b,=x,ID\r\n0,1,2,3,4,5,6\r\n"
    for format_ in ("arrow", "parquet"):
        data = export(worker, dialect, text, format=format_)
        table = pa.ipc.open_stream(data).read_all() if format_ == "arrow" else pq.read_table(io.BytesIO(data))
        assert table.schema.names == ["id", "id_2", "a.b", "é", "a b", "=x", "ID"]


@every_engine
def test_c15_unnamed_columns_and_1600_of_them(dialect: str, worker: Workers) -> None:
    text = "SELECT " + ", ".join(str(i) for i in range(1600))
    page = preview(worker, dialect, text)
    assert len({column["key"] for column in page["columns"]}) == 1600
    assert [int(cell) for cell in page["rows"][0]] == list(range(1600))
    lines = export(worker, dialect, text, raw=True).decode().split("\r\n")
    assert lines[1] == ",".join(str(i) for i in range(1600))


@pytest.mark.parametrize("dialect", ["postgres", "mariadb"])
def test_c18_the_servers_zone_changes_no_value(
    dialect: str, database: Databases, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    laid: Any = database(dialect)
    if dialect == "postgres":
        laid.admin.execute("ALTER DATABASE cases SET timezone = 'Asia/Tokyo'")
        text = (
            "SELECT timestamptz '2026-03-29 02:30 Europe/Rome' AS a, timestamp '2026-03-29 02:30' AS b, "
            "date '2026-03-29' AS c, timetz '02:30+01' AS d, current_setting('TimeZone') AS e"
        )
        row = ["2026-03-29T01:30:00+00:00", "2026-03-29T02:30:00", "2026-03-29", "02:30:00+01:00", "UTC"]
    else:
        laid.rows("SET GLOBAL time_zone = '+09:00'")
        text = (
            "SELECT FROM_UNIXTIME(1774747800) AS a, TIMESTAMP('2026-03-29 02:30') AS b, "
            "DATE('2026-03-29') AS c, @@session.time_zone AS d"
        )
        row = ["2026-03-29T01:30:00", "2026-03-29T02:30:00", "2026-03-29", "+00:00"]
    try:
        page = json.loads(sql.preview(open_workspace(dialect), text, home_results=tmp_path, draft=True))
    finally:
        if dialect == "postgres":
            laid.admin.execute("ALTER DATABASE cases RESET timezone")
        else:
            laid.rows("SET GLOBAL time_zone = 'SYSTEM'")
    assert page["rows"] == [row]


def test_c18_the_zone_of_the_process_changes_no_value(database: Databases, tmp_path: Path) -> None:
    (tmp_path / "workspaces").mkdir()
    for dialect, text in {
        "duckdb": "TIMESTAMPTZ '2026-03-29 02:30:00 Europe/Rome' AS a, TIMESTAMP '2026-03-29 02:30:00' AS b",
        "postgres": "timestamptz '2026-03-29 02:30 Europe/Rome' AS a, timestamp '2026-03-29 02:30' AS b",
    }.items():
        connection = f"connection: {{url: '{database(dialect).url}'}}"
        (tmp_path / "workspaces" / "w.yaml").write_text(
            f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n", encoding="utf-8"
        )
        told = tht(tmp_path, f"SELECT {text}", "preview", "--json", TZ="America/New_York", PGTZ="Asia/Tokyo")
        assert json.loads(told.stdout)["rows"] == [["2026-03-29T01:30:00+00:00", "2026-03-29T02:30:00"]]


def tht(home: Path, text: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`tht sql` on the workspace w of a home."""
    (home / "q.sql").write_text(text, encoding="utf-8")
    action, *options = arguments
    given = [
        "--home",
        str(home),
        "sql",
        action,
        "--workspace",
        "w",
        "--sql-file",
        str(home / "q.sql"),
        *options,
    ]
    return subprocess.run(
        [sys.executable, "-c", START, *given],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
    )


@pytest.mark.parametrize("dialect", ["postgres", "mariadb"])
def test_c21_pages_meet_while_rows_change_between_them(
    dialect: str, database: Databases, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    """Ties in the order, and an update of the table between each two pages."""
    laid: Any = database(dialect)
    run: Callable[[str], Any] = laid.look.execute if dialect == "postgres" else laid.rows
    run("CREATE TABLE changing (id INTEGER PRIMARY KEY, g INTEGER)")
    try:
        run(f"INSERT INTO changing {counted(dialect, 1000, 'i, i % 10')}")
        text = "SELECT id, g FROM changing ORDER BY g"
        seen: list[int] = []
        result: str | None = None
        for offset in range(0, 1000, 100):
            page = json.loads(
                sql.preview(
                    open_workspace(dialect),
                    text,
                    home_results=tmp_path,
                    limit=100,
                    offset=offset,
                    result_id=result,
                )
            )
            assert result in (None, page["result_id"])
            result = page["result_id"]
            seen += [row[0] for row in page["rows"]]
            run(f"UPDATE changing SET g = g + 1 WHERE id % 7 = {offset // 100 % 7}")
    finally:
        run("DROP TABLE changing")
    assert sorted(seen) == list(range(1, 1001))


CATALOGS = {
    "postgres": "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema IN ('pg_catalog', 'information_schema') AND table_name !~ 'shmem|memory|origin'",
    "mariadb": "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema IN ('information_schema', 'mysql')",
    "duckdb": "SELECT schema_name, view_name FROM duckdb_views() WHERE internal AND database_name = 'system'",
}


@pytest.mark.parametrize("dialect", sorted(CATALOGS))
def test_c19_every_type_of_the_servers_own_tables_is_shown(
    dialect: str, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    """Types that nobody thought of are text; what may not be read is refused."""
    workspace = open_workspace(dialect)
    found = json.loads(
        sql.preview(workspace, CATALOGS[dialect], home_results=tmp_path, limit=500, draft=True)
    )["rows"]
    shown = 0
    for schema, name in found:
        text = f"SELECT * FROM {schema}.{name} LIMIT 20"
        try:
            page = json.loads(sql.preview(workspace, text, home_results=tmp_path, draft=True))
        except Fault as fault:
            assert fault.code is Code.REFUSED, (text, fault.message)
            continue
        shown += 1
        file = b"".join(sql.export(workspace, text, home_results=tmp_path, raw=True))
        header = next(csv.reader(io.StringIO(file.decode())))
        assert header == [column["name"] for column in page["columns"]]
    assert shown > len(found) * 0.7


NOT_WRAPPED = {
    "SELECT id FROM orders ORDER BY id DESC -- the newest": [7, 6, 5, 4, 3, 2, 1],
    "SELECT id FROM orders ORDER BY id DESC;": [7, 6, 5, 4, 3, 2, 1],
    "SELECT id FROM orders ORDER BY id DESC ; -- done\n": [7, 6, 5, 4, 3, 2, 1],
    "-- first\nSELECT id FROM orders ORDER BY id LIMIT 2 OFFSET 1": [2, 3],
    "SELECT id FROM orders LIMIT 0": [],
    "SELECT id, id FROM orders WHERE id = 1": [1],
    "SELECT id FROM (SELECT id FROM orders ORDER BY id DESC LIMIT 3) x ORDER BY 1": [5, 6, 7],
    "SELECT id FROM orders WHERE note = '; -- ' OR id = 2": [2],
}


@every_engine
@pytest.mark.parametrize("text", NOT_WRAPPED)
def test_c22_a_statement_runs_as_it_is(text: str, dialect: str, worker: Workers) -> None:
    expected = NOT_WRAPPED[text]
    assert [row[0] for row in preview(worker, dialect, text)["rows"]] == expected
    lines = export(worker, dialect, text, raw=True).decode().split("\r\n")[1:-1]
    assert [int(line.split(",")[0]) for line in lines] == expected


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "SHOW ALL"),
        ("postgres", "EXPLAIN SELECT * FROM orders"),
        ("mariadb", "SHOW TABLES"),
        ("mariadb", "EXPLAIN SELECT * FROM orders"),
        ("duckdb", "SHOW TABLES"),
        ("duckdb", "EXPLAIN SELECT * FROM orders"),
        ("sqlite", "EXPLAIN QUERY PLAN SELECT * FROM orders"),
        ("sqlite", "PRAGMA table_info(orders)"),
    ],
)
def test_c22_what_cannot_be_wrapped_has_rows_too(dialect: str, text: str, worker: Workers) -> None:
    page = preview(worker, dialect, text)
    assert page["rows"]
    assert export(worker, dialect, text).count(b"\n") >= 2


@every_engine
def test_c23_a_page_beyond_the_end_is_empty_and_knows_the_count(
    dialect: str, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    text = counted(dialect, 1000)
    for draft in (True, False):
        page = json.loads(
            sql.preview(
                open_workspace(dialect), text, home_results=tmp_path, limit=100, offset=5000, draft=draft
            )
        )
        assert (page["rows"], page["truncated"], page["row_count"]) == ([], False, 1000)
        last = json.loads(
            sql.preview(
                open_workspace(dialect), text, home_results=tmp_path, limit=100, offset=900, draft=draft
            )
        )
        assert (len(last["rows"]), last["truncated"], last["row_count"]) == (100, False, 1000)


@every_engine
def test_c25_formulas_in_text_are_made_harmless_in_a_safe_file_alone(dialect: str, worker: Workers) -> None:
    text = "SELECT id, txt, -id AS negative FROM csv_injection ORDER BY id"
    raw = export(worker, dialect, text, raw=True).decode()
    safe = export(worker, dialect, text).decode()
    assert "1,=1+1,-1" in raw and "3,-1,-3" in raw
    for line in ("1,'=1+1,-1", "2,'+1,-2", "3,'-1,-3", "4,'@SUM(A1),-4", "8,safe,-8", "10,,-10", '11,"",-11'):
        assert f"{line}\r\n" in safe
    assert "\"'=HYPERLINK(" in safe
    assert "5,'\t=2,-5\r\n" in safe


FAILS_LATE = {
    "sqlite": "abs(CASE WHEN i = 150000 THEN -9223372036854775807 - 1 ELSE i END) AS a",
    "duckdb": "CASE WHEN i = 150000 THEN error('late') ELSE i END AS a",
    "postgres": "1 / (150000 - i) AS a",
    "mariadb": "IF(i = 150000, (SELECT 1 UNION SELECT 2), i) AS a",
}


@every_engine
@pytest.mark.parametrize("format_", ["csv", "arrow", "parquet"])
def test_c27_a_failure_late_in_an_export_leaves_no_file(
    format_: str, dialect: str, database: Databases, tmp_path: Path
) -> None:
    (tmp_path / "workspaces").mkdir()
    connection = f"connection: {{url: '{database(dialect).url}'}}"
    (tmp_path / "workspaces" / "w.yaml").write_text(
        f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n", encoding="utf-8"
    )
    out = tmp_path / "out" / "rows"
    out.parent.mkdir()
    text = counted(dialect, 200_000, FAILS_LATE[dialect])
    told = tht(tmp_path, text, "export", "--format", format_, "--out", str(out))
    assert told.returncode == 7
    assert told.stderr.count("\n") == 1
    assert list(out.parent.iterdir()) == []


def test_c27_a_database_that_goes_in_mid_export_ends_the_stream_with_a_fault(
    worker: Workers, database: Databases
) -> None:
    laid: Any = database("postgres")
    over = threading.Event()
    ended: list[int] = []

    def end() -> None:
        while not over.wait(0.01) and not ended:
            ended.extend(
                row[0]
                for row in laid.look.execute(
                    "SELECT pid FROM pg_stat_activity WHERE application_name = 'thothii' AND state = 'active'"
                ).fetchall()
            )
        for pid in ended:
            laid.look.execute("SELECT pg_terminate_backend(%s)", (pid,))

    thread = threading.Thread(target=end)
    thread.start()
    try:
        with pytest.raises(Fault) as caught:
            export(worker, "postgres", counted("postgres", 30_000_000), timeout_s=30)
    finally:
        over.set()
        thread.join()
    assert ended
    assert caught.value.code is Code.DATABASE_UNAVAILABLE
    assert preview(worker, "postgres", "SELECT 1 AS a")["rows"] == [[1]]


@every_engine
def test_c28_a_file_made_from_a_kept_result_is_what_was_shown(
    dialect: str, open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    text = {"sqlite": "SELECT hex(randomblob(8)) AS r", "duckdb": "SELECT uuid() AS r"}.get(
        dialect, "SELECT gen_random_uuid() AS r" if dialect == "postgres" else "SELECT UUID() AS r"
    )
    workspace = open_workspace(dialect)
    page = json.loads(sql.preview(workspace, text, home_results=tmp_path))
    kept = sql.export(workspace, text, home_results=tmp_path, raw=True, result_id=page["result_id"])
    assert b"".join(kept).decode() == f"r\r\n{page['rows'][0][0]}\r\n"
    assert kept.result_id == page["result_id"]
    fresh = sql.export(workspace, text, home_results=tmp_path, raw=True)
    assert page["rows"][0][0] not in b"".join(fresh).decode()
    assert fresh.result_id is None


@every_engine
def test_c30_a_page_says_that_there_is_more(dialect: str, worker: Workers) -> None:
    page = preview(worker, dialect, counted(dialect, 5000), limit=100)
    assert (len(page["rows"]), page["truncated"], page["row_count"], page["draft"]) == (100, True, None, True)
    whole = preview(worker, dialect, counted(dialect, 100), limit=100)
    assert (len(whole["rows"]), whole["truncated"], whole["row_count"]) == (100, False, 100)


CASTS = {
    "sqlite": ["SELECT json_extract(name, '$.x') FROM customers"],
    "duckdb": ["SELECT CAST(name AS INTEGER) FROM customers", "SELECT error(email) FROM customers"],
    "postgres": [
        "SELECT CAST(name AS integer) FROM customers",
        "SELECT name::date FROM customers",
        "SELECT name::uuid FROM customers",
        "SELECT name::json FROM customers",
        "SELECT email::inet FROM customers",
    ],
    "mariadb": [
        "SELECT JSON_EXTRACT(name, '$.x') FROM customers",
        "SELECT ST_GeomFromText(name) FROM customers",
    ],
}


@every_engine
def test_c32_an_error_quotes_no_value_of_a_row(dialect: str, worker: Workers) -> None:
    for text in CASTS[dialect]:
        try:
            told = json.dumps(preview(worker, dialect, text)["warnings"])
        except Fault as fault:
            told = json.dumps([fault.message, fault.details])
        for secret in ("Ada", "Lovelace", "example.com", "Brien", "Zo"):
            assert secret not in told
