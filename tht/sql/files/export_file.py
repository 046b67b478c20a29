"""A result as a file: CSV, Parquet or Arrow, in chunks, with constant memory."""

import hashlib
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql import warm
from tht.sql.files.csv_rows import CsvBatch, RowsWriter
from tht.sql.files.csv_text import csv_options
from tht.sql.files.digests import Digest, Remembered
from tht.sql.files.typed import arrow_chunks, parquet_chunks
from tht.sql.query import Query
from tht.sql.results import store
from tht.sql.results.view import Rows, view_of
from tht.sql.results.view_page import whole_result
from tht.sql.results.view_request import ViewRequest
from tht.sql.values.arrow import fields_of
from tht.sql.values.columns import name_of

CHUNK = 256 << 10
"""Bytes of a chunk, the most that a frame of a worker or a gRPC message carries."""
BATCH = 20_000
"""Rows that are worked on at a time."""
CSV_BATCH = 10_000
"""The same for CSV, where little is gained by more: Parquet has a row group for each batch."""

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}

Batches = Iterator[CsvBatch]
"""Rows as columns, for CSV in any form that `RowsWriter` takes."""
Chunk = bytes | memoryview


class Export:
    """An iterator of chunks. After the last one `row_count` and `sha256` are known; a failure on the way is
    raised
    by the iteration, and what came before is then no complete file."""

    def __init__(
        self,
        format_: str,
        filename: str,
        origin: "Origin",
        remembered: Remembered | None,
        chunks: Callable[["Export"], Iterator[Chunk]],
    ):
        self.media_type = MEDIA_TYPES[format_]
        self.filename = filename
        self.result_id = origin.result_id
        """The kept result that is exported, None for a fresh run of the statement."""
        self.warnings = origin.warnings
        self.expected_rows = None if origin.rows is None else origin.rows.rows
        """Rows that the file will have, where that is known."""
        self._remembered = remembered
        digest = None if remembered is None else remembered.read()
        self.expected_sha256 = None if digest is None else digest.sha256
        """Of the file, where the same one was made before."""
        self.row_count: int | None = None
        self.sha256: str | None = None
        self.rows = 0
        self._chunks = chunks(self)

    def __iter__(self) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for chunk in in_chunks(self._chunks, CHUNK):
            digest.update(chunk)
            yield chunk
        self._ended(digest.hexdigest())

    def _ended(self, sha256: str) -> None:
        if self._remembered is not None and self.expected_sha256 is None:
            self._remembered.write(Digest(self.rows, sha256))
        if self._remembered is not None and self.expected_sha256 not in (None, sha256):
            self._remembered.forget()
            raise Fault(Code.INTERNAL, "the file is not the one whose digest was told; export it again")
        self.row_count = self.rows
        self.sha256 = sha256

    def counted(self, batches: Batches) -> Batches:
        """The same batches, their rows counted."""
        for batch in batches:
            self.rows += batch.num_rows
            yield batch


