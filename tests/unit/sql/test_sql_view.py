"""Views of a kept result: every kind sorts and compares as what it is, in whatever form it is kept."""

import base64
import datetime
import functools
import math
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sql.view_results import Memory, cells, kept, view
from tht.sql.results.view import VIEWS
from tht.sql.results.view_request import Condition, SortKey, view_request
from tht.sql.values.cells import json_cells, tag
from tht.sql.values.columns import field


def dates(*texts: str) -> list[Any]:
    return [datetime.date.fromisoformat(text) for text in texts]


def moments(zone: str) -> list[str]:
    return [f"2024-02-29T00:00:{seconds}{zone}" for seconds in ("00", "00.1", "00.11", "00.2", "01")]


ORDERED: list[tuple[str, pa.DataType, Any]] = [
    ("integer", pa.int16(), [-5, 0, 7]),
    ("integer", pa.int64(), [-(2**63), -(2**53), -9, 2**53 + 1, 2**63 - 1]),
    ("bigint", pa.int64(), [-10, -9, 9, 10, 9007199254740993]),
    ("bigint", pa.uint64(), [0, 2**63, 2**64 - 1]),
    ("bigint", pa.string(), [str(-(2**127)), "-10", "-9", "0", "9", "10", str(2**127 - 1)]),
    ("decimal", pa.string(), "-Infinity -10.5 -9.75 -0.01 0 0.009 0.01 9.5 1" + "0" * 40 + ".1 Infinity NaN"),
    ("decimal", pa.decimal128(6, 2), [Decimal(text) for text in ("-10.50", "-9.75", "0.00", "9.00")]),
    ("float", pa.float64(), [-math.inf, -1.5, 0.0, 1e-300, 2.0, 10.0, 1e300, math.inf, math.nan]),
    ("float", pa.float32(), [-1.1, 0.1, 0.2, 16777216.0, math.nan]),
    ("boolean", pa.bool_(), [False, True]),
    ("text", pa.string(), ["", "A", "B", "a", "a ", "aa", "z", "è", "丂", "😀"]),
    ("text", pa.large_string(), ["A", "a"]),
    ("uuid", pa.string(), ["00000000-0000-0000-0000-000000000001", "f0000000-0000-0000-0000-000000000000"]),
    ("bit", pa.string(), ["0", "01", "1"]),
    ("bytes", pa.binary(), [b"", b"\x00", b"\x00\xff", b"\x7f", b"\x80"]),
    ("date", pa.string(), ["-infinity", "4713-01-01 BC", "0044-03-15 BC", "0044-03-16 BC", "0043-01-01 BC"]),
    ("date", pa.string(), "0000-00-00 0001-01-01 1999-12-31 2024-02-29 10000-01-01 infinity"),
    ("date", pa.date32(), dates("0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29")),
    ("time", pa.string(), "-838:59:59 -00:00:01.5 -00:00:01 00:00:00 00:00:00.25 24:00:00 838:59:59.5"),
    ("time", pa.time64("us"), [datetime.time(0), datetime.time(0, 0, 0, 1), datetime.time(23, 59, 59)]),
    ("timetz", pa.string(), "00:30:00+02:00 00:00:00+00:00 10:00:00.5+02:00 08:00:00.5+00:00 10:00:00-15:59"),
    ("timestamp", pa.string(), ["-infinity", "0044-03-15T10:00:00 BC", *moments(""), "infinity"]),
    ("timestamp", pa.timestamp("us"), [datetime.datetime(1, 1, 1), datetime.datetime(2024, 2, 29, 1, 2)]),
    ("timestamptz", pa.string(), moments("+00:00")),
    ("timestamptz", pa.timestamp("us", "UTC"), [datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC)]),
    ("any", pa.string(), [tag(number) for number in (-math.inf, -(2**63), -1.5, 0, 2**53, 2**53 + 1, 1e300)]),
    ("any", pa.string(), [tag(value) for value in (5, math.inf, "", "10", "9", "a", b"", b"\x00", b"\xff")]),
]  # fmt: skip
"""Values from the least to the largest; a text has one in each word."""
KINDS = pytest.mark.parametrize(
    ("type_", "arrow", "values"),
    [(type_, arrow, v.split() if isinstance(v, str) else v) for type_, arrow, v in ORDERED],
    ids=[f"{type_}-{arrow}" for type_, arrow, _ in ORDERED],
)


