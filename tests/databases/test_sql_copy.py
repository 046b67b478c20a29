"""PostgreSQL's COPY: every row once, with the text that a query gives, and a connection that goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tests.databases.databases import Database
from tht import sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.sql.files.csv_text import CsvOptions, CsvWriter
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases

SERIES = "SELECT n FROM generate_series(1, {last}) AS n"
FLOATS = (
    "0, -0.0, 1, -7, 0.1, 100.00001, 1e-4, 9.9e-5, 1e-5, 5e-324, 123456789.125, 1e10, 1e14, 1e15, 1e16, "
    "1.5e300, 'NaN', 'Infinity', '-Infinity', NULL"
)
KINDS = {
    "float8": FLOATS,
    "float4": "0, -0.0, 1, 1.1, 16777216, 1234567, 1e-5, 3e38, 'NaN', '-Infinity', NULL",
    "int2": "0, 7, -32768, NULL",
    "int4": "0, -2147483648, NULL",
    "int8": "0, -9223372036854775808, 9223372036854775807, NULL",
    "oid": "0, 4294967295, NULL",
    "numeric": "0, -1.50, 1e30, 'NaN', NULL",
    "bool": "true, false, NULL",
    "text": "'', ' ', 'a ', 'a,b', '\"', E'a\\nb', E'a\\rb', E'\\\\.', '=1', '-5', 'null', NULL",
    "bytea": "'\\x', '\\x00ff', NULL",
}


@pytest.fixture
def workspace(database: Callable[[str], Database]) -> Iterator[Workspace]:
    url = database("postgres").url
    text = f"dialect: postgres\nconnection: {{url: '{url}'}}\naccept_writable_role: true\n"
    yield parse_workspace("w", text, Path("/"))
    warm.close_all()


def exported(workspace: Workspace, text: str, folder: Path) -> list[str]:
    export = sql.export(workspace, text, home_results=folder, raw=True)
    lines = b"".join(export).decode().split("\r\n")
    assert export.row_count == len(lines) - 2
    assert lines[-1] == ""
    return lines[1:-1]


@pytest.mark.parametrize("last", [0, 1, 250, 300_000])
def test_every_row_comes_once_and_again(workspace: Workspace, tmp_path: Path, last: int) -> None:
    for _ in range(2):
        lines = exported(workspace, SERIES.format(last=last), tmp_path)
        assert lines == [str(number) for number in range(1, last + 1)]


def test_a_row_of_megabytes_among_small_ones(workspace: Workspace, tmp_path: Path) -> None:
    text = "SELECT CASE n WHEN 3 THEN repeat('x', 3000000) ELSE 'y' END FROM generate_series(1, 5) AS n"
    assert exported(workspace, text, tmp_path) == ["y", "y", "x" * 3_000_000, "y", "y"]


def test_a_statement_that_fails_after_many_rows(workspace: Workspace, tmp_path: Path) -> None:
    failing = "SELECT 10 / (150000 - n) AS q FROM generate_series(1, 200000) AS n"
    export = sql.export(workspace, failing, home_results=tmp_path)
    with pytest.raises(Fault) as caught:
        list(export)
    assert caught.value.code is Code.DATABASE_ERROR
    assert "division by zero" in caught.value.message
    assert (export.row_count, export.sha256) == (None, None)
    assert exported(workspace, SERIES.format(last=3), tmp_path) == ["1", "2", "3"]


def test_an_export_that_is_given_up(workspace: Workspace, tmp_path: Path) -> None:
    chunks: Any = iter(sql.export(workspace, SERIES.format(last=3_000_000), home_results=tmp_path))
    assert next(chunks).startswith(b"n\r\n1\r\n")
    chunks.close()
    assert exported(workspace, SERIES.format(last=3), tmp_path) == ["1", "2", "3"]


@pytest.mark.parametrize("type_", KINDS)
def test_the_text_of_every_kind_is_that_of_a_query(workspace: Workspace, tmp_path: Path, type_: str) -> None:
    values = KINDS[type_]
    together = f"SELECT v::{type_} AS v, n FROM unnest(ARRAY[{values}]::{type_}[]) WITH ORDINALITY AS a(v, n)"
    alone = [f"{together} WHERE n = {n}" for n in range(1, values.count(",") + 2)]
    for text in (together, *alone):
        with (
            warm.engine(workspace) as engine,
            engine.execute(text, timeout_s=60, cancel=Cancel()) as source,
        ):
            lines = b"".join(bytes(CsvWriter(CsvOptions()).lines(batch)) for batch in source.batches(100))
        assert exported(workspace, text, tmp_path) == lines.decode().split("\r\n")[:-1]
