"""SQLite: read-only file, an authorizer with an allow list, length limits, a progress handler.

The authorizer is the layer that holds: `mode=ro` alone still lets ATTACH and VACUUM INTO create files, and
the two-argument fts3_tokenizer() take a raw pointer (measured on SQLite 3.40).
"""

import os
import re
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.engines import untyped_rows
from tht.sql.engines.base import Engine, Limit, Source, behind_as
from tht.sql.engines.file_kinds import misnamed
from tht.sql.engines.row_batch import RowBatch
from tht.sql.guard.policy import policy
from tht.sql.messages import database_error, over_cap, safe_line
from tht.workspaces import Workspace

VALUE_LIMIT = 1_000_000
"""Bytes of one value, row or statement: one opcode on larger ones runs for minutes."""
CSV_ROWS = 2_000
"""Rows of a batch for CSV: the first of more have left the processor's cache before they are written."""
PROGRESS_STEP = 1_000
"""Virtual machine steps between two looks at the clock; free at this distance."""

BATCH_BYTES = 16 << 20
"""Bytes of text and blobs after which a batch has no more rows: thousands of blobs fit into no memory."""
STRIDE = 1024
"""Rows fetched at most between two looks at what they hold."""

_DENIED_FUNCTIONS = policy("sqlite").denied
_PRAGMAS = policy("sqlite").pragmas
_NOT_ALLOWED = ("not authorized", "authorization denied", "prohibited", "readonly database")
_BRACKETS = re.compile(r"\[.*\]", re.DOTALL)
_OVER_LIMIT = ("string or blob too big", "out of memory")


class SqliteEngine(Engine):
    """One file, opened read-only and locked down."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        path = workspace.connection.resolve().path
        assert path is not None
        self.path = path
        self._connection = _open(path, workspace.connection.immutable)
        self._identity = _identity(path)
        self._stop = False
        self._lock_down()

    def _lock_down(self) -> None:
        connection = self._connection
        try:
            _connect_virtual_tables(connection)
        except sqlite3.Error as error:
            raise _fault(error) from error
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_LIMIT)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, VALUE_LIMIT)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA mmap_size = 1073741824")
        connection.set_progress_handler(self._asked_to_stop, PROGRESS_STEP)
        connection.set_authorizer(_authorize)

    def _asked_to_stop(self) -> int:
        return int(self._stop)

    @property
    def current(self) -> bool:
        return not self.doubtful and _identity(self.path) == self._identity

    @contextmanager
    def execute(
        self,
        sql: str,
        *,
        timeout_s: float,
        cancel: Cancel,
        bulk: bool = False,  # noqa: ARG002 - one way
    ) -> Generator[Source]:
        limit = Limit(timeout_s, cancel)
        self._stop = False
        with limit.interrupting(self._interrupt):
            try:
                source = SqliteSource(self._connection, sql, limit)
                try:
                    yield source
                finally:
                    source.close()
            except sqlite3.Error as error:
                raise limit.fault() or _fault(error, sql) from error

    def _interrupt(self) -> None:
        self._stop = True

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._stop = False
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise _fault(error) from error

    def close(self) -> None:
        self._connection.close()

    def checks(self) -> list[tuple[str, bool, str]]:
        writable = os.access(self.path, os.W_OK) and os.geteuid() != 0
        if os.geteuid() == 0:
            writable = bool(self.path.stat().st_mode & 0o222)
        message = (
            "the file could be written by this account; take the right away (chmod a-w)"
            if writable
            else "the file cannot be written by this account"
        )
        return [("role_reads_only", not writable, message)]

    def view_definition(self, schema: str, name: str) -> str | None:  # noqa: ARG002 - there is one schema
        row = self._connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'view' AND lower(name) = lower(?)", (name,)
        ).fetchone()
        return None if row is None else behind_as(str(row[0]), "sqlite")


def _open(path: Path, immutable: bool) -> sqlite3.Connection:
    if not path.is_file():
        raise Fault(
            Code.DATABASE_UNAVAILABLE, f"there is no database file {path.name}; correct connection.path"
        )
    uri = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if immutable else ''}"
    try:
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, cached_statements=0, timeout=2.0, check_same_thread=False
        )
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 0")
    except sqlite3.Error as error:
        raise _unavailable(error, path) from error
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect_virtual_tables(connection: sqlite3.Connection) -> None:
    """R-tree prepares INSERTs on its shadow tables when it connects; done before the authorizer looks."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'create virtual%'").fetchall()
    for (name,) in names:
        quoted = str(name).replace('"', '""')
        try:
            connection.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0')
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise


