"""Values of every kind: one text in JSON, CSV and Arrow, whatever way it is made."""

import csv
import datetime
import io
import json
import math
from decimal import Decimal
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.sql.engines.postgres_types import parse_array
from tht.sql.engines.server_rows import timestamp, trimmed
from tht.sql.files.csv_text import CsvOptions, CsvWriter
from tht.sql.values.cells import cell_text, json_cells, tag, untag
from tht.sql.values.columns import field
from tht.sql.values.texts import texts

SPECIAL_FLOATS = (0.5, 1.0, 7.0, -0.0, 1e-4, 9e-5, 1e10, 1e15, 1e16, math.nan, math.inf)
FLOATS = st.floats() | st.sampled_from(SPECIAL_FLOATS)
"""Common numbers often beside those that are written in a way of their own."""
COLUMNS: dict[str, tuple[str, pa.DataType, st.SearchStrategy[Any]]] = {
    "integer": ("integer", pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "bigint": ("bigint", pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "unsigned": ("bigint", pa.uint64(), st.integers(0, 2**64 - 1)),
    "dynamic integer": ("integer", pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "float": ("float", pa.float64(), FLOATS),
    "float32": ("float", pa.float32(), st.floats(width=32)),
    "decimal": ("decimal", pa.decimal128(38, 10), st.decimals(-(10**20), 10**20, places=10)),
    "boolean": ("boolean", pa.bool_(), st.booleans()),
    "text": ("text", pa.string(), st.text(st.characters(codec="utf-8"))),
    "bytes": ("bytes", pa.binary(), st.binary()),
    "date": ("date", pa.date32(), st.dates()),
    "days": ("date", pa.int32(), st.integers(-(2**31) + 1, 2**31 - 1)),
    "timestamp": ("timestamp", pa.timestamp("us"), st.datetimes()),
    "timestamptz": ("timestamptz", pa.timestamp("us", "UTC"), st.datetimes(timezones=st.just(datetime.UTC))),
    "time": ("time", pa.time64("us"), st.times()),
    "array": (
        "array",
        pa.list_(pa.int64()),
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))),
    ),
    "struct": (
        "struct",
        pa.struct({"a": pa.int32(), "b": pa.string()}),
        st.fixed_dictionaries({"a": st.integers(0, 9), "b": st.text(st.characters(codec="utf-8"))}),
    ),
    "any": (
        "any",
        pa.string(),
        st.one_of(
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(st.characters(codec="utf-8")),
            st.binary(),
        ).map(tag),
    ),
}


@st.composite
def columns(draw: st.DrawFn) -> tuple[str, Any]:
    name = draw(st.sampled_from(sorted(COLUMNS)))
    type_, arrow, values = COLUMNS[name]
    given_ = draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=6))
    array = pa.array(given_, arrow)
    if name == "days":
        array = array.cast(pa.date32())
    cut = draw(st.integers(0, len(array) - 1))
    return type_, array.slice(cut)


@given(columns())
def test_the_fast_text_is_the_text_of_the_json_value(column: tuple[str, Any]) -> None:
    type_, array = column
    slow = []
    for cell, storage in zip(
        json_cells(array, type_),
        array.to_pylist() if type_ in ("bytes", "any") else [None] * len(array),
        strict=True,
    ):
        if cell is None:
            slow.append(None)
        elif type_ == "bytes":
            slow.append("\\x" + storage.hex())
        elif type_ == "any" and storage[0] == "b":
            import base64

            slow.append("\\x" + base64.b64decode(storage[1:]).hex())
        else:
            slow.append(cell_text(cell))
    assert texts(array, type_).to_pylist() == slow


@given(st.lists(FLOATS, min_size=1, max_size=4))
def test_a_float_is_the_shortest_text_that_reads_back(values: list[float]) -> None:
    words = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
    assert texts(pa.array(values), "float").to_pylist() == [words.get(repr(v), repr(v)) for v in values]


@given(columns())
def test_json_is_valid_and_keeps_every_digit(column: tuple[str, Any]) -> None:
    type_, array = column
    cells = json.loads(
        msgspec.json.encode(json_cells(array, type_)), parse_constant=lambda word: pytest.fail(word)
    )
    if type_ == "date" or (array.type == pa.string() and type_ == "any"):
        assert len(cells) == len(array)
        return
    for cell, value in zip(cells, array.to_pylist(), strict=True):
        if value is None:
            assert cell is None
        elif type_ in ("bigint", "decimal"):
            assert isinstance(cell, str)
            assert Decimal(cell) == value
        elif type_ == "float" and math.isfinite(value):
            assert cell == value or pa.scalar(cell, pa.float32()).as_py() == value
        elif type_ == "float":
            assert cell in ("NaN", "Infinity", "-Infinity")
        elif type_ == "timestamptz":
            assert datetime.datetime.fromisoformat(cell) == value


