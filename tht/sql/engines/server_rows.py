"""Rows of a server that come as text, gathered into Arrow batches: every column has a reader for its kind."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from tht.sql.arrow import Array
from tht.sql.columns import field

Values = Sequence[Any]
Reader = Callable[[Values], Array]

_SMALLEST, _LARGEST = 64, 10_000
_BATCH_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Kind:
    """How one column of a server is stored."""

    type: str
    """Logical type."""
    arrow: pa.DataType
    read: Reader
    exact: str | None = None
    """See `columns.field`."""


def strings(values: Values) -> Array:
    """Text as it came."""
    return pa.array(values, pa.string())


def cast_to(arrow: pa.DataType) -> Reader:
    """Digits to numbers."""
    return lambda values: pa.array(values, pa.string()).cast(arrow)


def each(function: Callable[[Any], Any], arrow: pa.DataType) -> Reader:
    """`function` on every value that is not NULL."""
    return lambda values: pa.array([None if v is None else function(v) for v in values], arrow)


_ZEROS = re.compile(r"(\.\d*?)0+(?=$|[+\-Z ])")
_CLOCK = re.compile(r"(\d) (\d)")


def trimmed(text: str) -> str:
    """A time without zeros at the end of its fraction."""
    return (
        _ZEROS.sub(lambda match: match[1] if len(match[1]) > 1 else "", text, count=1)
        if "." in text
        else text
    )


def timestamp(text: str) -> str:
    """`2024-02-29 23:59:59.50` with a T and without zeros at the end of the fraction."""
    return trimmed(_CLOCK.sub(r"\1T\2", text, count=1))


TEXT = Kind("text", pa.string(), strings)
INTEGER = Kind("integer", pa.int64(), cast_to(pa.int64()))
BIGINT = Kind("bigint", pa.int64(), cast_to(pa.int64()))
UNSIGNED = Kind("bigint", pa.uint64(), cast_to(pa.uint64()))
FLOAT32 = Kind("float", pa.float32(), cast_to(pa.float32()))
FLOAT64 = Kind("float", pa.float64(), cast_to(pa.float64()))
DATE = Kind("date", pa.string(), strings, "date")
TIME = Kind("time", pa.string(), each(trimmed, pa.string()))
TIMESTAMP = Kind("timestamp", pa.string(), each(timestamp, pa.string()), "timestamp")
BYTES = Kind("bytes", pa.binary(), lambda values: pa.array(values, pa.binary()))


def decimal(precision: int | None, scale: int | None) -> Kind:
    """An exact number; an export can make a decimal128 of it when the database bounds it."""
    bounded = precision is not None and scale is not None and 0 < precision <= 38 and 0 <= scale <= precision
    return Kind("decimal", pa.string(), strings, f"decimal({precision},{scale})" if bounded else None)


def schema_of(names: Sequence[str], kinds: Sequence[Kind]) -> pa.Schema:
    """The schema of a result."""
    return pa.schema(
        [
            field(i, name, kind.type, kind.arrow, kind.exact)
            for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
        ]
    )


def batches(
    rows: Iterator[Sequence[Any]], schema: pa.Schema, kinds: Sequence[Kind], size: int
) -> Iterator[pa.RecordBatch]:
    """Batches of about `size` rows, smaller where rows are wide, so that memory stays bounded."""
    count = min(size, _SMALLEST)
    while taken := list(islice(rows, count)):
        arrays = [kind.read(values) for kind, values in zip(kinds, zip(*taken, strict=True), strict=True)]
        batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
        yield batch
        width = max(batch.nbytes // batch.num_rows, 1)
        count = max(1, min(size, _LARGEST, _BATCH_BYTES // width))
