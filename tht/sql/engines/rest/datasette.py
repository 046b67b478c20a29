"""Datasette's JSON API (measured on Datasette 0.65): GET of DATABASE.json with the statement in the
address.

Datasette opens its databases read-only, gives at most `max_returned_rows` rows (1,000 unless set) and says
so, and stops a statement after `sql_time_limit_ms` (1 s unless set).
"""

import base64
import json
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlencode

from contracts.errors import Code, Fault
from tht.sql.engines.rest.adapter import Adapter, Check, Result, Statement
from tht.sql.engines.rest.http_client import Answer, unavailable
from tht.sql.engines.rest.own import WAIT_S, status_fault
from tht.sql.guard.lexer import scan
from tht.sql.messages import database_error

ADDRESS_CAP = 60_000
"""Bytes of an address; the server behind Datasette takes 64 KiB with the headers."""


class DatasetteAdapter(Adapter):
    """One database of a Datasette."""

    def run(self, statement: Statement) -> Result:
        _refuse_parameters(statement.sql)
        query = urlencode(
            {
                "sql": statement.sql,
                "_shape": "arrays",
                # without it an infinity comes as NULL
                "_json_infinity": "on",
                "_timelimit": max(1, int(statement.timeout_s * 1000)),
            }
        )
        address = f"{self._database()}.json?{query}"
        if len(address) > ADDRESS_CAP:
            raise Fault(Code.TOO_LARGE, "the statement is longer than an address of Datasette may be")
        wait_s = statement.timeout_s + WAIT_S
        answer = self.client.ask("GET", address, headers=self.client.target.authorization(), wait_s=wait_s)
        if answer.status != 200:
            raise self._error(answer)
        document = answer.document()
        if not isinstance(document, dict):
            raise _no_datasette()
        return self._result(cast("dict[str, Any]", document))

    def _database(self) -> str:
        path = self.client.target.path.removesuffix(".json")
        if not path:
            message = "connection.url must name the database too, as in http://HOST/DATABASE"
            raise Fault(Code.WORKSPACE_BROKEN, message)
        return path

    def _result(self, document: dict[str, Any]) -> Result:
        columns, rows = document.get("columns"), document.get("rows")
        if not isinstance(columns, list) or not isinstance(rows, list):
            raise _no_datasette()
        names = [str(name) for name in cast("list[Any]", columns)]
        result = Result(names, None, _cells(cast("list[list[Any]]", rows)))
        result.cut = document.get("truncated") is True
        if result.cut:
            count = len(cast("list[Any]", rows))
            result.remarks.append(
                f"Datasette gives no more than {count} rows of a result (its setting max_returned_rows)"
            )
        return result

    def _error(self, answer: Answer) -> Fault:
        try:
            document: Any = json.loads(answer.error_text().decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            document = None
        told = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
        if answer.status != 400:
            return status_fault(answer.status, "")
        if told.get("title") == "SQL Interrupted":
            return Fault(
                Code.TIMEOUT,
                "Datasette stopped the statement at its limit of time (its setting sql_time_limit_ms, or the "
                "workspace's if that is less)",
            )
        return database_error(self.client.safe(str(told.get("error") or "")))

    def checks(self) -> list[Check]:
        address = f"{self._database()}.json?{urlencode({'sql': 'select 1', '_shape': 'arrays'})}"
        answer = self.client.ask("GET", address, headers=self.client.target.authorization())
        if answer.status != 200:
            raise self._error(answer)
        document = answer.document()
        if not isinstance(document, dict) or cast("dict[str, Any]", document).get("rows") != [[1]]:
            raise _no_datasette()
        return [("role_reads_only", True, "Datasette opens its databases read-only")]


def _cells(rows: list[list[Any]]) -> Iterator[list[Any]]:
    for row in rows:
        yield [_cell(value) for value in row]


def _cell(value: Any) -> Any:
    """A cell of SQLite: Datasette writes a BLOB as {"$base64": true, "encoded": ".."}."""
    if isinstance(value, dict):
        blob = cast("dict[str, Any]", value)
        if blob.get("$base64") is not True:
            raise _no_datasette()
        return base64.b64decode(str(blob.get("encoded")), validate=True)
    return value


def _refuse_parameters(sql: str) -> None:
    """Datasette takes `:name` for an empty text when the address does not say it; SQLite itself refuses."""
    for piece in scan(sql, "sqlite"):
        if piece.kind == "operator" and set(piece.text) & set(":?@$"):
            raise database_error("the statement holds a parameter (? or :name), and there is no value for it")


def _no_datasette() -> Fault:
    return unavailable("the endpoint's answer is not Datasette's; check connection.url and adapter")
