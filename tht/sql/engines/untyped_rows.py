"""Rows of a database whose columns have no types (SQLite): each batch says what its columns hold."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tht.sql.values.arrow import Array, Field
from tht.sql.values.cells import tag
from tht.sql.values.columns import field

FIRST = 128
"""Rows of the first batch, which a page may wait for."""

_CLASSES: dict[type, tuple[str, pa.DataType]] = {
    int: ("integer", pa.int64()),
    float: ("float", pa.float64()),
    str: ("text", pa.string()),
    bytes: ("bytes", pa.binary()),
}


def empty_schema(names: Sequence[str]) -> pa.Schema:
    """The columns before a row is known."""
    return pa.schema([field(i, name, "any", pa.null()) for i, name in enumerate(names)])


def batch(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> pa.RecordBatch:
    """The rows, at least one, as a batch; their cells are int, float, str, bytes or None."""
    arrays: list[Array] = []
    fields: list[Field] = []
    for index, values in enumerate(zip(*rows, strict=True)):
        array, type_ = _array(values)
        arrays.append(array)
        fields.append(field(index, names[index], type_, array.type))
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _array(values: Sequence[Any]) -> tuple[Array, str]:
    classes = set(map(type, values)) - {type(None)}
    if len(classes) == 1:
        type_, arrow = _CLASSES[classes.pop()]
        return pa.array(values, arrow), type_
    if not classes:
        return pa.nulls(len(values)), "any"
    return pa.array([tag(value) for value in values], pa.string()), "any"
