"""The rest transport on ClickHouse: a real server (Debian's 18.16), and the wire format of 26.5."""

import http.client
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from contracts.errors import Code, Fault
from tests.databases.endpoints import Exchange, clickhouse, endpoint, wait_for
from tests.databases.rest_helpers import csv_of, fault_of, page_of, workspace_of
from tht import schema, sql
from tht.sql import warm
from tht.sql.cancel import Cancel

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


# -- a real server


class Server:
    """The account that may do everything."""

    def __init__(self, url: str) -> None:
        self.url = url

    def run(self, text: str) -> str:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc)
        try:
            connection.request("POST", "/", body=text.encode())
            answer = connection.getresponse()
            body = answer.read().decode()
            assert answer.status == 200, body
            return body
        finally:
            connection.close()

    def as_user(self, name: str) -> str:
        return self.url.replace("//", f"//{name}:sesame@")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if shutil.which("clickhouse-server") is None:
        pytest.skip("no ClickHouse server is installed: apt-get install clickhouse-server")
    with clickhouse(tmp_path_factory.mktemp("clickhouse")) as url:
        found = Server(url)
        found.run(
            "CREATE TABLE orders (id UInt64, name String, total Decimal(18, 4), note Nullable(String), "
            "at DateTime) ENGINE = MergeTree ORDER BY id"
        )
        found.run(
            "INSERT INTO orders VALUES (18446744073709551615, 'Ada', 1.5, NULL, '2024-02-29 23:59:59'), "
            "(1, 'B\\'é', -0.0001, '', '2024-01-01 00:00:00')"
        )
        found.run("CREATE VIEW paid AS SELECT note AS n FROM orders")
        yield found


def test_a_real_clickhouse_gives_rows_with_their_types(server: Server, tmp_path: Path) -> None:
    workspace = workspace_of(server.as_user("reader"), "clickhouse")
    page = page_of(workspace, "SELECT * FROM orders ORDER BY id", tmp_path)
    assert [column["type"] for column in page["columns"]] == [
        *("bigint", "text", "decimal", "text", "timestamp")
    ]
    assert page["rows"] == [
        ["1", "B'é", "-0.0001", "", "2024-01-01T00:00:00"],
        ["18446744073709551615", "Ada", "1.5000", None, "2024-02-29T23:59:59"],
    ]
    odd = page_of(workspace, "SELECT nan AS a, [1, 2] AS b, (toInt64(5), 'x') AS c, 1.5 AS d", tmp_path)
    assert odd["rows"] == [["NaN", [1, 2], ["5", "x"], 1.5]]
    assert page_of(workspace, "SELECT 1 AS a WHERE 0", tmp_path)["rows"] == []
    assert csv_of(workspace, "SELECT number FROM numbers(20000)", tmp_path).count(b"\r\n") == 20_001


def test_a_real_clickhouse_is_asked_for_readonly(server: Server, tmp_path: Path) -> None:
    workspace = workspace_of(server.url, "clickhouse", more="accept_writable_role: true\n")
    with warm.engine(workspace) as engine:
        for text in ("CREATE TABLE x (a Int8) ENGINE = Memory", "SELECT 1 SETTINGS max_threads = 1"):
            fault = fault_of(lambda t=text: engine.execute(t, timeout_s=5, cancel=Cancel()).__enter__())
            assert fault.code in (Code.REFUSED, Code.DATABASE_ERROR), text
    assert "x" not in server.run("SHOW TABLES").split()


@pytest.mark.parametrize(("user", "reads"), [("default", False), ("reader", True), ("locked", True)])
def test_workspace_check_tells_accounts_apart(user: str, reads: bool, server: Server, tmp_path: Path) -> None:
    url = server.url if user == "default" else server.as_user(user)
    workspace = workspace_of(url, "clickhouse")
    assert [check["ok"] for check in sql.role_checks(workspace)] == [reads]
    if reads:
        page = page_of(workspace, "SELECT count() AS n FROM orders", tmp_path)
        assert page["rows"] == [["2"]]
        assert bool(page["warnings"]) == (user == "locked")
    else:
        assert fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path)).code is Code.REFUSED


SLOW = "SELECT count() AS n FROM system.numbers WHERE number % 3 = 5"


def test_a_real_clickhouse_stops_at_the_limit_of_time(server: Server, tmp_path: Path) -> None:
    workspace = workspace_of(server.as_user("reader"), "clickhouse")
    assert fault_of(lambda: page_of(workspace, SLOW, tmp_path, timeout_s=1)).code is Code.TIMEOUT


def running(server: Server) -> int:
    return int(server.run("SELECT count() FROM system.processes WHERE query LIKE '%% 3 = 5%'")) - 1


