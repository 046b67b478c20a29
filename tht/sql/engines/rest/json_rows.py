"""Cells that came as JSON, gathered into Arrow by the types that the endpoint tells."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from contracts.errors import Fault
from tht.sql.engines import server_rows as rows
from tht.sql.engines.server_rows import Kind, each
from tht.sql.messages import database_error
from tht.sql.values.arrow import Array
from tht.sql.values.cells import tag

_DECIMAL = re.compile(r"decimal\((\d{1,2}),(\d{1,2})\)")


def misfit(type_: str) -> Fault:
    """A value that is not what its column was said to hold; it is never changed in silence."""
    return database_error(f"the endpoint sent a value that does not fit its column's type, {type_}")


def as_text(value: Any) -> str:
    """A value that must be text."""
    if not isinstance(value, str):
        raise misfit("text")
    return value


def as_json(value: Any) -> str:
    """A JSON value as compact text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def as_bytes(value: Any) -> bytes:
    """Bytes that travel as base64."""
    try:
        return base64.b64decode(as_text(value), validate=True)
    except ValueError as error:
        raise misfit("bytes") from error


def as_digits(value: Any) -> str:
    """An exact number: text, or a JSON number without a fraction, which loses nothing."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_float(value: Any) -> float:
    """A number, or one of the words NaN, Infinity, -Infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise misfit("float")
    return float(value)


def as_integer(value: Any) -> int:
    """An integer as a number or as digits."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise misfit("integer")
    return int(value)


def as_boolean(value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise misfit("boolean")
    return value


def as_any(value: Any) -> str | None:
    """A cell of a column without a type."""
    plain = isinstance(value, int | float | str) and not isinstance(value, bool)
    return tag(value if plain else as_json(value))


def _kind(type_: str, convert: Callable[[Any], Any], arrow: pa.DataType, exact: str | None = None) -> Kind:
    return Kind(type_, arrow, each(convert, arrow), exact)


TEXT = _kind("text", as_text, pa.string())
INTEGER = _kind("integer", as_integer, pa.int64())
BIGINT = _kind("bigint", as_integer, pa.int64())
UNSIGNED = _kind("bigint", as_integer, pa.uint64())
HUGE = _kind("bigint", as_digits, pa.string())
FLOAT32 = _kind("float", as_float, pa.float32())
FLOAT64 = _kind("float", as_float, pa.float64())
BOOLEAN = _kind("boolean", as_boolean, pa.bool_())
BYTES = _kind("bytes", as_bytes, pa.binary())
DATE = _kind("date", as_text, pa.string(), "date")
TIME = _kind("time", lambda value: rows.trimmed(as_text(value)), pa.string())
TIMESTAMP = _kind("timestamp", lambda value: rows.timestamp(as_text(value)), pa.string(), "timestamp")
ANY = _kind("any", as_any, pa.string())


def text_kind(type_: str) -> Kind:
    """A logical type whose values are text as they come."""
    return _kind(type_, as_text, pa.string())


def json_kind(type_: str) -> Kind:
    """array, struct or map: a JSON value whose elements follow the same rules."""
    return _kind(type_, as_json, pa.string())


def decimal(precision: int | None = None, scale: int | None = None) -> Kind:
    """An exact number with its bounds, when they are known."""
    bounded = rows.decimal(precision, scale)
    return _kind("decimal", as_digits, pa.string(), bounded.exact)


def instant(value: Any) -> str:
    """A point in time with `Z` or an offset, as `+00:00` when it is UTC."""
    text = rows.timestamp(as_text(value))
    return f"{text[:-1]}+00:00" if text.endswith("Z") else text


_LOGICAL: dict[str, Kind] = {
    "text": TEXT,
    "integer": INTEGER,
    "bigint": BIGINT,
    "ubigint": UNSIGNED,
    "hugeint": HUGE,
    "float": FLOAT64,
    "boolean": BOOLEAN,
    "bytes": BYTES,
    "date": DATE,
    "time": TIME,
    "timestamp": TIMESTAMP,
    "timestamptz": _kind("timestamptz", instant, pa.string(), "timestamptz"),
    "decimal": decimal(),
    "any": ANY,
}


def logical_kind(name: str) -> Kind:
    """The kind behind a type of the table in docs/sql.md, `decimal(p,s)`, `ubigint` and `hugeint` among them;
    a name that is not known is text, or JSON text when it is no string."""
    known = _LOGICAL.get(name)
    if known is not None:
        return known
    match = _DECIMAL.fullmatch(name)
    if match:
        return decimal(int(match[1]), int(match[2]))
    if name in ("array", "struct", "map"):
        return json_kind(name)
    named = name if name in ("timetz", "interval", "uuid", "json", "bit") else "text"
    return _kind(named, lambda value: value if isinstance(value, str) else as_json(value), pa.string())


def columns(arrays: Sequence[Array], types: Sequence[str]) -> list[list[Any]]:
    """Columns of a batch as Python values: numbers, text, lists; for ThothII's own questions."""
    from tht.sql.values.cells import untag

    found: list[list[Any]] = []
    for array, type_ in zip(arrays, types, strict=True):
        values: list[Any] = array.to_pylist()
        if type_ == "any" and pa.types.is_string(array.type):
            values = [None if value is None else untag(value)[1] for value in values]
        elif type_ in ("array", "struct", "map"):
            values = [None if value is None else json.loads(value) for value in values]
        found.append(values)
    return found
