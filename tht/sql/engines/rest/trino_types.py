"""Trino's types and how their cells in JSON become ThothII's."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa

from tht.sql.engines import server_rows as rows
from tht.sql.engines.rest import json_rows
from tht.sql.engines.rest.type_text import TypeText, parse_type
from tht.sql.engines.server_rows import Kind, each
from tht.sql.values.cells import json_float

_PLAIN: dict[str, Kind] = {
    "boolean": json_rows.BOOLEAN,
    "tinyint": json_rows.INTEGER,
    "smallint": json_rows.INTEGER,
    "integer": json_rows.INTEGER,
    "bigint": json_rows.BIGINT,
    "real": json_rows.FLOAT32,
    "double": json_rows.FLOAT64,
    "varchar": json_rows.TEXT,
    "char": json_rows.TEXT,
    "varbinary": json_rows.BYTES,
    "json": json_rows.text_kind("json"),
    "date": json_rows.DATE,
    "time": json_rows.TIME,
    "timestamp": json_rows.TIMESTAMP,
    "uuid": json_rows.text_kind("uuid"),
    "ipaddress": json_rows.TEXT,
}
_NESTED = {"array": "array", "row": "struct", "map": "map"}
_ZONED = re.compile(r"(-?\d+-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)? ?(\S+)")
_OFFSET = re.compile(r"[+-]\d\d:\d\d")
_YEARS = re.compile(r"(-?)(\d+)-(\d+)")
_DAYS = re.compile(r"(-?)(\d+) (\d+):(\d+):(\d+)(?:\.(\d+))?")

Cell = Callable[[Any], Any]


def _text_kind(type_: str, cell: Cell, exact: str | None = None) -> Kind:
    return Kind(type_, pa.string(), each(cell, pa.string()), exact)


def kind_of(text: str) -> Kind:
    """The kind of a column of type `text`; unknown types are text."""
    type_ = parse_type(text)
    known = _PLAIN.get(type_.name)
    if known is not None:
        return known
    if type_.name == "decimal":
        return json_rows.decimal(type_.number(0), type_.number(1))
    if type_.name == "timestamp with time zone":
        return _text_kind("timestamptz", in_utc, "timestamptz")
    if type_.name == "time with time zone":
        return _text_kind("timetz", lambda value: rows.trimmed(json_rows.as_text(value)))
    if type_.name.startswith("interval"):
        return _text_kind("interval", duration)
    nested = _NESTED.get(type_.name)
    if nested is not None:
        cell = _cell(type_)
        return _text_kind(nested, lambda value: json_rows.as_json(cell(value)))
    return _text_kind("text", lambda value: value if isinstance(value, str) else json_rows.as_json(value))


def in_utc(value: Any) -> str:
    """`2024-01-01 00:00:00.000 Europe/Rome` in ISO 8601 and UTC. A zone that this machine does not know, or a
    year that Python cannot count, stays as it is."""
    text = json_rows.as_text(value)
    match = _ZONED.fullmatch(text)
    if match is None:
        return text
    date, clock, fraction, zone = match[1], match[2], match[3] or "", match[4]
    if zone not in ("UTC", "Z"):
        try:
            if _OFFSET.fullmatch(zone):
                moment = datetime.fromisoformat(f"{date}T{clock}{zone}")
            else:
                moment = datetime.fromisoformat(f"{date}T{clock}").replace(tzinfo=ZoneInfo(zone))
            moment = moment.astimezone(UTC)
        except (ValueError, OverflowError, ZoneInfoNotFoundError):
            return text
        date, clock = moment.date().isoformat(), moment.time().isoformat()
    return rows.trimmed(f"{date}T{clock}{fraction}+00:00")


def duration(value: Any) -> str:
    """Trino's intervals, `1-2` and `3 04:05:06.789`, as ISO 8601 durations."""
    text = json_rows.as_text(value)
    years, days = _YEARS.fullmatch(text), _DAYS.fullmatch(text)
    if years is not None:
        return _iso(years[1], [(years[2], "Y"), (years[3], "M")], [])
    if days is None:
        return text
    fraction = (days[6] or "").rstrip("0")
    clock = [(days[3], "H"), (days[4], "M")]
    second = str(int(days[5])) + (f".{fraction}" if fraction else "")
    return _iso(days[1], [(days[2], "D")], [*clock, (second, "S")])


def _iso(sign: str, dates: list[tuple[str, str]], times: list[tuple[str, str]]) -> str:
    def parts(items: list[tuple[str, str]]) -> str:
        found = [(number.lstrip("0") or "0", unit) for number, unit in items]
        found = [(f"0{number}" if number.startswith(".") else number, unit) for number, unit in found]
        return "".join(f"{sign}{number}{unit}" for number, unit in found if number != "0")

    date, time = parts(dates), parts(times)
    return f"P{date}" + (f"T{time}" if time else "") if date or time else "PT0S"


def _cell(type_: TypeText) -> Cell:
    """What a value inside an array, map or row becomes."""
    if type_.name == "array":
        element = _cell(type_.inner())
        return _optional(lambda value: [element(item) for item in value])
    if type_.name == "map":
        item = _cell(type_.inner(1))
        return _optional(lambda value: {key: item(one) for key, one in value.items()})
    if type_.name == "row":
        return _optional(_row_of([(name, _cell(inner)) for name, inner in type_.fields()]))
    if type_.name in ("bigint", "decimal"):
        return _optional(json_rows.as_digits)
    if type_.name in ("real", "double"):
        return _optional(lambda value: json_float(json_rows.as_float(value)))
    if type_.name == "timestamp":
        return _optional(lambda value: rows.timestamp(json_rows.as_text(value)))
    if type_.name == "timestamp with time zone":
        return _optional(in_utc)
    if type_.name.startswith("interval"):
        return _optional(duration)
    return lambda value: value


def _optional(cell: Cell) -> Cell:
    return lambda value: None if value is None else cell(value)


def _row_of(fields: list[tuple[str, Cell]]) -> Cell:
    """An object where every field has a name of its own, an array elsewhere."""
    names = [name for name, _ in fields]
    named = all(names) and len(set(names)) == len(names)

    def read(value: Any) -> Any:
        given = cast("list[Any]", value)
        cells = [cell(item) for (_, cell), item in zip(fields, given, strict=True)]
        return dict(zip(names, cells, strict=True)) if named else cells

    return read
