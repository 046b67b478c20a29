"""The agent endpoint (docs/contracts.md 4 and 10): HTTP on a Unix socket for what works for a session."""

import asyncio
import contextlib
import secrets
import socket
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from contracts.errors import Code, Fault
from services.orchestrator.asking import Ask, parse_ask
from services.orchestrator.executor_client import Executor
from services.runtime.web.serving import Server, client_gone, while_connected

Asker = Callable[[str, Ask], Awaitable[dict[str, Any]]]
"""Asks the reviewer of a session and gives the result; cancelled when the asker is gone."""

BODY_LIMIT = 8 * 1024 * 1024
"""Bytes of arguments of one operation."""
SOCKET_PATH_LIMIT = 100
"""Linux allows 107 bytes."""

_log = structlog.get_logger(__name__)


class AgentEndpoint:
    """Serves the children of this orchestrator; a token is good for its own session while its child runs.

    `asker` must be set before a child is admitted.
    """

    def __init__(self, executor: Executor, folder: Path) -> None:
        self._executor = executor
        self._folder = folder
        self.asker: Asker | None = None
        self._sessions: dict[str, str] = {}
        self._server: Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._path: Path | None = None
        self.app = Starlette(
            routes=[
                Route("/v1/operations/{operation}", self._operation, methods=["POST"]),
                Route("/v1/ask", self._ask, methods=["POST"]),
            ],
            exception_handlers={
                Fault: _answer_fault,
                HTTPException: _answer_elsewhere,
                Exception: _answer_unexpected,
            },
        )
        self.app.router.redirect_slashes = False

    async def start(self) -> None:
        """Listen on a socket only this user can reach."""
        self._path = await asyncio.to_thread(self._make_path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(self._path))
        listening.listen(256)
        config = uvicorn.Config(
            self.app, loop="asyncio", ws="none", lifespan="off", log_config=None, access_log=False
        )
        self._server = Server(config)
        serving = self._server.serve(sockets=[listening])
        self._serving = asyncio.get_running_loop().create_task(serving)

    async def stop(self) -> None:
        """Stop listening and remove the socket."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            self._server.force_exit = True
            await self._serving
        if self._path is not None:
            await asyncio.to_thread(self._remove)

    def admit(self, session_id: str) -> dict[str, str]:
        """The variables with which a new child of the session reaches the endpoint."""
        token = secrets.token_urlsafe(32)
        self._sessions[token] = session_id
        return {"THT_AGENT_ENDPOINT": f"unix:{self._path}", "THT_AGENT_TOKEN": token}

    def dismiss(self, token: str) -> None:
        """The child with that token has ended."""
        self._sessions.pop(token, None)

    async def _operation(self, request: Request) -> Response:
        session_id = self._admitted(request)
        body = await _read_body(request)
        operation = request.path_params["operation"]
        call = self._executor.call_operation(session_id, operation, body or b"{}")
        return Response(await while_connected(request.receive, call), media_type="application/json")

    async def _ask(self, request: Request) -> Response:
        session_id = self._admitted(request)
        asked = parse_ask(await _read_body(request))
        if self.asker is None:
            raise Fault(Code.UNAVAILABLE, "nobody can be asked here")
        return JSONResponse(await while_connected(request.receive, self.asker(session_id, asked)))

    def _admitted(self, request: Request) -> str:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        session_id = self._sessions.get(token) if kind.lower() == "bearer" else None
        if session_id is None:
            raise Fault(Code.UNAUTHENTICATED, "the token is not of a session that runs here")
        return session_id

    def _make_path(self) -> Path:
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for stale in folder.glob("agent-*/endpoint.sock"):
            _remove_if_unheard(stale)
        if len(str(folder.absolute())) > SOCKET_PATH_LIMIT - 32:
            folder = Path(tempfile.gettempdir())
        # mkdtemp makes a folder that only this user can enter; the socket's own mode would not do everywhere.
        return Path(tempfile.mkdtemp(prefix="agent-", dir=folder)).absolute() / "endpoint.sock"

    def _remove(self) -> None:
        if self._path is not None:
            _remove_socket(self._path)


def _remove_if_unheard(path: Path) -> None:
    """Clear away the socket of an orchestrator that was killed."""
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        probe.connect(str(path))
    except ConnectionRefusedError:
        _remove_socket(path)
    finally:
        probe.close()


def _remove_socket(path: Path) -> None:
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_LIMIT:
                raise Fault(Code.TOO_LARGE, "the body of a call is at most 8 MiB")
    except ClientDisconnect as error:
        raise client_gone() from error
    return bytes(body)


async def _answer_fault(_request: Request, error: Exception) -> Response:
    if not isinstance(error, Fault):
        raise error
    return JSONResponse(error.document(), status_code=error.code.kind.http_status)


async def _answer_elsewhere(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == Code.METHOD_NOT_ALLOWED.kind.http_status:
        fault = Fault(Code.METHOD_NOT_ALLOWED, "operations are called with POST")
    else:
        fault = Fault(Code.NOT_FOUND, "call POST /v1/operations/<operation> or POST /v1/ask")
    return await _answer_fault(request, fault)


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    _log.error("an operation failed", path=request.url.path, exc_info=error)
    fault = Fault(
        Code.INTERNAL, "something went wrong in ThothII; the log of the orchestrator has the reason"
    )
    return JSONResponse(fault.document(), status_code=500)
