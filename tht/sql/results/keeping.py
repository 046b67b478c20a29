"""The keeping of a result: a thread runs the statement and writes its rows, while its first page is shown."""

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql import warm
from tht.sql.engines.base import Source
from tht.sql.query import Query
from tht.sql.results import store
from tht.sql.results.result_ids import new_id
from tht.sql.values.arrow import ipc
from tht.sql.values.columns import conformed, widened
from tht.workspaces import Limits

BATCH = 8192
"""Rows of a batch in a segment, the least that a page has to look at."""
SEGMENT_BYTES = 16 << 20
"""Bytes that are gathered before they are written as a segment."""
SEGMENT_S = 0.5
"""Seconds after which rows are written though they are few, so that pages can follow a slow statement."""
SETTLE_S = 0.05
SETTLE_SHARE = 0.1
"""A page whose rows are there waits so many seconds, and this share of the time that they took, for the end
of the statement: so a short result comes with its row count."""
SETTLE_MOST_S = 0.15


class Keeping(threading.Thread):
    """One run of a statement whose rows are kept up to the workspace's caps.

    The result is found by others from the beginning. What fails before `shown` leaves nothing
    behind; what fails later stays, with its fault, beside the rows that came before.
    """

    def __init__(self, query: Query, facts: store.Facts, rows: int) -> None:
        super().__init__(name="keeping", daemon=True)
        self._query = query
        self._folder = query.folder
        self._facts = facts
        self._rows = rows
        """Rows that somebody waits for."""
        self._lock = _locked(store.lock_path(query.folder, facts.result_id))
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        try:
            self._publish()
        except OSError:
            self._remove()
            raise

    def shown(self) -> store.Kept:
        """The result once the rows that are waited for are kept, or all. Raises what the statement raised
        before that."""
        began = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: not self._facts.running or self._kept().rows >= self._rows)
            settle = SETTLE_S + SETTLE_SHARE * (time.monotonic() - began)
            self._changed.wait_for(lambda: not self._facts.running, min(settle, SETTLE_MOST_S))
            if self._failure is not None:
                self._remove()
                raise self._failure
            return self._kept()

    def finish(self) -> store.Kept:
        """The result once the run has ended. Raises what the run raised; the rows before that stay."""
        self.join()
        if self._failure is not None:
            raise self._failure
        return self._kept()

    def stop(self) -> None:
        """Cancels the run, waits for its end and leaves nothing behind."""
        self._query.cancel.set()
        self.join()
        self._remove()

    def run(self) -> None:
        """Runs the statement; called by the thread."""
        failure: BaseException | None = None
        query = self._query
        writing = _Writing(self._folder, self._facts.result_id, query.workspace.limits, self._rows)
        try:
            with (
                warm.engine(query.workspace, query.timeout_s) as engine,
                engine.execute(query.sql, timeout_s=query.timeout_s, cancel=query.cancel) as source,
            ):
                for counts in writing.segments(source):
                    with self._changed:
                        self._facts.segments.append(counts)
                        self._publish()
                        self._changed.notify_all()
                self._facts.warnings = source.warnings()
                self._facts.cut, self._facts.cut_by_source = writing.cut, source.cut
        except BaseException as error:  # told to whoever waits for the result
            failure = _unwritable(error) if isinstance(error, OSError) else error
        self._end(failure)

    def _end(self, failure: BaseException | None) -> None:
        with self._changed:
            self._failure = failure
            if failure is not None:
                fault = (
                    failure if isinstance(failure, Fault) else Fault(Code.INTERNAL, "the run failed in tht")
                )
                self._facts.fault = fault.document()
            self._facts.running = False
            try:
                self._publish()
            except OSError as error:
                # nobody could see how it ended
                self._failure = failure or _unwritable(error)
                self._remove()
            finally:
                store.lock_path(self._folder, self._facts.result_id).unlink(missing_ok=True)
                self._lock.close()
                self._changed.notify_all()

    def _kept(self) -> store.Kept:
        return store.Kept(
            msgspec.structs.replace(self._facts, segments=[*self._facts.segments]), self._folder
        )

    def _publish(self) -> None:
        part = self._part()
        part.write_bytes(msgspec.json.encode(self._facts))
        part.replace(store.facts_path(self._folder, self._facts.result_id))

    def _part(self) -> Path:
        return self._folder / f".{self._facts.result_id}.part"

    def _remove(self) -> None:
        store.facts_path(self._folder, self._facts.result_id).unlink(missing_ok=True)
        self._part().unlink(missing_ok=True)
        for path in self._folder.glob(f"{self._facts.result_id}.*"):
            path.unlink(missing_ok=True)


