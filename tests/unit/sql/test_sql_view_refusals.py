"""Views that cannot be: kinds without an order, values of another kind, too much of it."""

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from contracts.errors import Code, Fault
from tests.unit.sql.view_results import RESULT, cells, kept, view
from tht.sql.cancel import Cancel
from tht.sql.results.view import view_of
from tht.sql.results.view_request import Condition, SortKey, view_request

NO_ORDER = [
    ("interval", pa.string(), ["P1D"]),
    ("json", pa.string(), ["{}"]),
    ("array", pa.list_(pa.int64()), [[1]]),
    ("array", pa.string(), ["[1]"]),
    ("struct", pa.struct([("a", pa.int64())]), [{"a": 1}]),
    ("map", pa.map_(pa.string(), pa.int64()), [[("a", 1)]]),
]


@pytest.mark.parametrize(("type_", "arrow", "values"), NO_ORDER)
def test_a_kind_without_an_order_is_refused_but_for_null(
    tmp_path: Path, type_: str, arrow: pa.DataType, values: list[Any]
) -> None:
    result = kept((type_, [None, *values], arrow))
    for sort, conditions in (([SortKey("c0")], None), (None, [Condition("c0", "eq", "x")])):
        with pytest.raises(Fault, match="has no order") as caught:
            view(tmp_path, result, sort, conditions)
        assert caught.value.code is Code.INVALID_ARGUMENT
    assert cells(view(tmp_path, result, None, [Condition("c0", "null")])) == [None]
    assert view(tmp_path, result, None, [Condition("c0", "not_null")]).rows == 1


VALUES_OF_ANOTHER_KIND: list[tuple[str, pa.DataType, list[Any]]] = [
    ("integer", pa.int64(), [1.5, "x", "1.0", True, [1], {}, ""]),
    ("bigint", pa.string(), ["x", True, "1e5", " 1"]),
    ("decimal", pa.string(), ["1,5", "x", "1e5", True, math.nan]),
    ("float", pa.float64(), ["1.5", "x", False, 10**400, -(10**400)]),
    ("boolean", pa.bool_(), ["true", 1, 0]),
    ("text", pa.string(), [1, True, ["a"], "\ud800"]),
    ("bytes", pa.binary(), ["*", 1, "a"]),
    ("date", pa.string(), ["2024", "29.02.2024", "2024-02-29T00:00:00", 1]),
    ("date", pa.date32(), ["x"]),
    ("time", pa.string(), ["10:00", "x", 1]),
    ("timetz", pa.string(), ["10:00:00"]),
    ("timestamp", pa.string(), ["2024-02-29", "2024-02-29 00:00:00", "2024-02-29T00:00:00+00:00"]),
    ("timestamptz", pa.string(), ["2024-02-29T00:00:00", "2024-02-29T00:00:00+02:00"]),
    ("any", pa.string(), [True, [1]]),
]


@pytest.mark.parametrize(("type_", "arrow", "wrong"), VALUES_OF_ANOTHER_KIND)
def test_a_value_of_another_kind_than_the_column_is_refused(
    tmp_path: Path, type_: str, arrow: pa.DataType, wrong: list[Any]
) -> None:
    result = kept((type_, [None], arrow))
    for value in wrong:
        for op, given_value in (("eq", value), ("in", [value])):
            condition: Any = Condition("c0", op, given_value)  # pyright: ignore[reportArgumentType]
            with pytest.raises(Fault) as caught:
                view(tmp_path, result, None, [condition])
            assert caught.value.code is Code.INVALID_ARGUMENT, (op, value)


@pytest.mark.parametrize(
    ("sort", "conditions"),
    [
        ([SortKey("c9")], []),
        ([SortKey("n0")], []),
        ([SortKey("c0"), SortKey("c0", descending=True)], []),
        ([SortKey(f"c{i}") for i in range(17)], []),
        ([], [Condition("", "eq", 1)]),
        ([], [Condition("c0", "eq")]),
        ([], [Condition("c0", "eq", None)]),
        ([], [Condition("c0", "null", 1)]),
        ([], [Condition("c0", "in", 1)]),
        ([], [Condition("c0", "in", [])]),
        ([], [Condition("c0", "in", [None])]),
        ([], [Condition("c0", "in", [1] * 1001)]),
        ([], [Condition("c0", "contains", "1")]),
        ([], [Condition("c1", "contains", "x" * 1001)]),
        ([], [Condition("c1", "starts", 1)]),
        ([], [Condition("c0", "not_null")] * 65),
    ],
)
def test_a_view_that_cannot_be_is_refused(
    tmp_path: Path, sort: list[SortKey], conditions: list[Condition]
) -> None:
    result = kept(("integer", [1], pa.int64()), ("text", ["x"], pa.string()))
    with pytest.raises(Fault) as caught:
        view(tmp_path, result, sort, conditions)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_view_leaves_nothing(tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.set()
    result = kept(("integer", [1], pa.int64()))
    with pytest.raises(Fault) as caught:
        view_of(tmp_path, RESULT, result, view_request([SortKey("c0")], None), cancel)
    assert caught.value.code is Code.CANCELLED
    assert list(tmp_path.iterdir()) == []
