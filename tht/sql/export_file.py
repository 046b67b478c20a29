"""A result as a file: CSV, Parquet or Arrow, in chunks, with constant memory."""

import hashlib
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql import results, warm
from tht.sql.ahead import ahead
from tht.sql.arrow import fields_of
from tht.sql.cancel import Cancel
from tht.sql.columns import name_of
from tht.sql.csv_rows import CsvBatch, RowsWriter
from tht.sql.csv_text import csv_options
from tht.sql.typed import arrow_chunks, parquet_chunks
from tht.workspaces import Workspace

CHUNK = 256 << 10
"""Bytes of a chunk, the most that a frame of a worker or a gRPC message carries."""
BATCH = 20_000
"""Rows that are worked on at a time."""
CSV_BATCH = 2_000
"""The same for CSV, where nothing is gained by more: Parquet has a row group for each batch."""

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
        result_id: str | None,
        chunks: Callable[["Export"], Iterator[Chunk]],
    ):
        self.media_type = MEDIA_TYPES[format_]
        self.filename = filename
        self.result_id = result_id
        """The kept result that is exported, None for a fresh run of the statement."""
        self.row_count: int | None = None
        self.sha256: str | None = None
        self.rows = 0
        self._chunks = chunks(self)

    def __iter__(self) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for chunk in _sized(self._chunks):
            digest.update(chunk)
            yield chunk
        self.row_count = self.rows
        self.sha256 = digest.hexdigest()

    def counted(self, batches: Batches) -> Batches:
        """The same batches, their rows counted."""
        for batch in batches:
            self.rows += batch.num_rows
            yield batch


def export(
    workspace: Workspace,
    sql: str,
    sha256: str,
    *,
    folder: Path,
    format_: str,
    raw: bool,
    options: Mapping[str, Any],
    timeout_s: float,
    result_id: str | None,
    cancel: Cancel,
) -> Export:
    """The kept result `result_id` when it is complete, else a fresh run in full (up to `limits.export_rows`).

    Raises Fault INVALID_ARGUMENT, RESULT_EXPIRED at once; what the database says comes with the chunks.
    """
    if format_ not in MEDIA_TYPES:
        raise Fault(Code.INVALID_ARGUMENT, f"format must be one of {', '.join(MEDIA_TYPES)}")
    csv = csv_options(options, raw)
    if format_ != "csv" and options:
        raise Fault(Code.INVALID_ARGUMENT, "options are for CSV")
    kept = None
    if result_id is not None:
        kept = results.find(folder, workspace, sha256, result_id).whole(timeout_s, cancel)
        kept.raise_if_failed()
    whole = kept if kept is not None and kept.facts.complete else None

    writer = RowsWriter(csv) if format_ == "csv" else None

    def chunks(running: Export) -> Iterator[Chunk]:
        with _time_is_a_cap(running, timeout_s), ExitStack() as stack:
            if whole is not None:
                schema, batches = whole.schema(), whole.read(0, whole.rows)
            else:
                engine = stack.enter_context(warm.engine(workspace))
                source = stack.enter_context(
                    engine.execute(sql, timeout_s=timeout_s, cancel=cancel, bulk=True)
                )
                read = source.batches(BATCH) if writer is None else writer.prepared(source, CSV_BATCH)
                batches = stack.enter_context(ahead(read, cancel.set))
                first = next(batches, None)
                schema = source.schema if first is None else first.schema
                batches = _capped(_chained(first, batches), workspace.limits.export_rows)
            counted = running.counted(batches)
            if writer is not None:
                yield from _csv(writer, schema, counted)
            elif format_ == "arrow":
                yield from arrow_chunks(schema, _columns(counted))
            else:
                yield from parquet_chunks(schema, _columns(counted))

    name = re.sub(r"[^A-Za-z0-9_-]+", "-", workspace.name)
    extension = {"csv": "csv", "parquet": "parquet", "arrow": "arrow"}[format_]
    return Export(format_, f"{name}-{sha256[:8]}.{extension}", result_id if whole else None, chunks)


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


def _sized(chunks: Iterator[Chunk]) -> Iterator[bytes]:
    """The same bytes in chunks of CHUNK."""
    pending = bytearray()
    for chunk in chunks:
        pending += chunk
        while len(pending) >= CHUNK:
            yield bytes(pending[:CHUNK])
            del pending[:CHUNK]
    if pending:
        yield bytes(pending)
