"""Cells of a result as JSON values: one canonical form for each kind, the same from every engine.

bigint, decimal and everything beyond 32 bits are strings by column type; NaN and the infinities are strings;
times and intervals are ISO 8601; bytes are base64; JSON is its text; arrays and structs are JSON with
elements by these rules.
"""

import base64
import datetime
import json
import math
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tht.sql.values.arrow import Array

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps (IEEE 754)."""
EPOCH = datetime.date(1970, 1, 1).toordinal()
INFINITY32 = 2**31 - 1
"""Days of a date that is infinite, as DuckDB writes it; minus infinity is its negative."""
INFINITY64 = 2**63 - 1
"""The same of a timestamp, in its unit."""
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

Cells = list[Any]


def json_cells(array: Array, type_: str = "") -> Cells:
    """The values of `array` as JSON values; `type_` is the column's logical type, empty inside a list or
    struct."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(array, kind)
    if pa.types.is_dictionary(kind):
        return json_cells(array.dictionary_decode())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _strings(array, type_)
    if pa.types.is_integer(kind):
        return _integers(array, kind, type_)
    if pa.types.is_boolean(kind):
        return array.to_pylist()
    for test, reader in _READERS:
        if test(kind):
            return reader(array)
    return array.cast(pa.string()).to_pylist()


def _strings(array: Array, type_: str) -> Cells:
    values = array.to_pylist()
    if type_ == "any":
        return [None if value is None else untag(value)[1] for value in values]
    if type_ in ("array", "struct", "map"):
        import msgspec

        return [None if value is None else msgspec.Raw(value.encode()) for value in values]
    return values


def _integers(array: Array, kind: pa.DataType, type_: str) -> Cells:
    values: Cells = array.to_pylist()
    if kind.bit_width == 64 and values and not array.null_count:
        if type_ != "integer":
            return list(map(str, values))
        if min(values) >= -SAFE_INTEGER and max(values) <= SAFE_INTEGER:
            return values
    if type_ == "integer" and kind.bit_width == 64:
        return [v if v is None or -SAFE_INTEGER <= v <= SAFE_INTEGER else str(v) for v in values]
    if kind.bit_width == 64:
        return [None if v is None else str(v) for v in values]
    return values


def cell_text(value: Any) -> str:
    """The text of one JSON value that is not null."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | Decimal):
        return str(value)
    return json.dumps(json.loads(bytes(value)), ensure_ascii=False)


def json_float(value: float) -> float | str:
    """A finite number as itself, NaN and the infinities as those words."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _floats(array: Array) -> Cells:
    if array.type.bit_width < 64:
        # the shortest text of a 32-bit float, not of its neighbour with 64 bits
        return [None if v is None else json_float(float(v)) for v in array.cast(pa.string()).to_pylist()]
    values: Cells = array.to_pylist()
    # A sum is finite only when each of its summands is.
    if not array.null_count and math.isfinite(sum(values)):
        return values
    return [None if v is None else json_float(v) for v in values]


def plain_decimal(value: Decimal) -> str:
    """All digits with the scale kept, never an exponent."""
    if value.is_nan():
        return "NaN"
    if value.is_infinite():
        return "Infinity" if value > 0 else "-Infinity"
    return format(value, "f")


def _decimals(array: Array) -> Cells:
    return [None if v is None else plain_decimal(v) for v in array.to_pylist()]


def _bytes(array: Array) -> Cells:
    return [None if v is None else base64.b64encode(v).decode() for v in array.to_pylist()]


def date_text(days: int) -> str:
    """ISO 8601 of days since 1970; years beyond 9999 with their digits, years before 1 as PostgreSQL writes
    them."""
    if abs(days) >= INFINITY32:
        return "infinity" if days > 0 else "-infinity"
    ordinal = days + EPOCH
    if 1 <= ordinal <= datetime.date.max.toordinal():
        return datetime.date.fromordinal(ordinal).isoformat()
    # 400 Gregorian years have 146,097 days
    cycles = (ordinal - 1) // 146_097
    date = datetime.date.fromordinal(ordinal - cycles * 146_097)
    year = date.year + cycles * 400
    body = f"-{date.month:02d}-{date.day:02d}"
    return f"{year:04d}{body}" if year > 0 else f"{1 - year:04d}{body} BC"


