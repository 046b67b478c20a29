"""A `tht worker` as its drivers meet it: real processes, real pipes."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code
from tests.integration.tht.conftest import SQL
from tests.integration.tht.worker_process import WorkerProcess, length
from tht.home import Home

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
STUBBORN = "SELECT {0} + {0} + {0} FROM product".format(
    "instr(hex(zeroblob(450000)), hex(zeroblob(300000)) || '1')"
)
"""Opcodes between which no interrupt is looked for, for many seconds a row."""


@pytest.fixture
def worker(home: Home) -> Iterator[WorkerProcess]:
    with WorkerProcess(home.root) as started:
        ready = started.message()
        assert ready["ready"]["pid"] == started.process.pid and ready["ready"]["version"]
        yield started


def test_many_calls_one_process(worker: WorkerProcess) -> None:
    made = worker.call(1, "session.new", workspace="shop", question="Which?", author="ann")["ok"]
    for call in range(2, 30):
        answer = worker.call(call, "session.show", session=made["id"])
        assert answer == {"id": call, "ok": made}
    assert worker.end() == (0, "")


def test_calls_sent_ahead_are_answered_in_order(worker: WorkerProcess) -> None:
    for call in range(20):
        worker.send({"id": call, "op": "workspace.list", "args": {}})
    assert [worker.message()["id"] for _ in range(20)] == list(range(20))


def test_a_page_of_a_draft(worker: WorkerProcess) -> None:
    page = worker.call(1, "sql.preview", workspace="shop", sql=SQL, limit=2)["ok"]
    assert [column["name"] for column in page["columns"]] == ["name", "price"]
    assert [row[0] for row in page["rows"]] == ["ink", "nib"]
    assert page["draft"] is True and page["truncated"] is True


def test_the_approved_sql_runs_and_nothing_else(
    home: Home, session: str, approved: str, worker: WorkerProcess
) -> None:
    page = worker.call(1, "sql.preview", session=approved)["ok"]
    assert [row[0] for row in page["rows"]] == ["ink", "nib", "pen"]
    assert "draft" not in page and page["row_count"] == 3
    (home.sessions / approved / "artifacts" / "sql_final.sql").write_text(SQL + " ")
    for operation in ("sql.preview", "sql.export"):
        error = worker.call(2, operation, session=session)["error"]
        assert error["code"] == "approval_mismatch" and set(error["details"]) == {"approved", "current"}


def test_an_export_is_a_head_chunks_and_a_tail(home: Home, approved: str, worker: WorkerProcess) -> None:
    head = worker.call(1, "sql.export", session=approved, format="csv")
    assert head["id"] == 1 and head["head"]["media_type"].startswith("text/csv")
    tail = worker.message()
    assert tail["id"] == 1 and tail["ok"]["row_count"] == 3 and len(tail["ok"]["sha256"]) == 64
    assert b"".join(worker.chunks).splitlines()[:2] == [b"name,price", b"ink,3"]


def test_a_large_export_comes_in_frames_of_a_chunk(home: Home, worker: WorkerProcess) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)"
    many = f"{numbers} SELECT i, i || 'x' AS t FROM n"
    assert "head" in worker.call(1, "sql.export", workspace="shop", sql=many)
    assert worker.message()["ok"]["row_count"] == 200_000
    assert len(worker.chunks) > 3 and max(map(len, worker.chunks)) <= 256 << 10
    assert b"".join(worker.chunks).count(b"\n") == 200_001


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("nope", {}, "not_found"),
    ("", {}, "not_found"),
    ("session.show", {}, "invalid_argument"),
    ("session.show", {"session": 7}, "invalid_argument"),
    ("session.show", {"session": "x", "more": 1}, "invalid_argument"),
    ("session.show", {"session": "../x"}, "not_found"),
    ("session.show", {"session": "x" * 65}, "not_found"),
    ("session.show", {"session": "x\0"}, "not_found"),
    ("session.new", {"workspace": "nope", "question": "q", "author": "a"}, "not_found"),
    ("session.new", {"workspace": "shop", "question": "", "author": "a"}, "invalid_argument"),
    ("session.new", {"workspace": "shop", "question": "x" * (1 << 20), "author": "a"}, "too_large"),
    ("session.new", {"workspace": "broken", "question": "q", "author": "a"}, "workspace_broken"),
    ("session.new", {"workspace": "nofile", "question": "q", "author": "a"}, "database_unavailable"),
    ("session.list", {"limit": 0}, "invalid_argument"),
    ("artifact.get", {"session": "x", "name": "../x"}, "not_found"),
    ("decision.add", {"session": "x"}, "invalid_argument"),
    ("schema.tables", {}, "invalid_argument"),
    ("sql.check", {"workspace": "shop", "sql": "DELETE FROM product"}, "refused"),
    ("sql.check", {"workspace": "nope", "sql": "SELECT 1"}, "not_found"),
    ("sql.preview", {"workspace": "shop"}, "invalid_argument"),
    ("sql.preview", {"workspace": "shop", "sql": "SELECT 1", "limit": 0}, "invalid_argument"),
    ("sql.preview", {"workspace": "shop", "sql": "SELECT 1", "offset": -1}, "invalid_argument"),
    ("sql.preview", {"workspace": "shop", "sql": "SELECT 1", "timeout_s": 0}, "invalid_argument"),
    ("sql.preview", {"workspace": "shop", "sql": "SELECT nope FROM product"}, "database_error"),
    ("sql.preview", {"workspace": "nofile", "sql": "SELECT 1"}, "database_unavailable"),
    ("sql.export", {"workspace": "shop", "sql": "SELECT 1", "format": "xls"}, "invalid_argument"),
]


def test_what_cannot_be_is_an_error_and_the_worker_lives_on(home: Home, worker: WorkerProcess) -> None:
    (home.workspaces / "broken.yaml").write_text("connection: [")
    (home.workspaces / "nofile.yaml").write_text("dialect: sqlite\nconnection: {path: ../gone.db}")
    for call, (operation, arguments, code) in enumerate(BAD_CALLS):
        answer = worker.call(call, operation, **arguments)
        assert answer["id"] == call and answer["error"]["code"] == code, answer
        assert answer["error"]["message"] and "\n" not in answer["error"]["message"]
    assert not home.sessions.exists() or list(home.sessions.iterdir()) == []
    assert "ok" in worker.call(1, "workspace.list")


def test_a_running_call_is_cancelled_and_the_worker_lives_on(worker: WorkerProcess) -> None:
    worker.send({"id": 1, "op": "sql.preview", "args": {"workspace": "shop", "sql": ENDLESS}})
    worker.send({"id": 2, "op": "workspace.list", "args": {}})
    worker.send({"id": 3, "op": "workspace.list", "args": {}})
    worker.send({"cancel": 3})
    worker.send({"cancel": 1})
    worker.send({"cancel": 99})
    assert worker.message()["error"]["code"] == "cancelled"
    assert "ok" in worker.message()
    assert worker.message() == {"id": 3, "error": {"code": "cancelled", **CANCELLED}}


CANCELLED = {"message": "the statement was cancelled", "details": {}}


def test_a_timeout_stops_the_statement_and_the_worker_lives_on(worker: WorkerProcess) -> None:
    began = time.monotonic()
    answer = worker.call(1, "sql.preview", workspace="shop", sql=ENDLESS, timeout_s=0.3)
    assert answer["error"]["code"] == "timeout" and time.monotonic() - began < 5
    assert "ok" in worker.call(2, "sql.preview", workspace="shop", sql=SQL)


def test_a_statement_that_will_not_stop_ends_the_worker_after_its_error(worker: WorkerProcess) -> None:
    answer = worker.call(7, "sql.preview", workspace="shop", sql=STUBBORN, timeout_s=0.3)
    assert answer["id"] == 7 and answer["error"]["code"] == "timeout" and answer["ends"] is True
    assert worker.end(10)[0] == Code.TIMEOUT.kind.exit_code


def test_a_worker_over_its_memory_tells_and_ends(home: Home) -> None:
    with WorkerProcess(home.root, env={"THT_WORKER_MEMORY_MIB": "1"}) as worker:
        worker.message()
        answer = worker.call(1, "sql.preview", workspace="shop", sql=ENDLESS)
        assert answer["error"]["code"] == "over_cap"
        assert worker.end(10)[0] == Code.OVER_CAP.kind.exit_code


NOISY = """
import os, sys
import tht.sessions
real = tht.sessions.show
def noisy(*arguments):
    print("Warning: foo")
    os.write(1, b"Warning: bar from C\\n")
    os.system("echo Warning: baz from a child")
    sys.stdin.read()
    return real(*arguments)