def _authorize(action: int, first: str | None, second: str | None, _: str | None, __: str | None) -> int:
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if (second or "").lower() in _DENIED_FUNCTIONS else sqlite3.SQLITE_OK
    if action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE) and first == "sqlite_master":
        # declaring a virtual table (json_each, pragma_table_info) asks for it; mode=ro refuses real writes
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        takes = _PRAGMAS.get((first or "").lower())
        return sqlite3.SQLITE_DENY if takes is None or (second and not takes) else sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _fault(error: sqlite3.Error, sql: str = "") -> Fault:
    # a path of JSON and what is looked for in a full text may come from a row
    line = safe_line(_BRACKETS.sub("[...]", str(error)), redact=False, statement=sql)
    if any(text in line for text in _OVER_LIMIT):
        return over_cap(f"the statement exceeds a limit of the engine: {line}")
    if any(text in line for text in _NOT_ALLOWED):
        return Fault(Code.REFUSED, f"the engine does not allow this: {line}")
    if "locked" in line or "busy" in line:
        return Fault(Code.DATABASE_UNAVAILABLE, "the database file is locked by a writer; try again")
    return database_error(line)


def _unavailable(error: sqlite3.Error, path: Path) -> Fault:
    found = _fault(error)
    if found.code is Code.DATABASE_UNAVAILABLE:
        return found
    reason = misnamed(path, "sqlite") or f"the database file cannot be opened: {found.message}"
    if "readonly" in found.message and path.with_name(f"{path.name}-journal").exists():
        reason = "a writer left a change unfinished; open the file once with a program that may write"
    elif "readonly" in found.message:
        reason = "a WAL needs files beside the database; if nobody writes it, set connection.immutable: true"
    return Fault(Code.DATABASE_UNAVAILABLE, reason)


class SqliteSource(Source):
    """A cursor. Each cell has its own storage class, so each batch says what its columns hold."""

    def __init__(self, connection: sqlite3.Connection, sql: str, limit: Limit) -> None:
        self._connection = connection
        self._limit = limit
        self._sql = sql
        self._cursor = connection.execute(sql)
        self._names = [str(column[0]) for column in self._cursor.description or ()]
        self._read = 0
        self._stride = 16
        self._schema: pa.Schema | None = None
        if not self._names:
            raise Fault(Code.REFUSED, "the statement gives no rows")

    @property
    def schema(self) -> pa.Schema:
        if self._schema is not None:
            return self._schema
        return untyped_rows.empty_schema(self._names)

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        for rows in self._batches(size):
            batch = rows.columns()
            self._schema = batch.schema
            yield batch

    def csv_batches(self, size: int) -> Iterator[RowBatch]:
        return self._batches(min(size, CSV_ROWS))

    def _batches(self, size: int) -> Iterator[RowBatch]:
        count = min(size, untyped_rows.FIRST)
        while rows := self._fetch(count):
            # One opcode may have run past the time, and then its rows are late.
            self._limit.raise_if_over()
            yield RowBatch(self._names, rows)
            count = size

    def _fetch(self, size: int) -> list[tuple[Any, ...]]:
        """At most `size` rows, fewer where they hold more than BATCH_BYTES, none behind the last."""
        rows: list[tuple[Any, ...]] = []
        held = 0
        while len(rows) < size and held < BATCH_BYTES:
            more = self._step(min(self._stride, size - len(rows)))
            if not more:
                break
            weight = _weight(more)
            self._stride = min(max(BATCH_BYTES * len(more) // (4 * weight + 1), 1), STRIDE)
            rows += more
            held += weight
        return rows

    def _step(self, size: int) -> list[tuple[Any, ...]]:
        try:
            rows = self._cursor.fetchmany(size)
        except sqlite3.OperationalError as error:
            if "Could not decode to UTF-8" not in str(error):
                raise
            rows = self._again(size)
        self._read += len(rows)
        return rows

    def _again(self, size: int) -> list[tuple[Any, ...]]:
        """The same rows read with a replacement for what is no UTF-8; the default loses the whole result."""
        self._connection.text_factory = _tolerant
        self._cursor = self._connection.execute(self._sql)
        left = self._read
        while left and (skipped := self._cursor.fetchmany(min(left, 1000))):
            left -= len(skipped)
        return self._cursor.fetchmany(size)

    def close(self) -> None:
        """Ends the statement."""
        self._cursor.close()
        self._connection.text_factory = str


def _weight(rows: list[tuple[Any, ...]]) -> int:
    """About how many bytes of text and blobs `rows` hold, by some of them."""
    some = rows[:: len(rows) // 16 + 1]
    held = sum(len(cell) for row in some for cell in row if isinstance(cell, str | bytes))
    return held * len(rows) // len(some)


def _tolerant(text: bytes) -> str:
    return text.decode("utf-8", "replace")
