"""ClickHouse's HTTP interface: POST of the statement, FORMAT JSONCompact read line by line.

Every statement runs with readonly=1 and a limit of time, set together in the address, so that no SETTINGS
clause can lift them; where the account has a readonly profile its own settings stay. A statement is ended by
KILL QUERY. Settings that a server does not know are not sent.
"""

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast
from urllib.parse import urlencode

from contracts.errors import Code, Fault
from tht.sql.engines.rest.adapter import Adapter, Check, Result, Statement
from tht.sql.engines.rest.clickhouse_types import Exact, kind_of
from tht.sql.engines.rest.http_client import Answer, HttpClient, parsed, unavailable
from tht.sql.engines.rest.own import WAIT_S, status_fault
from tht.sql.messages import database_error, over_cap

_SETTINGS = {
    "session_timezone": "UTC",
    "date_time_output_format": "iso",
    "output_format_json_quote_64bit_integers": "1",
    "output_format_json_quote_decimals": "1",
    "output_format_json_quote_denormals": "1",
    "output_format_decimal_trailing_zeros": "1",
    "output_format_json_named_tuples_as_objects": "1",
    "output_format_json_validate_utf8": "1",
    "cancel_http_readonly_queries_on_client_close": "1",
    "timeout_overflow_mode": "throw",
    "enable_http_compression": "0",
}
"""How answers are written, sent as far as the server knows them."""

_CODE = re.compile(r"Code: (\d+)[.,]")
_MESSAGE = re.compile(r"DB::Exception: (.*?)(?:, e\.what\(\)| \(version |$)", re.DOTALL)
_NAMES_ONLY = {46, 47, 60, 62, 81, 115}
"""Errors whose messages quote names of the statement, never values of rows."""
_GRANT = re.compile(r"GRANT (.+?) ON ")


class ClickhouseAdapter(Adapter):
    """A ClickHouse server, one database of it by default."""

    _known: frozenset[str] | None = None
    _readonly = 0

    def _headers(self) -> dict[str, str]:
        target = self.client.target
        if target.token:
            return target.authorization()
        names = {"X-ClickHouse-User": target.user, "X-ClickHouse-Key": target.password}
        return {name: text for name, text in names.items() if text}

    def _post(self, client: HttpClient, sql: str, query: dict[str, str], wait_s: float) -> Answer:
        database = self.options.get("database")
        parts = {"default_format": "JSONCompact", **({"database": database} if database else {}), **query}
        address = f"{client.target.path}/?{urlencode(parts)}"
        return client.ask("POST", address, body=sql.encode(), headers=self._headers(), wait_s=wait_s)

    def _learn(self) -> None:
        """Asks once which of the settings the server knows, and how free the account is to set them."""
        if self._known is not None:
            return
        names = ", ".join(f"'{name}'" for name in ("readonly", *_SETTINGS))
        answer = self._post(
            self.client, f"SELECT name, value FROM system.settings WHERE name IN ({names})", {}, WAIT_S
        )
        if answer.status != 200:
            raise self._error(answer)
        found = {str(name): str(value) for name, value in _Reader(self, answer, False).result().rows}
        if "readonly" not in found:
            raise unavailable("the endpoint is no ClickHouse; check connection.url and adapter")
        self._readonly = int(found["readonly"])
        self._known = frozenset(found) - {"readonly"}

    def _settings(self, statement: Statement) -> dict[str, str]:
        assert self._known is not None
        if self._readonly == 1:
            return {}
        told = {name: value for name, value in _SETTINGS.items() if name in self._known}
        told["max_execution_time"] = str(max(1, math.ceil(statement.timeout_s)))
        if self._readonly == 0:
            told["readonly"] = "1"
        return told

    def run(self, statement: Statement) -> Result:
        self._learn()
        settings = self._settings(statement)
        query = {"query_id": statement.id, **settings}
        answer = self._post(self.client, statement.sql, query, statement.timeout_s + WAIT_S)
        if answer.status != 200:
            raise self._error(answer)
        result = _Reader(self, answer, settings.get("date_time_output_format") == "iso").result()
        if self._readonly == 1:
            result.remarks.append("the account may not say how numbers are written: NaN may come as NULL")
        return result

    def stop(self, statement: Statement) -> None:
        client = HttpClient(self.client.target)
        try:
            self._post(client, f"KILL QUERY WHERE query_id = '{statement.id}' ASYNC", {}, 2.0).error_text()
        except (Fault, OSError, ValueError):
            # it ended by itself, or the account may not: its limit of time ends it then
            return
        finally:
            client.close()

    def _error(self, answer: Answer) -> Fault:
        text = answer.error_text().decode("utf-8", "replace")
        return self.fault(text) if _CODE.search(text) else status_fault(answer.status, "")

    def fault(self, text: str) -> Fault:
        """The fault of an exception's text."""
        match, told = _CODE.search(text), _MESSAGE.search(text)
        code = int(match[1]) if match else 0
        line = self.client.safe(told[1] if told else text, redact=code not in _NAMES_ONLY)
        if code in (159, 160):
            return Fault(Code.TIMEOUT, "ClickHouse stopped the statement at its limit of time")
        if code == 394:
            return Fault(Code.CANCELLED, "the statement was ended by KILL QUERY")
        if code in (164, 446):
            return Fault(Code.REFUSED, f"the engine does not allow this: {line}")
        if code in (192, 193, 194, 516):
            return unavailable("the endpoint refused the account; check user and password in connection")
        if code in (81,):
            return unavailable("the server has no such database; check connection.database")
        if code in (158, 241, 307, 396):
            return over_cap(f"the statement exceeds a limit of the server: {line}")
        if code in (202, 209, 210, 242, 279):
            return unavailable("the server is busy or cannot reach its own; try again")
        return database_error(f"{line} [{code}]", error_code=code)

    def checks(self) -> list[Check]:
        self._learn()
        if self._readonly:
            return [("role_reads_only", True, "the account's profile is readonly")]
        reads = self._may_only_select()
        message = (
            "the account may only read"
            if reads
            else "the account may write, or cannot tell; grant it SELECT only, or a profile with readonly = 2"
        )
        return [("role_reads_only", reads, message)]

    def _may_only_select(self) -> bool:
        answer = self._post(self.client, "SHOW GRANTS", {}, WAIT_S)
        if answer.status != 200:
            answer.error_text()
            return False
        lines = [str(row[0]) for row in _Reader(self, answer, False).result().rows]
        grants = [_GRANT.match(line) for line in lines]
        privileges = [word for grant in grants if grant for word in _privileges(grant[1])]
        return (
            bool(lines) and all(grants) and not [one for one in privileges if one not in ("SELECT", "SHOW")]
        )