def having(
    query: Query, rows: int, *, result_id: str | None = None, fresh: bool = False
) -> tuple[store.Kept, Keeping | None]:
    """The result of the statement once `rows` of it are kept, or all, and the run that goes on behind it when
    it was begun here: `result_id`, else the youngest, else that of a new run, as always when `fresh`.

    Raises Fault RESULT_EXPIRED, TIMEOUT, CANCELLED, and what a run that was begun here raised so far.
    """
    if result_id is not None and not fresh:
        kept = store.find(query.folder, query.workspace, query.sha256, result_id)
        return kept.once(rows, query.timeout_s, query.cancel), None
    while True:
        found = _found_or_begun(query, rows, fresh)
        try:
            if isinstance(found, Keeping):
                return found.shown(), found
            return found.once(rows, query.timeout_s, query.cancel), None
        except BaseException as error:
            if isinstance(found, Keeping):
                found.stop()
            elif isinstance(error, Fault) and error.code is Code.RESULT_EXPIRED:
                # who ran it gave it up
                continue
            raise


def _found_or_begun(query: Query, rows: int, fresh: bool) -> store.Kept | Keeping:
    """The youngest result of the statement, finished or not, or a run that has begun. Two who ask at once get
    one run."""
    folder, workspace, sha256 = query.folder, query.workspace, query.sha256
    found = None if fresh else store.newest(folder, workspace, sha256)
    if found is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    store.sweep(folder, workspace.limits.result_age_s)
    with _one_at_a_time(folder):
        found = None if fresh else store.newest(folder, workspace, sha256)
        if found is not None:
            return found
        facts = store.Facts(
            result_id=new_id(workspace, sha256, time.time_ns(), secrets.token_hex(2)),
            workspace=workspace.fingerprint,
            sha256=sha256,
            created=time.time(),
            keep_s=workspace.limits.result_age_s,
        )
        keeping = Keeping(query, facts, rows)
    keeping.start()
    return keeping


@contextmanager
def _one_at_a_time(folder: Path) -> Generator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _unwritable(error: OSError) -> Fault:
    return Fault(
        Code.UNAVAILABLE,
        f"the result cannot be kept ({error.strerror}): mend the results folder, then try again",
    )


def _locked(path: Path) -> BinaryIO:
    file = path.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


class _Writing:
    """Writes the rows of a source as segments, up to the caps of rows and bytes; `first`: rows of the first
    segment, which is written as soon as they are there."""

    def __init__(self, folder: Path, result_id: str, limits: Limits, first: int) -> None:
        self._folder = folder
        self._result_id = result_id
        self._limits = limits
        self._first = first
        self._schema: pa.Schema | None = None
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self._written = 0
        self._rows = 0
        self._bytes = 0
        self.cut = False

    def segments(self, source: Source) -> Generator[list[int]]:
        """The rows of each batch of each segment that was written; at least one segment."""
        last = time.monotonic()
        for batch in source.batches(BATCH):
            self._take(batch)
            now = time.monotonic()
            awaited = not self._written and self._rows >= self._first
            if awaited or self._pending_bytes >= SEGMENT_BYTES or now - last >= SEGMENT_S:
                yield from self._segment()
                last = now
            if self.cut:
                break
        if not self._written and not self._pending:
            self._schema = self._schema or source.schema
            yield self._write([])
        yield from self._segment()

    def _take(self, batch: pa.RecordBatch) -> None:
        left = self._limits.rows - self._rows
        whole = batch.num_rows <= left and self._bytes + batch.nbytes <= self._limits.result_bytes
        taken = batch if whole else _fitting(batch, left, self._limits.result_bytes - self._bytes)
        self.cut = not whole
        self._schema = taken.schema if self._schema is None else widened(self._schema, taken.schema)
        if not taken.num_rows:
            return
        self._rows, self._bytes = self._rows + taken.num_rows, self._bytes + taken.nbytes
        self._pending.append(taken)
        self._pending_bytes += taken.nbytes

    def _segment(self) -> Generator[list[int]]:
        if self._pending:
            assert self._schema is not None
            pending = [conformed(batch, self._schema) for batch in self._pending]
            # batches of equal size, so that a page looks at few of them
            table = pa.Table.from_batches(pending, schema=self._schema).combine_chunks()
            self._pending, self._pending_bytes = [], 0
            yield self._write(table.to_batches(max_chunksize=BATCH))

    def _write(self, batches: list[pa.RecordBatch]) -> list[int]:
        path = store.segment_path(self._folder, self._result_id, self._written)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file, ipc.new_file(file, self._schema) as writer:
                for batch in batches:
                    writer.write_batch(batch)
        except OSError:
            # of a full disk it would take what tells of the failure
            path.unlink(missing_ok=True)
            raise
        self._written += 1
        return [batch.num_rows for batch in batches]


def _fitting(batch: pa.RecordBatch, rows: int, size: int) -> pa.RecordBatch:
    count = min(rows, batch.num_rows)
    while count and batch.slice(0, count).nbytes > size:
        count //= 2
    return batch.slice(0, count)
