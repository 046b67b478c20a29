"""A kept result while its statement still runs: the first page comes early, one run serves all."""

import errno
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tht import sql
from tht.sql.cancel import Cancel
from tht.sql.results import keeping, store
from tht.workspaces import Workspace

ROWS = 60_000
COUNTED = f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {ROWS}) SELECT n FROM c"


class Slow:
    """Holds every engine's rows back after the first `rows` until it is let go; then it may fail."""

    def __init__(self) -> None:
        self.runs = 0
        self.rows = 128
        self.held = threading.Event()
        self.go = threading.Event()
        self.fault: Fault | None = None

    def wrap(self, batches: Any) -> Any:
        def slowed(source: Any, size: int) -> Iterator[Any]:
            self.runs += 1
            given = 0
            for batch in batches(source, size):
                if given >= self.rows:
                    self.held.set()
                    assert self.go.wait(20)
                    if self.fault:
                        raise self.fault
                given += batch.num_rows
                yield batch

        return slowed


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    from tht.sql.engines.sqlite import SqliteSource

    held = Slow()
    monkeypatch.setattr(SqliteSource, "batches", held.wrap(SqliteSource.batches))
    monkeypatch.setattr(keeping, "SETTLE_MOST_S", 0.0)
    return held


@pytest.fixture
def workspace(make_sqlite: Any) -> Workspace:
    return make_sqlite("limits: {rows: 1000000}\n")


def begin(workspace: Workspace, folder: Path, **options: Any) -> Any:
    return sql.begin_preview(workspace, COUNTED, home_results=folder, **options)


def page(workspace: Workspace, folder: Path, **options: Any) -> dict[str, Any]:
    return json.loads(begin(workspace, folder, **options).page)


def test_the_first_page_comes_before_the_statement_ends(
    slow: Slow, workspace: Workspace, tmp_path: Path
) -> None:
    begun = begin(workspace, tmp_path, limit=10)
    first = json.loads(begun.page)
    assert [row[0] for row in first["rows"]] == list(range(1, 11))
    assert (first["truncated"], first["row_count"]) == (True, None)
    slow.go.set()
    assert json.loads(begun.finish())["row_count"] == ROWS
    again = page(workspace, tmp_path, limit=10, result_id=first["result_id"])
    assert (again["rows"], again["row_count"]) == (first["rows"], ROWS)
    assert slow.runs == 1


def test_a_page_waits_for_its_rows_and_pages_meet(slow: Slow, workspace: Workspace, tmp_path: Path) -> None:
    begun = begin(workspace, tmp_path, limit=100)
    result_id = json.loads(begun.page)["result_id"]
    threading.Timer(0.1, slow.go.set).start()
    seen = [row[0] for row in json.loads(begun.page)["rows"]]
    for offset in range(100, ROWS, 9_000):
        found = page(workspace, tmp_path, limit=9_000, offset=offset, result_id=result_id)
        assert (found["result_id"], found["truncated"]) == (result_id, offset + 9_000 < ROWS)
        seen += [row[0] for row in found["rows"]]
    assert seen == list(range(1, ROWS + 1))
    begun.finish()


