"""Conditions on the columns of a kept result, as masks over its batches."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, cast

import pyarrow as pa

from tht.sql.results.scales import checked_text, is_nan, scale_of, text_of
from tht.sql.results.view_request import Condition, invalid
from tht.sql.values.arrow import Array, Field
from tht.sql.values.arrow import compute as pc

SEARCHED_CHARACTERS = 1_000
"""Of a text that is searched for, at most."""

Mask = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Test:
    """One condition, ready to be held against batches."""

    column: int
    mask: Mask
    """Of a column's array: true where the condition holds, never NULL."""


def test_of(condition: Condition, column: int, found: Field) -> Test:
    """The condition on column `column`, whose field is `found`. Raises Fault INVALID_ARGUMENT when the column
    or the value is none for it."""
    op, value = condition.op, condition.value
    if op == "null":
        return Test(column, pc.is_null)
    if op == "not_null":
        return Test(column, pc.is_valid)
    if op in ("contains", "starts"):
        return Test(column, _search(op, value, found))
    scale = scale_of(found)
    if op == "in":
        operands = [scale.operand(item) for item in value]
        wanted: Array = cast("Any", pa).array([one.as_py() for one in operands], operands[0].type)
        return Test(column, lambda array: _held(pc.is_in(scale.keys(array), value_set=wanted)))
    operand = scale.operand(value)
    return Test(column, lambda array: _held(_compared(op, scale.keys(array), operand)))


def _held(mask: Array) -> Array:
    return pc.fill_null(mask, False)


def _search(op: str, value: Any, found: Field) -> Mask:
    texts, wanted = text_of(found), checked_text(value, found)
    if len(wanted) > SEARCHED_CHARACTERS:
        raise invalid(f"{op} looks for at most {SEARCHED_CHARACTERS} characters")
    if op == "starts":
        return lambda array: _held(pc.starts_with(texts(array), wanted))
    return lambda array: _held(pc.match_substring(texts(array), wanted, ignore_case=True))


_COMPARE: dict[str, Callable[[Array, Any], Array]] = {
    "eq": pc.equal,
    "ne": pc.not_equal,
    "lt": pc.less,
    "le": pc.less_equal,
    "gt": pc.greater,
    "ge": pc.greater_equal,
}


def _compared(op: str, keys: Array, operand: Any) -> Array:
    nan = is_nan(keys)
    if nan is None:
        return _COMPARE[op](keys, operand)
    # IEEE 754 gives NaN no place; here it is above every number, as where databases sort it
    number = pc.invert(nan)
    if operand.as_py() != operand.as_py():
        return {"eq": nan, "ge": nan, "ne": number, "lt": number, "le": pc.is_valid(nan)}.get(
            op, pc.and_(nan, number)
        )
    held = _COMPARE[op](keys, operand)
    return pc.or_(held, nan) if op in ("gt", "ge") else held


def mask_of(tests: list[Test], batch: Any) -> Array:
    """Where every test of `tests`, at least one, holds in the rows of `batch`."""
    return reduce(pc.and_, [test.mask(batch.column(test.column)) for test in tests])
