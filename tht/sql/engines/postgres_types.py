"""PostgreSQL's types by OID, and its text of arrays."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pyarrow as pa
from psycopg.postgres import types as registry

from tht.sql.engines import server_rows as rows
from tht.sql.engines.server_rows import Kind
from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import json_float
from tht.sql.values.texts import float_texts

_OFFSET = re.compile(r"([+-]\d\d)(?::?(\d\d))?(?=$| BC)")


def _zoned(text: str) -> str:
    """The offset of a time with minutes: +05 becomes +05:00."""
    return _OFFSET.sub(lambda match: f"{match[1]}:{match[2] or '00'}", text, count=1)


def _timestamptz(text: str) -> str:
    if "infinity" in text:
        return text
    date, _, clock = text.partition(" ")
    return f"{date}T{_zoned(clock)}"


def _bytea(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _timestamptzs(values: Any) -> Array:
    """`_timestamptz` of a whole column; the session's zone is UTC."""
    found = pc.replace_substring(rows.strings(values), " ", "T", max_replacements=1)
    return pc.replace_substring_regex(found, r"\+00( BC)?$", r"+00:00\1")


def _floats(values: Any) -> Array:
    """The server's digits are the shortest that read back (since its version 12)."""
    digits = rows.strings(values)
    return float_texts(digits.cast(pa.float64()), digits)


_TIMETZ = Kind("timetz", pa.string(), rows.each(_zoned, pa.string()))
_TIMESTAMPTZ = Kind("timestamptz", pa.string(), _timestamptzs, "timestamptz")

_KINDS: dict[str, Kind] = {
    "bool": Kind("boolean", pa.bool_(), lambda values: pc.equal(rows.strings(values), "t")),
    "int2": Kind("integer", pa.int16(), rows.cast_to(pa.int16()), text=rows.strings),
    "int4": Kind("integer", pa.int32(), rows.cast_to(pa.int32()), text=rows.strings),
    "int8": replace(rows.BIGINT, text=rows.strings),
    "oid": replace(rows.INTEGER, text=rows.strings),
    "float4": rows.FLOAT32,
    "float8": replace(rows.FLOAT64, text=_floats),
    "bytea": Kind("bytes", pa.binary(), rows.each(_bytea, pa.binary())),
    "date": rows.DATE,
    "time": replace(rows.TIME, exact="time"),
    "timetz": _TIMETZ,
    "timestamp": rows.TIMESTAMP,
    "timestamptz": _TIMESTAMPTZ,
    "interval": Kind("interval", pa.string(), rows.strings),
    "uuid": Kind("uuid", pa.string(), rows.strings),
    "json": Kind("json", pa.string(), rows.strings),
    "jsonb": Kind("json", pa.string(), rows.strings),
    "bit": Kind("bit", pa.string(), rows.strings),
    "varbit": Kind("bit", pa.string(), rows.strings),
}

_ELEMENTS: dict[str, Callable[[str], Any]] = {
    "bool": lambda text: text == "t",
    "int2": int,
    "int4": int,
    "oid": int,
    "float4": lambda text: json_float(float(text)),
    "float8": lambda text: json_float(float(text)),
    "bytea": lambda text: base64.b64encode(_bytea(text)).decode(),
    "timetz": _zoned,
    "timestamp": rows.timestamp,
    "timestamptz": _timestamptz,
}
"""Elements of an array as JSON values; the others are their text."""


def kind_of(oid: int, precision: int | None, scale: int | None, arrays: Mapping[int, int]) -> Kind:
    """The kind of a column; a type that is not known is its text."""
    info = registry.get(oid)
    if oid in arrays or (info is not None and info.array_oid == oid):
        element = registry.get(arrays[oid]) if oid in arrays else info
        name = element.name if element is not None else ""
        delimiter = element.delimiter if element is not None else ","
        return _array_kind(_ELEMENTS.get(name, str), delimiter)
    if info is None:
        return rows.TEXT
    if info.name == "numeric":
        return rows.decimal(precision, scale)
    return _KINDS.get(info.name, rows.TEXT)


def _array_kind(element: Callable[[str], Any], delimiter: str) -> Kind:
    encode = msgspec.json.Encoder().encode

    def convert(text: str) -> str:
        return encode(parse_array(text, element, delimiter)).decode()

    return Kind("array", pa.string(), rows.each(convert, pa.string()))


_TOKEN = re.compile(r'[{}]|"((?:[^"\\]|\\.)*)"|[^{},;"\s][^{},"]*', re.DOTALL)


def parse_array(text: str, element: Callable[[str], Any], delimiter: str = ",") -> list[Any]:
    """The nested lists that an array literal says (manual 8.15.6), bounds such as [0:1]= left out."""
    text = text[text.index("{") :]
    stack: list[list[Any]] = [[]]
    at = 0
    while at < len(text):
        character = text[at]
        if character == "{":
            stack.append([])
            at += 1
        elif character == "}":
            done = stack.pop()
            stack[-1].append(done)
            at += 1
        elif character == delimiter:
            at += 1
        elif character == '"':
            match = _TOKEN.match(text, at)
            assert match is not None
            stack[-1].append(element(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)))
            at = match.end()
        else:
            end = min(place for mark in (delimiter, "}") if (place := text.find(mark, at)) >= 0)
            word = text[at:end]
            stack[-1].append(None if word == "NULL" else element(word))
            at = end
    found: list[Any] = stack[0][0]
    return found
