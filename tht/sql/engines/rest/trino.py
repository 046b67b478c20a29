"""Trino's client protocol: POST of the statement, then GET of each `nextUri` until there is none; DELETE of
it ends the statement.

By plain HTTP rather than Trino's own client, so that one place holds TLS, redirects and caps. Trino has no
read-only mode that a client could ask for: beside the guard its access control must hold.
"""

from collections.abc import Iterator
from time import sleep
from typing import Any, cast
from urllib.parse import urlsplit

from contracts.errors import Code, Fault
from tht.sql.engines.rest.adapter import Adapter, Check, Result, Statement
from tht.sql.engines.rest.http_client import Answer, HttpClient, unavailable
from tht.sql.engines.rest.own import WAIT_S, status_fault
from tht.sql.engines.rest.trino_types import kind_of
from tht.sql.messages import database_error, over_cap

BUSY_S = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Seconds before a request that was answered with 429, 502, 503 or 504 is sent again."""

_NAMES_ONLY = ("SYNTAX_ERROR", "TABLE_NOT_FOUND", "COLUMN_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")
_UNAVAILABLE = ("SERVER_STARTING_UP", "NO_NODES_AVAILABLE", "SERVER_SHUTTING_DOWN", "QUERY_QUEUE_FULL")


class TrinoAdapter(Adapter):
    """A Trino coordinator, with a catalog and a schema for names that have none."""

    def _headers(self, statement: Statement) -> dict[str, str]:
        target = self.client.target
        told = {
            "X-Trino-User": target.user or "thothii",
            "X-Trino-Source": "thothii",
            "X-Trino-Catalog": self.options.get("catalog", ""),
            "X-Trino-Schema": self.options.get("schema", ""),
            "X-Trino-Time-Zone": "UTC",
            # without it digits of a second beyond the third are cut
            "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
            "X-Trino-Session": f"query_max_run_time={statement.timeout_s + 1:.1f}s",
            "X-Trino-Client-Tags": f"thothii-{statement.id}",
        }
        return {name: text for name, text in told.items() if text} | target.authorization()

    def _ask(self, method: str, path: str, statement: Statement, body: bytes | None = None) -> dict[str, Any]:
        headers, wait_s = self._headers(statement), statement.timeout_s + WAIT_S
        pauses = iter(BUSY_S)
        while True:
            answer = self.client.ask(method, path, body=body, headers=headers, wait_s=wait_s)
            pause = next(pauses, None) if answer.status in (429, 502, 503, 504) else None
            if pause is None:
                return self._document(answer)
            answer.error_text()
            sleep(pause)

    def _document(self, answer: Answer) -> dict[str, Any]:
        if answer.status != 200:
            text = answer.error_text().decode("utf-8", "replace")
            raise status_fault(answer.status, self.client.safe(text) if answer.kind == "text/plain" else "")
        document = answer.document()
        if not isinstance(document, dict) or "stats" not in document:
            raise unavailable("the endpoint's answer is not Trino's; check connection.url and adapter")
        return cast("dict[str, Any]", document)

    def run(self, statement: Statement) -> Result:
        path = f"{self.client.target.path}/v1/statement"
        page = self._advance(self._ask("POST", path, statement, statement.sql.encode()), statement)
        while "columns" not in page and statement.place:
            page = self._advance(self._ask("GET", statement.place, statement), statement)
        columns = cast("list[dict[str, str]]", page.get("columns") or [])
        if not columns:
            raise Fault(Code.REFUSED, "the statement gives no rows")
        result = Result(
            [column["name"] for column in columns], [kind_of(column["type"]) for column in columns], iter(())
        )
        result.rows = self._rows(page, statement, result)
        return result

    def _rows(self, page: dict[str, Any], statement: Statement, result: Result) -> Iterator[list[Any]]:
        while True:
            data = page.get("data")
            if data is not None and not isinstance(data, list):
                raise unavailable("the endpoint's answer holds rows in an encoding that was not asked for")
            yield from cast("list[list[Any]]", data or [])
            if not statement.place:
                break
            page = self._advance(self._ask("GET", statement.place, statement), statement)
        for warning in cast("list[dict[str, Any]]", page.get("warnings") or [])[:10]:
            result.remarks.append(self.client.safe(str(warning.get("message")), redact=True))

    def _advance(self, page: dict[str, Any], statement: Statement) -> dict[str, Any]:
        """Notes where the statement goes on. Raises the fault that the page tells."""
        following = page.get("nextUri")
        statement.place = self._place(str(following)) if following else ""
        error = page.get("error")
        if isinstance(error, dict):
            raise self._fault(cast("dict[str, Any]", error))
        return page

    def _place(self, address: str) -> str:
        """The path of a `nextUri`; the account's secrets go to no other server than the workspace's."""
        parts = urlsplit(address)
        target = self.client.target
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if (parts.scheme, parts.hostname or "", port) != target.origin:
            raise unavailable(
                "Trino sends its client to another address; set its http-server.process-forwarded"
            )
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def _fault(self, error: dict[str, Any]) -> Fault:
        name = str(error.get("errorName") or "")
        line = self.client.safe(str(error.get("message") or ""), redact=name not in _NAMES_ONLY)
        if name in ("EXCEEDED_TIME_LIMIT", "EXCEEDED_QUEUED_TIME_LIMIT"):
            return Fault(Code.TIMEOUT, "Trino stopped the statement at its limit of time")
        if name in ("USER_CANCELED", "ADMINISTRATIVELY_KILLED", "ADMINISTRATIVELY_PREEMPTED"):
            return Fault(Code.CANCELLED, "the statement was ended on the server")
        if name in ("READ_ONLY_VIOLATION",):
            return Fault(Code.REFUSED, f"the engine does not allow this: {line}")
        if name in _UNAVAILABLE:
            return unavailable("the server is starting, stopping or busy; try again")
        if error.get("errorType") == "INSUFFICIENT_RESOURCES":
            return over_cap(f"the statement exceeds a limit of the server: {line}")
        return database_error(f"{line} [{name}]" if name else line, error_name=name)

    def stop(self, statement: Statement) -> None:
        if not statement.place:
            return
        client = HttpClient(self.client.target)
        try:
            client.ask("DELETE", statement.place, headers=self._headers(statement), wait_s=2.0).error_text()
        except (Fault, OSError, ValueError):
            # it ended by itself: its limit of time ends what is left
            return
        finally:
            client.close()

    def checks(self) -> list[Check]:
        statement = Statement("SELECT 1", min(10.0, self.workspace.limits.timeout_s), 1)
        for _ in self.run(statement).rows:
            pass
        message = "Trino does not tell what the account may do; give it rules that only read (access control)"
        return [("role_reads_only", False, message)]
