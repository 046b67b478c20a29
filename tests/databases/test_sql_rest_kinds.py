"""What one ThothII shows, another may read over HTTP: every page of the table of kinds is an answer of the
contract and comes back as it was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.databases.databases import CASES
from tests.databases.endpoints import Exchange
from tests.databases.rest_helpers import csv_of, own_endpoint, page_of, workspace_of
from tests.databases.test_sql_kinds import csv_text, identical
from tht.sql import warm

pytestmark = pytest.mark.databases

KINDS: list[dict[str, Any]] = yaml.safe_load((CASES / "kinds.yaml").read_text(encoding="utf-8"))["values"]


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


def stated(type_: str, cells: list[Any]) -> str:
    """The type in the contract's words: integers beyond 64 bits are named."""
    wide = any(cell is not None and not -(2**63) <= int(cell) < 2**63 for cell in cells if type_ == "bigint")
    return "hugeint" if wide else type_


@pytest.mark.parametrize("streamed", [False, True], ids=["document", "lines"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mariadb"])
def test_c12_c13_c14_c19_a_page_passes_through_the_contract(
    dialect: str, streamed: bool, tmp_path: Path
) -> None:
    answer: dict[str, Any] = {}

    def answering(exchange: Exchange) -> None:
        columns, rows = answer["columns"], answer["rows"]
        if not streamed:
            exchange.json({"columns": columns, "rows": rows, "truncated": False, "warnings": []})
            return
        exchange.begin("application/x-ndjson")
        lines: list[Any] = [{"columns": columns}, *rows, {"end": True, "truncated": False, "warnings": []}]
        for line in lines:
            exchange.part(json.dumps(line) + "\n")
        exchange.end()

    with own_endpoint(answering) as running:
        workspace = workspace_of(running.url)
        for case in (kind for kind in KINDS if kind["dialect"] == dialect and kind["rows"]):
            types, rows = case["types"], case["rows"]
            cells = list(zip(*rows, strict=True))
            answer["columns"] = [
                {"name": f"c{i}", "type": stated(type_, list(cells[i]))} for i, type_ in enumerate(types)
            ]
            answer["rows"] = rows
            page = page_of(workspace, "SELECT 1", tmp_path)
            assert identical(page["rows"], rows), case["sql"]
            assert [column["type"] for column in page["columns"]] == types
            if "any" not in types:
                lines = csv_of(workspace, "SELECT 1", tmp_path).decode()
                expected = [
                    ",".join(
                        guarded(csv_text(cell, type_), type_) for cell, type_ in zip(row, types, strict=True)
                    )
                    for row in rows
                ]
                assert lines.split("\r\n", 1)[1] == "".join(f"{line}\r\n" for line in expected), case["sql"]


def guarded(field: str, type_: str) -> str:
    """The formula guard's apostrophe, which a download has by default."""
    quote = '"' if field.startswith('"') and field != '""' else ""
    body = field.removeprefix(quote)
    risky = type_ in ("text", "json", "array", "struct", "map") and body.lstrip(" ")[:1] in tuple(
        "=+-@\t\r\n|"
    )
    return f"{quote}'{body}" if risky and body.lstrip(" ") else field
