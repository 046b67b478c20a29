"""PostgreSQL: a READ ONLY transaction that always ends in ROLLBACK, the extended protocol, every type loaded
as text.

The simple protocol runs several statements (psycopg 3 uses it for a plain `execute`), so the user's text only
goes through `stream`, which does not. A superuser is turned into pg_read_all_data for the statement
(PostgreSQL 14+), which takes away files, programs and signals whatever name they hide behind (measured on
PostgreSQL 15).
"""

import logging
import os
import re
import socket
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, LiteralString, cast

import psycopg
import pyarrow as pa
from psycopg.adapt import AdaptersMap
from psycopg.types.string import TextLoader

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.engines import server_rows as rows
from tht.sql.engines.base import CONNECT_S, Engine, Limit, Source
from tht.sql.engines.postgres_copy import CopySource, can_copy, copy_statement, raise_for
from tht.sql.engines.postgres_rights import OWN_RIGHTS, asks_information_schema_alone
from tht.sql.engines.postgres_types import kind_of
from tht.sql.messages import database_error, over_cap, safe_line
from tht.workspaces import Workspace

# what the driver logs names host, account and values of rows; a Fault says what matters
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

CHUNK = 250
"""Rows that libpq hands over at a time."""
SHORTEST_FLOATS = 120_000
"""The first version of the server that writes floats with the fewest digits that read back."""
NO_COLUMNS = "the statement gives no columns"
STUBBORN_S = 1.0
"""Seconds after an interrupt in which a statement has to end; the server does not look for one while it
makes or sends a value, and one value may have a gigabyte."""

_OPTIONS = (
    "-c default_transaction_read_only=on -c lock_timeout=5s -c idle_in_transaction_session_timeout=60s "
    "-c timezone=UTC -c datestyle=ISO -c intervalstyle=iso_8601 -c bytea_output=hex -c extra_float_digits=1 "
    "-c standard_conforming_strings=on -c client_encoding=UTF8 -c xmloption=content"
)
_STATED = (("TimeZone", "UTC"), ("DateStyle", "ISO"), ("IntervalStyle", "iso_8601"))
"""What the environment (PGTZ, PGDATESTYLE) sets over the options of a connection, and the server tells."""

_TABLES = (
    "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r','p','v','m','f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
)

_WRITABLE = (
    f"{_TABLES} AND (pg_catalog.has_table_privilege(c.oid, 'INSERT,UPDATE,DELETE,TRUNCATE') "
    "OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT,UPDATE')) LIMIT 1"
)
_CREATES = (
    "SELECT 1 WHERE pg_catalog.has_database_privilege(current_database(), 'CREATE') UNION ALL "
    "SELECT 1 FROM pg_catalog.pg_namespace WHERE pg_catalog.has_schema_privilege(oid, 'CREATE') "
    "AND nspname !~ '^pg_(toast_)?temp_' LIMIT 1"
)
_POWERS = (
    "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('pg_execute_server_program', "
    "'pg_write_server_files', 'pg_read_server_files', 'pg_signal_backend') "
    "AND pg_catalog.pg_has_role(oid, 'MEMBER') LIMIT 1"
)


_SCHEMAS = (
    "SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT IN ('pg_catalog', 'information_schema')"
)


def _text_only() -> AdaptersMap:
    adapters = AdaptersMap(types=psycopg.adapters.types)
    adapters.register_loader(0, TextLoader)
    return adapters


