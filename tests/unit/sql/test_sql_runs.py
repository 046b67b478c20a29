"""Statements run on real files: pages, kept results, exports, deadlines, cancellation, the allow list."""

import csv
import hashlib
import io
import json
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.errors import Code, Fault
from tht import schema, sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.sql.engines.sqlite import BATCH_BYTES

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS n FROM c"
COUNTED = (
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {last}) "
    "SELECT n, 'row ' || n AS t FROM c"
)


def page(workspace: Any, text: str, folder: Path, **options: Any) -> dict[str, Any]:
    return json.loads(sql.preview(workspace, text, home_results=folder, **options))


def test_a_draft_is_a_page_and_leaves_nothing(make_workspace: Any, tmp_path: Path) -> None:
    found = page(
        make_workspace(), "SELECT id, note FROM orders ORDER BY id", tmp_path / "results", limit=2, draft=True
    )
    assert found["rows"] == [[1, "a;b"], [2, None]]
    assert [column["name"] for column in found["columns"]] == ["id", "note"]
    assert (found["truncated"], found["row_count"], found["result_id"], found["draft"]) == (
        True,
        None,
        None,
        True,
    )
    assert not (tmp_path / "results").exists()


def test_a_draft_says_when_there_is_no_more(make_workspace: Any, tmp_path: Path) -> None:
    found = page(
        make_workspace(), "SELECT id FROM orders ORDER BY id", tmp_path, limit=2, offset=1, draft=True
    )
    assert (found["rows"], found["truncated"], found["row_count"]) == ([[2], [3]], False, 3)


