"""What a page reads of whole columns at once is what it would read of each cell by itself."""

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.sql.values.cells import json_cells

INTEGERS = st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-(2**53), 2**53)
FLOATS = st.none() | st.floats() | st.sampled_from([math.inf, -math.inf, math.nan, 1.7e308, -1.7e308])


def one_by_one(values: list[Any], arrow: pa.DataType, type_: str) -> list[Any]:
    return [cell for value in values for cell in json_cells(pa.array([value], arrow), type_)]


@pytest.mark.parametrize("type_", ["integer", "bigint", ""])
@given(values=st.lists(INTEGERS, max_size=8))
def test_integers(type_: str, values: list[int | None]) -> None:
    assert json_cells(pa.array(values, pa.int64()), type_) == one_by_one(values, pa.int64(), type_)


@given(values=st.lists(FLOATS, max_size=8))
def test_floats(values: list[float | None]) -> None:
    cells = json_cells(pa.array(values, pa.float64()), "float")
    assert cells == one_by_one(values, pa.float64(), "float")
    assert all(cell is None or isinstance(cell, str) or math.isfinite(cell) for cell in cells)
