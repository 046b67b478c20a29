"""Kept results: a statement runs once, its rows stay in Arrow files that are read by mapping them.

A result is `<id>.json`, what is known of it, and segments `<id>.<n>.arrow`, its rows in order. The first is
there from the beginning and written anew with each segment, so that pages are read while the statement runs
(`tht.sql.results.keeping`). A result is found only by who asks with the same workspace and the same text.
"""

import fcntl
import os
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.results.result_ids import ID, ID_LENGTH, age_of, key_of
from tht.sql.values.arrow import ipc
from tht.sql.values.columns import conformed
from tht.workspaces import Workspace

LISTING_GRAIN_NS = 50_000_000
"""Nanoseconds within which two changes of a folder may carry one time."""

POLL_S = 0.02
"""Seconds between two looks at a result that another process keeps."""

_FACTS_KNOWN = 256
_BATCHES_KNOWN = 32
_GONE = "this result is no longer kept; preview again without result_id"
_OTHER = "this result_id is not of this statement; preview again without it"


class Facts(msgspec.Struct):
    """What is known of a kept result."""

    result_id: str
    workspace: str
    """Fingerprint of the workspace."""
    sha256: str
    """Of the statement's text."""
    created: float
    """Seconds since 1970."""
    keep_s: float = 0.0
    """Seconds for which its workspace keeps it."""
    segments: list[list[int]] = []
    """Of each segment the rows of each of its batches."""
    running: bool = True
    """True while rows may still come."""
    cut: bool = False
    """Rows were left out at a cap."""
    cut_by_source: bool = False
    """The server itself left out rows: running the statement again would not bring them."""
    fault: dict[str, Any] | None = None
    """Why the statement ended before its last row: the document of a Fault."""
    warnings: list[str] = []

    @property
    def complete(self) -> bool:
        """True when every row of the statement is kept."""
        return not (self.running or self.cut or self.cut_by_source or self.fault)


@dataclass(frozen=True, slots=True)
class Kept:
    """One kept result, open for reading, as far as it was kept when it was found."""

    facts: Facts
    folder: Path

    @property
    def rows(self) -> int:
        """Rows that are kept."""
        return sum(map(sum, self.facts.segments))

    def schema(self) -> pa.Schema:
        """The columns; later segments hold what earlier ones do, never less."""
        return self._segment(len(self.facts.segments) - 1).schema

    def read(self, offset: int, count: int) -> Iterator[pa.RecordBatch]:
        """The batches that hold rows `offset` to `offset + count`, cut to them, in the schema of all."""
        schema, start = self.schema(), 0
        for number, batches in enumerate(self.facts.segments):
            end = start + sum(batches)
            if start < offset + count and offset < end:
                segment = self._segment(number)
                for batch in _cut(segment, batches, max(offset - start, 0), offset + count - start):
                    yield conformed(batch, schema)
            start = end

    def raise_if_failed(self) -> None:
        """Raises the Fault by which the statement ended before its last row."""
        if self.facts.fault is not None:
            raise Fault.from_document(self.facts.fault)

    def now(self) -> "Kept":
        """The same result as it is now. Raises Fault RESULT_EXPIRED when it is gone."""
        found = _load(self.folder, self.facts.result_id)
        if found is None:
            raise Fault(Code.RESULT_EXPIRED, _GONE)
        return found

    def once(self, rows: int, timeout_s: float, cancel: Cancel) -> "Kept":
        """The same result once `rows` of it are kept or nothing more will come.

        Raises Fault TIMEOUT after `timeout_s` seconds, CANCELLED, RESULT_EXPIRED.
        """
        kept, deadline = self, time.monotonic() + timeout_s
        while kept.facts.running and kept.rows < rows:
            cancel.raise_if_set()
            if time.monotonic() > deadline:
                raise Fault(
                    Code.TIMEOUT, f"the statement still runs; it has given {kept.rows} rows in this time"
                )
            time.sleep(POLL_S)
            kept = kept.now()
        return kept

    def _segment(self, number: int) -> "_Segment":
        try:
            return _opened(self.folder, self.facts.result_id, number)
        except (FileNotFoundError, pa.ArrowInvalid) as error:
            # taken away or lost with the power: the next who asks shall not find it
            _facts.pop((self.folder, self.facts.result_id), None)
            facts_path(self.folder, self.facts.result_id).unlink(missing_ok=True)
            raise Fault(Code.RESULT_EXPIRED, _GONE) from error


def _cut(segment: "_Segment", batches: list[int], first: int, end: int) -> Iterator[pa.RecordBatch]:
    """Rows `first` to `end` of a segment."""
    ends = list(accumulate(batches))
    for index in range(bisect_right(ends, first), len(batches)):
        start = ends[index] - batches[index]
        if start >= end:
            return
        low = max(first - start, 0)
        yield segment.batch(index).slice(low, min(end - start, batches[index]) - low)


