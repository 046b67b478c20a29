"""MariaDB and MySQL: a session that is READ ONLY, one statement a call, rows unbuffered, KILL by a second
connection.

START TRANSACTION READ ONLY would be the wrong tool: every DDL commits it and runs (measured on MariaDB
10.11).
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa
import pymysql
from pymysql.constants import FIELD_TYPE, FLAG
from pymysql.cursors import SSCursor

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.engines import server_rows as rows
from tht.sql.engines.base import CONNECT_S, Engine, Limit, Source
from tht.sql.engines.server_rows import Kind
from tht.sql.messages import database_error, over_cap, safe_line
from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.workspaces import Workspace

SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
"""Stated, so that the guard and the server agree on what a quote and a backslash are."""

_BINARY = 63
"""Collation of bytes."""

_GRANT = re.compile(r"GRANT (.+?) ON (?:TABLE )?(`(?:[^`]|``)*`|\*)\.(?:`(?:[^`]|``)*`|\*) TO (\S+)")


class MariadbEngine(Engine):
    """One session."""

    def __init__(self, workspace: Workspace, within_s: float = CONNECT_S) -> None:
        super().__init__(workspace, within_s)
        self._connection: Any = _connect(workspace, self.within_s)
        try:
            self._is_mariadb = "mariadb" in str(self._connection.get_server_info()).lower()
            for statement in (
                "SET SESSION TRANSACTION READ ONLY",
                f"SET SESSION sql_mode = '{SQL_MODE}'",
                "SET SESSION lock_wait_timeout = 5",
                "SET SESSION time_zone = '+00:00'",
            ):
                self.ask(statement)
        except pymysql.Error as error:
            raise _fault(error) from error

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql, tuple(parameters) or None)
            return list(cursor.fetchall())

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
        if cancel.told is not None:
            cancel.told(int(self._connection.thread_id()))
        with limit.interrupting(self._kill):
            try:
                self.ask(self._server_limit(timeout_s))
                cursor = SSCursor(self._connection)
                cursor.execute(sql)
                source = MariadbSource(self, cursor, limit)
                try:
                    yield source
                finally:
                    if not source.ended:
                        self.doubtful = True
                        source.abandon()
                        self._kill()
            except (pymysql.Error, OSError, ValueError) as error:
                self.doubtful = True
                raise limit.fault() or _fault(error, timeout_s) from error
            if ":=" in sql:
                self.doubtful = True

    def _server_limit(self, timeout_s: float) -> str:
        if self._is_mariadb:
            return f"SET SESSION max_statement_time = {timeout_s + 0.5:.3f}"
        return f"SET SESSION max_execution_time = {int(timeout_s * 1000) + 500}"

    def _kill(self) -> None:
        try:
            second = _connect(self.workspace, self.within_s)
        except Fault:
            return
        try:
            with second.cursor() as cursor:
                cursor.execute(f"KILL {int(self._connection.thread_id())}")
        except pymysql.Error:
            # it ended by itself in the meantime
            return
        finally:
            second.close()

    def end(self, connection: int) -> None:
        # The server counts its connections up, so the number means no other one.
        with suppress(pymysql.Error):
            self.ask(f"KILL {connection:d}")

    @property
    def current(self) -> bool:
        if self.doubtful or not self._connection.open:
            return False
        try:
            self._connection.ping(reconnect=False)
        except (pymysql.Error, OSError):
            return False
        return True

    def close(self) -> None:
        # without reading what is still to come
        self._connection._force_close()

    def warnings(self) -> list[str]:
        """What the server remarked on the last statement; texts in quotes may be values and are left out."""
        return [safe_line(f"{row[2]}", redact=True) for row in self.ask("SHOW WARNINGS") if row[0] != "Note"][
            :10
        ]

    def _privileges(self) -> set[str]:
        """What the account may do, wherever: a statement can name any database. What PUBLIC may do counts in
        the connection's own: a new MariaDB gives it all of `test`."""
        here = str(self.ask("SELECT DATABASE()")[0][0] or "")
        found: set[str] = set()
        for (line,) in self.ask("SHOW GRANTS"):
            match = _GRANT.match(str(line))
            if match is None:
                continue
            place = match[2].strip("`").replace("\\_", "_").replace("%", "*")
            if match[3] != "PUBLIC" or place == "*" or fnmatchcase(here, place):
                # INSERT (a, b) is a right on columns
                given = re.sub(r"\([^)]*\)", "", match[1])
                found |= {privilege.strip().upper() for privilege in given.split(",")}
        return found

    def checks(self) -> list[tuple[str, bool, str]]:
        privileges = self._privileges()
        everything = "ALL PRIVILEGES" in privileges or "SUPER" in privileges
        writes = everything or privileges & {
            "INSERT",
            "UPDATE",
            "DELETE",
            "CREATE",
            "DROP",
            "ALTER",
            "INDEX",
            "TRIGGER",
        }
        files = everything or privileges & {"FILE", "PROCESS", "SHUTDOWN", "RELOAD"}
        return [
            (
                "role_is_no_superuser",
                not everything,
                "the account has all privileges; give the workspace one with SELECT only"
                if everything
                else "the account is no administrator",
            ),
            (
                "role_reads_only",
                not writes and not files,
                "the account may write, or touch files or other sessions; grant it SELECT only"
                if writes or files
                else "the account may only read",
            ),
        ]

    def view_definition(self, schema: str, name: str) -> str | None:
        found = self.ask(
            "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME = %s "
            "AND TABLE_SCHEMA = IF(%s = '', DATABASE(), %s)",
            (name, schema, schema),
        )
        return str(found[0][0]) if found else None


