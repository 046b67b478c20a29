"""A page of a result: from a kept one, or from a draft that is read just as far as the page reaches."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql import warm
from tht.sql.query import Query, Window
from tht.sql.results import keeping, store
from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import json_cells
from tht.sql.values.columns import columns_of, conformed, widened
from tht.workspaces import Limits

_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Begun:
    """A page, and the run that may still go on behind it."""

    page: bytes
    """JSON."""
    rest: Callable[[], bytes] | None = None
    """Waits until the result is kept and gives the page with what is known then; None when it is kept.
    Raises what the statement raises after the page."""

    def finish(self) -> bytes:
        """The page, once its result is kept."""
        return self.page if self.rest is None else self.rest()


def begin_page(query: Query, window: Window) -> Begun:
    """A page of the statement's one result, which is run and kept when there is none yet or a fresh one is
    asked for; the page comes when its rows do."""
    wanted = Wanted(query.workspace.limits, window.limit, window.offset, time.monotonic())
    rows = window.offset + window.limit + 1
    kept, run = keeping.having(query, rows, result_id=window.result_id, fresh=window.fresh)
    if run is None or not kept.facts.running:
        return Begun(wanted.of(kept))
    try:
        page = wanted.of(kept)
    except BaseException:
        run.stop()
        raise
    return Begun(page, lambda: wanted.of(run.finish()))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows a page shows."""

    limits: Limits
    limit: int
    offset: int
    began: float
    """When it was asked for, on the monotonic clock."""

    def of(self, kept: store.Kept) -> bytes:
        """The page as JSON. Raises the statement's Fault when it ended before these rows."""
        facts, rows = kept.facts, kept.rows
        if facts.fault is not None and self.offset >= rows:
            raise Fault.from_document(facts.fault)
        page = Page(kept.schema(), kept.read(self.offset, self.limit), self.limits)
        page.more = not facts.complete or self.offset + page.taken < rows
        page.warnings += facts.warnings
        if facts.cut:
            page.warnings.append(
                f"the result was cut at {rows} rows; an export runs the statement again in full"
            )
        if facts.fault is not None:
            page.warnings.append(f"the statement ended after {rows} rows: {facts.fault.get('message')}")
        page.row_count = rows if facts.complete else None
        page.result_id = facts.result_id
        return page.encode(self.began)


def draft_page(query: Query, window: Window) -> bytes:
    """A page of a draft: one row more than the page is read, and nothing is kept."""
    began = time.monotonic()
    limits, limit, offset = query.workspace.limits, window.limit, window.offset
    with (
        warm.engine(query.workspace, query.timeout_s) as engine,
        engine.execute(query.sql, timeout_s=query.timeout_s, cancel=query.cancel) as source,
    ):
        reading = _Reading(offset, limit, limits)
        for batch in source.batches(min(offset + limit, limits.rows) + 1):
            if not reading.take(batch):
                break
        page = Page(reading.schema or source.schema, reading.batches, limits)
        page.warnings += source.warnings()
        cut = source.cut
    page.more = reading.more or page.taken < reading.rows or cut
    page.row_count = None if page.more else offset - reading.skip + page.taken
    page.draft = True
    return page.encode(began)


class _Reading:
    """Takes the rows of a page out of a stream and leaves the rest unread."""

    def __init__(self, offset: int, limit: int, limits: Limits) -> None:
        self.skip = offset
        self.limit = limit
        self.cap = limits.bytes
        self.batches: list[pa.RecordBatch] = []
        self.schema: pa.Schema | None = None
        self.rows = 0
        self.size = 0
        self.more = False

    def take(self, batch: pa.RecordBatch) -> bool:
        """False when no further batch is needed."""
        self.schema = batch.schema if self.schema is None else widened(self.schema, batch.schema)
        skipped = min(self.skip, batch.num_rows)
        self.skip -= skipped
        batch = batch.slice(skipped)
        room = self.limit - self.rows
        self.more = batch.num_rows > room
        part = batch.slice(0, room)
        if part.num_rows:
            self.batches.append(part)
            self.rows += part.num_rows
            self.size += part.nbytes
        if self.size > self.cap:
            self.more = True
        return not self.more


class Page:
    """The rows of one page on their way to JSON, held to the workspace's caps."""

    def __init__(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch], limits: Limits) -> None:
        self.schema = schema
        self.limits = limits
        self.warnings: list[str] = []
        self.more = False
        self.row_count: int | None = None
        self.result_id: str | None = None
        self.draft = False
        self.rows = self._rows(list(batches))

    @property
    def taken(self) -> int:
        """Rows of the page."""
        return len(self.rows)

    def _rows(self, batches: list[pa.RecordBatch]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        size = 0
        for batch in batches:
            fitting = self._fitting(conformed(batch, self.schema), size)
            if batch is not batches[-1]:
                size += fitting.nbytes
            rows += self._batch_rows(fitting)
            if fitting.num_rows < batch.num_rows:
                break
        if not rows and any(batch.num_rows for batch in batches):
            raise Fault(Code.OVER_CAP, f"one row is larger than a page may be ({self.limits.bytes} bytes)")
        return rows

    def _fitting(self, batch: pa.RecordBatch, size: int) -> pa.RecordBatch:
        """As many rows of `batch` as fit beside `size` bytes that are there already."""
        room = self.limits.bytes - size
        low, high = 0, batch.num_rows
        # What the columns' memory has at most is told much sooner than what these rows have of it.
        if batch.get_total_buffer_size() * batch.num_columns <= room or batch.nbytes <= room:
            return batch
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if batch.slice(0, middle).nbytes <= room else (low, middle - 1)
        return batch.slice(0, low)

    def _batch_rows(self, batch: pa.RecordBatch) -> list[tuple[Any, ...]]:
        arrays = cast("list[Array]", batch.columns)
        if batch.get_total_buffer_size() > self.limits.cell_bytes:
            arrays = [self._cut(array, index) for index, array in enumerate(arrays)]
        described = columns_of(self.schema)
        cells = [json_cells(array, column.type) for array, column in zip(arrays, described, strict=True)]
        return list(zip(*cells, strict=True)) if cells else [()] * batch.num_rows

    def _cut(self, array: Array, index: int) -> Array:
        """Values longer than the cap are cut at it and the page says so."""
        cap = self.limits.cell_bytes
        kind = array.type
        if not (pa.types.is_string(kind) or pa.types.is_binary(kind)) or array.nbytes <= cap:
            return array
        lengths = pc.binary_length(array)
        if (pc.max(lengths).as_py() or 0) <= cap:
            return array
        name = columns_of(self.schema)[index].name
        self.warnings.append(f"values of column {name[:80]} were cut at {cap} bytes")
        text = pa.types.is_string(kind)
        cut = [_cut_value(value, cap, text) for value in array.cast(pa.binary()).to_pylist()]
        return pa.array(cut, kind)

    def encode(self, began: float) -> bytes:
        """The page as JSON."""
        columns = [{"name": c.name, "key": c.key, "type": c.type} for c in columns_of(self.schema)]
        document: dict[str, Any] = {
            "columns": columns,
            "rows": self.rows,
            "truncated": self.more,
            "row_count": self.row_count,
            "result_id": self.result_id,
            "elapsed_ms": round((time.monotonic() - began) * 1000),
            "warnings": list(dict.fromkeys(self.warnings)),
        }
        if self.draft:
            document["draft"] = True
        return _encoder.encode(document)


def _cut_value(value: bytes | None, cap: int, text: bool) -> "bytes | str | None":
    if value is None:
        return None
    return value[:cap].decode("utf-8", "ignore") if text else value[:cap]