OPTIONS = st.builds(
    CsvOptions,
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    crlf=st.booleans(),
    null=st.sampled_from(["", "NULL", "\\N"]),
    bom=st.booleans(),
)
ROWS = st.lists(
    st.tuples(*[st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0")))] * 3),
    min_size=1,
)


@given(
    st.lists(st.none() | st.text(st.sampled_from(' ,;"\r\nNa\u00e9'), max_size=4), min_size=1, max_size=6),
    st.sampled_from([CsvOptions(), CsvOptions(delimiter=";"), CsvOptions(null="N"), CsvOptions(crlf=False)]),
)
def test_a_text_is_quoted_where_a_reader_needs_it_and_nowhere_else(
    values: list[str | None], options: CsvOptions
) -> None:
    """However many plain or special values stand beside it."""

    def written(value: str | None) -> str:
        if value is None:
            return options.null
        special = set(value) & {options.delimiter, '"', "\r", "\n"}
        if special or value != value.strip(" ") or value in ("", options.null):
            return '"' + value.replace('"', '""') + '"'
        return value

    batch = pa.RecordBatch.from_arrays(
        [pa.array(values, pa.string())], schema=pa.schema([field(0, "c", "text", pa.string())])
    )
    lines = "".join(written(value) + options.newline for value in values)
    assert bytes(CsvWriter(options).lines(batch)).decode() == lines


@given(ROWS, OPTIONS)
def test_c26_csv_read_back_is_what_was_written(
    rows: list[tuple[str | None, ...]], options: CsvOptions
) -> None:
    schema = pa.schema([field(i, name, "text", pa.string()) for i, name in enumerate(("a", 'b"', "c;,"))])
    batch = pa.RecordBatch.from_arrays(
        [pa.array(c, pa.string()) for c in zip(*rows, strict=True)], schema=schema
    )
    writer = CsvWriter(options)
    text = (writer.header(["a", 'b"', "c;,"]) + bytes(writer.lines(batch))).decode(
        "utf-8-sig" if options.bom else "utf-8"
    )
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=options.delimiter))
    assert read[0] == ["a", 'b"', "c;,"]
    assert read[1:] == [[options.null if v is None else v for v in row] for row in rows]
    assert text.endswith(options.newline)


@pytest.mark.parametrize(
    ("value", "guarded"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", '"\'\r=1"'),
        ("+5", "'+5"),
        ("-5+cmd|' /C calc'!A0", "'-5+cmd|' /C calc'!A0"),
        ("＝1+1", "'＝1+1"),
        (" =4", "' =4"),
        ("safe", "safe"),
        ("", '""'),
    ],
)
def test_c25_the_formula_guard_is_for_text(value: str, guarded: str) -> None:
    schema = pa.schema([field(0, "a", "text", pa.string()), field(1, "n", "bigint", pa.int64())])
    batch = pa.RecordBatch.from_arrays([pa.array([value]), pa.array([-5])], schema=schema)
    assert bytes(CsvWriter(CsvOptions(guard=True)).lines(batch)).decode() == f"{guarded},-5\r\n"


def test_c25_a_header_is_guarded_too() -> None:
    assert CsvWriter(CsvOptions(guard=True)).header(["=x"]) == b"'=x\r\n"


@pytest.mark.parametrize(
    ("value", "storage"),
    [(1, "i"), (1.0, "r"), ("1", "s"), (b"1", "b"), (-0.0, "r"), (float("inf"), "r"), ("", "s")],
)
def test_storage_classes_stay_apart(value: Any, storage: str) -> None:
    text = tag(value)
    assert text is not None
    assert untag(text)[0] == storage


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-02-29 23:59:59.500000", "2024-02-29T23:59:59.5"),
        ("2024-02-29 23:59:59.000000", "2024-02-29T23:59:59"),
        ("2024-02-20 20:20:20", "2024-02-20T20:20:20"),
        ("0044-03-15 10:00:00 BC", "0044-03-15T10:00:00 BC"),
        ("infinity", "infinity"),
    ],
)
def test_timestamps_of_servers(text: str, expected: str) -> None:
    assert timestamp(text) == expected


def test_times_of_servers() -> None:
    assert [
        trimmed(text) for text in ("-838:59:59.000", "23:59:59.50+05:30", "10:20:30", "00:00:00.120")
    ] == [
        "-838:59:59",
        "23:59:59.5+05:30",
        "10:20:30",
        "00:00:00.12",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", []),
        ("{1,NULL,3}", ["1", None, "3"]),
        ('{"a,b","\\"q\\"","NULL",""}', ["a,b", '"q"', "NULL", ""]),
        ("{{1,2},{3,4}}", [["1", "2"], ["3", "4"]]),
        ("[0:1]={1,2}", ["1", "2"]),
        ('{"a\\\\b"}', ["a\\b"]),
    ],
)
def test_c19_postgres_arrays(text: str, value: list[Any]) -> None:
    assert parse_array(text, str) == value
