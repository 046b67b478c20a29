"""The executor's gRPC service: session files in this process, databases in the workers."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import msgspec

from contracts.errors import Code, Fault
from services.tht_executor.databases import Databases
from services.tht_executor.pages import Asked, Pages
from services.tht_executor.pool import WorkerPool
from services.tht_executor.worker import Head, Result
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc
from tht import operations
from tht.home import Home
from tht.workspaces import Workspace

NAME = "thothii.executor.v1.ExecutorService"

ON_A_WORKER = ("schema.", "sql.")
"""Operations whose names begin so reach a database and run on a worker."""

EXPORT_STALL = 60.0
"""Seconds on top of the statement's limit in which an export must make progress."""

_encode = msgspec.json.encode


class _Head(msgspec.Struct):
    media_type: str
    filename: str
    result_id: str | None = None
    row_count: int | None = None
    sha256: str | None = None
    warnings: list[str] = []


class _Tail(msgspec.Struct):
    row_count: int
    sha256: str


class ExecutorService(pb_grpc.ExecutorServiceServicer):
    """Maps each RPC to one operation of `tht`.

    Args:
        home: the harness folder.
        pool: the workers.
        grace: seconds past a statement's own timeout after which its worker is killed.
    """

    def __init__(self, home: Home, pool: WorkerPool, grace: float) -> None:
        self._home = home
        self._pool = pool
        self._grace = grace
        self._databases = Databases(home)
        self._pages = Pages(home)

    async def ListWorkspaces(
        self, request: pb.ListWorkspacesRequest, context: Any
    ) -> pb.ListWorkspacesResponse:
        """All workspaces, broken ones with their error."""
        found = await self._files("workspace.list", {})
        return pb.ListWorkspacesResponse(workspaces_json=_encode(found["workspaces"]))

    async def GetSchema(self, request: pb.GetSchemaRequest, context: Any) -> pb.GetSchemaResponse:
        """Tables and columns of a workspace."""
        workspace = await asyncio.to_thread(self._databases.of_workspace, request.workspace)
        schema = await self._on_worker("schema.all", {"workspace": request.workspace}, workspace)
        return pb.GetSchemaResponse(schema_json=schema)

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Any) -> pb.CreateSessionResponse:
        """A new session directory."""
        arguments: dict[str, Any] = {
            "workspace": request.workspace,
            "question": request.question,
            "author": request.author,
            "name": request.name or None,
            "provider": request.provider or None,
            "model": request.model or None,
            "thinking": request.thinking or None,
            "temperature": request.temperature if request.HasField("temperature") else None,
        }
        session = await self._files("session.new", arguments)
        return pb.CreateSessionResponse(session_id=session["id"], session_json=_encode(session))

    async def GetSession(self, request: pb.GetSessionRequest, context: Any) -> pb.GetSessionResponse:
        """Manifest and phase of one session."""
        session = await self._files("session.show", {"session": request.session_id})
        return pb.GetSessionResponse(session_json=_encode(session))

    async def ListSessions(self, request: pb.ListSessionsRequest, context: Any) -> pb.ListSessionsResponse:
        """Sessions, newest first."""
        arguments: dict[str, Any] = {
            "workspace": request.workspace or None,
            "author": request.author or None,
            "phase": request.phase or None,
            "limit": request.page_size or None,
            "after": request.page_token or None,
        }
        found = await self._files("session.list", arguments)
        return pb.ListSessionsResponse(
            sessions_json=_encode(found["sessions"]),
            next_page_token=found["next"] or "",
            broken_session_ids=found["broken"],
        )

    async def ListArtifacts(self, request: pb.ListArtifactsRequest, context: Any) -> pb.ListArtifactsResponse:
        """The artifacts of a session."""
        found = await self._files("artifact.list", {"session": request.session_id})
        return pb.ListArtifactsResponse(artifacts_json=_encode(found["artifacts"]))

    async def GetArtifact(self, request: pb.GetArtifactRequest, context: Any) -> pb.GetArtifactResponse:
        """One artifact with its bytes."""
        found = await self._files("artifact.get", {"session": request.session_id, "name": request.name})
        return pb.GetArtifactResponse(
            name=found["name"],
            sha256=found["sha256"],
            media_type=found["media_type"],
            content=found["text"].encode(),
        )

    async def PutArtifact(self, request: pb.PutArtifactRequest, context: Any) -> pb.PutArtifactResponse:
        """A new version of an artifact."""
        try:
            text = request.content.decode()
        except UnicodeDecodeError as error:
            raise Fault(Code.INVALID_ARGUMENT, "an artifact is text in UTF-8") from error
        written = await self._files(
            "artifact.put", {"session": request.session_id, "name": request.name, "text": text}
        )
        return pb.PutArtifactResponse(sha256=written["sha256"])

    async def AddDecision(self, request: pb.AddDecisionRequest, context: Any) -> pb.AddDecisionResponse:
        """Append to the ledger; it is on disk when the call returns."""
        decision = _arguments(request.decision_json)
        added = await self._files("decision.add", {**decision, "session": request.session_id})
        return pb.AddDecisionResponse(line_json=_encode(added["line"]), phase_json=_encode(added["phase"]))

    async def ListDecisions(self, request: pb.ListDecisionsRequest, context: Any) -> pb.ListDecisionsResponse:
        """The ledger of a session."""
        found = await self._files("decision.list", {"session": request.session_id})
        return pb.ListDecisionsResponse(decisions_json=_encode(found["decisions"]))

    async def PreviewSql(self, request: pb.PreviewSqlRequest, context: Any) -> pb.PreviewSqlResponse:
        """A page of the approved SQL's result."""
        plain = not (request.fresh or request.sort or request.filter_json)
        asked = Asked(request.session_id, request.limit or 100, request.offset, request.result_id)
        if plain and (known := self._pages.find(asked)) is not None:
            return pb.PreviewSqlResponse(page_json=known)
        workspace, folder = self._databases.of_session(request.session_id), self._pages.folder()
        arguments: dict[str, Any] = {
            "session": asked.session_id,
            "limit": asked.limit,
            "offset": asked.offset,
            "result_id": request.result_id or None,
            "fresh": request.fresh,
            **_view(request),
        }
        page = await self._on_worker("sql.preview", arguments, workspace)
        if plain:
            self._pages.keep(asked, workspace, folder, page)
        return pb.PreviewSqlResponse(page_json=page)

    async def ExportSql(
        self, request: pb.ExportSqlRequest, context: Any
    ) -> AsyncIterator[pb.ExportSqlResponse]:
        """The approved SQL's whole result, in pieces."""
        arguments: dict[str, Any] = {
            "session": request.session_id,
            "format": request.format,
            "result_id": request.result_id or None,
            "raw": request.raw,
            "options": _csv_options(request.csv) if request.HasField("csv") else None,
            **_view(request),
        }
        workspace = self._databases.of_session(request.session_id)
        deadline = workspace.limits.timeout_s + self._grace + EXPORT_STALL
        parts = self._pool.stream(
            "sql.export", arguments, affinity=workspace.name, asker=request.session_id, deadline=deadline
        )
        async for part in parts:
            if isinstance(part, Head):
                head = msgspec.json.decode(part.json, type=_Head)
                yield pb.ExportSqlResponse(head=_told(head))
            elif isinstance(part, Result):
                tail = msgspec.json.decode(part.json, type=_Tail)
                yield pb.ExportSqlResponse(tail=pb.ExportTail(row_count=tail.row_count, sha256=tail.sha256))
            else:
                yield pb.ExportSqlResponse(chunk=part)

    async def CallOperation(self, request: pb.CallOperationRequest, context: Any) -> pb.CallOperationResponse:
        """One operation for a session's agent; its own session is forced on the arguments."""
        arguments = operations.for_agent(
            request.operation, _arguments(request.arguments_json), request.session_id
        )
        if request.operation.startswith(ON_A_WORKER):
            workspace = await asyncio.to_thread(self._databases.of_session, request.session_id)
            result = await self._on_worker(request.operation, arguments, workspace)
        else:
            result = _encode(await self._files(request.operation, arguments))
        return pb.CallOperationResponse(result_json=result)

    async def _files(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run an operation on session files in a thread."""
        return cast(
            dict[str, Any], await asyncio.to_thread(operations.call, self._home, operation, arguments)
        )

    async def _on_worker(self, operation: str, arguments: Mapping[str, Any], workspace: Workspace) -> bytes:
        asked = arguments.get("timeout_s")
        most = workspace.limits.timeout_s
        limit = min(asked, most) if isinstance(asked, int | float) else most
        return await self._pool.call(
            operation,
            arguments,
            affinity=workspace.name,
            asker=str(arguments.get("session") or workspace.name),
            deadline=limit + self._grace,
        )


def _told(head: _Head) -> pb.ExportHead:
    return pb.ExportHead(
        media_type=head.media_type,
        filename=head.filename,
        result_id=head.result_id or "",
        row_count=head.row_count,
        sha256=head.sha256 or "",
        warnings=head.warnings,
    )


def _view(request: pb.PreviewSqlRequest | pb.ExportSqlRequest) -> dict[str, Any]:
    """The arguments that sort and filter."""
    try:
        conditions = msgspec.json.decode(request.filter_json or b"[]", type=list[dict[str, Any]])
    except (msgspec.DecodeError, RecursionError) as error:
        raise Fault(Code.MALFORMED, "the filter is not a JSON array of objects") from error
    sort = [{"key": wanted.key, "descending": wanted.descending} for wanted in request.sort]
    return {"sort": sort, "filter": conditions}


def _csv_options(given: pb.CsvOptions) -> dict[str, Any]:
    """The options that are set, under the names of `tht`."""
    return {field.name.removesuffix("_text"): value for field, value in given.ListFields()}


def _arguments(document: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(document or b"{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise Fault(Code.MALFORMED, "the arguments are not a JSON object") from error
