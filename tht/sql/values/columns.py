"""Columns of a result and the Arrow schema that carries them.

A result travels as Arrow record batches. What the type of a column means to a client is kept in the metadata
of its field, so that a kept file describes itself. Values that Arrow cannot hold exactly (unbounded
numerics, infinite dates, 24:00:00, intervals as ISO 8601) are strings in canonical form with their logical
type beside them.
"""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa

from tht.sql.values.arrow import Array, Field, fields_of, nulls

DESCRIBED = 64
"""Schemas whose columns are remembered."""

_TYPE = b"thothii.type"
_NAME = b"thothii.name"
_EXACT = b"thothii.arrow"


@dataclass(frozen=True, slots=True)
class Column:
    """One column as a client sees it."""

    name: str
    """As the database gives it; may repeat or be empty."""
    key: str
    """Unique in the result."""
    type: str
    """Logical type: integer, bigint, decimal, float, boolean, text, bytes, date, time, timetz, timestamp,
    timestamptz, interval, uuid, json, bit, array, struct, map, any."""


def field(index: int, name: str, type_: str, arrow: pa.DataType, exact: str | None = None) -> Field:
    """The Arrow field of column `index`; `exact` names the Arrow type that an export should cast to."""
    metadata = {_TYPE: type_.encode(), _NAME: name.encode("utf-8", "replace")}
    if exact is not None:
        metadata[_EXACT] = exact.encode()
    return pa.field(f"c{index}", arrow, metadata=metadata)


_described: OrderedDict[int, tuple[pa.Schema, tuple[Column, ...]]] = OrderedDict()
"""Schemas of late and their columns, by identity: a kept file has one schema for all its pages. As long as a
schema is held here, no other has its identity."""


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """The columns that a schema made of `field()` describes."""
    known = _described.get(id(schema))
    if known is None:
        known = schema, tuple(Column(name_of(f), f.name, type_of(f)) for f in fields_of(schema))
        _described[id(schema)] = known
        while len(_described) > DESCRIBED:
            with suppress(KeyError):
                _described.popitem(last=False)
    return known[1]


def _metadata(found: Field) -> dict[bytes, bytes]:
    return found.metadata or {}


def type_of(found: Field) -> str:
    """Logical type of a field."""
    return _metadata(found).get(_TYPE, b"text").decode()


def name_of(found: Field) -> str:
    """The column's name in the database."""
    given = _metadata(found).get(_NAME)
    return str(found.name) if given is None else given.decode()


def exact_of(found: Field) -> str | None:
    """What an Arrow or Parquet export makes of the column: `decimal(p,s)`, `date`, `timestamp`,
    `timestamptz`, `time`."""
    exact = _metadata(found).get(_EXACT)
    return exact.decode() if exact else None


def unique_names(names: Sequence[str]) -> list[str]:
    """Names for formats that need unique, non-empty ones: `id`, `id_2`, `column_3`."""
    taken: set[str] = set()
    unique: list[str] = []
    for index, name in enumerate(names, start=1):
        candidate, count = name or f"column_{index}", 2
        while candidate in taken:
            candidate, count = f"{name or f'column_{index}'}_{count}", count + 1
        taken.add(candidate)
        unique.append(candidate)
    return unique


def widened(one: pa.Schema, other: pa.Schema) -> pa.Schema:
    """A schema that holds the rows of both; equal columns stay, NULL-only ones take the other's type,
    different
    storage classes (SQLite) become `any`."""
    return pa.schema([_wider(a, b) for a, b in zip(fields_of(one), fields_of(other), strict=True)])


def _wider(one: Field, other: Field) -> Field:
    if one.type == other.type and type_of(one) == type_of(other):
        return one
    if pa.types.is_null(one.type):
        return other
    if pa.types.is_null(other.type):
        return one
    return pa.field(one.name, pa.string(), metadata={**(one.metadata or {}), _TYPE: b"any"})


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """`batch` in a schema that `widened` made."""
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    arrays = [
        _conformed(batch.column(i), batch.schema.field(i), schema.field(i)) for i in range(batch.num_columns)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _conformed(array: Array, had: Field, wanted: Field) -> Array:
    if array.type == wanted.type and type_of(had) == type_of(wanted):
        return array
    if pa.types.is_null(array.type):
        return nulls(len(array), wanted.type)
    if type_of(wanted) == "any" and type_of(had) != "any":
        from tht.sql.values.cells import tag

        return pa.array([tag(value) for value in array.to_pylist()], pa.string())
    return array