def test_c21_pages_of_one_result_come_from_one_run(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    text = COUNTED.format(last=9000)
    first = page(workspace, text, tmp_path, limit=100)
    assert (first["row_count"], first["truncated"]) == (9000, True)
    seen = [row[0] for row in first["rows"]]
    for offset in range(100, 9100, 1500):
        part = page(workspace, text, tmp_path, limit=1500, offset=offset, result_id=first["result_id"])
        assert part["result_id"] == first["result_id"]
        seen += [row[0] for row in part["rows"]]
    assert [int(value) for value in seen] == list(range(1, 9001))
    assert len(list(tmp_path.glob("r*.json"))) == 1


def test_a_statement_is_not_run_again_unless_asked(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    text = "SELECT random() AS r"
    first = page(workspace, text, tmp_path)
    assert page(workspace, text, tmp_path)["rows"] == first["rows"]
    fresh = page(workspace, text, tmp_path, fresh=True)
    assert fresh["result_id"] != first["result_id"]
    assert fresh["rows"] != first["rows"]


def test_an_id_that_is_gone_or_of_another_statement_is_expired(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    kept = page(workspace, "SELECT 1 AS a", tmp_path)["result_id"]
    for text, result_id in (
        ("SELECT 2 AS a", kept),
        ("SELECT 1 AS a", "r" + "0" * 16 + "-" + "0" * 16),
        ("SELECT 1 AS a", "../x"),
    ):
        with pytest.raises(Fault) as caught:
            page(workspace, text, tmp_path, result_id=result_id)
        assert caught.value.code is Code.RESULT_EXPIRED
    for path in tmp_path.glob("r*.json"):
        path.unlink()
    with pytest.raises(Fault) as caught:
        page(workspace, "SELECT 1 AS a", tmp_path, result_id=kept)
    assert caught.value.code is Code.RESULT_EXPIRED


def test_a_result_beyond_the_cap_says_so_and_its_export_is_whole(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace("limits: {rows: 50}\n")
    text = COUNTED.format(last=120)
    found = page(workspace, text, tmp_path, limit=50)
    assert (len(found["rows"]), found["truncated"], found["row_count"]) == (50, True, None)
    assert "cut at 50 rows" in found["warnings"][0]
    export = sql.export(workspace, text, home_results=tmp_path, raw=True, result_id=found["result_id"])
    data = b"".join(export)
    assert export.row_count == 120
    assert export.result_id is None
    assert export.sha256 == hashlib.sha256(data).hexdigest()


def test_c15_columns_are_ordered_with_unique_keys(make_workspace: Any, tmp_path: Path) -> None:
    found = page(make_workspace(), "SELECT 1 AS id, 2 AS id", tmp_path, draft=True)
    assert [column["name"] for column in found["columns"]] == ["id", "id"]
    assert len({column["key"] for column in found["columns"]}) == 2
    assert found["rows"] == [[1, 2]]


@pytest.mark.parametrize("format_", ["csv", "parquet", "arrow"])
def test_an_export_is_the_kept_result(make_workspace: Any, tmp_path: Path, format_: str) -> None:
    workspace = make_workspace()
    text = "SELECT id, amount, note FROM orders ORDER BY id"
    result_id = page(workspace, text, tmp_path)["result_id"]
    export = sql.export(workspace, text, home_results=tmp_path, format=format_, result_id=result_id, raw=True)
    chunks = list(export)
    assert all(len(chunk) <= 256 << 10 for chunk in chunks)
    data = b"".join(chunks)
    assert (export.result_id, export.row_count) == (result_id, 3)
    if format_ == "csv":
        assert list(csv.reader(io.StringIO(data.decode(), newline=""))) == [
            ["id", "amount", "note"],
            ["1", "10.5", "a;b"],
            ["2", "20.25", ""],
            ["3", "0.1", ""],
        ]
        assert data.endswith(b'0.1,""\r\n')
    else:
        table = (
            pq.read_table(pa.BufferReader(data))
            if format_ == "parquet"
            else pa.ipc.open_stream(data).read_all()
        )
        assert table.to_pylist()[1] == {"id": 2, "amount": 20.25, "note": None}


def test_c27_a_failure_in_the_middle_is_raised(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace("limits: {export_rows: 30000}\n")
    export = sql.export(workspace, COUNTED.format(last=50000), home_results=tmp_path, raw=True)
    with pytest.raises(Fault) as caught:
        for _ in export:
            pass
    assert caught.value.code is Code.OVER_CAP
    assert export.row_count is None
    assert export.sha256 is None


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ""},
        {"delimiter": '"'},
        {"decimal_comma": True},
        {"unknown": 1},
        {"null": "a,b"},
        {"bom": "yes"},
    ],
)
def test_options_that_do_not_fit(make_workspace: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(Fault) as caught:
        sql.export(make_workspace(), "SELECT 1", home_results=tmp_path, options=options)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_a_deadline_stops_the_statement_and_the_next_one_runs(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    with pytest.raises(Fault) as caught:
        page(workspace, ENDLESS, tmp_path, timeout_s=0.3, draft=True)
    assert caught.value.code is Code.TIMEOUT
    assert page(workspace, "SELECT 1 AS a", tmp_path, draft=True)["rows"] == [[1]]
    assert not list(tmp_path.glob("*.part"))


def test_rows_that_come_after_the_time_are_not_shown(make_sqlite: Any, tmp_path: Path) -> None:
    opcode = "instr(hex(zeroblob(150000)), hex(zeroblob(100000)) || '1')"
    for draft in (True, False):
        with pytest.raises(Fault) as caught:
            page(make_sqlite(), f"SELECT {opcode} AS n", tmp_path, timeout_s=0.1, draft=draft)
        assert caught.value.code is Code.TIMEOUT


def test_c09_a_cancel_stops_the_statement(make_workspace: Any, tmp_path: Path) -> None:
    cancel = Cancel()
    threading.Timer(0.2, cancel.set).start()
    with pytest.raises(Fault) as caught:
        page(make_workspace(), ENDLESS, tmp_path, cancel=cancel)
    assert caught.value.code is Code.CANCELLED
    assert [path.stem for path in tmp_path.iterdir()] == ["data"]


def test_c32_messages_hold_no_values(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    text = (
        "SELECT CAST(name AS INTEGER) AS a FROM customers"
        if workspace.dialect == "duckdb"
        else "SELECT json(name) FROM customers"
    )
    with pytest.raises(Fault) as caught:
        page(workspace, text, tmp_path, draft=True)
    assert caught.value.code is Code.DATABASE_ERROR
    assert "Ada" not in caught.value.message
    assert "\n" not in caught.value.message


def test_the_allow_list_holds_through_views(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace("allow: {deny_columns: [customers.email]}\n")
    assert page(workspace, "SELECT name FROM names ORDER BY id", tmp_path, draft=True)["rows"] == [
        ["Ada"],
        ["Bob"],
    ]
    with pytest.raises(Fault) as caught:
        page(workspace, "SELECT name FROM everything", tmp_path, draft=True)
    assert caught.value.code is Code.REFUSED


def test_the_schema_shows_what_is_allowed(make_workspace: Any) -> None:
    workspace = make_workspace("allow: {tables: [customers], deny_columns: [email]}\n")
    assert [table["name"] for table in schema.tables(workspace)["tables"]] == ["customers"]
    assert [column["name"] for column in schema.describe(workspace, "Customers")["columns"]] == ["id", "name"]
    assert json.loads(bytes(schema.sample(workspace, "customers", limit=1)))["rows"] == [[1, "Ada"]]
    assert schema.search(workspace, "email")["matches"] == []
    with pytest.raises(Fault, match="similar: customers"):
        schema.describe(workspace, "customer")


@pytest.mark.parametrize(
    ("sqlite", "duckdb"),
    [
        ("zeroblob(500000)", "repeat('x', 250000)"),
        ("iif(n < 100, 'x', zeroblob(500000))", "CASE WHEN n > 100 THEN range(30000) END"),
        ("'short'", "'short'"),
    ],
)
def test_a_batch_of_large_values_has_fewer_rows(sqlite: str, duckdb: str, make_workspace: Any) -> None:
    workspace = make_workspace()
    text = COUNTED.format(last=400).replace("'row ' || n", sqlite)
    if workspace.dialect == "duckdb":
        text = f"SELECT n, {duckdb} AS t FROM range(400) r(n)"
    with warm.engine(workspace) as engine, engine.execute(text, timeout_s=60, cancel=Cancel()) as source:
        sizes = [(batch.num_rows, batch.nbytes) for batch in source.batches(5_000)]
    assert sum(rows for rows, _ in sizes) == 400
    assert max(held for _, held in sizes) < 3 * BATCH_BYTES


def test_role_checks_know_a_writable_file(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    path = next(tmp_path.glob("data.*"))
    assert [check["ok"] for check in sql.role_checks(workspace)] == [False]
    path.chmod(0o444)
    assert [check["ok"] for check in sql.role_checks(workspace)] == [True]