def _connect(workspace: Workspace, within_s: float) -> Any:
    url = urlsplit(workspace.connection.resolve().url or "")
    query = parse_qs(url.query)
    try:
        connection: Any = pymysql.connect(
            host=url.hostname or "127.0.0.1",
            port=url.port or 3306,
            user=unquote(url.username or ""),
            password=unquote(url.password or ""),
            database=unquote(url.path.strip("/")) or None,
            unix_socket=query.get("unix_socket", [None])[0],
            charset="utf8mb4",
            autocommit=True,
            local_infile=False,
            connect_timeout=within_s,
            read_timeout=within_s,
            conv={},
            ssl={"ca": query["ssl_ca"][0]} if "ssl_ca" in query else None,
            program_name="thothii",
        )
    except (pymysql.Error, OSError, ValueError) as error:
        raise Fault(Code.DATABASE_UNAVAILABLE, _why_not(error)) from error
    # the driver's limit of connecting leaves out the greeting; a statement has its own limit
    connection._read_timeout = None
    return connection


def _why_not(error: Exception) -> str:
    """The reason of a failed connection without host, account or database."""
    code = error.args[0] if error.args else None
    if code in (1044, 1045, 1698):
        return "the server refused the account; check user and password in connection.url"
    if code == 1049:
        return "the server has no such database; check connection.url"
    if code in (1040, 1203):
        return "the server takes no more connections; try again"
    return "the server cannot be reached; check host and port in connection.url"


_VALUES_IN_MESSAGE = {1062, 1105, 1292, 1366, 1367, 1411, 1525, 1690, 1772, 3140, 3141, 4037, 4038}
"""Errors whose messages quote values of rows; 1105 is what EXTRACTVALUE says of an XPath made of them."""


def _fault(error: Exception, timeout_s: float = 0) -> Fault:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    text = str(error.args[1]) if len(error.args) > 1 else type(error).__name__
    line = safe_line(text, redact=code in _VALUES_IN_MESSAGE)
    if code in (1969, 3024):
        return Fault(Code.TIMEOUT, f"the statement took longer than {timeout_s:g} s and was stopped")
    if code in (1792, 1290):
        return Fault(Code.REFUSED, f"the engine does not allow this: {line}")
    if code in (1038, 1041, 1114, 1153, 1436):
        return over_cap(f"the statement exceeds a limit of the server: {line}")
    if code in (1205, 1213):
        return Fault(Code.DATABASE_UNAVAILABLE, "a table is locked by somebody else; try again")
    if not code or 2000 <= code < 2100 or code in (1053, 1317, 1927):
        return Fault(Code.DATABASE_UNAVAILABLE, "the connection to the database was lost; try again")
    return database_error(f"{line} [{code}]", error_code=code)


