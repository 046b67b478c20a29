"""DuckDB's types, also inside lists, structs, maps and unions: the same text in JSON and CSV, plain types in
Arrow and Parquet."""

import gc
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.errors import Code, Fault
from tht import sql
from tht.sql import warm
from tht.sql.values.arrow import fields_of
from tht.workspaces import Workspace, parse_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as database:
        database.execute("CREATE TABLE numbers AS SELECT range::INTEGER AS n FROM range(10)")
    yield parse_workspace("w", f"dialect: duckdb\nconnection: {{path: {tmp_path}/data.duckdb}}\n", tmp_path)
    warm.close_all()


def shown(workspace: Workspace, text: str, tmp_path: Path) -> tuple[str, Any]:
    page = json.loads(sql.preview(workspace, text, home_results=tmp_path, draft=True))
    return page["columns"][0]["type"], [row[0] for row in page["rows"]]


def exported(workspace: Workspace, text: str, format_: str, tmp_path: Path) -> bytes:
    return b"".join(sql.export(workspace, text, home_results=tmp_path, format=format_, raw=True))


UUID = "00000000-0000-4000-8000-000000000001"
HUGE = 2**127 - 1
CELLS: list[tuple[str, str, Any]] = [
    (f"[{HUGE}::HUGEINT, NULL]", "array", [str(HUGE), None]),
    (f"'-{10**59}'::BIGNUM", "bigint", f"-{10**59}"),
    ("[[true], [NULL], NULL]", "array", [[True], [None], None]),
    ("array_value(true, NULL)", "array", [True, None]),
    (f"{{'u': '{UUID}'::UUID, 'b': '101'::BIT}}", "struct", {"u": UUID, "b": "101"}),
    (f"MAP{{'{UUID}'::UUID: 1::HUGEINT}}", "map", {UUID: "1"}),
    ("{'e': 'y'::ENUM('x', 'y'), 'm': MAP{'k': true}}", "struct", {"e": "y", "m": {"k": True}}),
    ("{'i': INTERVAL 1 MONTH, 'j': [INTERVAL '-1.5' SECOND]}", "struct", {"i": "P1M", "j": ["PT-1.5S"]}),
    ("{'t': TIMETZ '10:00:00.5+02'}", "struct", {"t": "10:00:00.5+02:00"}),
    ("{'u': union_value(x := true)}", "struct", {"u": True}),
    ("[union_value(a := 1::BIGINT)]", "array", ["1"]),
    ("union_value(a := 'NaN'::DOUBLE)", "any", "NaN"),
    ("MAP{}", "map", {}),
    ("[DATE 'infinity', DATE '0044-03-15 (BC)']", "array", ["infinity", "0044-03-15 BC"]),
    ("'-infinity'::TIMESTAMP_NS", "timestamp", "-infinity"),
    ("TIMESTAMP_NS '2024-01-01 00:00:00.123456789'", "timestamp", "2024-01-01T00:00:00.123456789"),
    ("TIMESTAMPTZ_NS '2024-01-01 00:00:00.5+02'", "timestamptz", "2023-12-31T22:00:00.5+00:00"),
    ("row(1, 'x')", "struct", {"element1": 1, "element2": "x"}),
    ("'POINT(1 2)'::GEOMETRY", "bytes", "AQEAAAAAAAAAAADwPwAAAAAAAABA"),
    ("NULL::VARIANT", "json", None),
    ("[1.10::DECIMAL(5, 2)::VARIANT]", "array", ['"1.10"']),
    (
        f"{{'a': [1, NULL], 'b': {{'c': 9223372036854775807}}, 'd': repeat('y', 70), 'e': '{UUID}'::UUID, "
        "'f': 0.1::FLOAT, 'g': 'NaN'::DOUBLE, 'h': DATE '2024-01-01', 'i': '\\xFF'::BLOB, "
        "'j': -12345678901234567890.123456789012345678::DECIMAL(38, 18), 'k': TIME '10:00:00', "
        "'l': TIMESTAMPTZ '2024-01-01 10:00:00.5+02', 'm': true}::VARIANT",
        "json",
        '{"a": [1, null], "b": {"c": "9223372036854775807"}, "d": "' + "y" * 70 + f'", "e": "{UUID}", '
        '"f": 0.1, "g": "NaN", "h": "2024-01-01", "i": "/w==", '
        '"j": "-12345678901234567890.123456789012345678", "k": "10:00:00", '
        '"l": "2024-01-01T08:00:00.5+00:00", "m": true}',
    ),
]


