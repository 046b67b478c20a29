"""The rest transport and ThothII's own contract."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from contracts.errors import Code, Fault
from tests.databases.endpoints import Exchange
from tests.databases.rest_helpers import HELLO, csv_of, fault_of, own_endpoint, page_of, workspace_of
from tht import schema, sql
from tht.sql import warm
from tht.sql.cancel import Cancel

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


def test_the_guard_judges_before_anything_is_sent(tmp_path: Path) -> None:
    with own_endpoint() as running:
        workspace = workspace_of(running.url, more="allow: {tables: [t]}\n")
        for text in ("DELETE FROM t", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "SELECT * FROM other"):
            assert fault_of(lambda t=text: page_of(workspace, t, tmp_path)).code is Code.REFUSED
        assert running.requests == []


def test_the_contract_runs_sql_and_tells_its_schema(tmp_path: Path) -> None:
    with own_endpoint() as running:
        workspace = workspace_of(f"{running.url}/sql")
        page = page_of(workspace, "SELECT id, v FROM t", tmp_path)
        assert page["rows"] == [[1, "a"]]
        assert [table["name"] for table in schema.tables(workspace)["tables"]] == ["t"]
        posted = next(one for one in running.requests if one.method == "POST").json()
        assert posted["sql"] == "SELECT id, v FROM t"
        assert (posted["dialect"], posted["limit"], posted["timeout_s"]) == ("sqlite", 10_001, 30.0)
        assert running.requests[0].path == "/sql"


def test_the_contract_with_duckdb_behind_it_tells_types(tmp_path: Path) -> None:
    database = duckdb.connect(":memory:")
    database.execute("CREATE TABLE p (id BIGINT PRIMARY KEY, price DECIMAL(10,2) NOT NULL, tags VARCHAR[])")
    database.execute("INSERT INTO p VALUES (9007199254740993, 1.10, ['a', 'b'])")
    names = {"BIGINT": "bigint", "VARCHAR": "text", "BOOLEAN": "boolean", "INTEGER": "integer"}

    def answer(exchange: Exchange) -> None:
        found = database.cursor().execute(exchange.request.json()["sql"])
        columns = []
        for name, type_, *_ in found.description or ():
            given = str(type_)
            logical = "array" if given.endswith("[]") else names.get(given, given.lower())
            columns.append({"name": name, "type": logical})
        rows = [
            [
                str(cell) if "decimal" in column["type"] else cell
                for cell, column in zip(row, columns, strict=True)
            ]
            for row in found.fetchall()
        ]
        exchange.json({"columns": columns, "rows": rows})

    with own_endpoint(answer, dialect="duckdb") as running:
        workspace = workspace_of(running.url, "duckdb")
        page = page_of(workspace, "SELECT * FROM p", tmp_path)
        assert page["rows"] == [["9007199254740993", "1.10", ["a", "b"]]]
        assert [column["type"] for column in page["columns"]] == ["bigint", "decimal", "array"]
        told = schema.describe(workspace, "p")
        assert (told["primary_key"], told["columns"][1]["type"]) == (["id"], "DECIMAL(10,2)")
        assert [column["nullable"] for column in told["columns"]] == [False, False, True]
    database.close()


CELLS: list[tuple[str, Any, Any, str]] = [
    ("integer", 7, 7, "7"),
    ("bigint", "9223372036854775807", "9223372036854775807", "9223372036854775807"),
    ("bigint", 9007199254740993, "9007199254740993", "9007199254740993"),
    ("ubigint", "18446744073709551615", "18446744073709551615", "18446744073709551615"),
    ("hugeint", str(2**127 - 1), str(2**127 - 1), str(2**127 - 1)),
    ("decimal(38,10)", "1.1000000000", "1.1000000000", "1.1000000000"),
    ("decimal", "NaN", "NaN", "NaN"),
    ("float", 1.0, 1.0, "1.0"),
    ("float", "-Infinity", "-Infinity", "-Infinity"),
    ("boolean", True, True, "true"),
    ("text", "", "", '""'),
    ("text", None, None, ""),
    ("bytes", base64.b64encode(b"\0\xff").decode(), "AP8=", "\\x00ff"),
    ("date", "infinity", "infinity", "infinity"),
    ("time", "24:00:00", "24:00:00", "24:00:00"),
    ("timestamp", "2024-02-29T23:59:59.500", "2024-02-29T23:59:59.5", "2024-02-29T23:59:59.5"),
    ("timestamptz", "2024-02-29T23:59:59Z", "2024-02-29T23:59:59+00:00", "2024-02-29T23:59:59+00:00"),
    ("interval", "P1Y2M3DT4H5M6.789S", "P1Y2M3DT4H5M6.789S", "P1Y2M3DT4H5M6.789S"),
    ("json", '{"a": 1.10}', '{"a": 1.10}', '"{""a"": 1.10}"'),
    ("array", [1, None, ["x"]], [1, None, ["x"]], '"[1, null, [""x""]]"'),
    ("struct", {"a": "9007199254740993"}, {"a": "9007199254740993"}, '"{""a"": ""9007199254740993""}"'),
    ("polygon", "((0,0))", "((0,0))", '"((0,0))"'),
    ("any", "x", "x", "x"),
    ("any", 2**53, str(2**53), str(2**53)),
]


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "lines"])
def test_cells_of_every_type_keep_digits_and_kind(streamed: bool, tmp_path: Path) -> None:
    columns = [{"name": f"n{i}", "type": type_} for i, (type_, *_) in enumerate(CELLS)]
    row = [sent for _, sent, _, _ in CELLS]

    def answer(exchange: Exchange) -> None:
        if not streamed:
            exchange.json({"columns": columns, "rows": [row], "truncated": False})
            return
        exchange.begin("application/x-ndjson")
        for line in ({"columns": columns}, row, {"end": True, "truncated": False, "warnings": ["slow\nx"]}):
            exchange.part(json.dumps(line) + "\n")
        exchange.end()

    with own_endpoint(answer) as running:
        workspace = workspace_of(running.url)
        page = page_of(workspace, "SELECT 1", tmp_path)
        assert page["rows"] == [[shown for _, _, shown, _ in CELLS]]
        assert page["truncated"] is False
        assert page["warnings"] == (["slow"] if streamed else [])
        line = csv_of(workspace, "SELECT 1", tmp_path).decode().split("\r\n")[1]
        assert line == ",".join(text for *_, text in CELLS)


def test_a_streamed_answer_shows_its_first_page_before_its_end(tmp_path: Path) -> None:
    seen = threading.Event()

    def answer(exchange: Exchange) -> None:
        exchange.begin("application/x-ndjson")
        exchange.part('{"columns": [{"name": "i", "type": "integer"}]}\n')
        exchange.part("".join(f"[{i}]\n" for i in range(100)))
        assert exchange.wait_for_close(10)
        seen.set()

    with own_endpoint(answer) as running:
        page = page_of(workspace_of(running.url), "SELECT 1", tmp_path, limit=10)
        assert (len(page["rows"]), page["truncated"]) == (10, True)
        assert seen.wait(5)


def test_many_rows_are_exported_as_they_come(tmp_path: Path) -> None:
    count = 50_000

    def answer(exchange: Exchange) -> None:
        assert exchange.request.json()["limit"] is None
        exchange.begin("application/x-ndjson")
        exchange.part('{"columns": [{"name": "i", "type": "integer"}]}\n')
        for start in range(0, count, 1000):
            exchange.part("".join(f"[{i}]\n" for i in range(start, start + 1000)))
        exchange.part('{"end": true}')
        exchange.end()

    with own_endpoint(answer) as running:
        export = sql.export(workspace_of(running.url), "SELECT 1", home_results=tmp_path)
        data = b"".join(export)
        assert (export.row_count, data.count(b"\r\n")) == (count, count + 1)


BROKEN_ANSWERS: dict[str, Callable[[Exchange], None]] = {
    "no json": lambda e: e.send(200, "<html>"),
    "deep json": lambda e: e.send(200, "[" * 100_000),
    "no columns": lambda e: e.json({"rows": [[1]]}),
    "columns of another shape": lambda e: e.json({"columns": ["a"], "rows": [[1]]}),
    "rows of another width": lambda e: e.json({"columns": [{"name": "a"}], "rows": [[1, 2]]}),
    "rows that are none": lambda e: e.json({"columns": [{"name": "a"}], "rows": ["x"]}),
    "a value of another type": lambda e: e.json(
        {"columns": [{"name": "a", "type": "integer"}], "rows": [[[]]]}
    ),
    "a fraction in a decimal": lambda e: e.json(
        {"columns": [{"name": "a", "type": "decimal"}], "rows": [[1.1]]}
    ),
    "an integer that does not fit": lambda e: e.json(
        {"columns": [{"name": "a", "type": "bigint"}], "rows": [[2**70]]}
    ),
    "no base64": lambda e: e.json({"columns": [{"name": "a", "type": "bytes"}], "rows": [["?"]]}),
    "packed": lambda e: e.send(200, b"\x1f\x8b", Content_Encoding="gzip"),
    "lines without an end": lambda e: e.send(
        200, '{"columns": [{"name": "a", "type": "integer"}]}\n[1]\n', "application/x-ndjson"
    ),
    "lines after the end": lambda e: e.send(
        200, '{"columns": [{"name": "a"}]}\n{"end": true}\n[1]\n', "application/x-ndjson"
    ),
    "an error in mid stream": lambda e: e.send(
        200,
        '{"columns": [{"name": "a"}]}\n[1]\n{"error": {"code": "database_error", "message": "m"}}\n',
        "application/x-ndjson",
    ),
}


@pytest.mark.parametrize("kind", BROKEN_ANSWERS)
def test_an_answer_that_is_wrong_is_one_clear_error(kind: str, tmp_path: Path) -> None:
    with own_endpoint(BROKEN_ANSWERS[kind]) as running:
        workspace = workspace_of(running.url)
        fault = fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path))
        assert fault.code in (Code.DATABASE_UNAVAILABLE, Code.DATABASE_ERROR)
        assert fault_of(lambda: csv_of(workspace, "SELECT 1", tmp_path)).code is fault.code
        running.answering = lambda e: e.json(
            HELLO if e.request.method == "GET" else {"columns": [{"name": "a"}], "rows": [[1]]}
        )
        assert page_of(workspace, "SELECT 1", tmp_path)["rows"] == [[1]]


def test_a_connection_lost_in_mid_answer_is_no_short_result(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin("application/x-ndjson")
        exchange.part('{"columns": [{"name": "i", "type": "integer"}]}\n[1]\n')
        exchange.drop()

    with own_endpoint(answer) as running:
        workspace = workspace_of(running.url)
        assert fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path)).code is Code.DATABASE_UNAVAILABLE
        fault = fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path, draft=False))
        assert fault.code is Code.DATABASE_UNAVAILABLE
        assert list(tmp_path.glob("r*")) == []


STATUSES = {
    400: Code.DATABASE_ERROR,
    401: Code.DATABASE_UNAVAILABLE,
    403: Code.DATABASE_UNAVAILABLE,
    404: Code.DATABASE_UNAVAILABLE,
    301: Code.DATABASE_UNAVAILABLE,
    307: Code.DATABASE_UNAVAILABLE,
    413: Code.TOO_LARGE,
    429: Code.DATABASE_UNAVAILABLE,
    500: Code.DATABASE_ERROR,
    503: Code.DATABASE_UNAVAILABLE,
    504: Code.TIMEOUT,
}


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_says_what_went_wrong(status: int, tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.send(status, "no", "text/plain", Location="http://127.0.0.1:9/elsewhere")

    with own_endpoint(answer) as running:
        fault = fault_of(lambda: page_of(workspace_of(running.url), "SELECT 1", tmp_path))
        assert fault.code is STATUSES[status]
        assert len(running.requests) == 2, "nothing is sent twice, and no redirect is followed"


@pytest.mark.parametrize("code", ["refused", "timeout", "over_cap", "database_error", "database_unavailable"])
def test_an_endpoint_names_its_error(code: str, tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.json({"error": {"code": code, "message": "so it is\nmore"}}, 422)

    with own_endpoint(answer) as running:
        fault = fault_of(lambda: page_of(workspace_of(running.url), "SELECT 1", tmp_path))
        assert (fault.code.value, fault.message) == (code, "so it is")


@pytest.mark.parametrize("way", ["cancel", "timeout"])
@pytest.mark.parametrize("begun", [False, True], ids=["before the answer", "in mid answer"])
def test_c09_a_stopped_statement_closes_the_connection(way: str, begun: bool, tmp_path: Path) -> None:
    left, waiting = threading.Event(), threading.Event()

    def answer(exchange: Exchange) -> None:
        if begun:
            exchange.begin("application/x-ndjson")
            exchange.part('{"columns": [{"name": "i", "type": "integer"}]}\n[1]\n')
        waiting.set()
        if exchange.wait_for_close(20):
            left.set()

    with own_endpoint(answer) as running:
        workspace = workspace_of(running.url)
        cancel = Cancel()
        caught: list[Fault] = []
        seconds = 0.3 if way == "timeout" else 20

        def run() -> None:
            caught.append(
                fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path, cancel=cancel, timeout_s=seconds))
            )

        thread = threading.Thread(target=run)
        thread.start()
        assert waiting.wait(10)
        if way == "cancel":
            cancel.set()
        thread.join(5)
        assert left.wait(2)
        assert [fault.code for fault in caught] == [Code.TIMEOUT if way == "timeout" else Code.CANCELLED]
        assert sum(one.method == "POST" for one in running.requests) == 1
        running.answering = lambda e: e.json(
            HELLO if e.request.method == "GET" else {"columns": [{"name": "a"}], "rows": [[1]]}
        )
        assert page_of(workspace, "SELECT 2", tmp_path)["rows"] == [[1]]


def test_a_kept_connection_that_the_server_closed_is_opened_again(tmp_path: Path) -> None:
    with own_endpoint() as running:
        workspace = workspace_of(running.url)
        inner = running.answering

        def answer(exchange: Exchange) -> None:
            inner(exchange)
            exchange.drop()

        running.answering = answer
        for _ in range(3):
            assert page_of(workspace, "SELECT 1 AS a", tmp_path)["rows"] == [[1]]


def test_what_an_endpoint_says_of_itself_is_checked(tmp_path: Path) -> None:
    with own_endpoint(read_only=False) as running:
        workspace = workspace_of(running.url)
        assert fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path)).code is Code.REFUSED
        assert [check["ok"] for check in sql.role_checks(workspace)] == [False]
        accepted = workspace_of(f"{running.url}/a", more="accept_writable_role: true\n")
        assert page_of(accepted, "SELECT 1 AS a", tmp_path)["rows"] == [[1]]
    for hello in ({"dialect": "postgres"}, {"contract": "other/1"}):
        with own_endpoint(**hello) as running:
            fault = fault_of(lambda r=running: page_of(workspace_of(r.url), "SELECT 1", tmp_path))
            assert fault.code in (Code.WORKSPACE_BROKEN, Code.DATABASE_UNAVAILABLE)


def test_an_answer_beyond_the_cap_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tht.sql.engines.rest import http_client

    monkeypatch.setattr(http_client, "BODY_CAP", 1000)

    def whole(exchange: Exchange) -> None:
        exchange.json({"columns": [{"name": "a"}], "rows": [["x" * 2000]]})

    def line(exchange: Exchange) -> None:
        exchange.begin("application/x-ndjson")
        exchange.part('{"columns": [{"name": "a"}]}\n["')
        for _ in range(10):
            exchange.part("x" * 200_000)

    for answer in (whole, line):
        with own_endpoint(answer) as running:
            fault = fault_of(lambda r=running: page_of(workspace_of(r.url), "SELECT 1", tmp_path))
            assert fault.code is Code.OVER_CAP