def export(
    query: Query,
    *,
    format_: str,
    raw: bool,
    options: Mapping[str, Any],
    result_id: str | None,
    view: ViewRequest,
) -> Export:
    """The kept result `result_id` when it is complete, else a fresh run in full (up to `limits.export_rows`).
    With a `view` the rows of the view of the kept result, which is run and kept when there is none.

    Raises Fault INVALID_ARGUMENT, RESULT_EXPIRED, OVER_CAP at once; what the database says comes with the
    chunks.
    """
    if format_ not in MEDIA_TYPES:
        raise Fault(Code.INVALID_ARGUMENT, f"format must be one of {', '.join(MEDIA_TYPES)}")
    csv = csv_options(options, raw)
    if format_ != "csv" and options:
        raise Fault(Code.INVALID_ARGUMENT, "options are for CSV")
    origin = Origin()
    if view or result_id is not None:
        origin = _origin(query, whole_result(query, result_id), view)
    whole = origin.rows

    writer = RowsWriter(csv) if format_ == "csv" else None

    def chunks(running: Export) -> Iterator[Chunk]:
        with _time_is_a_cap(running, query.timeout_s), ExitStack() as stack:
            if whole is not None:
                schema, batches = whole.schema(), whole.read(0, whole.rows)
            else:
                engine = stack.enter_context(warm.engine(query.workspace, query.timeout_s))
                source = stack.enter_context(
                    engine.execute(query.sql, timeout_s=query.timeout_s, cancel=query.cancel, bulk=True)
                )
                batches = source.batches(BATCH) if writer is None else source.csv_batches(CSV_BATCH)
                first = next(batches, None)
                schema = source.schema if first is None else first.schema
                batches = _capped(_chained(first, batches), query.workspace.limits.export_rows)
            counted = running.counted(batches)
            if writer is not None:
                yield from _csv(writer, schema, counted)
            elif format_ == "arrow":
                yield from arrow_chunks(schema, _columns(counted))
            else:
                yield from parquet_chunks(schema, _columns(counted))

    remembered = None
    if origin.result_id is not None:
        remembered = Remembered(query.folder, origin.result_id, [format_, csv, view])
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", query.workspace.name) + f"-{query.sha256[:8]}"
    if view:
        name += f"-{view.digest[:8]}"
    return Export(format_, f"{name}.{format_}", origin, remembered, chunks)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the rows of an export come from."""

    rows: Rows | None = None
    """A kept result or a view of it; None for a fresh run."""
    result_id: str | None = None
    warnings: tuple[str, ...] = ()


def _origin(query: Query, kept: store.Kept, view: ViewRequest) -> Origin:
    facts = kept.facts
    if facts.complete:
        rows = view_of(query.folder, facts.result_id, kept, view, query.cancel) if view else kept
        return Origin(rows, facts.result_id)
    if view:
        message = (
            f"the result was cut at {kept.rows} rows, so that a sorted or filtered file would miss some: "
            "export without sort and filter, or put them into the statement, or raise limits.rows"
        )
        raise Fault(Code.OVER_CAP, message)
    return Origin(warnings=(f"the result was cut at {kept.rows} rows; this file is a fresh run in full",))


@contextmanager
def _time_is_a_cap(running: Export, timeout_s: float) -> Generator[None]:
    """A result whose rows are still coming when the time is over is too large for it; trying again would not
    help."""
    try:
        yield
    except Fault as fault:
        if fault.code is Code.TIMEOUT and running.rows:
            message = (
                f"the export had {running.rows} rows and no end after {timeout_s:g} s, the limit of time"
            )
            raise Fault(Code.OVER_CAP, message) from fault
        raise


def _chained(first: CsvBatch | None, rest: Batches) -> Batches:
    if first is not None:
        yield first
    yield from rest


def _capped(batches: Batches, rows: int | None) -> Batches:
    left = rows
    for batch in batches:
        if left is None:
            yield batch
            continue
        if batch.num_rows > left:
            raise Fault(
                Code.OVER_CAP, f"the export has more than {rows} rows, the most this workspace allows"
            )
        left -= batch.num_rows
        yield batch


def _columns(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch if isinstance(batch, pa.RecordBatch) else batch.columns()


def _csv(writer: RowsWriter, schema: pa.Schema, batches: Batches) -> Iterator[Chunk]:
    yield writer.header([name_of(found) for found in fields_of(schema)])
    for batch in batches:
        yield writer.lines(batch)


def in_chunks(pieces: Iterable[Chunk], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of `size`; the last may be shorter."""
    parts: list[memoryview] = []
    room = size
    for piece in pieces:
        left = memoryview(piece)
        while len(left) >= room:
            yield b"".join((*parts, left[:room]))
            left = left[room:]
            parts, room = [], size
        if left:
            parts.append(left)
            room -= len(left)
    if parts:
        yield b"".join(parts)