@KINDS
def test_every_kind_sorts_by_its_values_in_both_directions_with_null_last(
    tmp_path: Path, type_: str, arrow: pa.DataType, values: list[Any]
) -> None:
    mixed = [None, *values[::-2], None, *values[-2::-2][::-1]]
    result = kept((type_, mixed, arrow))
    shown = json_cells(pa.array(values, arrow), type_)
    last: list[Any] = [cell for cell in shown if cell == "NaN"]
    rest = [cell for cell in shown if cell != "NaN"]
    up = view(tmp_path, result, [SortKey("c0")])
    assert cells(up) == [*rest, *last, None, None]
    down = view(tmp_path, result, [SortKey("c0", descending=True)])
    assert cells(down) == [*rest[::-1], *last, None, None]


@KINDS
def test_every_cell_can_be_compared_with_as_it_is_shown(
    tmp_path: Path, type_: str, arrow: pa.DataType, values: list[Any]
) -> None:
    result = kept((type_, [None, *values, None], arrow))
    shown = json_cells(pa.array(values, arrow), type_)
    if type_ == "any":
        # a cell that is text in JSON means text; large integers and words of floats are numbers
        comparable = [i for i, value in enumerate(values) if value[0] == "s" or not isinstance(shown[i], str)]
    else:
        comparable = list(range(len(values)))
    for i in comparable:
        wanted = {
            "eq": shown[i : i + 1],
            "ne": shown[:i] + shown[i + 1 :],
            "lt": shown[:i],
            "le": shown[: i + 1],
            "gt": shown[i + 1 :],
            "ge": shown[i:],
        }
        for op, expected in wanted.items():
            condition: Any = Condition("c0", op, shown[i])  # pyright: ignore[reportArgumentType]
            assert cells(view(tmp_path, result, None, [condition])) == expected, (op, shown[i])
    listed = [shown[i] for i in comparable]
    assert cells(view(tmp_path, result, None, [Condition("c0", "in", listed)])) == listed


def test_ties_keep_the_order_of_the_result(tmp_path: Path) -> None:
    result = kept(
        ("text", ["b", "a", "b", "a", None, "a", None], pa.string()), ("integer", [*range(7)], pa.int64())
    )
    assert cells(view(tmp_path, result, [SortKey("c0")]), 1) == [1, 3, 5, 0, 2, 4, 6]
    assert cells(view(tmp_path, result, [SortKey("c0", descending=True)]), 1) == [0, 2, 1, 3, 5, 4, 6]
    both = [SortKey("c0", descending=True), SortKey("c1", descending=True)]
    assert cells(view(tmp_path, result, both), 1) == [2, 0, 5, 3, 1, 6, 4]


numbers = st.one_of(
    st.none(),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**40), max_value=10**40),
    st.integers(-20, 20).map(Decimal),
    st.sampled_from([Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity")]),
)


def _digits(value: Decimal | None) -> str | None:
    if value is None or value.is_finite():
        return None if value is None else format(value, "f")
    return "NaN" if value.is_nan() else str(value)


@given(rows=st.lists(st.tuples(numbers, st.sampled_from(["x", "y", None])), max_size=40), down=st.booleans())
def test_a_sort_by_two_columns_is_the_stable_sort_of_the_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Decimal | None, str | None]], down: bool
) -> None:
    result = kept(
        ("text", [row[1] for row in rows], pa.string()),
        ("decimal", [_digits(row[0]) for row in rows], pa.string()),
        ("integer", list(range(len(rows))), pa.int64()),
        size=7,
    )

    def compare(one: int, other: int) -> int:
        for position, descending in ((1, False), (0, down)):
            found = _compare(rows[one][position], rows[other][position], descending)
            if found:
                return found
        return 0

    expected = sorted(range(len(rows)), key=functools.cmp_to_key(compare))
    found = view(tmp_path_factory.mktemp("view"), result, [SortKey("c0"), SortKey("c1", descending=down)])
    assert cells(found, 2) == expected


