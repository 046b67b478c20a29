"""The rest transport on Trino's documented client protocol, spoken by a server of our own."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tests.databases.endpoints import Endpoint, Exchange, endpoint, wait_for
from tests.databases.rest_helpers import csv_of, fault_of, page_of, workspace_of
from tht import schema, sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases

ACCEPTED = "accept_writable_role: true\n"
CONNECTION = ", user: ann, catalog: hive, schema: sales"


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


def trino_of(running: Endpoint, more: str = ACCEPTED) -> Workspace:
    return workspace_of(running.url, "trino", CONNECTION, more)


class Coordinator:
    """Gives pages one after the other, as a Trino coordinator does."""

    def __init__(self, *pages: dict[str, Any]) -> None:
        self.pages = list(pages)
        self.port = 0

    def __call__(self, exchange: Exchange) -> None:
        if exchange.request.method == "DELETE":
            exchange.send(204, b"")
            return
        at = 0 if exchange.request.method == "POST" else int(exchange.request.path.rsplit("/", 1)[1])
        host = exchange.request.headers["host"]
        page: dict[str, Any] = {"id": "20261130_1", "stats": {"state": "RUNNING"}, **self.pages[at]}
        if at + 1 < len(self.pages):
            page.setdefault("nextUri", f"http://{host}/v1/statement/executing/20261130_1/y/{at + 1}")
        exchange.json(page)


def columns(*types: str) -> list[dict[str, Any]]:
    return [
        {"name": f"c{i}", "type": type_, "typeSignature": {"rawType": type_.split("(")[0], "arguments": []}}
        for i, type_ in enumerate(types)
    ]


def test_pages_are_followed_until_there_is_no_next(tmp_path: Path) -> None:
    told = columns("bigint")
    coordinator = Coordinator(
        {},
        {},
        {"columns": told},
        {"columns": told, "data": [[1], [2]]},
        {"columns": told, "data": [[3]]},
        {"columns": told, "warnings": [{"message": "slow 'x'"}]},
    )
    with endpoint(coordinator) as running:
        workspace = trino_of(running)
        page = page_of(workspace, "SELECT c0 FROM t", tmp_path)
        assert (page["rows"], page["warnings"]) == ([["1"], ["2"], ["3"]], ["slow '...'"])
        assert csv_of(workspace, "SELECT c0 FROM t", tmp_path) == b"c0\r\n1\r\n2\r\n3\r\n"
        posted = next(one for one in running.requests if one.method == "POST")
        assert (posted.path, posted.body) == ("/v1/statement", b"SELECT c0 FROM t")
        expected = {"user": "ann", "catalog": "hive", "schema": "sales", "time-zone": "UTC"}
        assert {name: posted.headers[f"x-trino-{name}"] for name in expected} == expected
        assert posted.headers["x-trino-client-capabilities"] == "PARAMETRIC_DATETIME"
        assert posted.headers["x-trino-session"] == "query_max_run_time=31.0s"


CELLS: list[tuple[str, Any, Any]] = [
    ("boolean", True, True),
    ("integer", 7, 7),
    ("bigint", 9007199254740993, "9007199254740993"),
    ("real", 0.1, 0.1),
    ("double", "NaN", "NaN"),
    ("double", "-Infinity", "-Infinity"),
    ("decimal(38,10)", "1.1000000000", "1.1000000000"),
    ("varchar(5)", "", ""),
    ("varchar", None, None),
    ("varbinary", "AP8=", "AP8="),
    ("json", '{"a":1.10}', '{"a":1.10}'),
    ("date", "2024-02-29", "2024-02-29"),
    ("time(3)", "23:59:59.500", "23:59:59.5"),
    ("time(3) with time zone", "23:59:59.500+02:00", "23:59:59.5+02:00"),
    ("timestamp(12)", "2024-02-29 23:59:59.123456789012", "2024-02-29T23:59:59.123456789012"),
    ("timestamp(3) with time zone", "2024-02-29 23:59:59.500 UTC", "2024-02-29T23:59:59.5+00:00"),
    (
        "timestamp(9) with time zone",
        "2024-07-01 01:00:00.123456789 Europe/Rome",
        "2024-06-30T23:00:00.123456789+00:00",
    ),
    ("timestamp(0) with time zone", "2024-07-01 01:00:00 +02:00", "2024-06-30T23:00:00+00:00"),
    ("timestamp(0) with time zone", "12024-07-01 01:00:00 Europe/Rome", "12024-07-01 01:00:00 Europe/Rome"),
    ("interval year to month", "1-2", "P1Y2M"),
    ("interval day to second", "3 04:05:06.789", "P3DT4H5M6.789S"),
    ("interval day to second", "-0 00:00:00.500", "PT-0.5S"),
    ("interval day to second", "0 00:00:00.000", "PT0S"),
    ("uuid", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
    ("array(bigint)", [1, None], ["1", None]),
    ("map(varchar, double)", {"k": "NaN"}, {"k": "NaN"}),
    (
        "row(a bigint, b array(decimal(5,2)), time timestamp(3))",
        [1, ["1.10"], "2024-01-01 00:00:00.000"],
        {"a": "1", "b": ["1.10"], "time": "2024-01-01T00:00:00"},
    ),
    ('row("x y" bigint, "x y" bigint)', [1, 2], ["1", "2"]),
    ("row(bigint, interval day to second)", [1, "1 00:00:00.000"], ["1", "P1D"]),
    ("HyperLogLog", "AgwBAIADRAA=", "AgwBAIADRAA="),
]


def test_cells_of_every_type(tmp_path: Path) -> None:
    told = columns(*(type_ for type_, _, _ in CELLS))
    with endpoint(Coordinator({"columns": told, "data": [[sent for _, sent, _ in CELLS]]})) as running:
        page = page_of(trino_of(running), "SELECT 1", tmp_path)
        assert page["rows"] == [[shown for _, _, shown in CELLS]]


def error(name: str, type_: str = "USER_ERROR", message: str = "so") -> dict[str, Any]:
    return {"error": {"message": message, "errorCode": 1, "errorName": name, "errorType": type_}}


ERRORS: list[tuple[dict[str, Any], Code]] = [
    (error("SYNTAX_ERROR", message="line 1:8: mismatched input 'x'"), Code.DATABASE_ERROR),
    (error("EXCEEDED_TIME_LIMIT", "INSUFFICIENT_RESOURCES"), Code.TIMEOUT),
    (error("EXCEEDED_GLOBAL_MEMORY_LIMIT", "INSUFFICIENT_RESOURCES"), Code.OVER_CAP),
    (error("USER_CANCELED"), Code.CANCELLED),
    (error("READ_ONLY_VIOLATION"), Code.REFUSED),
    (error("SERVER_STARTING_UP", "INTERNAL_ERROR"), Code.DATABASE_UNAVAILABLE),
    ({"nextUri": "http://127.0.0.1:9/v1/statement/1"}, Code.DATABASE_UNAVAILABLE),
    ({"columns": columns("bigint"), "data": {"encoding": "json+zstd"}}, Code.DATABASE_UNAVAILABLE),
    ({"columns": columns("bigint"), "data": [["x"]]}, Code.DATABASE_ERROR),
    ({"columns": columns("array(bigint"), "data": [[[1]]]}, Code.DATABASE_ERROR),
    ({}, Code.REFUSED),
]


@pytest.mark.parametrize(("page", "code"), ERRORS)
def test_errors_are_one_clear_line(page: dict[str, Any], code: Code, tmp_path: Path) -> None:
    with endpoint(Coordinator(page)) as running:
        assert fault_of(lambda: page_of(trino_of(running), "SELECT 1", tmp_path)).code is code
        late = Coordinator({}, {"columns": columns("bigint"), "data": [[1]]}, page)
        if "error" in page:
            running.answering = late
            assert fault_of(lambda: csv_of(trino_of(running), "SELECT 1", tmp_path)).code is code


def test_values_of_rows_are_not_in_messages(tmp_path: Path) -> None:
    page = error("INVALID_CAST_ARGUMENT", message="Cannot cast 's3cret' to INT")
    with endpoint(Coordinator(page)) as running:
        fault = fault_of(lambda: page_of(trino_of(running), "SELECT 1", tmp_path))
        assert fault.message == "Cannot cast '...' to INT [INVALID_CAST_ARGUMENT]"


def test_secrets_go_to_no_other_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKEN", "s3cret")

    def answer(exchange: Exchange) -> None:
        exchange.json({})

    with endpoint(answer) as other:
        page = {"nextUri": f"{other.url}/v1/statement/1"}
        with endpoint(Coordinator(page)) as running:
            workspace = workspace_of(running.url, "trino", f"{CONNECTION}, token: '${{TOKEN}}'", ACCEPTED)
            fault = fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path))
            assert fault.code is Code.DATABASE_UNAVAILABLE
            assert running.requests[0].headers["authorization"] == "Bearer s3cret"
        assert other.requests == []


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_coordinator_is_asked_again(status: int, tmp_path: Path) -> None:
    inner = Coordinator({}, {"columns": columns("bigint"), "data": [[1]]})
    seen: list[str] = []

    def answer(exchange: Exchange) -> None:
        seen.append(exchange.request.method)
        if len(seen) % 2:
            exchange.send(status, "busy", "text/plain")
        else:
            inner(exchange)

    with endpoint(answer) as running:
        assert page_of(trino_of(running), "SELECT 1", tmp_path)["rows"] == [["1"]]
        assert seen == ["POST", "POST", "GET", "GET"]


@pytest.mark.parametrize("way", ["cancel", "timeout", "page read"])
def test_c09_a_statement_that_is_left_is_deleted(way: str, tmp_path: Path) -> None:
    first = Coordinator({"columns": columns("bigint"), "data": [[i] for i in range(200)]}, {})

    def answer(exchange: Exchange) -> None:
        if exchange.request.method == "GET":
            exchange.wait_for_close(20)
        else:
            first(exchange)

    with endpoint(answer) as running:
        workspace = trino_of(running)
        cancel = Cancel()
        caught: list[Fault] = []
        limit = 10 if way == "page read" else 1000

        def run() -> None:
            try:
                page_of(
                    workspace,
                    "SELECT 1",
                    tmp_path,
                    cancel=cancel,
                    limit=limit,
                    timeout_s=0.5 if way == "timeout" else 20,
                )
            except Fault as fault:
                caught.append(fault)

        thread = threading.Thread(target=run)
        thread.start()
        if way == "cancel":
            wait_for(lambda: any(one.method == "GET" for one in running.requests))
            cancel.set()
        wait_for(lambda: any(one.method == "DELETE" for one in running.requests), 3)
        thread.join(5)
        deleted = next(one for one in running.requests if one.method == "DELETE")
        assert deleted.path == "/v1/statement/executing/20261130_1/y/1"
        expected = {"cancel": [Code.CANCELLED], "timeout": [Code.TIMEOUT], "page read": []}[way]
        assert [fault.code for fault in caught] == expected


def test_the_schema_comes_from_information_schema() -> None:
    def answer(exchange: Exchange) -> None:
        asked = exchange.request.body.decode()
        if ".tables" in asked:
            rows = [["sales", "orders", "BASE TABLE"], ["sales", "paid", "VIEW"]]
        else:
            rows = [
                ["sales", "orders", "id", "bigint", "NO"],
                ["sales", "orders", "secret", "varchar", "YES"],
            ]
        Coordinator({"columns": columns(*["varchar"] * len(rows[0])), "data": rows})(exchange)

    with endpoint(answer) as running:
        workspace = trino_of(running, f"{ACCEPTED}allow: {{schemas: [sales], deny_columns: [secret]}}\n")
        listed = schema.tables(workspace)["tables"]
        assert [(table["name"], table["kind"]) for table in listed] == [("orders", "table"), ("paid", "view")]
        told = schema.describe(workspace, "orders")["columns"]
        assert [(column["name"], column["nullable"]) for column in told] == [("id", False)]


def test_an_account_of_trino_must_be_vouched_for(tmp_path: Path) -> None:
    with endpoint(Coordinator({"columns": columns("integer"), "data": [[1]]})) as running:
        assert [check["ok"] for check in sql.role_checks(trino_of(running))] == [False]
        fault = fault_of(lambda: page_of(trino_of(running, ""), "SELECT 1", tmp_path))
        assert fault.code is Code.REFUSED


def test_a_workspace_of_trino_names_its_catalog() -> None:
    text = "dialect: trino\ntransport: rest\nconnection: {url: 'https://h/'}\n"
    assert fault_of(lambda: parse_workspace("w", text, Path("/"))).code is Code.WORKSPACE_BROKEN