class PostgresEngine(Engine):
    """One session."""

    def __init__(self, workspace: Workspace, within_s: float = CONNECT_S) -> None:
        super().__init__(workspace, within_s)
        self._connection = _connect(workspace, self.within_s)
        account = self.ask(
            "SELECT rolsuper, current_setting('server_version_num')::int FROM pg_catalog.pg_roles "
            "WHERE rolname = current_user"
        )
        superuser, version = account[0] if account else ("f", "0")
        self.superuser = superuser == "t"
        self._version = int(version)
        self._preamble = self._make_preamble()
        found = self.ask(
            "SELECT oid, typelem FROM pg_catalog.pg_type WHERE typcategory = 'A' AND oid >= 16384"
        )
        self._arrays = {int(oid): int(element) for oid, element in found}

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._connection.cursor() as cursor:
                return list(cursor.stream(cast("LiteralString", sql), parameters or None))
        except psycopg.Error as error:
            raise _fault(error) from error

    def _make_preamble(self) -> str:
        statements: list[str] = []
        if self._version >= 140000:
            statements.append("SET LOCAL client_connection_check_interval = '1s'")
        if self.superuser:
            statements.append("SET LOCAL temp_file_limit = '4GB'")
        status = self._connection.info.parameter_status
        statements += [
            f"SET LOCAL {name} = '{value}'"
            for name, value in _STATED
            if not (status(name) or "").startswith(value)
        ]
        path = _search_path(self.workspace)
        if path:
            statements.append(f"SET LOCAL search_path = {path}")
        # a query of our own: after one, the transaction cannot be made READ WRITE any more
        return "; ".join([*statements, "SELECT 1"])

    def _rights(self, sql: str) -> str:
        """The account that `sql` runs as."""
        if not self.superuser or self._version < 140000:
            return ""
        if "information_schema" in sql.lower() and not _search_path(self.workspace):
            schemas = frozenset(str(name).lower() for (name,) in self.ask(_SCHEMAS))
            if asks_information_schema_alone(sql, schemas):
                return f"; {OWN_RIGHTS}"
        # that role is held to row security: an error is better than rows that are silently missing
        return "; SET LOCAL ROLE pg_read_all_data; SET LOCAL row_security = off"

    @contextmanager
    def execute(self, sql: str, *, timeout_s: float, cancel: Cancel, bulk: bool = False) -> Generator[Source]:
        limit = Limit(timeout_s, cancel)
        connection = self._connection
        self._interrupted: float | None = None
        milliseconds = max(int(timeout_s * 1000) + 500, 1)
        limits = f"SET LOCAL statement_timeout = {milliseconds}; {self._preamble}"
        with limit.interrupting(self._interrupt):
            try:
                begin = f"BEGIN READ ONLY; {limits}{self._rights(sql)}"
                connection.execute(cast("LiteralString", begin))
                way = self._copied if bulk and can_copy(sql) else self._streamed
                with way(sql, limit) as source:
                    yield source
                connection.execute("ROLLBACK")
                connection.execute("DISCARD ALL")
            except psycopg.Error as error:
                self.doubtful = True
                raise limit.fault() or _fault(error, timeout_s, sql) from error

    @contextmanager
    def _streamed(self, sql: str, limit: Limit) -> Generator[Source]:
        with self._connection.cursor() as cursor:
            stream: Any = cursor.stream(cast("LiteralString", sql), size=CHUNK)
            try:
                yield PostgresSource(self._connection, sql, cursor, stream, self._arrays, limit)
            finally:
                stream.close()

    @contextmanager
    def _copied(self, sql: str, limit: Limit) -> Generator[Source]:
        described = _described(self._connection, sql)
        if not described:
            raise Fault(Code.REFUSED, NO_COLUMNS)
        kinds = [kind_of(c.type_code, c.precision, c.scale, self._arrays) for c in described]
        if self._version < SHORTEST_FLOATS:
            kinds = [replace(kind, text=None) for kind in kinds]
        schema = rows.schema_of([column.name for column in described], kinds)
        copying = cast("LiteralString", copy_statement(sql))
        with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
            yield CopySource(self._connection, copy, schema, kinds, limit)

    def _interrupt(self) -> None:
        now = time.monotonic()
        self._interrupted = self._interrupted or now
        if now - self._interrupted > STUBBORN_S:
            self._cut_off()
            return
        try:
            self._connection.cancel_safe(timeout=1.0)
        except psycopg.Error:
            # the server cannot be told
            self._cut_off()

    def _cut_off(self) -> None:
        """Ends the connection below the thread that reads it, which closing it there would not do."""
        try:
            with socket.socket(fileno=os.dup(self._connection.fileno())) as shared:
                shared.shutdown(socket.SHUT_RDWR)
        except (psycopg.Error, OSError):
            # it ended by itself in the meantime
            return

    @property
    def current(self) -> bool:
        return not self.doubtful and not self._connection.closed and not self._connection.broken

    def close(self) -> None:
        self._connection.close()

    def checks(self) -> list[tuple[str, bool, str]]:
        superuser = self.superuser
        owned = self.ask(f"{_TABLES} AND pg_catalog.pg_has_role(c.relowner, 'USAGE') LIMIT 1")
        writes = bool(self.ask(_WRITABLE)) or bool(self.ask(_CREATES))
        served = self.ask(_POWERS)
        return [
            (
                "role_is_no_superuser",
                not superuser,
                "the role is a superuser; give the workspace one with SELECT only"
                if superuser
                else "the role is no superuser",
            ),
            (
                "role_owns_nothing",
                superuser or not owned,
                f"the role owns {owned[0][0]}; an owner may always write"
                if owned and not superuser
                else "the role owns no table",
            ),
            (
                "role_reads_only",
                not writes,
                "the role may write or create tables; grant it SELECT only"
                if writes
                else "the role may only read",
            ),
            (
                "role_keeps_to_tables",
                superuser or not served,
                f"the role is a member of {served[0][0]}, which reaches beyond tables; take that away"
                if served and not superuser
                else "the role reaches no files, programs or other sessions",
            ),
        ]

    def view_definition(self, schema: str, name: str) -> str | None:
        found = self.ask(
            "SELECT pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.relkind IN ('v','m') AND c.relname = %s AND (n.nspname = %s OR %s = '')",
            (name, schema, schema),
        )
        return str(found[0][0]).rstrip("; \n") if found else None


