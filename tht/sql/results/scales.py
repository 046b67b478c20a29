"""How the values of a column compare: with each other, and with a value that a client sends as its cell."""

import base64
import binascii
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

import pyarrow as pa

from tht.sql.results.order_keys import any_keys, date_keys, number_keys, time_keys, zoned_time_keys
from tht.sql.results.view_request import invalid
from tht.sql.values.arrow import Array, Field
from tht.sql.values.arrow import compute as pc
from tht.sql.values.columns import name_of, type_of
from tht.sql.values.texts import texts

_CLOCK = r"\d\d:\d\d:\d\d(\.\d+)?"
_DAY = r"-?\d{4,}-\d\d-\d\d"
_FORMS = {
    "date": (rf"{_DAY}( BC)?|-?infinity", "2024-02-29"),
    "timestamp": (rf"{_DAY}T{_CLOCK}( BC)?|-?infinity", "2024-02-29T23:59:59.5"),
    "timestamptz": (rf"{_DAY}T{_CLOCK}\+00:00( BC)?|-?infinity", "2024-02-29T23:59:59.5+00:00"),
    "time": (rf"-?\d?{_CLOCK}", "23:59:59.5"),
    "timetz": (rf"{_CLOCK}[+-]\d\d:\d\d(:\d\d)?", "23:59:59.5+02:00"),
}
_ZEROS = re.compile(r"(\.\d*?)0+(?=$|[+\- ])")
_INTEGER = re.compile(r"-?\d{1,40}")
_DECIMAL = re.compile(r"-?\d{1,1000}(\.\d{1,1000})?|NaN|-?Infinity")
_BEYOND = 10**20 - 1
"""Farther than any integer of 64 bits: a larger value compares as this one does."""
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

SEARCHED = frozenset({"text", "uuid", "bit", "json"})
"""Kinds in whose text can be searched; in columns of several kinds the cells that are text."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The order of one column."""

    keys: Callable[[Array], Array]
    """The column's values as Arrow compares them."""
    operand: Callable[[Any], Any]
    """A value of a client as one of `keys`. Raises Fault INVALID_ARGUMENT for what is no cell of the
    column."""
    native: bool = False
    """The column's own array sorts as its keys do."""


def scale_of(found: Field) -> Scale:
    """The scale of a column. Raises Fault INVALID_ARGUMENT for a kind without an order."""
    type_, kind = type_of(found), found.type
    make = _NUMERIC.get(type_)
    if make is not None:
        return make(kind, found)
    if type_ in _FORMS:
        native = not pa.types.is_string(kind)
        return Scale(lambda array: _TIMES[type_](texts(array, type_)), _time_of(found, type_), native)
    if type_ == "boolean":
        return Scale(lambda array: array.cast(pa.int8()), _boolean_of(found), native=True)
    if type_ == "bytes":
        return Scale(lambda array: array, _bytes_of(found), native=True)
    if type_ == "any" and (pa.types.is_string(kind) or pa.types.is_null(kind)):
        return Scale(any_keys, _any_of(found))
    if type_ in ("text", "uuid", "bit") and _is_text(kind):
        return Scale(lambda array: array, _text_of(found, kind), native=True)
    if type_ == "text" and pa.types.is_null(kind):
        # DuckDB's column of NULL alone
        return Scale(lambda array: array.cast(pa.string()), _text_of(found, pa.string()))
    raise invalid(f"{_column(found)} has no order: it can be tested for null and not_null alone")


def text_of(found: Field) -> Callable[[Array], Array]:
    """The texts of a column to search in. Raises Fault INVALID_ARGUMENT for a column of another kind."""
    type_ = type_of(found)
    if type_ == "any" and pa.types.is_string(found.type):
        return _texts_of_any
    if pa.types.is_null(found.type):
        return lambda array: array.cast(pa.string())
    if type_ in SEARCHED and _is_text(found.type):
        return lambda array: array
    raise invalid(f"{_column(found)}: contains and starts are for text")


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _texts_of_any(array: Array) -> Array:
    is_text = pc.starts_with(array, "s")
    return pc.if_else(is_text, pc.utf8_slice_codeunits(array, 1), pa.scalar(None, pa.string()))


def _column(found: Field) -> str:
    return f"column {found.name} ({name_of(found)[:80]}, {type_of(found)})"


def _refusal(found: Field, form: str) -> Exception:
    return invalid(f"{_column(found)}: a value is written {form}")


