"""Sorted and filtered pages and files of statements that ran: what is on the screen is in the file."""

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
from tht import sql
from tht.sql.results import store
from tht.sql.results.view import _mapped
from tht.sql.results.view_request import Condition, SortKey, ViewRequest, view_request

COUNTED = (
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {last}) "
    "SELECT n % 7 AS g, n, 'row ' || n AS t FROM c"
)
VIEW = view_request([SortKey("c0", descending=True)], [Condition("c2", "contains", "ROW 1")])


def page(workspace: Any, text: str, folder: Path, **options: Any) -> dict[str, Any]:
    return json.loads(sql.preview(workspace, text, home_results=folder, **options))


def exported(workspace: Any, text: str, folder: Path, **options: Any) -> tuple[Any, bytes]:
    export = sql.export(workspace, text, home_results=folder, raw=True, **options)
    return export, b"".join(export)


def test_c28_the_file_has_the_rows_of_the_screen_in_their_order(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace(), COUNTED.format(last=3000)
    first = page(workspace, text, tmp_path, limit=10)
    numbers = [n for n in range(1, 3001) if str(n).startswith("1")]
    expected = [[n % 7, n, f"row {n}"] for n in sorted(numbers, key=lambda n: -(n % 7))]
    shown: list[Any] = []
    for offset in range(0, len(expected) + 500, 500):
        part = page(
            workspace, text, tmp_path, limit=500, offset=offset, result_id=first["result_id"], view=VIEW
        )
        assert (part["row_count"], part["result_id"]) == (len(expected), first["result_id"])
        assert part["truncated"] is (offset + 500 < len(expected))
        shown += part["rows"]
    assert [[int(row[0]), int(row[1]), row[2]] for row in shown] == expected
    export, data = exported(workspace, text, tmp_path, result_id=first["result_id"], view=VIEW)
    assert list(csv.reader(io.StringIO(data.decode())))[1:] == [
        [str(cell) for cell in row] for row in expected
    ]
    assert (export.result_id, export.row_count) == (first["result_id"], len(expected))
    for format_, read in (
        ("parquet", lambda data: pq.read_table(pa.BufferReader(data))),
        ("arrow", lambda data: pa.ipc.open_stream(data).read_all()),
    ):
        _, data = exported(workspace, text, tmp_path, result_id=first["result_id"], view=VIEW, format=format_)
        assert [list(row.values()) for row in read(data).to_pylist()] == expected


def test_c23_the_same_page_asked_for_at_once_is_one_run_and_the_same(
    make_workspace: Any, tmp_path: Path
) -> None:
    workspace = make_workspace()
    text = "SELECT random() AS r FROM orders AS a, orders AS b, orders AS c"
    view = view_request([SortKey("c0")], None)
    pages: list[dict[str, Any]] = []

    def ask() -> None:
        pages.append(page(workspace, text, tmp_path, limit=20, offset=3, view=view))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.dumps([found["rows"], found["result_id"]]) for found in pages}) == 1
    assert len(pages) == 4
    numbers = [float(row[0]) for row in pages[0]["rows"]]
    assert numbers == sorted(numbers)
    assert len(list(tmp_path.glob("r*.json"))) == 1
    beyond = page(workspace, text, tmp_path, offset=27, view=view)
    assert (beyond["rows"], beyond["row_count"], beyond["truncated"]) == ([], 27, False)


def test_a_view_waits_for_the_whole_result(make_workspace: Any, tmp_path: Path) -> None:
    """The last row of the statement is the first of the view."""
    workspace = make_workspace("limits: {rows: 300000}\n")
    text = COUNTED.format(last=200_000)
    first = json.loads(sql.begin_preview(workspace, text, home_results=tmp_path, limit=1).page)
    view = view_request([SortKey("c1", descending=True)], None)
    found = page(workspace, text, tmp_path, limit=1, result_id=first["result_id"], view=view)
    assert int(found["rows"][0][1]) == found["row_count"] == 200_000