tht.sessions.show = noisy
"""


def test_a32_a_library_that_prints_does_not_touch_the_frames(home: Home, session: str) -> None:
    with WorkerProcess(home.root, preload=NOISY) as worker:
        worker.message()
        for call in (1, 2):
            assert worker.call(call, "session.show", session=session)["ok"]["id"] == session
        code, stderr = worker.end()
        assert code == 0
        for said in ("Warning: foo", "Warning: bar from C", "Warning: baz from a child"):
            assert stderr.count(said) == 2


BROKEN = """
import tht.sessions
def show(*_):
    raise ZeroDivisionError("secret row value")
tht.sessions.show = show
def listing(*_, **__):
    raise MemoryError
tht.sessions.listing = listing
"""


def test_a_bug_is_told_without_its_details_and_the_worker_lives_on(home: Home, session: str) -> None:
    with WorkerProcess(home.root, preload=BROKEN) as worker:
        worker.message()
        error = worker.call(1, "session.show", session=session)["error"]
        assert error["code"] == "internal" and "secret" not in error["message"]
        assert worker.call(2, "session.list")["error"]["code"] == "over_cap"
        assert "ok" in worker.call(3, "workspace.list")
        code, stderr = worker.end()
        assert code == 0 and "ZeroDivisionError" in stderr


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        length(0),
        length((64 << 20) + 1) + b"J",
        length(2) + b"J{",
        length(3) + b"J[]",
        length(3) + b"J{\xff",
        length(13) + b'J{"id": "one"}',
        length(6) + b"B\0\0\0\1x",
    ],
)
def test_what_is_no_call_ends_the_worker_with_a_reason(home: Home, data: bytes) -> None:
    with WorkerProcess(home.root) as worker:
        worker.message()
        worker.write(data)
        code, stderr = worker.end()
        assert code == Code.MALFORMED.kind.exit_code
        assert stderr.startswith("tht worker: ") and stderr.count("\n") == 1


def test_the_end_of_stdin_cancels_what_runs_and_ends_the_worker(worker: WorkerProcess) -> None:
    worker.send({"id": 1, "op": "sql.preview", "args": {"workspace": "shop", "sql": ENDLESS}})
    began = time.monotonic()
    assert worker.end(10)[0] == 0
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("sql", [ENDLESS, STUBBORN])
def test_sigterm_ends_the_worker_whatever_runs(worker: WorkerProcess, sql: str) -> None:
    worker.send({"id": 1, "op": "sql.preview", "args": {"workspace": "shop", "sql": sql}})
    worker.send({"id": 2, "op": "workspace.list", "args": {}})
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(10) == 128 + signal.SIGTERM


def test_ctrl_c_in_the_terminal_is_the_parents_to_handle(worker: WorkerProcess) -> None:
    worker.process.send_signal(signal.SIGINT)
    assert "ok" in worker.call(1, "workspace.list")


def test_a_reader_that_went_away_ends_the_worker_quietly(worker: WorkerProcess) -> None:
    assert worker.process.stdout and worker.process.stderr
    worker.process.stdout.close()
    worker.send({"id": 1, "op": "workspace.list", "args": {}})
    assert worker.process.wait(10) == 0
    assert b"Traceback" not in worker.process.stderr.read()


def test_a_worker_without_a_home_fails_in_one_line(tmp_path: Path) -> None:
    with WorkerProcess(str(tmp_path / "nope")) as worker:
        code, stderr = worker.end()
        assert code == Code.NOT_FOUND.kind.exit_code and stderr.count("\n") == 1


def test_a_worker_that_is_killed_leaves_the_database_as_it_was(home: Home, worker: WorkerProcess) -> None:
    worker.send({"id": 1, "op": "sql.preview", "args": {"workspace": "shop", "sql": ENDLESS}})
    worker.process.send_signal(signal.SIGKILL)
    assert worker.process.wait(10) == -signal.SIGKILL
    assert [path.name for path in Path(home.root).iterdir() if path.name.startswith("shop")] == ["shop.db"]
    with sqlite3.connect(Path(home.root) / "shop.db") as connection:
        assert connection.execute("SELECT count(*) FROM product").fetchone() == (3,)
    connection.close()


def test_no_descriptor_of_the_frames_reaches_a_child(home: Home, session: str) -> None:
    preload = """
import os, tht.sessions
real = tht.sessions.show
def show(*arguments):
    os.system("ls -l /proc/self/fd >&2")
    return real(*arguments)
tht.sessions.show = show
"""
    with WorkerProcess(home.root, preload=preload) as worker:
        worker.message()
        stdout = os.readlink(f"/proc/{os.getpid()}/fd/{worker.process.stdout.fileno()}")  # type: ignore[union-attr]
        assert "ok" in worker.call(1, "session.show", session=session)
        assert stdout not in worker.end()[1]
