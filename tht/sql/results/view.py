"""A view of a kept result: its rows sorted and filtered, computed once.

The numbers of the view's rows, in its order, stay beside the result in `<result id>.<request>.view`, 64-bit
integers in the machine's order, the last of which is their count, that are read by mapping the file. So a
deep page costs what the first one does, and the same page asked twice is the same. Only the columns that are
sorted or filtered by are read for it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from tht.sql.cancel import Cancel
from tht.sql.results.filtering import Test, mask_of, test_of
from tht.sql.results.order_keys import NAN
from tht.sql.results.scales import Scale, scale_of
from tht.sql.results.view_request import Condition, SortKey, ViewRequest, invalid
from tht.sql.values.arrow import Array, fields_of
from tht.sql.values.arrow import compute as pc

VIEWS = 16
"""Views kept of one result; the oldest goes for a new one, and is computed again when it is asked for."""
BLOCK = 8192
"""Rows of the result that are looked at together; a power of two."""
FIRST = 128
"""Rows of a view that are gathered at first, when only the width of others is known."""
LARGEST = 40_000
"""Rows that are gathered together at most: each time all parts of the result may be looked at."""
BATCH = 5_000
"""Rows that are given at a time."""
GATHERED_BYTES = 8 << 20
"""Bytes that are gathered together, about."""


class Rows(Protocol):
    """A kept result, as `tht.sql.results.store.Kept`."""

    @property
    def rows(self) -> int:
        """Rows of the result."""
        ...

    def schema(self) -> pa.Schema:
        """The columns."""
        ...

    def read(self, offset: int, count: int) -> Iterator[pa.RecordBatch]:
        """Rows `offset` to `offset + count`, in that schema."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a view; to be read like the result."""

    kept: Rows
    order: Array
    """The number of the result's row for each row of the view."""

    @property
    def rows(self) -> int:
        """Rows of the view."""
        return len(self.order)

    def schema(self) -> pa.Schema:
        """The columns."""
        return self.kept.schema()

    def read(self, offset: int, count: int) -> Iterator[pa.RecordBatch]:
        """Rows `offset` to `offset + count`, in batches of a size that memory bears."""
        end = min(offset + count, self.rows)
        if offset >= end:
            return
        block = self.order[offset].as_py() // BLOCK * BLOCK
        size = min(FIRST, _fitting(next(self.kept.read(block, BLOCK))))
        while offset < end:
            rows = _gathered(self.kept, self.order.slice(offset, min(size, end - offset)))
            for start in range(0, rows.num_rows, BATCH):
                yield rows.slice(start, BATCH)
            offset += rows.num_rows
            size = min(LARGEST, _fitting(rows))