def _dates(array: Array) -> Cells:
    return [None if v is None else date_text(v) for v in array.cast(pa.int32()).to_pylist()]


def clock_text(value: int, per_second: int) -> str:
    """hh:mm:ss and what there is of a fraction, of `value` units since midnight."""
    seconds, rest = divmod(value, per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{rest * (10**9 // per_second):09d}".rstrip("0") if rest else text


def _times(array: Array) -> Cells:
    per_second = _UNITS[array.type.unit]
    storage = pa.int64() if array.type.bit_width == 64 else pa.int32()
    return [None if v is None else clock_text(v, per_second) for v in array.cast(storage).to_pylist()]


def timestamp_text(value: int, per_second: int, zone: bool) -> str:
    """ISO 8601 of `value` units since 1970 in UTC, with its offset when `zone`."""
    if abs(value) >= INFINITY64:
        return "infinity" if value > 0 else "-infinity"
    days, rest = divmod(value, 86_400 * per_second)
    date, _, era = date_text(days).partition(" ")
    return f"{date}T{clock_text(rest, per_second)}{'+00:00' if zone else ''}{' BC' if era else ''}"


def _timestamps(array: Array) -> Cells:
    per_second, zone = _UNITS[array.type.unit], array.type.tz is not None
    return [
        None if v is None else timestamp_text(v, per_second, zone) for v in array.cast(pa.int64()).to_pylist()
    ]


def interval_text(months: int, days: int, nanoseconds: int) -> str:
    """ISO 8601 duration as PostgreSQL's intervalstyle iso_8601 writes it: P1Y2M3DT4H5M6.789S, PT0S."""
    years, months = int(months / 12), int(math.fmod(months, 12))
    sign = -1 if nanoseconds < 0 else 1
    seconds, fraction = divmod(abs(nanoseconds), 10**9)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    date = "".join(f"{value}{unit}" for value, unit in ((years, "Y"), (months, "M"), (days, "D")) if value)
    clock = "".join(f"{sign * value}{unit}" for value, unit in ((hours, "H"), (minutes, "M")) if value)
    if seconds or fraction:
        digits = f"{seconds}.{fraction:09d}".rstrip("0").rstrip(".")
        clock += f"{'-' if sign < 0 else ''}{digits}S"
    if not date and not clock:
        return "PT0S"
    return f"P{date}T{clock}" if clock else f"P{date}"


def _intervals(array: Array) -> Cells:
    return [None if v is None else interval_text(v.months, v.days, v.nanoseconds) for v in array.to_pylist()]


def _lists(array: Array) -> Cells:
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        values = json_cells(array.values.slice(array.offset * size, len(array) * size))
        found = [values[i * size : (i + 1) * size] for i in range(len(array))]
    else:
        offsets = array.offsets.to_pylist()
        values = json_cells(array.values.slice(offsets[0], offsets[-1] - offsets[0]))
        found = [values[a - offsets[0] : b - offsets[0]] for a, b in pairwise(offsets)]
    return [cells if valid else None for cells, valid in zip(found, _valid(array), strict=True)]


def _valid(array: Array) -> list[bool]:
    return array.is_valid().to_pylist()


def _structs(array: Array) -> Cells:
    names = [array.type.field(i).name for i in range(array.type.num_fields)]
    # flatten() would bring the struct's NULLs into its parts, which ends the process where one is a union
    children = [json_cells(array.field(i)) for i in range(array.type.num_fields)]
    rows = zip(*children, strict=True) if children else ((),) * len(array)
    valid = _valid(array)
    return [dict(zip(names, row, strict=True)) if ok else None for row, ok in zip(rows, valid, strict=True)]


def _maps(array: Array) -> Cells:
    offsets = array.offsets.to_pylist()
    first, count = offsets[0], offsets[-1] - offsets[0]
    keys = [cell_text(key) for key in json_cells(array.keys.slice(first, count))]
    items = json_cells(array.items.slice(first, count))
    pairs = list(zip(keys, items, strict=True))
    found = [dict(pairs[a - first : b - first]) for a, b in pairwise(offsets)]
    return [cells if ok else None for cells, ok in zip(found, _valid(array), strict=True)]


def _unions(array: Array) -> Cells:
    children = [json_cells(array.field(i)) for i in range(array.type.num_fields)]
    order = {code: position for position, code in enumerate(array.type.type_codes)}
    codes = array.type_codes.to_pylist()
    if array.type.mode == "dense":
        return [children[order[c]][o] for c, o in zip(codes, array.offsets.to_pylist(), strict=True)]
    return [children[order[code]][row] for row, code in enumerate(codes)]


def _extension(array: Any, kind: pa.BaseExtensionType) -> Cells:
    storage = array.storage
    name = kind.extension_name
    if name == "arrow.opaque":
        decoder = _OPAQUE.get(array.type.type_name)
        if decoder is None:
            return _bytes(storage)
        return [None if value is None else decoder(value) for value in storage.to_pylist()]
    if name == "arrow.uuid":
        return [None if value is None else uuid_text(value) for value in storage.to_pylist()]
    if name == "arrow.bool8":
        return [None if value is None else bool(value) for value in storage.to_pylist()]
    return json_cells(storage)


def uuid_text(value: bytes) -> str:
    """RFC 9562 text of 16 bytes."""
    digits = value.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _time_tz(value: bytes) -> str:
    """DuckDB's dtime_tz_t: microseconds in the upper 40 bits, 57,599 - offset in seconds in the lower 24."""
    bits = int.from_bytes(value, "little")
    offset = 57_599 - (bits & 0xFFFFFF)
    sign, size = ("-" if offset < 0 else "+"), abs(offset)
    zone = f"{sign}{size // 3600:02d}:{size // 60 % 60:02d}" + (f":{size % 60:02d}" if size % 60 else "")
    return clock_text(bits >> 24, 10**6) + zone


def _bit(value: bytes) -> str:
    """DuckDB's bit string: the first byte counts the padding bits."""
    return "".join(f"{byte:08b}" for byte in value[1:])[value[0] :]


def _bignum(value: bytes) -> str:
    """DuckDB's bignum: three bytes of sign and length, then big-endian; a negative number is complemented."""
    negative = not value[0] & 0x80
    body = bytes(byte ^ 0xFF for byte in value[3:]) if negative else value[3:]
    size = int.from_bytes(body, "big")
    return str(-size if negative else size)


_OPAQUE: dict[str, Callable[[bytes], str]] = {
    "hugeint": lambda value: str(int.from_bytes(value, "little", signed=True)),
    "uhugeint": lambda value: str(int.from_bytes(value, "little")),
    "time_tz": _time_tz,
    "bit": _bit,
    "bignum": _bignum,
}

_READERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Array], Cells]], ...] = (
    (pa.types.is_floating, _floats),
    (pa.types.is_decimal, _decimals),
    (
        lambda t: pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_fixed_size_binary(t),
        _bytes,
    ),
    (pa.types.is_date32, _dates),
    (pa.types.is_time, _times),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_interval, _intervals),
    (pa.types.is_map, _maps),
    (lambda t: pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t), _lists),
    (pa.types.is_struct, _structs),
    (pa.types.is_union, _unions),
    (pa.types.is_null, lambda array: [None] * len(array)),
)


def tag(value: Any) -> str | None:
    """A value of a column without a type (SQLite) as a string that keeps its storage class."""
    if value is None:
        return None
    if isinstance(value, str):
        return f"s{value}"
    if isinstance(value, bytes):
        return f"b{base64.b64encode(value).decode()}"
    return f"{'i' if isinstance(value, int) else 'r'}{value!r}"


def untag(text: str) -> tuple[str, Any]:
    """Storage class (s, b, i, r) and JSON value of what `tag` made."""
    kind, body = text[0], text[1:]
    if kind == "i":
        value = int(body)
        return kind, value if -SAFE_INTEGER <= value <= SAFE_INTEGER else body
    if kind == "r":
        return kind, json_float(float(body))
    return kind, body