class _Segment:
    """A segment opened for reading. Its batches are views of the mapped file; finding one costs more than
    cutting a page from it."""

    def __init__(self, path: Path) -> None:
        self._reader = ipc.open_file(pa.memory_map(str(path)))
        self._batches: dict[int, pa.RecordBatch] = {}
        self.schema: pa.Schema = self._reader.schema

    def batch(self, index: int) -> pa.RecordBatch:
        """Batch `index`."""
        found = self._batches.get(index)
        if found is None:
            found = self._reader.get_batch(index)
            if len(self._batches) >= _BATCHES_KNOWN:
                self._batches.clear()
            self._batches[index] = found
        return found


@lru_cache(maxsize=64)
def _opened(folder: Path, result_id: str, number: int) -> _Segment:
    """The segment, opened once for all its pages: opening costs more than a page does. A segment never
    changes, and its name is never used again."""
    return _Segment(segment_path(folder, result_id, number))


def segment_path(folder: Path, result_id: str, number: int) -> Path:
    """The file of segment `number`."""
    return folder / f"{result_id}.{number}.arrow"


def facts_path(folder: Path, result_id: str) -> Path:
    """The file of what is known."""
    return folder / f"{result_id}.json"


def lock_path(folder: Path, result_id: str) -> Path:
    """The file that is locked by who keeps the result, as long as it runs."""
    return folder / f"{result_id}.lock"


def find(folder: Path, workspace: Workspace, sha256: str, result_id: str) -> Kept:
    """The kept result `result_id`. Raises Fault RESULT_EXPIRED when it is gone or belongs to another
    statement."""
    if not ID.fullmatch(result_id) or not result_id.startswith(f"r{key_of(workspace, sha256)}-"):
        raise Fault(Code.RESULT_EXPIRED, _OTHER)
    kept = _load(folder, result_id)
    if kept is None or _age(kept.facts) > workspace.limits.result_age_s:
        raise Fault(Code.RESULT_EXPIRED, _GONE)
    if kept.facts.workspace != workspace.fingerprint or kept.facts.sha256 != sha256:
        raise Fault(Code.RESULT_EXPIRED, _OTHER)
    return kept


def newest(folder: Path, workspace: Workspace, sha256: str) -> Kept | None:
    """The youngest kept result of this statement on this workspace that did not fail, None when there is none
    that counts."""
    beginning = f"r{key_of(workspace, sha256)}-"
    for result_id in reversed(_result_ids(folder)):
        if not result_id.startswith(beginning):
            continue
        kept = _load(folder, result_id)
        if kept and kept.facts.fault is None and _age(kept.facts) <= workspace.limits.result_age_s:
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
        names = os.listdir(folder)  # noqa: PTH208 - of thousands, with each new run
        known = changed, sorted(name[:-5] for name in names if name.endswith(".json") and name[0] == "r")
        _listings[folder] = known
    return known[1]


_facts: OrderedDict[tuple[Path, str], Facts] = OrderedDict()
"""Facts that do not change any more, by folder and id."""


def _load(folder: Path, result_id: str) -> Kept | None:
    """The result as it is now; None when it is gone or nobody will ever finish it."""
    facts = _facts.get((folder, result_id))
    if facts is None:
        path = facts_path(folder, result_id)
        facts = _read(path)
        if facts is not None and facts.running and not _is_locked(lock_path(folder, result_id)):
            # Between the two looks its keeper may have finished.
            facts = _read(path)
            if facts is not None and facts.running:
                return None
        if facts is None:
            return None
        if not facts.running:
            _facts[folder, result_id] = facts
            if len(_facts) > _FACTS_KNOWN:
                _facts.popitem(last=False)
    if facts.segments and not os.path.isfile(f"{folder}/{result_id}.0.arrow"):  # noqa: PTH113 - each page asks
        return None
    return Kept(facts, folder)


def _read(path: Path) -> Facts | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Facts)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _age(facts: Facts) -> float:
    return time.time() - facts.created


def sweep(folder: Path, age: float) -> None:
    """Takes away results, and what an ended process left half written, that are older than `age` seconds and
    than their own workspace keeps them; a result that is still being kept stays."""
    now, over = time.time_ns(), dict[str, bool]()
    for name in os.listdir(folder):  # noqa: PTH208 - of thousands, with each new run
        result_id = name.lstrip(".")[:ID_LENGTH]
        if result_id not in over:
            old = ID.fullmatch(result_id) is not None and age_of(result_id, now) > age
            over[result_id] = old and _is_over(folder, result_id)
        if over[result_id]:
            (folder / name).unlink(missing_ok=True)


def _is_over(folder: Path, result_id: str) -> bool:
    facts = _facts.get((folder, result_id)) or _read(facts_path(folder, result_id))
    if facts is None or facts.running:
        return not _is_locked(lock_path(folder, result_id))
    return _age(facts) > facts.keep_s
