"""Kept results in memory, and what a client sees of their views."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from tht.sql.cancel import Cancel
from tht.sql.results.view import View, view_of
from tht.sql.results.view_request import Condition, SortKey, view_request
from tht.sql.values.cells import json_cells
from tht.sql.values.columns import conformed, field, type_of

RESULT = "r" + "0" * 16 + "-" + "0" * 16


class Memory:
    """A kept result in memory, in batches of a few rows."""

    def __init__(self, batches: list[pa.RecordBatch], schema: pa.Schema) -> None:
        self.batches = batches
        self._schema = schema

    @property
    def rows(self) -> int:
        return sum(batch.num_rows for batch in self.batches)

    def schema(self) -> pa.Schema:
        return self._schema

    def read(self, offset: int, count: int) -> Iterator[pa.RecordBatch]:
        start = 0
        for batch in self.batches:
            first, last = max(offset - start, 0), min(offset + count - start, batch.num_rows)
            if first < last:
                yield conformed(batch.slice(first, last - first), self._schema)
            start += batch.num_rows


def kept(*columns: tuple[str, list[Any], pa.DataType], size: int = 3) -> Memory:
    """A result of columns (logical type, values, storage), in batches of `size` rows."""
    schema = pa.schema([field(i, f"n{i}", type_, arrow) for i, (type_, _, arrow) in enumerate(columns)])
    table = pa.table([pa.array(values, arrow) for _, values, arrow in columns], schema=schema)
    return Memory(table.to_batches(max_chunksize=size), schema)


def view(
    folder: Path, result: Memory, sort: list[SortKey] | None = None, conditions: list[Condition] | None = None
) -> View:
    return view_of(folder, RESULT, result, view_request(sort, conditions), Cancel())


def cells(found: View, column: int = 0) -> list[Any]:
    """The cells of a column, as a client sees them."""
    schema = found.schema()
    shown: list[Any] = []
    for batch in found.read(0, found.rows):
        shown += json_cells(batch.column(column), type_of(schema.field(column)))
    return shown