@pytest.mark.parametrize(("expression", "type_", "cell"), CELLS, ids=[text[:40] for text, _, _ in CELLS])
def test_c19_a_value_of_every_type(
    expression: str, type_: str, cell: Any, workspace: Workspace, tmp_path: Path
) -> None:
    text = f"SELECT {expression} AS a UNION ALL SELECT NULL"
    assert shown(workspace, text, tmp_path) == (type_, [cell, None])
    if "infinity" not in expression:
        for format_ in ("arrow", "parquet"):
            assert not uncommon(read(exported(workspace, text, format_, tmp_path), format_))


def read(content: bytes, format_: str) -> pa.Table:
    return (
        pa.ipc.open_stream(content).read_all() if format_ == "arrow" else pq.read_table(io.BytesIO(content))
    )


def uncommon(table: pa.Table) -> list[str]:
    """The types in a file that readers of Arrow and Parquet do not share."""
    found: list[str] = []

    def look(kind: pa.DataType) -> None:
        special = isinstance(kind, pa.BaseExtensionType) or pa.types.is_interval(kind)
        if special or pa.types.is_dictionary(kind) or pa.types.is_null(kind):
            found.append(str(kind))
        parts: list[pa.DataType] = [kind.field(i).type for i in range(kind.num_fields)]
        for part in parts:
            look(part)

    for column in fields_of(table.schema):
        look(column.type)
    return found


def test_nested_values_stay_in_their_rows(workspace: Workspace, tmp_path: Path) -> None:
    text = (
        "SELECT CASE WHEN n = 2 THEN NULL ELSE [n % 2 = 0] END, "
        "CASE WHEN n = 3 THEN NULL ELSE {'a': n = 1} END, "
        "CASE WHEN n = 1 THEN NULL ELSE MAP{n: n = 1} END FROM numbers WHERE n < 4 ORDER BY n"
    )
    page = json.loads(sql.preview(workspace, text, home_results=tmp_path, draft=True))
    assert page["rows"] == [
        [[True], {"a": False}, {"0": False}],
        [[False], {"a": True}, None],
        [None, {"a": False}, {"2": False}],
        [[False], None, {"3": False}],
    ]


@pytest.mark.parametrize("value", ["DATE 'infinity'", "TIMESTAMP '-infinity'", "TIMESTAMPTZ 'infinity'"])
@pytest.mark.parametrize("format_", ["arrow", "parquet"])
def test_c14_arrow_makes_no_far_day_of_infinity(
    value: str, format_: str, workspace: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(Fault) as caught:
        exported(workspace, f"SELECT {value} AS a", format_, tmp_path)
    assert caught.value.code is Code.DATABASE_ERROR
    assert "CSV" in caught.value.message


def test_a_statement_that_failed_does_not_keep_the_file(workspace: Workspace, tmp_path: Path) -> None:
    """Also while the failure's traceback still holds what was open."""
    gc.disable()
    try:
        kept: list[Fault] = []
        for text in ("SELECT if(n = 9, error('x'), n) FROM numbers", "SELECT nothing FROM numbers"):
            with pytest.raises(Fault) as caught:
                exported(workspace, text, "parquet", tmp_path)
            kept.append(caught.value)
        duckdb.connect(str(tmp_path / "data.duckdb")).close()
    finally:
        gc.enable()
    assert [fault.code for fault in kept] == [Code.DATABASE_ERROR] * 2
    assert shown(workspace, "SELECT 1", tmp_path) == ("integer", [1])


def test_the_file_is_checked_while_a_connection_to_it_waits(workspace: Workspace, tmp_path: Path) -> None:
    assert shown(workspace, "SELECT 1", tmp_path) == ("integer", [1])
    assert [check["name"] for check in sql.role_checks(workspace)] == ["role_reads_only"]
    zone = "SELECT current_setting('TimeZone')"
    assert shown(workspace, zone, tmp_path) == ("text", ["UTC"])


def test_workspaces_with_other_limits_share_a_file(workspace: Workspace, tmp_path: Path) -> None:
    connection = f"connection: {{path: {tmp_path}/data.duckdb}}\n"
    other = parse_workspace("other", f"dialect: duckdb\n{connection}limits: {{memory: 512MiB}}\n", tmp_path)
    for one in (workspace, other, workspace):
        assert shown(one, "SELECT 1", tmp_path) == ("integer", [1])
