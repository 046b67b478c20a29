"""ClickHouse's types and how their cells in JSON become ThothII's."""

from collections.abc import Callable
from typing import Any, cast

import pyarrow as pa

from tht.sql.engines.rest import json_rows
from tht.sql.engines.rest.type_text import TypeText, parse_type
from tht.sql.engines.server_rows import Kind, each
from tht.sql.values.cells import json_float

_WRAPPERS = ("nullable", "lowcardinality")
_PLAIN: dict[str, Kind] = {
    **{f"{sign}int{bits}": json_rows.INTEGER for sign in ("", "u") for bits in (8, 16, 32)},
    "int64": json_rows.BIGINT,
    "uint64": json_rows.UNSIGNED,
    **{f"{sign}int{bits}": json_rows.HUGE for sign in ("", "u") for bits in (128, 256)},
    "float32": json_rows.FLOAT32,
    "float64": json_rows.FLOAT64,
    "bfloat16": json_rows.FLOAT32,
    "bool": json_rows.BOOLEAN,
    "string": json_rows.TEXT,
    "fixedstring": json_rows.TEXT,
    "uuid": json_rows.text_kind("uuid"),
    "date": json_rows.DATE,
    "date32": json_rows.DATE,
    "time": json_rows.TIME,
    "time64": json_rows.TIME,
    "enum8": json_rows.TEXT,
    "enum16": json_rows.TEXT,
    "ipv4": json_rows.TEXT,
    "ipv6": json_rows.TEXT,
}
_INTERVALS = {
    "second": "PT{}S",
    "minute": "PT{}M",
    "hour": "PT{}H",
    "day": "P{}D",
    "week": "P{}W",
    "month": "P{}M",
    "year": "P{}Y",
}
_NESTED = {"array": "array", "tuple": "struct", "map": "map", "nested": "array"}

Cell = Callable[[Any], Any]


class Exact(str):
    """The digits of a JSON number with a fraction, kept until the type of its column is known."""

    __slots__ = ()


def kind_of(text: str, in_utc: bool) -> Kind:
    """The kind of a column of type `text`; `in_utc`: points in time come in ISO 8601, in UTC."""
    type_ = _unwrapped(parse_type(text))
    known = _PLAIN.get(type_.name)
    if known is not None:
        return known
    if type_.name.startswith("decimal"):
        return json_rows.decimal(type_.number(0), type_.number(1))
    if type_.name in ("datetime", "datetime64"):
        return _instants(in_utc)
    if type_.name.startswith("interval"):
        return Kind("interval", pa.string(), each(_interval(type_), pa.string()))
    nested = _NESTED.get(type_.name)
    if nested is not None:
        cell = _cell(type_)
        return Kind(nested, pa.string(), each(lambda value: json_rows.as_json(cell(value)), pa.string()))
    if type_.name in ("json", "object"):
        return Kind("json", pa.string(), each(_json_text, pa.string()))
    return Kind("any", pa.string(), each(lambda value: json_rows.as_any(_plain(value)), pa.string()))


def _unwrapped(type_: TypeText) -> TypeText:
    while type_.name in _WRAPPERS:
        type_ = type_.inner()
    return type_.inner(1) if type_.name == "simpleaggregatefunction" else type_


def _instants(in_utc: bool) -> Kind:
    if in_utc:
        return json_rows.logical_kind("timestamptz")
    return json_rows.TIMESTAMP


def _interval(type_: TypeText) -> Cell:
    pattern = _INTERVALS.get(type_.name.removeprefix("interval"))

    def text(value: Any) -> str:
        count = json_rows.as_integer(value)
        if type_.name == "intervalquarter":
            return f"P{3 * count}M"
        return json_rows.as_digits(value) if pattern is None else pattern.format(count)

    return text


def _cell(type_: TypeText) -> Cell:
    """What a value inside an array, tuple or map becomes."""
    type_ = _unwrapped(type_)
    if type_.name == "array":
        return _optional(_list_of(_cell(type_.inner())))
    if type_.name == "map":
        element = _cell(type_.inner(1))
        return _optional(lambda value: {key: element(item) for key, item in value.items()})
    if type_.name == "tuple":
        return _optional(_tuple_of([(name, _cell(inner)) for name, inner in type_.fields()]))
    if type_.name in ("float32", "float64", "bfloat16"):
        return _optional(lambda value: json_float(float(value)))
    if type_.name.startswith("decimal") or type_.name in ("int64", "uint64", "int128", "uint128"):
        return _optional(json_rows.as_digits)
    if type_.name in ("int256", "uint256"):
        return _optional(json_rows.as_digits)
    if type_.name in ("datetime", "datetime64"):
        return _optional(json_rows.instant)
    return _plain


def _optional(cell: Cell) -> Cell:
    return lambda value: None if value is None else cell(value)


def _list_of(element: Cell) -> Cell:
    return lambda value: [element(item) for item in value]


def _tuple_of(fields: list[tuple[str, Cell]]) -> Cell:
    def read(value: Any) -> Any:
        if isinstance(value, dict):
            named = cast("dict[str, Any]", value)
            cells = dict(fields)
            return {key: cells.get(key, _plain)(item) for key, item in named.items()}
        return [cell(item) for (_, cell), item in zip(fields, value, strict=True)]

    return read


def _plain(value: Any) -> Any:
    """A value of a type that is not known: numbers as JSON has them."""
    if isinstance(value, Exact):
        return json_float(float(value))
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _json_text(value: Any) -> str:
    return value if isinstance(value, str) else json_rows.as_json(_plain(value))
