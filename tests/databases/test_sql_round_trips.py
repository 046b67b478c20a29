"""Values drawn by type, made by real engines, read back from the page, from CSV and from Arrow."""

import base64
import contextlib
import csv
import dataclasses
import datetime
import io
import json
import math
import re
import sqlite3
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tht import sql
from tht.workspaces import Workspace

pytestmark = pytest.mark.databases

Read = Callable[[Any], Any]


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


@dataclass(frozen=True)
class Kind:
    """A type of an engine: what values it has, how they are written, and how a cell is read back."""

    values: st.SearchStrategy[Any]
    literal: Callable[[Any], str]
    read: Read


def same(value: Any) -> Any:
    return value


def number(cell: Any) -> float:
    return math.nan if cell == "NaN" else float(cell)


def narrow(value: float) -> float:
    """The 32-bit float nearest to a value."""
    return struct.unpack("f", struct.pack("f", value))[0]


_DURATION = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?"
)


def duration(cell: str) -> tuple[int, int, int]:
    """Months, days and microseconds of an ISO 8601 duration."""
    match = _DURATION.fullmatch(cell)
    assert match is not None
    years, months, days, hours, minutes = (int(part or 0) for part in match.groups()[:5])
    micros = int(Decimal(match[6] or 0).scaleb(6))
    return years * 12 + months, days, (hours * 3600 + minutes * 60) * 10**6 + micros


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    [
        "",
        " ",
        "null",
        "NULL",
        "\ufeffx",
        "\u200f\u05d0",
        "a\r\nb",
        '"',
        ",",
        "\\",
        "'",
        "0012",
        "=1+1",
        "\\x00",
        "😀",
    ]
)
INTEGERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.sampled_from([2**53, 2**53 + 1, -(2**63) + 1, 0])
DECIMALS = st.decimals(-(10**19), 10**19, places=10, allow_nan=False)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
DATES = st.dates()
MOMENTS = st.datetimes()
INTERVALS = st.tuples(st.integers(-1200, 1200), st.integers(-400, 400), st.integers(-(10**12), 10**12))
ZONES = st.sampled_from([-12 * 60, -150, 0, 60, 345, 14 * 60]).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)
AWARE = st.datetimes(datetime.datetime(2, 1, 1), datetime.datetime(9998, 1, 1), timezones=ZONES)


def plain(value: Decimal) -> str:
    return format(value, "f")