def _search_path(workspace: Workspace) -> str:
    """With an allow list, names without a schema are looked up in the allowed schemas and nowhere else."""
    allow = workspace.allow
    if allow.schemas is None and allow.tables == ("*",) and not allow.deny_columns:
        return ""
    plain = [schema for schema in allow.schemas or ("public",) if not set("*?[") & set(schema)]
    return ", ".join('"' + schema.replace('"', '""') + '"' for schema in plain) or "pg_catalog"


def _connect(workspace: Workspace, within_s: float) -> psycopg.Connection[tuple[Any, ...]]:
    url = workspace.connection.resolve().url or ""
    try:
        return psycopg.connect(
            url,
            autocommit=True,
            connect_timeout=int(within_s),
            options=_OPTIONS,
            application_name="thothii",
            client_encoding="UTF8",
            prepare_threshold=None,
            context=_Context(_text_only()),
        )
    except psycopg.Error as error:
        raise Fault(Code.DATABASE_UNAVAILABLE, _why_not(str(error))) from error


class _Context:
    """What psycopg takes adapters from."""

    def __init__(self, adapters: AdaptersMap) -> None:
        self.adapters = adapters
        self.connection = None


def _why_not(text: str) -> str:
    """The reason of a failed connection without host, account or database."""
    # what stands in quotes is the workspace's own: a host, a database, a role
    lowered = re.sub(r'"[^"\n]*"', "", text).lower()
    for mark, reason in (
        ("password", "the server refused the account; check user and password in connection.url"),
        (
            "authentication failed",
            "the server refused the account; check user and password in connection.url",
        ),
        ("no pg_hba.conf entry", "the server does not let this account in from here"),
        ("does not exist", "the server has no such database or role; check connection.url"),
        ("too many", "the server takes no more connections; try again"),
        ("ssl", "the server and the client agree on no SSL; check sslmode in connection.url"),
        ("invalid", "connection.url cannot be read; write postgresql://user:${PASSWORD}@host/database"),
    ):
        if mark in lowered:
            return reason
    return "the server cannot be reached; check host and port in connection.url"


_REDACTED_CLASSES = ("22", "23", "P0", "XX")
"""SQLSTATE classes whose messages quote values of rows."""


def _fault(error: psycopg.Error, timeout_s: float = 0, sql: str | None = None) -> Fault:
    state = error.sqlstate or ""
    primary = error.diag.message_primary or str(error)
    line = safe_line(primary, state[:2] in _REDACTED_CLASSES, sql)
    if state == "57014":
        return Fault(Code.TIMEOUT, f"the statement took longer than {timeout_s:g} s and was stopped")
    if state == "25006":
        return Fault(Code.REFUSED, f"the engine does not allow this: {line}")
    if state in ("53200", "53400", "54000", "54001", "57P05"):
        return over_cap(f"the statement exceeds a limit of the server: {line}")
    if state == "55P03":
        return Fault(Code.DATABASE_UNAVAILABLE, "a table is locked by somebody else; try again")
    if not state or state[:2] in ("08", "57"):
        return Fault(Code.DATABASE_UNAVAILABLE, "the connection to the database was lost; try again")
    place = error.diag.statement_position
    where = f" (at character {place})" if place else ""
    return database_error(f"{line}{where} [{state}]", sqlstate=state)


class PostgresSource(Source):
    """A running query, its rows as text."""

    def __init__(
        self,
        connection: Any,
        sql: str,
        cursor: psycopg.Cursor[Any],
        stream: Generator[tuple[Any, ...]],
        arrays: dict[int, int],
        limit: Limit,
    ) -> None:
        self._limit = limit
        self._stream = stream
        self._first = next(stream, None)
        described = (cursor.description or []) if self._first is not None else _described(connection, sql)
        if not described:
            raise Fault(Code.REFUSED, NO_COLUMNS)
        self._kinds = [
            kind_of(column.type_code, column.precision, column.scale, arrays) for column in described
        ]
        self._schema = rows.schema_of([column.name for column in described], self._kinds)

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        if self._first is not None:
            yield self._first
            yield from self._stream

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        yield from rows.batches(self._rows(), self._schema, self._kinds, size, self._limit)


def _described(connection: Any, sql: str) -> list[psycopg.Column]:
    """The columns of a statement that gave no row: the driver's stream does not tell them then."""
    raw = connection.pgconn
    prepared = raw.prepare(b"", sql.encode())
    described = raw.describe_prepared(b"")
    for result in (prepared, described):
        raise_for(result)
    cursor = connection.cursor()
    cursor.pgresult = described
    return [psycopg.Column(cursor, index) for index in range(described.nfields)]