def test_c09_a_cancelled_statement_leaves_a_real_clickhouse(server: Server, tmp_path: Path) -> None:
    workspace = workspace_of(server.url, "clickhouse", more="accept_writable_role: true\n")
    cancel = Cancel()
    caught: list[Fault] = []
    thread = threading.Thread(
        target=lambda: caught.append(fault_of(lambda: page_of(workspace, SLOW, tmp_path, cancel=cancel)))
    )
    thread.start()
    wait_for(lambda: running(server) == 1)
    cancel.set()
    wait_for(lambda: running(server) == 0, 2)
    thread.join()
    assert [fault.code for fault in caught] == [Code.CANCELLED]


def test_the_schema_comes_from_a_real_clickhouse(server: Server) -> None:
    workspace = workspace_of(server.as_user("reader"), "clickhouse", more="allow: {tables: [orders]}\n")
    assert [table["name"] for table in schema.tables(workspace)["tables"]] == ["orders"]
    told = schema.describe(workspace, "orders")
    assert told["primary_key"] == ["id"]
    assert [(c["name"], c["nullable"]) for c in told["columns"]][2:4] == [("total", False), ("note", True)]
    assert len(json.loads(bytes(schema.sample(workspace, "orders")))["rows"]) == 2


def test_a_real_clickhouse_says_what_is_wrong(server: Server, tmp_path: Path) -> None:
    workspace = workspace_of(server.as_user("reader"), "clickhouse")
    fault = fault_of(lambda: page_of(workspace, "SELECT nothing FROM orders", tmp_path))
    assert fault.code is Code.DATABASE_ERROR
    assert "nothing" in fault.message
    wrong = workspace_of(server.as_user("reader").replace("sesame", "s3cret"), "clickhouse")
    fault = fault_of(lambda: page_of(wrong, "SELECT 1", tmp_path))
    assert (fault.code, "s3cret" in fault.message) == (Code.DATABASE_UNAVAILABLE, False)


# -- the wire format of later versions


def settings_answer(exchange: Exchange, readonly: int, known: tuple[str, ...]) -> bool:
    """Answers the adapter's own question."""
    if b"system.settings" not in exchange.request.body:
        return False
    rows = [["readonly", str(readonly)], *([name, ""] for name in known)]
    exchange.send(200, compact([("name", "String"), ("value", "String")], rows))
    return True


def compact(columns: list[tuple[str, str]], rows: list[Any], more: str = "") -> str:
    """JSONCompact as ClickHouse 26.5 writes it."""
    meta = ",\n".join(
        f'\t\t{{\n\t\t\t"name": {json.dumps(name)},\n\t\t\t"type": {json.dumps(type_)}\n\t\t}}'
        for name, type_ in columns
    )
    data = ",\n".join("\t\t" + (row if isinstance(row, str) else json.dumps(row)) for row in rows)
    return (
        f'{{\n\t"meta":\n\t[\n{meta}\n\t],\n\n\t"data":\n\t[\n{data}\n\t],\n\n{more}'
        f'\t"rows": {len(rows)},\n\n'
        '\t"statistics":\n\t{\n\t\t"elapsed": 0.1,\n\t\t"rows_read": 1,\n\t\t"bytes_read": 1\n\t}\n}\n'
    )