def test_a_cut_result_warns_in_the_page_and_refuses_the_file(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace("limits: {rows: 50}\n"), COUNTED.format(last=120)
    view = view_request([SortKey("c1", descending=True)], [Condition("c1", "gt", 40)])
    found = page(workspace, text, tmp_path, limit=5, view=view)
    assert [int(row[1]) for row in found["rows"]] == [50, 49, 48, 47, 46]
    assert (found["row_count"], found["truncated"]) == (None, True)
    assert "cut at 50 rows; sort and filter see only these (10 match)" in found["warnings"][-1]
    with pytest.raises(Fault, match="put them into the statement") as caught:
        exported(workspace, text, tmp_path, result_id=found["result_id"], view=view)
    assert caught.value.code is Code.OVER_CAP
    export, _ = exported(workspace, text, tmp_path, result_id=found["result_id"])
    assert (export.result_id, export.row_count, export.expected_rows) == (None, 120, None)
    assert "fresh run" in export.warnings[0]


def test_a_view_of_a_failed_statement_is_its_failure(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace()
    with pytest.raises(Fault) as caught:
        page(workspace, "SELECT CAST('x' AS INTEGER) + nothing FROM orders", tmp_path, view=VIEW)
    assert caught.value.code in (Code.DATABASE_ERROR, Code.REFUSED)
    assert list(tmp_path.glob("r*")) == []


def test_a_view_without_a_result_runs_the_statement_once(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace(), "SELECT id, note FROM orders"
    view = view_request([SortKey("c1", descending=True)], None)
    export, data = exported(workspace, text, tmp_path, view=view, options={"header": False})
    assert data == b'1,a;b\r\n3,""\r\n2,\r\n'
    found = page(workspace, text, tmp_path, view=view)
    assert found["result_id"] == export.result_id
    fresh = page(workspace, text, tmp_path, view=view, fresh=True)
    assert fresh["result_id"] != export.result_id
    assert fresh["rows"] == found["rows"] == [[1, "a;b"], [3, ""], [2, None]]


def test_a_page_of_a_view_is_held_to_the_bytes_of_a_page(make_workspace: Any, tmp_path: Path) -> None:
    workspace = make_workspace("limits: {bytes: 20000}\n")
    text = "SELECT id, '" + "x" * 9000 + "' AS t FROM orders"
    view = view_request([SortKey("c0", descending=True)], None)
    found = page(workspace, text, tmp_path, view=view)
    assert [row[0] for row in found["rows"]] == [3, 2]
    assert (found["truncated"], found["row_count"]) == (True, 3)
    rest = page(workspace, text, tmp_path, view=view, offset=2)
    assert [row[0] for row in rest["rows"]] == [1]


@pytest.mark.parametrize("view", [ViewRequest(), VIEW])
def test_the_digest_of_a_file_is_known_before_it_is_made_again(
    make_workspace: Any, tmp_path: Path, view: ViewRequest
) -> None:
    workspace, text = make_workspace(), COUNTED.format(last=50)
    result_id = page(workspace, text, tmp_path)["result_id"]
    first, data = exported(workspace, text, tmp_path, result_id=result_id, view=view)
    assert (first.expected_rows, first.expected_sha256) == (first.row_count, None)
    again, same = exported(workspace, text, tmp_path, result_id=result_id, view=view)
    assert same == data
    assert again.expected_sha256 == again.sha256 == hashlib.sha256(data).hexdigest()
    for other in (
        {"format": "parquet"},
        {"options": {"bom": True}},
        {"view": view_request([SortKey("c1")], None)},
    ):
        options = {"result_id": result_id, "view": view, **other}
        assert exported(workspace, text, tmp_path, **options)[0].expected_sha256 is None
    assert exported(workspace, text, tmp_path)[0].expected_sha256 is None


def test_a_file_that_is_not_the_one_that_was_told_fails(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace(), "SELECT id FROM orders"
    result_id = page(workspace, text, tmp_path)["result_id"]
    exported(workspace, text, tmp_path, result_id=result_id)
    (path,) = tmp_path.glob("*.digest")
    path.write_text(json.dumps({"row_count": 3, "sha256": "0" * 64}))
    with pytest.raises(Fault) as caught:
        exported(workspace, text, tmp_path, result_id=result_id)
    assert caught.value.code is Code.INTERNAL
    assert exported(workspace, text, tmp_path, result_id=result_id)[0].expected_sha256 is None


def test_an_export_that_is_left_half_way_leaves_no_digest(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace("limits: {rows: 100000}\n"), COUNTED.format(last=60_000)
    result_id = page(workspace, text, tmp_path)["result_id"]
    chunks = iter(sql.export(workspace, text, home_results=tmp_path, result_id=result_id))
    assert next(chunks)
    del chunks
    assert list(tmp_path.glob("*.digest")) == []


def test_a_view_of_a_result_that_is_gone_is_expired(make_workspace: Any, tmp_path: Path) -> None:
    """A view is kept beside its result, and never given for another."""
    workspace, text = make_workspace(), "SELECT id FROM orders"
    view = view_request([SortKey("c0")], None)
    result_id = page(workspace, text, tmp_path, view=view)["result_id"]
    for path in tmp_path.glob("r*.json"):
        path.unlink()
    for other, asked in ((text, result_id), ("SELECT 1 AS a", result_id), (text, "r../../x")):
        for run in (page, exported):
            with pytest.raises(Fault) as caught:
                run(workspace, other, tmp_path, result_id=asked, view=view)
            assert caught.value.code is Code.RESULT_EXPIRED


def test_views_and_digests_go_with_their_result(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace("limits: {result_age_s: 0.001}\n"), "SELECT id FROM orders"
    view = view_request([SortKey("c0")], None)
    exported(workspace, text, tmp_path, view=view)
    assert {path.suffix for path in tmp_path.glob("r*")} >= {".json", ".arrow", ".view", ".digest"}
    store.sweep(tmp_path, workspace.limits.result_age_s)
    assert list(tmp_path.glob("r*")) == []


@pytest.mark.parametrize("left", [b"", bytes(16), bytes(15), b"\xff" * 24])
def test_a_view_that_is_not_whole_on_the_disk_is_computed_again(
    make_workspace: Any, tmp_path: Path, left: bytes
) -> None:
    workspace, text, view = (
        make_workspace(),
        "SELECT id FROM orders",
        view_request([SortKey("c0", True)], None),
    )
    rows = page(workspace, text, tmp_path, view=view)["rows"]
    assert rows
    for path in tmp_path.glob("r*.view"):
        path.write_bytes(left)
    _mapped.cache_clear()
    assert page(workspace, text, tmp_path, view=view)["rows"] == rows


def test_a_view_that_cannot_be_written_is_shown_all_the_same(
    make_workspace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tht.sql.results.view._write", full)
    workspace, text, view = (
        make_workspace(),
        "SELECT id FROM orders",
        view_request([SortKey("c0", True)], None),
    )
    rows = page(workspace, text, tmp_path, view=view)["rows"]
    assert rows
    assert rows == sorted(rows, reverse=True)
    assert not list(tmp_path.glob("*.view"))


def test_a_column_of_null_alone_has_the_order_of_its_type(make_workspace: Any, tmp_path: Path) -> None:
    workspace, text = make_workspace(), "SELECT id, NULL AS none FROM orders ORDER BY id"
    rows = page(workspace, text, tmp_path)["rows"]
    assert page(workspace, text, tmp_path, view=view_request([SortKey("c1", True)], None))["rows"] == rows
    found = page(workspace, text, tmp_path, view=view_request(None, [Condition("c1", "eq", "x")]))
    assert found["rows"] == []