def test_c23_who_asks_while_it_runs_gets_the_same_run(
    slow: Slow, workspace: Workspace, tmp_path: Path
) -> None:
    found: list[dict[str, Any]] = []
    readers = [
        threading.Thread(target=lambda: found.append(page(workspace, tmp_path, limit=5))) for _ in range(6)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(20)
    assert len({answer["result_id"] for answer in found}) == 1
    assert len(found) == len(readers)
    assert slow.runs == 1
    slow.go.set()


def test_a_fresh_run_is_another_one(slow: Slow, workspace: Workspace, tmp_path: Path) -> None:
    slow.go.set()
    one, other = (page(workspace, tmp_path, limit=5, fresh=True) for _ in range(2))
    assert one["result_id"] != other["result_id"]
    assert slow.runs == 2


def test_a_failure_after_the_page_is_told_to_later_pages(
    slow: Slow, workspace: Workspace, tmp_path: Path
) -> None:
    begun = begin(workspace, tmp_path, limit=10)
    result_id = json.loads(begun.page)["result_id"]
    slow.fault = Fault(Code.DATABASE_ERROR, "division by zero")
    slow.go.set()
    with pytest.raises(Fault, match="division by zero"):
        begun.finish()
    kept = page(workspace, tmp_path, limit=10, result_id=result_id)
    assert (kept["rows"], kept["truncated"], kept["row_count"]) == (
        json.loads(begun.page)["rows"],
        True,
        None,
    )
    assert "the statement ended after 128 rows: division by zero" in kept["warnings"]
    for ask in (
        lambda: page(workspace, tmp_path, offset=5_000, result_id=result_id),
        lambda: sql.export(workspace, COUNTED, home_results=tmp_path, result_id=result_id),
    ):
        with pytest.raises(Fault) as told:
            ask()
        assert told.value.code is Code.DATABASE_ERROR
    slow.fault = None
    assert page(workspace, tmp_path, limit=10)["result_id"] != result_id


def test_a_failure_before_the_page_leaves_nothing(slow: Slow, workspace: Workspace, tmp_path: Path) -> None:
    slow.fault = Fault(Code.DATABASE_ERROR, "division by zero")
    threading.Timer(0.05, slow.go.set).start()
    with pytest.raises(Fault, match="division by zero"):
        begin(workspace, tmp_path, limit=10, offset=5_000)
    assert not list(tmp_path.glob("r*"))


def test_a_run_that_was_given_up_is_begun_again_by_who_waits_for_it(
    slow: Slow, workspace: Workspace, tmp_path: Path
) -> None:
    cancel = Cancel()
    first = threading.Thread(target=_swallow, args=(workspace, tmp_path, cancel))
    first.start()
    assert slow.held.wait(20)
    found: list[dict[str, Any]] = []
    second = threading.Thread(target=lambda: found.append(page(workspace, tmp_path, offset=5_000, limit=1)))
    second.start()
    slow.fault = Fault(Code.CANCELLED, "the statement was cancelled")
    cancel.set()
    slow.go.set()
    first.join(20)
    slow.fault = None
    second.join(20)
    assert found[0]["rows"] == [[5_001]]


def _swallow(workspace: Workspace, folder: Path, cancel: Cancel) -> None:
    with pytest.raises(Fault):
        begin(workspace, folder, offset=5_000, limit=1, cancel=cancel)


def test_a_result_whose_keeper_died_is_gone(workspace: Workspace, tmp_path: Path) -> None:
    result_id = json.loads(begin(workspace, tmp_path, limit=10).finish())["result_id"]
    path = store.facts_path(tmp_path, result_id)
    facts = json.loads(path.read_text()) | {"running": True}
    store._facts.clear()
    path.write_text(json.dumps(facts))
    store.lock_path(tmp_path, result_id).touch()
    with pytest.raises(Fault) as told:
        page(workspace, tmp_path, result_id=result_id)
    assert told.value.code is Code.RESULT_EXPIRED
    assert page(workspace, tmp_path)["result_id"] != result_id


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_full_disk_is_told_and_holds_nobody_up(
    slow: Slow, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    publish, left = keeping.Keeping._publish, iter(range(writes))

    def full(run: keeping.Keeping) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        publish(run)

    monkeypatch.setattr(keeping.Keeping, "_publish", full)
    slow.go.set()
    with pytest.raises(Fault, match="No space left") as told:
        begin(workspace, tmp_path, limit=10).finish()
    assert told.value.code is Code.UNAVAILABLE
    assert not list(tmp_path.glob("*r*-*"))
    monkeypatch.setattr(keeping.Keeping, "_publish", publish)
    assert json.loads(begin(workspace, tmp_path, limit=10).finish())["row_count"] == ROWS


def test_a_segment_that_was_not_written_leaves_no_part_of_it(
    slow: Slow, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    slow.go.set()
    monkeypatch.setattr(keeping.ipc, "new_file", full)
    with pytest.raises(Fault, match="No space left"):
        begin(workspace, tmp_path, limit=10).finish()
    assert not list(tmp_path.glob("*r*-*"))


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_result_whose_rows_are_lost_is_gone_and_run_again(
    slow: Slow, workspace: Workspace, tmp_path: Path, damage: Any
) -> None:
    slow.go.set()
    result_id = json.loads(begin(workspace, tmp_path, limit=10).finish())["result_id"]
    store._opened.cache_clear()
    damage(store.segment_path(tmp_path, result_id, 1))
    with pytest.raises(Fault) as told:
        b"".join(sql.export(workspace, COUNTED, home_results=tmp_path, result_id=result_id))
    assert told.value.code is Code.RESULT_EXPIRED
    assert page(workspace, tmp_path, limit=10)["result_id"] != result_id


def test_a_workspace_that_keeps_results_for_a_moment_takes_no_others_away(
    slow: Slow, workspace: Workspace, make_sqlite: Any, tmp_path: Path
) -> None:
    slow.go.set()
    kept = page(workspace, tmp_path, limit=10, fresh=True)["result_id"]
    brief = make_sqlite("limits: {rows: 1000000, result_age_s: 0.001}\n")
    over = json.loads(begin(brief, tmp_path, limit=10).finish())["result_id"]
    slow.go.clear()
    running = begin(workspace, tmp_path, limit=10, fresh=True)
    store.sweep(tmp_path, 0.001)
    assert page(workspace, tmp_path, limit=10, result_id=kept)["rows"]
    assert not list(tmp_path.glob(f"{over}*"))
    slow.go.set()
    assert json.loads(running.finish())["row_count"] == ROWS


def test_a_page_that_waits_too_long_says_how_far_the_statement_is(
    slow: Slow, workspace: Workspace, tmp_path: Path
) -> None:
    result_id = page(workspace, tmp_path, limit=10)["result_id"]
    with pytest.raises(Fault, match="it has given 128 rows") as told:
        page(workspace, tmp_path, offset=5_000, result_id=result_id, timeout_s=0.1)
    assert told.value.code is Code.TIMEOUT
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Fault) as told:
        page(workspace, tmp_path, offset=5_000, result_id=result_id, cancel=cancel)
    assert told.value.code is Code.CANCELLED
    slow.go.set()


def test_kinds_that_change_late_change_no_value_that_was_shown(make_sqlite: Any, tmp_path: Path) -> None:
    text = (
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 30000) "
        "SELECT CASE WHEN n < 29000 THEN n WHEN n < 29500 THEN 'x' END AS v FROM c"
    )
    workspace = make_sqlite("limits: {rows: 1000000}\n")
    first = json.loads(sql.preview(workspace, text, home_results=tmp_path, limit=3))
    assert first["rows"] == [[1], [2], [3]]
    last = json.loads(
        sql.preview(
            workspace, text, home_results=tmp_path, limit=3, offset=28_998, result_id=first["result_id"]
        )
    )
    assert last["rows"] == [[28_999], ["x"], ["x"]]
    assert last["columns"][0]["type"] == "any"
