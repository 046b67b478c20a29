"""Lines of CSV from rows: the quick way gives the bytes of the other, or is not taken."""

import math
import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.sql.cancel import Cancel
from tht.sql.engines.base import Limit
from tht.sql.engines.row_batch import RowBatch
from tht.sql.engines.sqlite import SqliteSource
from tht.sql.files.csv_rows import RowsWriter
from tht.sql.files.csv_text import CsvOptions, CsvWriter

Row = Sequence[Any]

PLAIN = (0, 1, -7, 2**31, 0.5, -2.25, 3.0, "a", "two words", "caf\u00e9", "5")
SPECIAL = (
    *(None, 2**53, 2**63 - 1, -(2**63)),
    *(-0.0, 1e-4, 9.9e-5, 1e-5, 1e-7, 1e15, 1e16, 1.5e300, 5e-324, 0.1 + 0.2, 100.00001, math.inf, -math.inf),
    *("", " ", " a", "a ", "a,b", ",", '"', 'a"b', "[", "]", "],[", "{", "null", "NULL", "[null", "null,"),
    *("\\", "\\N", "\t", "\r", "\n", "a\r\nb", "\x7f", "\x01", "\u2028", "\U0001f600", "true", "NaN"),
    *("=1+1", "+5", "-5", "@a", "|x", "\uff1d1", "5e3", "1e-5", "0.00001", "deadbeef", "7e5", "inf"),
    *(b"", b"a", b"null", b"\xff\x00"),
)
CELLS = st.sampled_from(PLAIN + SPECIAL) | st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    st.binary(),
)
OPTIONS = st.builds(
    CsvOptions,
    guard=st.booleans(),
    crlf=st.booleans(),
    null=st.sampled_from(["", "", "NULL"]),
    delimiter=st.sampled_from([",", ",", ";", "|"]),
)


def rows_of(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Row]]:
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=5)
    )


def quick(rows: list[Row], options: CsvOptions) -> bytes:
    """Through SQLite, as an export goes."""
    connection = sqlite3.connect(":memory:")
    names = ", ".join(f"c{i}" for i in range(len(rows[0])))
    connection.execute(f"CREATE TABLE t ({names})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
    source = SqliteSource(connection, "SELECT * FROM t ORDER BY rowid", Limit(60, Cancel()))
    writer = RowsWriter(options)
    written = b"".join(bytes(writer.lines(batch)) for batch in source.csv_batches(100))
    connection.close()
    return written


def slow(rows: list[Row], options: CsvOptions) -> bytes:
    return bytes(CsvWriter(options).lines(RowBatch([f"c{i}" for i in range(len(rows[0]))], rows).columns()))


@given(rows_of(CELLS), OPTIONS)
def test_rows_of_any_storage_class_are_written_alike(rows: list[Row], options: CsvOptions) -> None:
    assert quick(rows, options) == slow(rows, options)


@given(rows_of(st.sampled_from((*PLAIN, None))), OPTIONS)
def test_common_rows_are_written_alike(rows: list[Row], options: CsvOptions) -> None:
    assert quick(rows, options) == slow(rows, options)


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("value", SPECIAL, ids=repr)
def test_a_value_of_its_own_kind_among_common_ones(value: Any, guard: bool) -> None:
    options = CsvOptions(guard=guard)
    for rows in (
        [(value,)],
        [(1, value), (2, "a")],
        [(value, value), (None, 0.5)],
        [("a", 0.5, value), (value, 3, "b")],
    ):
        assert quick(rows, options) == slow(rows, options)


class MadeColumns(Exception):
    """The quick way was not taken."""


class Columnless(RowBatch):
    """Rows that are not to be made columns."""

    def columns(self) -> Any:
        raise MadeColumns


@pytest.mark.parametrize("guard", [False, True])
def test_common_rows_are_not_made_columns(guard: bool) -> None:
    rows = [(1, 0.5, "a b", None), (-2, 3.0, "caf\u00e9", "null"), (None, None, "c", "d")]
    lines = RowsWriter(CsvOptions(guard=guard)).lines(Columnless("abcd", rows))
    assert lines == b"1,0.5,a b,\r\n-2,3.0,caf\xc3\xa9,null\r\n,,c,d\r\n"


def test_after_a_batch_in_vain_some_are_not_tried() -> None:
    writer = RowsWriter(CsvOptions())
    assert writer.lines(RowBatch("a", [("a,b",)])) == b'"a,b"\r\n'
    for _ in range(8):
        with pytest.raises(MadeColumns):
            writer.lines(Columnless("a", [("a",)]))
    assert writer.lines(Columnless("a", [("a",)])) == b"a\r\n"
