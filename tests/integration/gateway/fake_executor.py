"""The executor's service in memory, as docs/contracts.md lets a client see it."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

from contracts.errors import Code, Fault
from tests.integration.gateway.fake_conversation import AT, encode
from thothii.executor.v1 import executor_service_pb2 as executor
from thothii.executor.v1.executor_service_pb2_grpc import ExecutorServiceServicer

PAGE = {
    "columns": [
        {"name": "carrier", "key": "carrier", "type": "text"},
        {"name": "delay", "key": "delay", "type": "decimal"},
    ],
    "rows": [["F9", "21.92"], ["FL", "20.12"]],
    "truncated": False,
    "row_count": 2,
    "result_id": "r1",
    "elapsed_ms": 1.5,
    "warnings": [],
}

WORKSPACES: list[dict[str, Any]] = [
    {"name": "flights", "dialect": "duckdb", "transport": "direct", "notes": "Flights of 2013"},
    {
        "name": "broken",
        "dialect": None,
        "transport": None,
        "notes": None,
        "error": "broken.yaml: dialect is missing",
    },
]

READING = {
    "seq": 1,
    "ts": "2026-11-30T16:10:35.000Z",
    "phase": "F1",
    "kind": "reading",
    "widget": "select",
    "title": "Which reading?",
    "answer": {"value": "mean"},
    "by": "ann",
    "prev": "0" * 64,
}
"""A line of the ledger."""


class FakeExecutor(ExecutorServiceServicer):
    """The executor's service: sessions are made by `add_session`, the SQL is approved by `approved`."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.artifacts: dict[str, bytes] = {"sql_final.sql": "SELECT 'é'\n".encode()}
        self.workspaces = WORKSPACES
        self.approved = True
        self.fail: dict[str, Fault] = {}
        self.calls: list[str] = []
        self.preview: executor.PreviewSqlRequest | None = None
        self.export: executor.ExportSqlRequest | None = None
        self.hold_preview: asyncio.Event | None = None
        self.preview_cancelled = False
        self.page: dict[str, Any] = PAGE
        self.chunks: list[bytes] = [b"carrier,delay\r\n", b"F9,21.92\r\nFL,20.12\r\n"]
        self.break_after: int | None = None
        self.told_before = executor.ExportHead()
        self.filename = "risultati però.csv"

    def add_session(self, session_id: str, **manifest: Any) -> None:
        self.sessions[session_id] = {
            "id": session_id,
            "workspace": "flights",
            "question": "Which carrier?",
            "author": "dev@local",
            "created_at": AT,
            "name": "Which carrier",
            "provider": None,
            "model": None,
            "thinking": None,
            "temperature": None,
            "phase": {"phase": "F1", "closed": [], "missing": ["a reading"], "reason": None},
            **manifest,
        }

    def session(self, session_id: str) -> dict[str, Any]:
        if session_id not in self.sessions:
            raise Fault(Code.NOT_FOUND, "there is no session with this id")
        return self.sessions[session_id]

    def _called(self, method: str) -> None:
        self.calls.append(method)
        if fault := self.fail.pop(method, None):
            raise fault

    async def ListWorkspaces(self, request: Any, context: Any) -> Any:
        self._called("ListWorkspaces")
        return executor.ListWorkspacesResponse(workspaces_json=encode(self.workspaces))

    async def GetSchema(self, request: Any, context: Any) -> Any:
        self._called("GetSchema")
        if request.workspace != "flights":
            raise Fault(Code.NOT_FOUND, "there is no workspace with this name; GET /workspaces lists them")
        table = {
            "name": "airlines",
            "schema": "main",
            "kind": "table",
            "comment": None,
            "row_estimate": 16,
            "columns": [{"name": "carrier", "type": "VARCHAR", "nullable": False, "comment": None}],
            "primary_key": ["carrier"],
            "foreign_keys": [],
        }
        schema = {"workspace": "flights", "dialect": "duckdb", "as_of": AT, "tables": [table]}
        return executor.GetSchemaResponse(schema_json=encode(schema))

    async def GetSession(self, request: Any, context: Any) -> Any:
        self._called("GetSession")
        return executor.GetSessionResponse(session_json=encode(self.session(request.session_id)))

    async def ListSessions(self, request: executor.ListSessionsRequest, context: Any) -> Any:
        self._called("ListSessions")
        found = [
            session
            for session in reversed(self.sessions.values())
            if request.workspace in {"", session["workspace"]}
        ]
        start = int(request.page_token or 0)
        end = start + (request.page_size or 50)
        return executor.ListSessionsResponse(
            sessions_json=encode(found[start:end]), next_page_token=str(end) if end < len(found) else ""
        )

    async def ListArtifacts(self, request: Any, context: Any) -> Any:
        self._called("ListArtifacts")
        self.session(request.session_id)
        artifacts = [
            {
                "name": name,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "modified_at": AT,
                "media_type": "application/sql",
            }
            for name, content in self.artifacts.items()
        ]
        return executor.ListArtifactsResponse(artifacts_json=encode(artifacts))

    async def GetArtifact(self, request: Any, context: Any) -> Any:
        self._called("GetArtifact")
        self.session(request.session_id)
        if request.name not in self.artifacts:
            raise Fault(Code.NOT_FOUND, "the session has no such artifact")
        content = self.artifacts[request.name]
        return executor.GetArtifactResponse(
            name=request.name,
            sha256=hashlib.sha256(content).hexdigest(),
            media_type="application/sql",
            content=content,
        )

    async def ListDecisions(self, request: Any, context: Any) -> Any:
        self._called("ListDecisions")
        self.session(request.session_id)
        return executor.ListDecisionsResponse(decisions_json=encode([READING]))

    def _check_approved(self, session_id: str) -> None:
        self.session(session_id)
        if not self.approved:
            raise Fault(Code.NOT_APPROVED, "nobody has approved sql_final.sql; approve it first")

    async def PreviewSql(self, request: executor.PreviewSqlRequest, context: Any) -> Any:
        self._called("PreviewSql")
        self.preview = request
        self._check_approved(request.session_id)
        if self.hold_preview:
            try:
                await self.hold_preview.wait()
            except asyncio.CancelledError:
                self.preview_cancelled = True
                raise
        return executor.PreviewSqlResponse(page_json=encode(self.page))

    async def ExportSql(
        self, request: executor.ExportSqlRequest, context: Any
    ) -> AsyncIterator[executor.ExportSqlResponse]:
        self._called("ExportSql")
        self.export = request
        self._check_approved(request.session_id)
        head = executor.ExportHead(media_type="text/csv", filename=self.filename, result_id="r1")
        head.MergeFrom(self.told_before)
        yield executor.ExportSqlResponse(head=head)
        for number, chunk in enumerate(self.chunks):
            if number == self.break_after:
                raise Fault(Code.DATABASE_ERROR, "division by zero")
            yield executor.ExportSqlResponse(chunk=chunk)
        sha256 = hashlib.sha256(b"".join(self.chunks)).hexdigest()
        yield executor.ExportSqlResponse(tail=executor.ExportTail(row_count=2, sha256=sha256))
