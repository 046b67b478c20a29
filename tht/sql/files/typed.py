"""Arrow and Parquet exports: columns get back the types that the database declared."""

import io
import re
from collections.abc import Iterator
from typing import Any, cast

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.values.arrow import Array, Field, fields_of, ipc, nulls
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import INFINITY32, INFINITY64
from tht.sql.values.columns import conformed, exact_of, name_of, type_of, unique_names
from tht.sql.values.texts import texts

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


class _Sink(io.RawIOBase):
    """A file whose bytes are taken out while it is written."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._at += len(part)
        return len(part)

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def typed_schema(schema: pa.Schema, *, unions: bool = True) -> pa.Schema:
    """The schema of an export: database names made unique, declared types; `thothii.type` says the logical
    one. Without `unions` (Parquet has none) what holds one is its text."""
    names = unique_names([name_of(found) for found in fields_of(schema)])
    return pa.schema([_typed_field(*pair, unions) for pair in zip(fields_of(schema), names, strict=True)])


def _typed_field(found: Field, name: str, unions: bool) -> Field:
    metadata = {b"thothii.type": type_of(found).encode()}
    kind = _typed(found)
    if pa.types.is_null(kind) or (not unions and _holds_union(kind)):
        kind = pa.string()
    return pa.field(name, kind, metadata=metadata)


def _holds_union(kind: pa.DataType) -> bool:
    if pa.types.is_union(kind):
        return True
    parts: list[pa.DataType] = [kind.field(i).type for i in range(kind.num_fields)]
    return any(map(_holds_union, parts))


def _typed(found: Field) -> pa.DataType:
    exact = exact_of(found)
    if exact is None:
        return found.type
    match = _DECIMAL.fullmatch(exact)
    if match:
        return pa.decimal128(int(match[1]), int(match[2]))
    return {
        "date": pa.date32(),
        "time": pa.time64("us"),
        "timestamp": pa.timestamp("us"),
        "timestamptz": pa.timestamp("us", "UTC"),
    }[exact]


def typed_batch(batch: pa.RecordBatch, had: pa.Schema, wanted: pa.Schema) -> pa.RecordBatch:
    """`batch` in the schema that `typed_schema(had)` gave. Raises Fault DATABASE_ERROR for a value that the
    type cannot hold, such as an infinite date; it is never changed in silence."""
    try:
        same: Any = conformed(batch, had)
        arrays = [_cast(same.column(i), kind, type_of(had.field(i))) for i, kind in enumerate(wanted.types)]
        return pa.RecordBatch.from_arrays(arrays, schema=wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        message = "a column holds a value that this format cannot hold; export as CSV"
        raise Fault(Code.DATABASE_ERROR, message) from error


def _cast(array: Array, wanted: pa.DataType, type_: str) -> Array:
    if array.type == wanted:
        _refuse_infinity(array)
        return array
    if pa.types.is_nested(array.type):
        return texts(array, type_)
    if pa.types.is_null(array.type):
        return nulls(len(array), wanted)
    if pa.types.is_timestamp(wanted) and pa.types.is_string(array.type):
        bare = pc.replace_substring(array, "+00:00", "Z") if wanted.tz else array
        return bare.cast(wanted)
    if pa.types.is_time(wanted) and pa.types.is_string(array.type):
        # there is no cast from text to a time of day
        return pc.binary_join_element_wise("1970-01-01", array, "T").cast(pa.timestamp("us")).cast(wanted)
    return array.cast(wanted)


def _refuse_infinity(array: Array) -> None:
    """Raises ArrowInvalid for an infinite date or timestamp: Arrow has none, its readers would see a day of a
    far year."""
    date = pa.types.is_date32(array.type)
    if date or pa.types.is_timestamp(array.type):
        bounds = pc.min_max(array.cast(pa.int32() if date else pa.int64())).as_py()
        end = INFINITY32 if date else INFINITY64
        if bounds["min"] is not None and (bounds["min"] <= -end or bounds["max"] >= end):
            raise pa.ArrowInvalid("an infinite date")


def arrow_chunks(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    """An Arrow IPC stream."""
    wanted, sink = typed_schema(schema), _Sink()
    with ipc.new_stream(sink, wanted) as writer:
        for batch in batches:
            writer.write_batch(typed_batch(batch, schema, wanted))
            yield sink.taken()
    yield sink.taken()


def parquet_chunks(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    """A Parquet file, one row group for each batch."""
    import pyarrow.parquet as pq

    wanted, sink = typed_schema(schema, unions=False), _Sink()
    with pq.ParquetWriter(cast("Any", sink), wanted, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(typed_batch(batch, schema, wanted))
            yield sink.taken()
    yield sink.taken()