class MariadbSource(Source):
    """A running query, its rows as text and unbuffered."""

    def __init__(self, engine: MariadbEngine, cursor: SSCursor, limit: Limit) -> None:
        self._engine = engine
        self._cursor: Any = cursor
        self._limit = limit
        self._remarks = 0
        self.ended = False
        result: Any = cast("Any", cursor)._result
        if not cursor.description:
            self.ended = True
            raise Fault(Code.REFUSED, "the statement gives no rows")
        fields: list[Any] = result.fields
        self._kinds = [_kind(found) for found in fields]
        for index, kind in enumerate(self._kinds):
            if kind.read is _texts:
                # as bytes: the driver would fail on a text that is no UTF-8, such as half a surrogate pair
                result.converters[index] = (None, None)
        self._schema = rows.schema_of([str(column[0]) for column in cursor.description], self._kinds)

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        result = self._cursor._result
        while (row := self._cursor.fetchone()) is not None:
            yield row
        self.ended = True
        self._remarks = int(result.warning_count)

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        yield from rows.batches(self._rows(), self._schema, self._kinds, size, self._limit)

    def abandon(self) -> None:
        """Leaves the rest unread; the driver would read it when the cursor is closed or forgotten."""
        self._cursor._result.unbuffered_active = False
        self._cursor.connection = None

    def warnings(self) -> list[str]:
        # a statement without tables leaves the remarks on the one before in place
        return self._engine.warnings() if self.ended and self._remarks else []


def _texts(values: rows.Values) -> Array:
    """Texts that come as bytes; what is no UTF-8 is replaced."""
    try:
        return pa.array(values, pa.string())
    except pa.ArrowInvalid:
        return pa.array([None if v is None else v.decode("utf-8", "replace") for v in values], pa.string())


_TEXT = Kind("text", pa.string(), _texts)
_KINDS: dict[int, Kind] = {
    FIELD_TYPE.TINY: rows.INTEGER,
    FIELD_TYPE.SHORT: rows.INTEGER,
    FIELD_TYPE.LONG: rows.INTEGER,
    FIELD_TYPE.INT24: rows.INTEGER,
    FIELD_TYPE.YEAR: rows.INTEGER,
    FIELD_TYPE.FLOAT: rows.FLOAT32,
    FIELD_TYPE.DOUBLE: rows.FLOAT64,
    FIELD_TYPE.DATE: rows.DATE,
    FIELD_TYPE.NEWDATE: rows.DATE,
    FIELD_TYPE.TIME: rows.TIME,
    FIELD_TYPE.DATETIME: rows.TIMESTAMP,
    FIELD_TYPE.TIMESTAMP: rows.TIMESTAMP,
    FIELD_TYPE.JSON: Kind("json", pa.string(), _texts),
}


def _kind(found: Any) -> Kind:
    """The kind of a column from what the server says of it."""
    code = found.type_code
    if code == FIELD_TYPE.LONGLONG:
        return rows.UNSIGNED if found.flags & FLAG.UNSIGNED else rows.BIGINT
    if code in (FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL):
        scale = found.scale
        unsigned = bool(found.flags & FLAG.UNSIGNED)
        kind = rows.decimal(found.length - (scale > 0) - (not unsigned), scale)
        return replace(kind, read=_unfilled) if found.flags & FLAG.ZEROFILL else kind
    if code == FIELD_TYPE.BIT:
        return _bits(found.length)
    known = _KINDS.get(code)
    if known is not None:
        return known
    if code == FIELD_TYPE.GEOMETRY or (found.charsetnr == _BINARY and code != FIELD_TYPE.NULL):
        return rows.BYTES
    return _TEXT


def _unfilled(values: rows.Values) -> Array:
    """Digits without the zeros that ZEROFILL puts in front."""
    return pc.replace_substring_regex(rows.strings(values), r"^0+(\d)", r"\1")


def _bits(length: int) -> Kind:
    def text(value: bytes) -> str:
        return f"{int.from_bytes(value, 'big'):0{length}b}"

    return Kind("bit", pa.string(), rows.each(text, pa.string()))
