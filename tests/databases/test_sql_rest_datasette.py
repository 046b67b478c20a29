"""The rest transport on a real Datasette."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from contracts.errors import Code
from tests.databases.endpoints import datasette
from tests.databases.rest_helpers import csv_of, fault_of, page_of, workspace_of
from tht import schema, sql
from tht.sql import warm
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("datasette") / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id),"
            " total REAL);"
            "CREATE VIEW big AS SELECT * FROM orders WHERE total > 10;"
            "CREATE VIEW contacts AS SELECT email AS e FROM customers;"
            "CREATE TABLE odd (v);"
            "CREATE VIRTUAL TABLE notes USING fts5(body);"
            "INSERT INTO customers VALUES (1, 'Ada', 'ada@example.org'), (2, 'Bob', NULL);"
            "INSERT INTO orders VALUES (1, 1, 9.5), (2, 1, 20.0), (3, 2, 1e300);"
            "INSERT INTO odd VALUES (9223372036854775807), (1.0), ('t'), (x'00ff'), (NULL), ('');"
        )
        connection.commit()
    return path


@pytest.fixture(scope="module")
def shop_url(shop: Path) -> Iterator[str]:
    with datasette(shop) as url:
        yield url


@pytest.fixture
def shop_workspace(shop_url: str) -> Workspace:
    return workspace_of(shop_url, connection=", adapter: datasette")


def test_datasette_gives_the_values_that_sqlite_gives(
    shop: Path, shop_workspace: Workspace, tmp_path: Path
) -> None:
    direct = parse_workspace("d", f"connection: {{url: 'sqlite:///{shop}'}}\n", Path("/"))
    for text in (
        "SELECT v, v AS v FROM odd",
        "SELECT o.id, name, total FROM orders o JOIN customers c ON c.id = o.customer ORDER BY o.id",
        "SELECT 9e999 AS a, -9e999 AS b, 1 WHERE 1",
        "SELECT 1 AS a WHERE 0",
        "SELECT 'é\U0001f600' AS t, '' AS e",
        "SELECT id FROM orders -- a comment at the end",
    ):
        here = page_of(shop_workspace, text, tmp_path)
        there = page_of(direct, text, tmp_path)
        assert {**here, "elapsed_ms": 0} == {**there, "elapsed_ms": 0}, text
        assert csv_of(shop_workspace, text, tmp_path) == csv_of(direct, text, tmp_path), text


def test_datasette_keeps_and_pages_one_result(shop_workspace: Workspace, tmp_path: Path) -> None:
    text = "SELECT id FROM orders ORDER BY id"
    first = page_of(shop_workspace, text, tmp_path, draft=False, limit=2)
    assert (first["rows"], first["truncated"], first["row_count"]) == ([[1], [2]], True, 3)
    second = page_of(
        shop_workspace, text, tmp_path, draft=False, limit=2, offset=2, result_id=first["result_id"]
    )
    assert (second["rows"], second["truncated"]) == ([[3]], False)


NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i FROM n"


def test_datasettes_cap_of_rows_is_told(shop_workspace: Workspace, tmp_path: Path) -> None:
    draft = page_of(shop_workspace, NUMBERS, tmp_path, limit=2000)
    assert (len(draft["rows"]), draft["truncated"], draft["row_count"]) == (1000, True, None)
    assert any("max_returned_rows" in warning for warning in draft["warnings"])
    kept = page_of(shop_workspace, NUMBERS, tmp_path, draft=False, limit=2000)
    assert (len(kept["rows"]), kept["truncated"], kept["row_count"]) == (1000, True, None)
    assert not any("runs the statement again" in warning for warning in kept["warnings"])
    export = sql.export(shop_workspace, NUMBERS, home_results=tmp_path, result_id=kept["result_id"])
    fault = fault_of(lambda: list(export))
    assert fault.code is Code.OVER_CAP
    assert export.sha256 is None


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_datasettes_limit_of_time_is_a_timeout(shop_workspace: Workspace, tmp_path: Path) -> None:
    fault = fault_of(lambda: page_of(shop_workspace, ENDLESS, tmp_path))
    assert fault.code is Code.TIMEOUT
    assert page_of(shop_workspace, "SELECT 1 AS a", tmp_path)["rows"] == [[1]]


def test_the_workspaces_limit_of_time_reaches_datasette(shop: Path, tmp_path: Path) -> None:
    with datasette(shop, sql_time_limit_ms=60_000) as url:
        workspace = workspace_of(url, connection=", adapter: datasette")
        fault = fault_of(lambda: page_of(workspace, ENDLESS, tmp_path, timeout_s=0.3))
        assert fault.code is Code.TIMEOUT


def test_datasettes_errors_are_one_clear_line(shop_workspace: Workspace, tmp_path: Path) -> None:
    missing = fault_of(lambda: page_of(shop_workspace, "SELECT * FROM nowhere", tmp_path))
    assert (missing.code, missing.message) == (Code.DATABASE_ERROR, "no such table: nowhere")
    parameter = fault_of(lambda: page_of(shop_workspace, "SELECT :name AS a", tmp_path))
    assert parameter.code is Code.REFUSED
    long = f"SELECT '{'x' * 70_000}' AS a"
    assert fault_of(lambda: page_of(shop_workspace, long, tmp_path)).code is Code.TOO_LARGE
    assert page_of(shop_workspace, "SELECT ':name?' AS a", tmp_path)["rows"] == [[":name?"]]


def test_a_database_that_datasette_has_not_is_unavailable(shop_url: str, tmp_path: Path) -> None:
    for url in (f"{shop_url}x", shop_url.rsplit("/", 1)[0]):
        workspace = workspace_of(url, connection=", adapter: datasette")
        fault = fault_of(lambda w=workspace: page_of(w, "SELECT 1", tmp_path))
        assert fault.code in (Code.DATABASE_UNAVAILABLE, Code.WORKSPACE_BROKEN)
        assert "127.0.0.1" not in fault.message


def test_the_schema_comes_through_datasette(shop_workspace: Workspace) -> None:
    listed = {table["name"]: table for table in schema.tables(shop_workspace)["tables"]}
    assert set(listed) == {"customers", "orders", "big", "contacts", "odd", "notes"}
    assert (listed["big"]["kind"], listed["orders"]["row_estimate"]) == ("view", 3)
    orders = schema.describe(shop_workspace, "orders")
    assert [column["name"] for column in orders["columns"]] == ["id", "customer", "total"]
    assert orders["primary_key"] == ["id"]
    assert orders["foreign_keys"] == [{"columns": ["customer"], "table": "customers", "to": ["id"]}]
    assert json.loads(bytes(schema.sample(shop_workspace, "orders", limit=1)))["rows"] == [[1, 1, 9.5]]


def test_denied_columns_are_denied_through_views_of_an_endpoint(shop_url: str, tmp_path: Path) -> None:
    workspace = workspace_of(
        shop_url, connection=", adapter: datasette", more="allow: {deny_columns: [customers.email]}\n"
    )
    for text in ("SELECT email FROM customers", "SELECT * FROM customers", "SELECT e FROM contacts"):
        assert fault_of(lambda t=text: page_of(workspace, t, tmp_path)).code is Code.REFUSED
    assert page_of(workspace, "SELECT name FROM customers", tmp_path)["rows"] == [["Ada"], ["Bob"]]


def test_workspace_check_of_a_datasette(shop_workspace: Workspace) -> None:
    checks = sql.role_checks(shop_workspace)
    assert [(check["name"], check["ok"]) for check in checks] == [("role_reads_only", True)]
