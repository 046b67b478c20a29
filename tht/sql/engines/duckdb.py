"""DuckDB: read-only file, no external access, locked configuration, one statement of a kind that reads.

`read_only` alone still reads and writes any file; what holds is `enable_external_access=false` under
`lock_configuration` (measured on DuckDB 2.0).
"""

import os
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.engines.base import Engine, Limit, Source, behind_as
from tht.sql.engines.duckdb_types import logical, stored, stored_type
from tht.sql.engines.file_kinds import misnamed
from tht.sql.guard.duckdb_parser import reads_only
from tht.sql.messages import database_error, over_cap, safe_line
from tht.sql.values.arrow import Array, fields_of
from tht.sql.values.columns import field
from tht.workspaces import Workspace

MEMORY = 512 << 20
"""Bytes DuckDB may use for one statement, below the limit of the process."""
BATCH_BYTES = 16 << 20
"""Bytes of a batch after which its rows are handed on in parts: each is copied several times on its way."""


class DuckdbEngine(Engine):
    """One file, opened read-only and locked down."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        path = workspace.connection.resolve().path
        assert path is not None
        self.path = path
        self._identity = _identity(path)
        self._connection = _open(path, min(MEMORY, workspace.limits.memory // 2))

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
        if not reads_only(sql):
            raise Fault(Code.REFUSED, "the engine reads this as something else than one query")
        limit = Limit(timeout_s, cancel)
        with limit.interrupting(self._interrupt):
            try:
                source = DuckdbSource(self._connection.sql(sql), limit)
                try:
                    yield source
                finally:
                    source.close()
            except (duckdb.Error, pa.ArrowException, OSError, MemoryError, RuntimeError) as error:
                # what fails while a batch is fetched comes from Arrow, as an OSError
                self.doubtful = True
                raise limit.fault() or _fault(error, sql) from error

    def _interrupt(self) -> None:
        with suppress(duckdb.Error):
            # closed in the meantime: nothing is left to interrupt
            self._connection.interrupt()

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, list(parameters)).fetchall()
        except duckdb.Error as error:
            raise _fault(error) from error

    def close(self) -> None:
        self._connection.close()

    def checks(self) -> list[tuple[str, bool, str]]:
        writable = (
            bool(self.path.stat().st_mode & 0o222) if os.geteuid() == 0 else os.access(self.path, os.W_OK)
        )
        message = (
            "the file could be written by this account; take the right away (chmod a-w)"
            if writable
            else "the file cannot be written by this account"
        )
        return [("role_reads_only", not writable, message)]

    def view_definition(self, schema: str, name: str) -> str | None:
        row = self._connection.execute(
            "SELECT sql FROM duckdb_views() WHERE lower(view_name) = lower(?) "
            "AND lower(schema_name) = lower(?)",
            [name, schema or "main"],
        ).fetchone()
        if row is None:
            return None
        return behind_as(str(row[0]), "duckdb")


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _open(path: Path, memory: int) -> duckdb.DuckDBPyConnection:
    if not path.is_file():
        raise Fault(
            Code.DATABASE_UNAVAILABLE, f"there is no database file {path.name}; correct connection.path"
        )
    config: dict[str, Any] = {
        "enable_external_access": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
        "memory_limit": f"{memory >> 20}MiB",
        "threads": 2,
        "max_temp_directory_size": "0B",
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=config)
        if not _is_locked_down(connection):
            connection.execute("SET GLOBAL timezone = 'UTC'")
            connection.execute("SET GLOBAL arrow_lossless_conversion = true")
            # analysts still write x -> x + 1, which DuckDB 2 takes for JSON only unless asked
            connection.execute("SET GLOBAL lambda_syntax = 'ENABLE_SINGLE_ARROW'")
            connection.execute("SET GLOBAL lock_configuration = true")
    except duckdb.Error as error:
        line = safe_line(str(error), redact=True)
        held = "could not set lock" in line.lower()
        reason = "a writer holds the database file; close it and try again" if held else None
        reason = reason or misnamed(path, "duckdb") or f"the database file cannot be opened: {line}"
        raise Fault(Code.DATABASE_UNAVAILABLE, reason) from error
    return connection


def _is_locked_down(connection: duckdb.DuckDBPyConnection) -> bool:
    """True when this process has the file open already: its connections share one configuration."""
    return connection.execute("SELECT current_setting('lock_configuration')").fetchall() == [(True,)]


_VALUES_IN_MESSAGE = ("Conversion Error", "Invalid Input Error", "Out of Range Error")
_NUMBER = re.compile(r"(?<![\w.,])(?<!DECIMAL\()-?\d[\w.:+-]*")
"""What may be a value and not a part of a type's name."""


def _fault(error: Exception, sql: str = "") -> Fault:
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException | pa.ArrowMemoryError):
        return over_cap("the statement needs more memory than the workspace allows")
    if str(error).startswith("Invalid Input Error") and "error" in sql.lower():
        # error(text) raises what it is given, which may be a row's value
        return database_error("Invalid Input Error: the statement raised an error of its own")
    # the excerpt of the statement and the apostrophe would be taken for more of a value
    text = str(error).split("\n\nLINE ", 1)[0].replace("can't", "cannot")
    with_values = text.startswith(_VALUES_IN_MESSAGE)
    line = safe_line(text, redact=with_values)
    if with_values:
        line = _NUMBER.sub("...", line)
    if isinstance(error, duckdb.PermissionException) or _writes(text):
        return Fault(Code.REFUSED, f"the engine does not allow this: {safe_line(line, redact=True)}")
    if "Out of Memory" in line or "bad_alloc" in line or "bad allocation" in line:
        return over_cap("the statement needs more memory than the workspace allows")
    return database_error(line)


def _writes(text: str) -> bool:
    """True for what DuckDB says of a query that would change a file, by a view or a macro."""
    return text.startswith("Invalid Input Error: Cannot execute statement") and "read-only mode" in text


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """`batch` in slices of about BATCH_BYTES; none of one without rows."""
    rows = max(batch.num_rows * BATCH_BYTES // max(batch.nbytes, 1), 1)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


class DuckdbSource(Source):
    """A relation, read as Arrow batches; types that Arrow lacks are brought to text here."""

    def __init__(self, relation: Any, limit: Limit) -> None:
        if relation is None:
            raise Fault(Code.REFUSED, "the statement gives no rows")
        self._relation: Any = relation
        self._limit = limit
        self._names = list(relation.columns)
        self._types = [logical(type_) for type_ in relation.types]
        self._reader: Any = None
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        if self._schema is None:
            self._open(2048)
        assert self._schema is not None
        return self._schema

    def _open(self, size: int) -> Any:
        if self._reader is None:
            self._reader = self._relation.to_arrow_reader(max(size, 2048))
            fields = [
                field(i, self._names[i], self._types[i], stored_type(found))
                for i, found in enumerate(fields_of(self._reader.schema))
            ]
            self._schema = pa.schema(fields)
        return self._reader

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        reader = self._open(size)
        for batch in reader:
            # One scalar call may have run past the time, and then its rows are late.
            self._limit.raise_if_over()
            for part in _parts(batch):
                yield self._stored_batch(part)

    def close(self) -> None:
        """Lets go of what keeps the file open, whoever still holds the source (a traceback does)."""
        if self._reader is not None:
            self._reader.close()
        self._reader = self._relation = None

    def _stored_batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns: list[Array] = cast("Any", batch).columns
        arrays = [stored(*pair) for pair in zip(columns, fields_of(batch.schema), strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)