def _privileges(text: str) -> list[str]:
    """The first word of each privilege in `SELECT(a, b), SHOW TABLES`."""
    return [part.strip().split(" ")[0] for part in re.sub(r"\([^)]*\)", "", text).split(",")]


class _Reader:
    """JSONCompact is written in a fixed order, one row a line: meta, data, then how many rows there were."""

    def __init__(self, adapter: ClickhouseAdapter, answer: Answer, in_utc: bool) -> None:
        self._adapter = adapter
        self._lines = (line.strip() for line in answer.lines())
        self._in_utc = in_utc

    def result(self) -> Result:
        """The columns at once, the rows as they come."""
        head = bytearray()
        for line in self._lines:
            if line == b'"data":':
                break
            if line.startswith(b"Code: "):
                raise self._broken_off(line)
            head += line
        else:
            raise self._malformed()
        document = parsed(bytes(head).rstrip(b",") + b"}")
        meta = cast("list[dict[str, str]]", document["meta"])
        names = [column["name"] for column in meta]
        kinds = [kind_of(column["type"], self._in_utc) for column in meta]
        result = Result(names, kinds, iter(()))
        result.rows = self._rows(result)
        return result

    def _rows(self, result: Result) -> Iterator[list[Any]]:
        count = 0
        if next(self._lines, b"") != b"[":
            raise self._malformed()
        for line in self._lines:
            if line in (b"]", b"],"):
                break
            if not line:
                continue
            if line[:1] != b"[":
                raise self._broken_off(line)
            count += 1
            yield _cells(line.rstrip(b","))
        self._tail(result, count)

    def _tail(self, result: Result, count: int) -> None:
        told, last = -1, b""
        for line in self._lines:
            if line.startswith(b'"rows":'):
                told = int(line[7:].strip(b" ,"))
            elif line.startswith((b'"exception":', b"Code: ", b"__exception__")):
                raise self._broken_off(line)
            elif line.startswith(b'"totals":'):
                result.remarks.append("the row of WITH TOTALS is not shown; use WITH ROLLUP")
            last = line or last
        if told != count or last != b"}":
            raise unavailable("the endpoint's answer ended before its last row; try again")

    def _broken_off(self, line: bytes) -> Fault:
        """What an exception in the middle of the rows says; the server writes it where it stands."""
        text = b"\n".join([line, *islice(self._lines, 10)]).decode("utf-8", "replace")
        return self._adapter.fault(text) if _CODE.search(text) else self._malformed()

    def _malformed(self) -> Fault:
        return unavailable("the endpoint's answer is not ClickHouse's; check connection.url and adapter")


def _cells(line: bytes) -> list[Any]:
    try:
        row: Any = json.loads(line.decode("utf-8", "replace"), parse_float=Exact)
    except (ValueError, RecursionError) as error:
        raise unavailable("the endpoint's answer holds a row that cannot be read") from error
    return cast("list[Any]", row)
