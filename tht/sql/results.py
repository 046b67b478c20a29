"""Kept results: a statement runs once, its rows stay in an Arrow file that is read by mapping it.

`<id>.arrow` holds the rows, `<id>.json` what is known of them; the second is written last, so a result
without it does not exist. A result is found only by who asks with the same workspace and the same text.
"""

import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.arrow import ipc
from tht.sql.columns import conformed, widened
from tht.workspaces import Limits, Workspace

ID = re.compile(r"r[0-9a-f]{16}-[0-9a-f]{16}")
BATCH = 8192
"""Rows of a batch in the file, the least that a page has to look at."""

LISTING_GRAIN_NS = 50_000_000
"""Nanoseconds within which two changes of a folder may carry one time."""

FLUSH = 16 << 20
"""Bytes that are gathered before they are written."""


class Facts(msgspec.Struct):
    """What is known of a kept result."""

    result_id: str
    workspace: str
    """Fingerprint of the workspace."""
    sha256: str
    """Of the statement's text."""
    batches: list[int]
    """Rows of each batch in the file."""
    complete: bool
    """False when the result was cut at a cap."""
    warnings: list[str]
    created: float
    """Seconds since 1970."""
    cut_by_source: bool = False
    """The server itself left out rows: running the statement again would not bring them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One kept result, open for reading."""

    facts: Facts
    path: Path

    @property
    def rows(self) -> int:
        """Rows in the file."""
        return sum(self.facts.batches)

    def schema(self) -> pa.Schema:
        """The columns."""
        return _opened(self.path).schema

    def read(self, offset: int, count: int) -> Iterator[pa.RecordBatch]:
        """The batches that hold rows `offset` to `offset + count`, cut to them."""
        reader = _opened(self.path)
        start = 0
        for index, rows in enumerate(self.facts.batches):
            first, last = max(offset - start, 0), min(offset + count - start, rows)
            if first < last:
                yield reader.get_batch(index).slice(first, last - first)
            start += rows
            if start >= offset + count:
                return


def _open(path: Path) -> Any:
    return ipc.open_file(pa.memory_map(str(path)))


@lru_cache(maxsize=4)
def _opened(path: Path) -> Any:
    """The file, opened once for all its pages: opening costs more than a page does. A kept file never
    changes, and its id is never used again."""
    return _open(path)


def key_of(workspace: Workspace, sha256: str) -> str:
    """The part of a result's id that the workspace and the text decide."""
    import hashlib

    return hashlib.sha256(f"{workspace.fingerprint} {sha256}".encode()).hexdigest()[:16]


def find(folder: Path, workspace: Workspace, sha256: str, result_id: str) -> Kept:
    """The kept result `result_id`. Raises Fault RESULT_EXPIRED when it is gone or belongs to another
    statement."""
    if not ID.fullmatch(result_id) or not result_id.startswith(f"r{key_of(workspace, sha256)}-"):
        raise Fault(Code.RESULT_EXPIRED, "this result_id is not of this statement; preview again without it")
    kept = _load(folder, result_id)
    if kept is None or _age(kept.facts) > workspace.limits.result_age_s:
        raise Fault(Code.RESULT_EXPIRED, "this result is no longer kept; preview again without result_id")
    if kept.facts.workspace != workspace.fingerprint or kept.facts.sha256 != sha256:
        raise Fault(Code.RESULT_EXPIRED, "this result_id is not of this statement; preview again without it")
    return kept


def newest(folder: Path, workspace: Workspace, sha256: str) -> Kept | None:
    """The youngest kept result of this statement on this workspace, None when there is none that counts."""
    beginning = f"r{key_of(workspace, sha256)}-"
    for result_id in reversed(_result_ids(folder)):
        if not result_id.startswith(beginning):
            continue
        kept = _load(folder, result_id)
        if kept is not None and _age(kept.facts) <= workspace.limits.result_age_s:
            return kept
    return None


_listings: dict[Path, tuple[int, list[str]]] = {}


def _result_ids(folder: Path) -> list[str]:
    """The ids of all kept results, sorted; the folder is listed again only when it changed."""
    try:
        changed = folder.stat().st_mtime_ns
    except FileNotFoundError:
        return []
    known = _listings.get(folder)
    # Within the clock's grain a second change would leave the same time.
    if known is None or known[0] != changed or time.time_ns() - changed < LISTING_GRAIN_NS:
        known = changed, sorted(path.stem for path in folder.glob("r*.json"))
        _listings[folder] = known
    return known[1]


def _load(folder: Path, result_id: str) -> Kept | None:
    path = folder / f"{result_id}.arrow"
    if not path.is_file():
        return None
    try:
        return Kept(_facts(folder / f"{result_id}.json"), path)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


@lru_cache(maxsize=256)
def _facts(path: Path) -> Facts:
    return msgspec.json.decode(path.read_bytes(), type=Facts)