KNOWN = ("date_time_output_format", "output_format_json_quote_denormals", "session_timezone")
CELLS: list[tuple[str, str, Any]] = [
    ("Int64", '"9007199254740993"', "9007199254740993"),
    ("UInt64", "18446744073709551615", "18446744073709551615"),
    ("Int128", '"170141183460469231731687303715884105727"', "170141183460469231731687303715884105727"),
    ("UInt32", "4294967295", 4294967295),
    ("Decimal(18, 2)", '"1.10"', "1.10"),
    ("Decimal(76, 20)", "12345678901234567890123456789.00000000000000000001", None),
    ("Float64", '"nan"', "NaN"),
    ("Float64", '"-inf"', "-Infinity"),
    ("Float64", "1", 1.0),
    ("Float32", "0.1", 0.1),
    ("Bool", "true", True),
    ("LowCardinality(Nullable(String))", "null", None),
    ("Nullable(Nothing)", "null", None),
    ("Date", '"2024-02-29"', "2024-02-29"),
    ("DateTime64(3, 'Europe/Rome')", '"2024-02-29T22:59:59.500Z"', "2024-02-29T22:59:59.5+00:00"),
    ("UUID", '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"', "61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
    ("Array(Nullable(Int64))", '["1",null]', ["1", None]),
    ("Tuple(k UInt64, v String)", '{"k":"1","v":"x"}', {"k": "1", "v": "x"}),
    (
        "Tuple(Float64, Array(DateTime))",
        '[1.5,["2024-01-01T00:00:00Z"]]',
        [1.5, ["2024-01-01T00:00:00+00:00"]],
    ),
    ("Map(String, Decimal(9, 1))", '{"k":"1.5"}', {"k": "1.5"}),
    ("IntervalDay", '"3"', "P3D"),
    ("IntervalQuarter", '"2"', "P6M"),
    ("Enum8('a,)(' = 1, 'b' = 2)", '"a,)("', "a,)("),
    ("IPv4", '"1.2.3.4"', "1.2.3.4"),
    ("JSON", '{"a":1.10}', '{"a":1.1}'),
    ("Variant(Int8, String)", '"x"', "x"),
]


def test_cells_of_later_versions(tmp_path: Path) -> None:
    columns = [(f"c{i}", type_) for i, (type_, _, _) in enumerate(CELLS)]
    row = "[" + ", ".join(sent for _, sent, _ in CELLS) + "]"

    def answer(exchange: Exchange) -> None:
        if not settings_answer(exchange, 0, KNOWN):
            exchange.send(200, compact(columns, [row]))

    with endpoint(answer) as running_:
        workspace = workspace_of(running_.url, "clickhouse", ", user: ann", "accept_writable_role: true\n")
        page = page_of(workspace, "SELECT 1", tmp_path)
        expected = [shown for _, _, shown in CELLS]
        expected[5] = "12345678901234567890123456789.00000000000000000001"
        assert page["rows"] == [expected]
        asked = running_.requests[-1]
        assert asked.body == b"SELECT 1"
        assert asked.headers["x-clickhouse-user"] == "ann"
        assert (asked.query["readonly"], asked.query["max_execution_time"]) == ("1", "30")
        assert asked.query["date_time_output_format"] == "iso"
        assert "output_format_json_validate_utf8" not in asked.query, "not one that the server does not know"


ERRORS: dict[str, tuple[Callable[[Exchange], None], Code]] = {
    "in mid stream": (
        lambda e: e.send(
            200, compact([("a", "Int8")], [[1]]).split('\t],\n\n\t"rows"')[0] + "Code: 395. DB::Exception: x"
        ),
        Code.DATABASE_ERROR,
    ),
    "in the format": (
        lambda e: e.send(
            200, compact([("a", "Int8")], [[1]], '\t"exception": "Code: 159. DB::Exception: t",\n')
        ),
        Code.TIMEOUT,
    ),
    "cut after a row": (
        lambda e: e.send(200, compact([("a", "Int8")], [[1]]).split('"rows"')[0]),
        Code.DATABASE_UNAVAILABLE,
    ),
    "no columns": (lambda e: e.send(200, "Ok.\n"), Code.DATABASE_UNAVAILABLE),
    "memory": (lambda e: e.send(500, "Code: 241. DB::Exception: Memory limit"), Code.OVER_CAP),
    "readonly": (lambda e: e.send(500, "Code: 164. DB::Exception: Cannot"), Code.REFUSED),
    "account": (
        lambda e: e.send(403, "Code: 516. DB::Exception: someone: Authentication failed"),
        Code.DATABASE_UNAVAILABLE,
    ),
    "busy": (lambda e: e.send(503, ""), Code.DATABASE_UNAVAILABLE),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_errors_of_later_versions(kind: str, tmp_path: Path) -> None:
    answering, code = ERRORS[kind]

    def answer(exchange: Exchange) -> None:
        if not settings_answer(exchange, 2, KNOWN):
            answering(exchange)

    with endpoint(answer) as running_:
        workspace = workspace_of(running_.url, "clickhouse")
        fault = fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path))
        assert fault.code is code
        assert "someone" not in fault.message


def test_values_of_rows_are_not_in_messages(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        if not settings_answer(exchange, 2, KNOWN):
            exchange.send(500, "Code: 6. DB::Exception: Cannot parse string 's3cret' as UInt8 (version 26.5)")

    with endpoint(answer) as running_:
        fault = fault_of(lambda: page_of(workspace_of(running_.url, "clickhouse"), "SELECT 1", tmp_path))
        assert fault.message == "Cannot parse string '...' as UInt8 [6]"


def test_totals_are_told_of(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        if not settings_answer(exchange, 2, KNOWN):
            exchange.send(200, compact([("a", "Int8")], [[1]], '\t"totals": [4],\n\n'))

    with endpoint(answer) as running_:
        page = page_of(workspace_of(running_.url, "clickhouse"), "SELECT 1", tmp_path)
        assert page["rows"] == [[1]]
        assert "TOTALS" in page["warnings"][0]


@pytest.mark.parametrize(
    ("grants", "reads"),
    [
        (["GRANT SELECT ON db.* TO reader"], True),
        (["GRANT SHOW TABLES, SELECT(a, b) ON db.t TO reader"], True),
        (["GRANT SELECT, INSERT ON db.* TO reader"], False),
        (["GRANT SELECT ON db.* TO reader", "GRANT writers TO reader"], False),
        ([], False),
    ],
)
def test_grants_decide_whether_an_account_only_reads(grants: list[str], reads: bool) -> None:
    def answer(exchange: Exchange) -> None:
        if not settings_answer(exchange, 0, KNOWN):
            exchange.send(200, compact([("GRANTS", "String")], [[grant] for grant in grants]))

    with endpoint(answer) as running_:
        assert [c["ok"] for c in sql.role_checks(workspace_of(running_.url, "clickhouse"))] == [reads]