def _fitting(rows: pa.RecordBatch) -> int:
    """How many rows like these may be gathered together, at least one."""
    return max(1, GATHERED_BYTES // max(rows.nbytes // rows.num_rows, 1))


def _gathered(kept: Rows, wanted: Array) -> pa.RecordBatch:
    """The rows `wanted` of a result, at least one; each part of the result is looked at once."""
    place = pc.sort_indices(wanted)
    ascending = wanted.take(place)
    blocks = pc.run_end_encode(pc.divide(ascending, BLOCK))
    inside = pc.bit_wise_and(ascending, pa.scalar(BLOCK - 1, pa.uint64()))
    parts: list[Any] = []
    begin = 0
    for end, block in zip(blocks.run_ends.to_pylist(), blocks.values.to_pylist(), strict=True):
        found: Any = pa.Table.from_batches(list(kept.read(block * BLOCK, BLOCK)))
        parts.append(found.take(inside.slice(begin, end - begin)))
        begin = end
    table: Any = pa.concat_tables(parts).combine_chunks()
    return table.take(pc.sort_indices(place)).to_batches()[0]


def view_of(folder: Path, result_id: str, kept: Rows, request: ViewRequest, cancel: Cancel) -> View:
    """The view of a result that is whole. Raises Fault INVALID_ARGUMENT for a column that is not there, has
    no order, or a value that is none of its cells; CANCELLED."""
    plan = _Plan(kept.schema(), request)
    path = folder / f"{result_id}.{request.digest}.view"
    with suppress(OSError, ValueError):
        return View(kept, _mapped(path))
    order = plan.order(kept, cancel)
    # what cannot be remembered is a view all the same
    with suppress(OSError):
        _write(path, order)
        _make_room(folder, result_id, path)
    return View(kept, order)


@lru_cache(maxsize=8)
def _mapped(path: Path) -> Array:
    """The file, mapped once for all its pages; it never changes. Raises ValueError for a file that is not
    whole, as a loss of power may leave one."""
    size = path.stat().st_size
    if size % 8 or not size:
        raise ValueError("no whole numbers")
    buffer: Any = pa.memory_map(str(path)).read_buffer()
    found: Array = pa.Array.from_buffers(pa.uint64(), size // 8, [None, buffer])
    count = len(found) - 1
    if found[count].as_py() != count:
        raise ValueError("rows are missing")
    return found.slice(0, count)


def _write(path: Path, order: Array) -> None:
    # who asks for the same view at the same time writes the same
    part = path.with_name(f".{path.stem}.{os.getpid()}.part")
    data = order.buffers()[1]
    begin = order.offset * 8
    try:
        with part.open("wb") as file:
            if len(order):
                file.write(memoryview(data)[begin : begin + len(order) * 8])
            file.write(len(order).to_bytes(8, sys.byteorder))
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _make_room(folder: Path, result_id: str, newest: Path) -> None:
    """Takes away the oldest views of a result that has too many."""
    aged: list[tuple[int, Path]] = []
    for path in folder.glob(f"{result_id}.*.view"):
        try:
            aged.append((path.stat().st_mtime_ns, path))
        except FileNotFoundError:
            continue
    for _, path in sorted(aged)[:-VIEWS]:
        if path != newest:
            path.unlink(missing_ok=True)


class _Plan:
    """How a view is computed: which columns are read, what is tested and sorted by."""

    def __init__(self, schema: pa.Schema, request: ViewRequest) -> None:
        self._fields = fields_of(schema)
        self._index = {found.name: index for index, found in enumerate(self._fields)}
        self._sorting = [self._sort_of(wanted) for wanted in request.sort]
        self._tests = [self._test_of(wanted) for wanted in request.filter]

    def _sort_of(self, wanted: SortKey) -> "_Sorting":
        column = self._column(wanted.key)
        return _Sorting(column, wanted, scale_of(self._fields[column]))

    def _test_of(self, wanted: Condition) -> Test:
        column = self._column(wanted.key)
        return test_of(wanted, column, self._fields[column])

    def _column(self, key: str) -> int:
        index = self._index.get(key)
        if index is None:
            raise invalid(f"there is no column with the key {key[:40]!r}; the page's columns tell the keys")
        return index

    def order(self, kept: Rows, cancel: Cancel) -> Array:
        """The numbers of the rows, in the order of the view."""
        matching: list[Array] = []
        start = 0
        for batch in kept.read(0, kept.rows):
            cancel.raise_if_set()
            mask = mask_of(self._tests, batch) if self._tests else None
            if mask is not None:
                matching.append(pc.add(pc.indices_nonzero(mask), pa.scalar(start, pa.uint64())))
            for sorting in self._sorting:
                sorting.add(batch, mask)
            start += batch.num_rows
        rows = _joined(matching, pa.uint64()) if self._tests else None
        if not self._sorting:
            return rows
        order = self._sorted()
        return order if rows is None else rows.take(order)

    def _sorted(self) -> Array:
        columns: list[Array] = []
        directions: list[str] = []
        for sorting in self._sorting:
            for values, direction in sorting.columns():
                columns.append(values)
                directions.append(direction)
        names = [str(index) for index in range(len(columns))]
        table = pa.table(columns, names=names)
        # Arrow's sort is stable, and puts NULL last and NaN before it in either direction
        return pc.sort_indices(table, sort_keys=list(zip(names, directions, strict=True)))


class _Sorting:
    """Gathers what one column is sorted by."""

    def __init__(self, column: int, wanted: SortKey, scale: Scale) -> None:
        self._column = column
        self._direction = "descending" if wanted.descending else "ascending"
        self._scale = scale
        self._parts: list[Array] = []

    def add(self, batch: Any, mask: Array | None) -> None:
        """Takes the rows of a batch; those under `mask`."""
        array = batch.column(self._column)
        if mask is not None:
            array = array.filter(mask)
        self._parts.append(array if self._scale.native else self._scale.keys(array))

    def columns(self) -> Iterator[tuple[Array, str]]:
        """The values and the direction of each key: a decimal that is NaN is last in either direction."""
        values: Array = pa.chunked_array(self._parts) if self._parts else pa.nulls(0)
        if pa.types.is_string(values.type) and not self._scale.native:
            nan = pc.equal(values, NAN)
            if pc.any(nan).as_py():
                yield nan, "ascending"
        yield values, self._direction


def _joined(parts: list[Array], kind: pa.DataType) -> Array:
    return pa.concat_arrays(parts) if parts else pa.array([], kind)