def _compare(one: Any, other: Any, descending: bool) -> int:
    def last(value: Any) -> int:
        return 2 if value is None else int(isinstance(value, Decimal) and value.is_nan())

    if last(one) or last(other):
        return last(one) - last(other)
    order = (one > other) - (one < other)
    return -order if descending else order


@given(
    values=st.lists(
        st.one_of(
            st.none(),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
            st.binary(),
        ),
        max_size=30,
    )
)
def test_a_column_of_several_classes_sorts_as_sqlite_does(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any]
) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (v, n INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(v, n) for n, v in enumerate(values)])
        query = "SELECT n FROM t ORDER BY v {} NULLS LAST, n"
        up, down = ([row[0] for row in connection.execute(query.format(way))] for way in ("ASC", "DESC"))
    connection.close()
    result = kept(
        ("any", [tag(v) for v in values], pa.string()), ("integer", list(range(len(values))), pa.int64())
    )
    folder = tmp_path_factory.mktemp("view")
    assert cells(view(folder, result, [SortKey("c0")]), 1) == up
    assert cells(view(folder, result, [SortKey("c0", descending=True)]), 1) == down


def test_all_conditions_must_hold_and_texts_are_searched(tmp_path: Path) -> None:
    result = kept(
        ("text", ["Ärger", "arg.", None, "LARGE", "xyz"], pa.string()),
        ("integer", [1, 2, 3, None, 5], pa.int64()),
    )

    def found(*conditions: Condition) -> list[Any]:
        return cells(view(tmp_path, result, None, list(conditions)))

    assert found(Condition("c0", "contains", "arg")) == ["arg.", "LARGE"]
    assert found(Condition("c0", "contains", "är")) == ["Ärger"]
    assert found(Condition("c0", "contains", "g.")) == ["arg."]
    assert found(Condition("c0", "starts", "x")) == ["xyz"]
    assert found(Condition("c0", "starts", "X")) == []
    assert found(Condition("c0", "null")) == [None]
    assert found(Condition("c0", "not_null"), Condition("c1", "null")) == ["LARGE"]
    assert found(Condition("c0", "contains", "arg"), Condition("c1", "ge", 2)) == ["arg."]
    assert found(Condition("c1", "in", [5, "1", 10**30])) == ["Ärger", "xyz"]
    between = Condition("c1", "lt", 10**30), Condition("c1", "gt", -(10**30))
    assert found(*between) == ["Ärger", "arg.", None, "xyz"]


def test_text_is_searched_in_the_cells_of_a_mixed_column_that_are_text(tmp_path: Path) -> None:
    result = kept(("any", [tag("s1"), tag(1), tag(b"s1"), None, tag("1s")], pa.string()))
    assert cells(view(tmp_path, result, None, [Condition("c0", "contains", "S1")])) == ["s1"]
    assert cells(view(tmp_path, result, None, [Condition("c0", "starts", "1")])) == ["1s"]


