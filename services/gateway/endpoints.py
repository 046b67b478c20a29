"""How a route is declared: the same declaration serves the requests and describes them in /openapi.json."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from contracts.errors import Code, Fault
from contracts.identifiers import check_session_id
from services.gateway.auth import AUTHOR
from services.gateway.bodies import SMALL, Nothing, check_json_type, decode_body, decode_query, read_body
from services.gateway.clients import Services
from services.gateway.config import GatewaySettings
from services.gateway.metrics import Metrics
from services.gateway.sharing import Sharing
from services.gateway.upstream import Feeds
from services.runtime.web.serving import while_connected
from thothii.executor.v1.executor_service_pb2 import PreviewSqlResponse

JSON = "application/json"


@dataclass(frozen=True)
class Gateway:
    """What the handlers work with."""

    settings: GatewaySettings
    services: Services
    feeds: Feeds
    metrics: Metrics
    pages: Sharing[PreviewSqlResponse] = field(default_factory=Sharing[PreviewSqlResponse])


@dataclass(frozen=True)
class Call:
    """One request whose body and query have been checked."""

    gateway: Gateway
    request: Request
    body: Any
    """An instance of the endpoint's body model; None without one."""
    raw: bytes
    """The body as it came."""
    query: Any
    """An instance of the endpoint's query model."""

    @property
    def author(self) -> str:
        """Who sent the request."""
        return self.request.scope[AUTHOR]

    @property
    def session_id(self) -> str:
        """The session of the path. Raises Fault NOT_FOUND for what cannot be one."""
        return check_session_id(self.request.path_params["id"])


Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One method on one path."""

    method: str
    path: str
    name: str
    """operationId of the OpenAPI document."""
    summary: str
    handle: Handler
    status: int = 200
    answer: type[Struct] | None = None
    """The JSON document of a success."""
    media_types: tuple[str, ...] = (JSON,)
    """Content types of a success."""
    answer_headers: dict[str, str] = field(default_factory=dict[str, str])
    """Headers of a success and what they say."""
    also: dict[int, str] = field(default_factory=dict[int, str])
    """Other answers without a document, such as 304."""
    body: type[Struct] | None = None
    body_limit: int = SMALL
    query: type[Struct] = Nothing
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """Request headers that it heeds and what they do."""
    faults: tuple[Code, ...] = ()
    """Failures beside those that every endpoint of its kind can have."""
    upstream: bool = True
    """False when it asks no service."""
    stops_with_client: bool = False
    """True when the work is cancelled once the client has gone."""

    @property
    def all_faults(self) -> tuple[Code, ...]:
        """Every failure it can answer."""
        faults = [Code.FORBIDDEN_ORIGIN, Code.INVALID_ARGUMENT, Code.INTERNAL, *self.faults]
        if "{id}" in self.path:
            faults.append(Code.NOT_FOUND)
        if self.method == "POST":
            faults += [Code.MALFORMED, Code.TOO_LARGE, Code.UNSUPPORTED_MEDIA_TYPE]
        if self.upstream:
            faults += [Code.UNAVAILABLE, Code.TIMEOUT, Code.UNAUTHENTICATED]
        return tuple(dict.fromkeys(faults))

    def route(self, gateway: Gateway) -> Route:
        """The Starlette route that serves it."""

        async def serve(request: Request) -> Response:
            return await self._serve(gateway, request)

        route = Route(self.path, serve, methods=[self.method], name=self.name)
        if self.media_types != (JSON,) and route.methods is not None:
            # A HEAD would open the stream only to throw it away.
            route.methods.discard("HEAD")
        return route

    async def _serve(self, gateway: Gateway, request: Request) -> Response:
        query = decode_query(request, self.query)
        raw, body = b"", None
        if self.method == "POST":
            raw, body = await self._read(request)
        working = self.handle(Call(gateway, request, body, raw, query))
        if not self.stops_with_client:
            return await working
        return await while_connected(request.receive, working)

    async def _read(self, request: Request) -> tuple[bytes, Any]:
        content_type = request.headers.get("content-type", "")
        if self.body is not None or content_type:
            check_json_type(content_type)
        raw = await read_body(request, self.body_limit)
        if self.body is None:
            # An empty object says no more than no body does.
            if raw.strip():
                check_json_type(content_type)
                decode_body(raw, Nothing)
            return b"", None
        return raw, decode_body(raw, self.body)


def json_response(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`document` as JSON; a msgspec.Raw inside it is passed on as it is."""
    content = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return Response(
        content, status, headers={"cache-control": "no-store", **(headers or {})}, media_type=JSON
    )


def spliced(document: bytes, member: str, value: bytes) -> bytes:
    """The JSON object `document` with one more member, undecoded. Raises Fault INTERNAL when it is none."""
    text = document.strip()
    if not (text.startswith(b"{") and text.endswith(b"}")):
        raise Fault(Code.INTERNAL, "a service sent something else than a JSON object")
    comma = b"" if text[1:-1].strip() == b"" else b","
    return text[:-1] + comma + msgspec.json.encode(member) + b":" + value + b"}"