def moment(cell: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(cell)


def utc(cell: str) -> datetime.datetime:
    assert cell.endswith("+00:00")
    return moment(cell)


def interval_literal(value: tuple[int, int, int]) -> str:
    months, days, micros = value
    return f"INTERVAL '{months} months {days} days {micros} microseconds'"


_STANDARD = {
    "text": Kind(TEXTS, quoted, same),
    "date": Kind(DATES, lambda v: f"DATE '{v.isoformat()}'", datetime.date.fromisoformat),
    "timestamp": Kind(MOMENTS, lambda v: f"TIMESTAMP '{v.isoformat(' ')}'", moment),
    "time": Kind(st.times(), lambda v: f"TIME '{v.isoformat()}'", datetime.time.fromisoformat),
    "timestamptz": Kind(AWARE, lambda v: f"TIMESTAMPTZ '{v.isoformat(' ')}'", utc),
    "uuid": Kind(st.uuids(), lambda v: f"CAST('{v}' AS UUID)", uuid.UUID),
    "boolean": Kind(st.booleans(), lambda v: str(v).lower(), same),
    "interval": Kind(INTERVALS, interval_literal, duration),
    "integer": Kind(st.integers(-(2**31) + 1, 2**31 - 1), lambda v: f"CAST({v} AS INTEGER)", same),
    "bigint": Kind(INTEGERS, lambda v: f"CAST({v} AS BIGINT)", int),
    "double": Kind(st.floats(), lambda v: f"CAST('{v!r}' AS DOUBLE PRECISION)", number),
    "real": Kind(st.floats(width=32), lambda v: f"CAST('{v!r}' AS REAL)", lambda c: narrow(number(c))),
    "decimal": Kind(DECIMALS, lambda v: f"CAST('{plain(v)}' AS DECIMAL(30, 10))", Decimal),
}


def read_by_sqlite(value: float) -> bool:
    """True when SQLite itself reads the digits of `value` as that: of some it takes a neighbour (3.40)."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        (found,) = connection.execute(f"SELECT CAST({value!r} AS REAL)").fetchone()
    return equal(found, value)


KINDS: dict[str, dict[str, Kind]] = {
    "postgres": {
        **_STANDARD,
        "bytes": Kind(st.binary(max_size=20), lambda v: f"'\\x{v.hex()}'::bytea", base64.b64decode),
        "unbounded": Kind(
            st.decimals(
                allow_nan=False, allow_infinity=False, places=None, min_value=-(10**30), max_value=10**30
            ),
            lambda v: f"'{v}'::numeric",
            Decimal,
        ),
        "texts": Kind(
            st.lists(st.none() | TEXTS, max_size=4),
            lambda v: f"ARRAY[{', '.join('NULL' if t is None else quoted(t) for t in v)}]::text[]",
            same,
        ),
        "matrix": Kind(
            st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=3),
            lambda v: f"ARRAY[{', '.join(f'[{a}, {b}]' for a, b in v)}]::bigint[]",
            lambda c: [(int(a), int(b)) for a, b in c],
        ),
        "json": Kind(TEXTS, lambda v: quoted(json.dumps({"a": v})) + "::json", lambda c: json.loads(c)["a"]),
        "record": Kind(TEXTS, lambda v: f"(ROW({quoted(v)}::text)).f1", same),
    },
    "duckdb": {
        **_STANDARD,
        "hugeint": Kind(st.integers(-(2**127) + 1, 2**127 - 1), lambda v: f"CAST('{v}' AS HUGEINT)", int),
        "bignum": Kind(st.integers(-(10**60), 10**60), lambda v: f"CAST('{v}' AS BIGNUM)", int),
        "bytes": Kind(st.binary(max_size=20), lambda v: f"unhex('{v.hex()}')", base64.b64decode),
        "texts": Kind(
            st.lists(st.none() | TEXTS, max_size=4),
            lambda v: f"[{', '.join('NULL' if t is None else quoted(t) for t in v)}]::VARCHAR[]",
            same,
        ),
        "struct": Kind(
            st.tuples(TEXTS, INTEGERS),
            lambda v: f"{{'a': {quoted(v[0])}, 'b b': CAST({v[1]} AS BIGINT)}}",
            lambda c: (c["a"], int(c["b b"])),
        ),
        "nested": Kind(
            st.lists(st.uuids(), max_size=3),
            lambda v: "[" + ", ".join(f"{{'u': CAST('{u}' AS UUID), 'b': true}}" for u in v) + "]",
            lambda c: [uuid.UUID(item["u"]) for item in c],
        ),
        "variant": Kind(
            st.tuples(st.integers(-(2**31), 2**31 - 1), DATES),
            lambda v: f"CAST({{'n': {v[0]}::INTEGER, 'd': [DATE '{v[1].isoformat()}']}} AS VARIANT)",
            lambda c: (json.loads(c)["n"], datetime.date.fromisoformat(json.loads(c)["d"][0])),
        ),
    },
    "mariadb": {
        "text": Kind(TEXTS, lambda v: quoted(v.replace("\\", "\\\\")), same),
        "bytes": Kind(st.binary(max_size=20), lambda v: f"x'{v.hex()}'", base64.b64decode),
        "bigint": Kind(INTEGERS.filter(lambda v: abs(v) >= 2**31), lambda v: f"CAST({v} AS SIGNED)", int),
        "unsigned": Kind(st.integers(2**63, 2**64 - 1), lambda v: f"CAST({v} AS UNSIGNED)", int),
        "decimal": Kind(DECIMALS, lambda v: f"CAST('{plain(v)}' AS DECIMAL(30, 10))", Decimal),
        "double": Kind(DOUBLES, lambda v: f"{v!r}" if "e" in repr(v) else f"{v!r}e0", number),
        "date": Kind(DATES, lambda v: f"DATE '{v.isoformat()}'", datetime.date.fromisoformat),
        "timestamp": Kind(MOMENTS, lambda v: f"CAST('{v.isoformat(' ')}' AS DATETIME(6))", moment),
        "time": Kind(
            st.times(), lambda v: f"CAST('{v.isoformat()}' AS TIME(6))", datetime.time.fromisoformat
        ),
        # MariaDB makes NULL of versions that it does not know
        "uuid": dataclasses.replace(_STANDARD["uuid"], values=st.uuids(version=4)),
    },
    "sqlite": {
        "text": Kind(TEXTS, quoted, same),
        "bytes": Kind(st.binary(max_size=20), lambda v: f"x'{v.hex()}'", base64.b64decode),
        "integer": Kind(INTEGERS, str, int),
        "real": Kind(DOUBLES.filter(read_by_sqlite), lambda v: f"CAST({v!r} AS REAL)", number),
    },
}


@st.composite
def chosen(draw: st.DrawFn, dialect: str) -> list[tuple[str, Any]]:
    """Some columns, each a kind with a value or NULL."""
    names = draw(st.lists(st.sampled_from(sorted(KINDS[dialect])), min_size=1, max_size=6))
    return [(name, draw(st.none() | KINDS[dialect][name].values)) for name in names]


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    return bool(one == other)


def in_csv(cell: Any, type_: str) -> str:
    """What the field of a CSV file says of a page's cell."""
    if cell is None:
        return ""
    if type_ == "bytes":
        return "\\x" + base64.b64decode(cell).hex()
    if isinstance(cell, bool):
        return str(cell).lower()
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


@pytest.mark.parametrize("dialect", sorted(KINDS))
@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_c12_c13_c14_c18_c19_what_went_in_comes_out_everywhere(
    dialect: str, open_workspace: Callable[[str], Workspace], tmp_path: Path, data: st.DataObject
) -> None:
    columns = data.draw(chosen(dialect))
    written = ["NULL" if v is None else KINDS[dialect][name].literal(v) for name, v in columns]
    # a NULL alone is an empty line, which readers leave out
    text = "SELECT " + "".join(f"{literal} AS c{i}, " for i, literal in enumerate(written)) + "'x' AS last"
    workspace = open_workspace(dialect)
    page = json.loads(
        sql.preview(workspace, text, home_results=tmp_path, draft=True),
        parse_constant=lambda word: pytest.fail(word),
    )
    *row, _ = page["rows"][0]
    for (name, value), cell in zip(columns, row, strict=True):
        read = None if cell is None else KINDS[dialect][name].read(cell)
        assert equal(read, value), (name, value, cell)
    options = {"header": False}
    file = b"".join(sql.export(workspace, text, home_results=tmp_path, raw=True, options=options)).decode()
    types = [column["type"] for column in page["columns"][:-1]]
    fields = [in_csv(cell, type_) for cell, type_ in zip(row, types, strict=True)]
    assert list(csv.reader(io.StringIO(file, newline=""))) == [[*fields, "x"]]
    arrow = b"".join(sql.export(workspace, text, home_results=tmp_path, format="arrow"))
    table: Any = pa.ipc.open_stream(arrow).read_all()
    for index, ((name, value), cell) in enumerate(zip(columns, row, strict=True)):
        held = table.column(index).to_pylist()[0]
        assert (held is None) == (value is None)
        if name in (
            "integer",
            "bigint",
            "unsigned",
            "decimal",
            "boolean",
            "date",
            "timestamp",
            "timestamptz",
        ):
            assert held == value
        elif name in ("double", "real", "bytes") and value is not None:
            assert equal(held, value)
        elif isinstance(held, str) and isinstance(cell, str):
            assert held == cell