def test_any_page_of_a_view_is_a_part_of_the_whole(tmp_path: Path) -> None:
    count = 40_000
    values = [(i * 7919) % 10_007 for i in range(count)]
    result = kept(("integer", values, pa.int64()), ("integer", list(range(count)), pa.int64()), size=5_000)
    found = view(tmp_path, result, [SortKey("c0", descending=True)], [Condition("c0", "lt", 5_000)])
    expected = sorted((i for i in range(count) if values[i] < 5_000), key=lambda i: -values[i])
    assert cells(found, 1) == expected
    for offset, size in ((0, 10), (19_000, 100), (len(expected) - 3, 10), (len(expected), 5), (10**9, 1)):
        rows = [row for batch in found.read(offset, size) for row in batch.column(1).to_pylist()]
        assert rows == expected[offset : offset + size]


def test_wide_rows_are_gathered_a_few_at_a_time(tmp_path: Path) -> None:
    result = kept(("integer", list(range(200)), pa.int64()), ("text", ["x" * 200_000] * 200, pa.string()))
    found = view(tmp_path, result, [SortKey("c0", descending=True)])
    sizes = [batch.num_rows for batch in found.read(0, 200)]
    assert sum(sizes) == 200
    assert max(sizes) <= 42


def test_a_view_is_computed_once_and_few_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = kept(("integer", [3, 1, 2], pa.int64()))
    first = view(tmp_path, result, [SortKey("c0")])
    reads: list[int] = []
    real = Memory.read
    monkeypatch.setattr(Memory, "read", lambda self, *given: reads.append(given[1]) or real(self, *given))
    again = view(tmp_path, result, [SortKey("c0")])
    assert (again.order.to_pylist(), first.order.to_pylist(), reads) == ([1, 2, 0], [1, 2, 0], [])
    for limit in range(VIEWS + 5):
        assert view(tmp_path, result, None, [Condition("c0", "lt", limit)]).rows == min(max(limit - 1, 0), 3)
    assert len(list(tmp_path.iterdir())) == VIEWS
    assert view(tmp_path, result, [SortKey("c0")]).order.to_pylist() == [1, 2, 0]


def test_rows_that_became_of_another_kind_on_the_way_sort_as_what_they_are(tmp_path: Path) -> None:
    """A later batch of another kind, as in SQLite."""
    narrow = [field(0, "a", "integer", pa.int64()), field(1, "b", "integer", pa.int64())]
    wide = [field(0, "a", "any", pa.string()), field(1, "b", "integer", pa.int64())]
    batches = [
        pa.record_batch([pa.array([10, 9]), pa.array([1, 2])], schema=pa.schema(narrow)),
        pa.record_batch([pa.array([tag("x"), tag(9.5)]), pa.array([3, 4])], schema=pa.schema(wide)),
    ]
    result = Memory(batches, pa.schema(wide))
    assert cells(view(tmp_path, result, [SortKey("c0")])) == [9, 9.5, 10, "x"]
    assert cells(view(tmp_path, result, [SortKey("c1", descending=True)])) == [9.5, "x", 9, 10]


def test_an_empty_result_has_empty_views(tmp_path: Path) -> None:
    result = Memory([], pa.schema([field(0, "a", "any", pa.null())]))
    for sort, conditions in (([SortKey("c0")], None), (None, [Condition("c0", "eq", "x")])):
        found = view(tmp_path, result, sort, conditions)
        assert (found.rows, list(found.read(0, 10))) == (0, [])


def test_requests_that_say_the_same_have_one_name() -> None:
    def digest(text: str) -> str:
        return view_request(None, msgspec.json.decode(text, type=list[Condition])).digest

    assert digest('[{"key": "c0", "op": "eq", "value": 1}]') == digest('[{"value":1,"op":"eq","key":"c0"}]')
    assert digest('[{"key": "c0", "op": "eq", "value": 1}]') != digest('[{"key":"c0","op":"eq","value":"1"}]')


def test_bytes_are_compared_as_base64(tmp_path: Path) -> None:
    result = kept(("bytes", [b"\x00", b"\xff", None], pa.binary()))
    wanted = base64.b64encode(b"\xff").decode()
    assert cells(view(tmp_path, result, None, [Condition("c0", "eq", wanted)])) == [wanted]
