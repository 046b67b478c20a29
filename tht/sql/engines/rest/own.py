"""ThothII's own contract, which docs/sql.md describes: POST of a statement, columns and rows as JSON."""

import json
from collections.abc import Iterator
from typing import Any, cast

from contracts.errors import Code, Fault
from tht.sql.engines.rest.adapter import Adapter, Check, Result, Statement
from tht.sql.engines.rest.http_client import Answer, parsed, unavailable
from tht.sql.engines.rest.json_rows import logical_kind
from tht.sql.messages import database_error

CONTRACT = "thothii-sql/1"
WAIT_S = 5.0
"""Seconds that an endpoint may be silent longer than the statement may run."""
_STREAMED = "application/x-ndjson"
_CODES = {
    code.value: code
    for code in (Code.REFUSED, Code.TIMEOUT, Code.OVER_CAP, Code.DATABASE_ERROR, Code.DATABASE_UNAVAILABLE)
}
"""What an endpoint may call its errors."""


class OwnAdapter(Adapter):
    """An endpoint made for ThothII."""

    def run(self, statement: Statement) -> Result:
        document = {
            "sql": statement.sql,
            "dialect": self.workspace.dialect,
            "limit": statement.rows,
            "timeout_s": statement.timeout_s,
            "query_id": statement.id,
        }
        answer = self.client.ask(
            "POST",
            self.client.target.path or "/",
            body=json.dumps(document).encode(),
            headers=self._headers({"Content-Type": "application/json"}),
            wait_s=statement.timeout_s + WAIT_S,
        )
        if answer.status != 200:
            raise self._error(answer)
        if answer.kind == _STREAMED:
            return self._streamed(answer, statement)
        return self._whole(answer, statement)

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        accept = {"Accept": f"{_STREAMED}, application/json"}
        return {**accept, **self.client.target.authorization(), **more}

    def _whole(self, answer: Answer, statement: Statement) -> Result:
        document = answer.document()
        if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
            raise _malformed()
        found = cast("dict[str, Any]", document)
        result = self._head(found, iter([_row(row) for row in found["rows"]]))
        self._tail(found, result, len(found["rows"]) == statement.rows)
        return result

    def _streamed(self, answer: Answer, statement: Statement) -> Result:
        lines = answer.lines()
        head = parsed(next(lines, b""))
        self._raise_if_error(head)
        result = self._head(head, iter(()))
        result.rows = self._rows(lines, result, statement.rows)
        return result

    def _rows(self, lines: Iterator[bytes], result: Result, asked: int | None) -> Iterator[list[Any]]:
        count = 0
        for line in lines:
            if line[:1] == b"[":
                count += 1
                yield _row(parsed(line))
                continue
            last = parsed(line)
            self._raise_if_error(last)
            if not isinstance(last, dict) or cast("dict[str, Any]", last).get("end") is not True:
                raise _malformed()
            self._tail(cast("dict[str, Any]", last), result, count == asked)
            for _ in lines:
                raise _malformed()
            return
        raise unavailable("the endpoint's answer ended before its last line; try again")

    def _head(self, document: Any, rows: Iterator[list[Any]]) -> Result:
        told = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
        columns: Any = told.get("columns")
        if not isinstance(columns, list) or not columns:
            raise _malformed()
        names: list[str] = []
        types: list[str] = []
        for column in cast("list[Any]", columns):
            name, type_ = column["name"], column.get("type", "any")
            if not isinstance(name, str) or not isinstance(type_, str):
                raise _malformed()
            names.append(name)
            types.append(type_)
        return Result(names, [logical_kind(type_) for type_ in types], rows)

    def _tail(self, document: dict[str, Any], result: Result, as_asked: bool) -> None:
        """What comes after the rows; an answer that ends where it was asked to end is not cut."""
        result.cut = document.get("truncated") is True and not as_asked
        if result.cut:
            result.remarks.append("the endpoint gave the first rows only")
        remarks = cast("list[Any]", document.get("warnings") or [])
        result.remarks += [self.client.safe(str(remark)) for remark in remarks[:10]]

    def _raise_if_error(self, document: Any) -> None:
        if isinstance(document, dict) and "error" in document:
            raise self._fault(cast("dict[str, Any]", document), 0)

    def _error(self, answer: Answer) -> Fault:
        try:
            document: Any = json.loads(answer.error_text().decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            document = None
        told = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
        return self._fault(told, answer.status)

    def _fault(self, document: dict[str, Any], status: int) -> Fault:
        error = document.get("error")
        told = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
        message = self.client.safe(str(told.get("message") or ""))
        code = _CODES.get(str(told.get("code") or ""))
        if code is not None and message:
            return Fault(code, message)
        return status_fault(status, message)

    def checks(self) -> list[Check]:
        answer = self.client.ask("GET", self.client.target.path or "/", headers=self._headers({}))
        if answer.status != 200:
            raise self._error(answer)
        document = answer.document()
        told = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
        if told.get("contract") != CONTRACT:
            raise unavailable(f"the endpoint does not speak {CONTRACT}; check connection.url and adapter")
        speaks = str(told.get("dialect") or "")[:40]
        if speaks != self.workspace.dialect:
            message = f"the endpoint speaks {speaks or 'no named dialect'}, not {self.workspace.dialect}"
            raise Fault(Code.WORKSPACE_BROKEN, f"{message}; correct dialect in the workspace")
        reads = told.get("read_only") is True
        return [
            (
                "role_reads_only",
                reads,
                "the endpoint says that it only reads"
                if reads
                else "the endpoint does not say that it only reads; let it answer read_only: true",
            )
        ]


def status_fault(status: int, message: str) -> Fault:
    """The fault of an error that only its HTTP status (RFC 9110 15) explains; `message` as the endpoint says
    it."""
    if status == 403:
        return unavailable("the endpoint does not let this account run SQL; check its rights")
    if status in (404, 405, 410):
        return unavailable("the endpoint has nothing at this address; check connection.url and adapter")
    if status in (413, 414, 431):
        return Fault(Code.TOO_LARGE, "the statement is longer than the endpoint takes")
    if status in (408, 504):
        return Fault(Code.TIMEOUT, "the endpoint stopped the statement at a limit of time of its own")
    if status in (429, 502, 503):
        return unavailable("the endpoint is busy or cannot reach its database; try again")
    return database_error(message or f"the endpoint answered with status {status} and no reason")


def _row(row: Any) -> list[Any]:
    if not isinstance(row, list):
        raise _malformed()
    return cast("list[Any]", row)


def _malformed() -> Fault:
    message = f"the endpoint's answer is not as {CONTRACT} describes it"
    return unavailable(f"{message}; check connection.url and adapter")
