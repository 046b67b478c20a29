"""Rows of a server that come as text, gathered into Arrow batches: every column has a reader for its kind."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from tht.sql.engines.base import Limit
from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.columns import field

Values = Any
"""A sequence of texts (None for NULL), or an Arrow array of them."""
Reader = Callable[[Values], Array]

_SMALLEST = 64
LARGEST = 5_000
"""Rows of the largest batch."""
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
    text: Reader | None = None
    """Reads them as the text of a CSV file, where that is sooner done than by way of `read`."""


def is_array(values: Any) -> bool:
    """True for an Arrow array."""
    return isinstance(values, pa.Array)


def strings(values: Values) -> Array:
    """Text as it came."""
    return values if is_array(values) else pa.array(values, pa.string())


def cast_to(arrow: pa.DataType) -> Reader:
    """Digits to numbers."""
    return lambda values: strings(values).cast(arrow)


def each(function: Callable[[Any], Any], arrow: pa.DataType) -> Reader:
    """`function` on every value that is not NULL."""

    def read(values: Values) -> Array:
        items: Sequence[Any] = values.to_pylist() if is_array(values) else values
        return pa.array([None if v is None else function(v) for v in items], arrow)

    return read


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


def timestamps(values: Values) -> Array:
    """`timestamp` of a whole column."""
    found = pc.replace_substring(strings(values), " ", "T", max_replacements=1)
    if pc.any(pc.match_substring_regex(found, r"\.\d*0(?:$|[^0-9])")).as_py():
        return each(trimmed, pa.string())(found)
    return found


TEXT = Kind("text", pa.string(), strings)
INTEGER = Kind("integer", pa.int64(), cast_to(pa.int64()))
BIGINT = Kind("bigint", pa.int64(), cast_to(pa.int64()))
UNSIGNED = Kind("bigint", pa.uint64(), cast_to(pa.uint64()))
FLOAT32 = Kind("float", pa.float32(), cast_to(pa.float32()))
FLOAT64 = Kind("float", pa.float64(), cast_to(pa.float64()))
DATE = Kind("date", pa.string(), strings, "date")
TIME = Kind("time", pa.string(), each(trimmed, pa.string()))
TIMESTAMP = Kind("timestamp", pa.string(), timestamps, "timestamp")
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
    rows: Iterator[Sequence[Any]], schema: pa.Schema, kinds: Sequence[Kind], size: int, limit: Limit
) -> Iterator[pa.RecordBatch]:
    """Batches of about `size` rows, smaller where rows are wide, so that memory stays bounded."""
    count = min(size, _SMALLEST)
    while taken := list(islice(rows, count)):
        limit.raise_if_over()
        arrays = [kind.read(values) for kind, values in zip(kinds, zip(*taken, strict=True), strict=True)]
        batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
        yield batch
        width = max(batch.nbytes // batch.num_rows, 1)
        count = max(1, min(size, LARGEST, _BATCH_BYTES // width))