def _integers(kind: pa.DataType, found: Field) -> Scale:
    if not pa.types.is_integer(kind):
        return _decimals(kind, found)
    wide = pa.decimal128(20, 0)

    def operand(value: Any) -> Any:
        number = min(max(_integer(value, found), -_BEYOND), _BEYOND)
        return pa.scalar(Decimal(number), wide)

    return Scale(lambda array: array.cast(wide), operand, native=True)


def _integer(value: Any, found: Field) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    raise _refusal(found, "as an integer")


def _decimals(kind: pa.DataType, found: Field) -> Scale:
    def operand(value: Any) -> Any:
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(value, float) and math.isfinite(value):
            text = format(Decimal(repr(value)), "f")
        if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
            raise _refusal(found, "in plain digits, such as -12.50")
        return number_keys(pa.array([text], pa.string()))[0]

    return Scale(
        lambda array: number_keys(texts(array, "decimal")), operand, native=pa.types.is_decimal(kind)
    )


def _floats(kind: pa.DataType, found: Field) -> Scale:
    def operand(value: Any) -> Any:
        if isinstance(value, str) and value in _WORDS:
            return pa.scalar(_WORDS[value])
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                # without a sign of zero, which would tell it apart in a set
                return pa.scalar(float(value) + 0.0)
            except OverflowError as error:
                raise _refusal(found, "as a number of 64 bits, or Infinity") from error
        raise _refusal(found, "as a number, NaN, Infinity or -Infinity")

    def keys(array: Array) -> Array:
        # of 32 bits: what its shortest text says, which is what the client saw
        wide = array.cast(pa.string()).cast(pa.float64()) if kind.bit_width < 64 else array
        return pc.add(wide, 0.0)

    return Scale(keys, operand, native=True)


_NUMERIC: dict[str, Callable[[pa.DataType, Field], Scale]] = {
    "integer": _integers,
    "bigint": _integers,
    "decimal": _decimals,
    "float": _floats,
}
_TIMES: dict[str, Callable[[Array], Array]] = {
    "date": date_keys,
    "timestamp": date_keys,
    "timestamptz": date_keys,
    "time": time_keys,
    "timetz": zoned_time_keys,
}


def _time_of(found: Field, type_: str) -> Callable[[Any], Any]:
    form, example = _FORMS[type_]

    def operand(value: Any) -> Any:
        if not isinstance(value, str) or not re.fullmatch(form, value):
            raise _refusal(found, f"like {example}")
        # zeros at the end of a fraction say nothing
        bare = _ZEROS.sub(lambda match: match[1] if len(match[1]) > 1 else "", value, count=1)
        return _TIMES[type_](pa.array([bare], pa.string()))[0]

    return operand


def _boolean_of(found: Field) -> Callable[[Any], Any]:
    def operand(value: Any) -> Any:
        if not isinstance(value, bool):
            raise _refusal(found, "true or false")
        return pa.scalar(int(value), pa.int8())

    return operand


def _text_of(found: Field, kind: Any) -> Callable[[Any], Any]:
    def operand(value: Any) -> Any:
        return cast("Any", pa).scalar(checked_text(value, found), kind)

    return operand


def checked_text(value: Any, found: Field) -> str:
    """`value` when it is Unicode text. Raises Fault INVALID_ARGUMENT."""
    if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
        raise _refusal(found, "as a text")
    return value


def _bytes_of(found: Field) -> Callable[[Any], Any]:
    kind: Any = found.type

    def operand(value: Any) -> Any:
        try:
            return cast("Any", pa).scalar(base64.b64decode(value, validate=True), kind)
        except (TypeError, ValueError, binascii.Error) as error:
            raise _refusal(found, "in base64") from error

    return operand


def _any_of(found: Field) -> Callable[[Any], Any]:
    def operand(value: Any) -> Any:
        if isinstance(value, str):
            return pa.scalar(f"2{checked_text(value, found)}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            number = f"i{value}" if isinstance(value, int) else f"r{value!r}"
            return any_keys(pa.array([number], pa.string()))[0]
        raise _refusal(found, "as a number or a text")

    return operand


def is_nan(keys: Array) -> Array | None:
    """Which keys are NaN where Arrow knows it, None for keys without NaN."""
    return pc.is_nan(keys) if pa.types.is_floating(cast("pa.DataType", keys.type)) else None