def _age(facts: Facts) -> float:
    return time.time() - facts.created


def keep(
    folder: Path, workspace: Workspace, sha256: str, batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> "Keeping":
    """Begins to keep the rows of `batches`; see `Keeping.run`."""
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder, workspace.limits.result_age_s)
    # the time first, so that names sort by age
    unique = f"{time.time_ns() // 1000 & 0xFFFFFFFFFFFF:012x}{secrets.token_hex(2)}"
    return Keeping(folder, workspace, sha256, batches, schema, f"r{key_of(workspace, sha256)}-{unique}")


class Keeping:
    """The writing of one kept result. Nothing is visible until `finish`; `abandon` leaves nothing behind."""

    def __init__(
        self,
        folder: Path,
        workspace: Workspace,
        sha256: str,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        result_id: str,
    ) -> None:
        self.folder = folder
        self.workspace = workspace
        self.sha256 = sha256
        self.result_id = result_id
        self._batches = batches
        self._schema = schema
        self._limits: Limits = workspace.limits
        self._path: Path | None = None
        self._file: BinaryIO | None = None
        self._writer: Any = None
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self._counts: list[int] = []
        self.complete = True

    def run(self) -> None:
        """Reads up to the caps of rows and bytes and writes what was read."""
        rows = size = 0
        for batch in self._batches:
            left = self._limits.rows - rows
            whole = batch.num_rows <= left and size + batch.nbytes <= self._limits.result_bytes
            taken = batch if whole else _fitting(batch, left, self._limits.result_bytes - size)
            rows, size = rows + taken.num_rows, size + taken.nbytes
            self._add(taken)
            if not whole:
                self.complete = False
                break
        self._flush()
        if self._writer is None:
            self._open_writer()
        self._close_writer()

    def _add(self, batch: pa.RecordBatch) -> None:
        if batch.num_rows == 0:
            return
        schema = widened(self._schema, batch.schema) if self._counts or self._pending else batch.schema
        if self._writer is not None and not schema.equals(self._schema, check_metadata=True):
            self._rewrite(schema)
        self._schema = schema
        self._pending.append(batch)
        self._pending_bytes += batch.nbytes
        if self._pending_bytes >= FLUSH:
            self._flush()

    def _flush(self) -> None:
        """Writes what is pending, in batches of equal size so that a page looks at few of them."""
        if not self._pending:
            return
        writer = self._writer or self._open_writer()
        pending = [conformed(batch, self._schema) for batch in self._pending]
        table = pa.Table.from_batches(pending, schema=self._schema)
        for batch in table.combine_chunks().to_batches(max_chunksize=BATCH):
            writer.write_batch(batch)
            self._counts.append(batch.num_rows)
        self._pending, self._pending_bytes = [], 0

    def _open_writer(self) -> Any:
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=f".{self.result_id}-", suffix=".part")
        self._path = Path(name)
        self._file = os.fdopen(handle, "wb")
        self._writer = ipc.new_file(self._file, self._schema)
        return self._writer

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def _rewrite(self, schema: pa.Schema) -> None:
        """A later row is of another kind than the ones before (SQLite): the file is written again, wider."""
        self._close_writer()
        before, counts = self._path, self._counts
        assert before is not None
        self._schema = schema
        writer = self._open_writer()
        with _open(before) as reader:
            for index in range(len(counts)):
                writer.write_batch(conformed(reader.get_batch(index), schema))
        before.unlink()

    def finish(self, warnings: list[str], cut_by_source: bool = False) -> Kept:
        """Makes the result visible. `cut_by_source`: see `Source.cut`."""
        assert self._path is not None
        facts = Facts(
            result_id=self.result_id,
            workspace=self.workspace.fingerprint,
            sha256=self.sha256,
            batches=self._counts,
            complete=self.complete and not cut_by_source,
            warnings=warnings,
            created=time.time(),
            cut_by_source=cut_by_source,
        )
        path = self.folder / f"{self.result_id}.arrow"
        self._path.replace(path)
        part = self.folder / f".{self.result_id}.part"
        part.write_bytes(msgspec.json.encode(facts))
        part.replace(self.folder / f"{self.result_id}.json")
        return Kept(facts, path)

    def abandon(self) -> None:
        """Takes away what was written."""
        self._close_writer()
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _fitting(batch: pa.RecordBatch, rows: int, size: int) -> pa.RecordBatch:
    count = min(rows, batch.num_rows)
    while count and batch.slice(0, count).nbytes > size:
        count //= 2
    return batch.slice(0, count)


def sweep(folder: Path, age: float) -> None:
    """Takes away results, and what an ended process left half written, that are older than `age` seconds."""
    oldest = time.time() - age
    for path in folder.iterdir():
        if path.suffix in (".arrow", ".json", ".part"):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except FileNotFoundError:
                continue
