"""What the gateway says of itself: the page at /, the OpenAPI document, the meaning of problem types."""

import html
from functools import cache
from pathlib import Path

from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway import openapi, routes
from services.gateway.documents import ProblemKind
from services.gateway.endpoints import Call, Endpoint, json_response
from services.gateway.routes.models import runner_of

_PAGE = Path(__file__).parent.parent / "console" / "index.html"

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


@cache
def openapi_document() -> bytes:
    """The document of all endpoints."""
    return openapi.encode(routes.ENDPOINTS)


async def get_openapi(call: Call) -> Response:
    """The OpenAPI document."""
    del call
    return json_response(openapi_document())


async def front_page(call: Call) -> Response:
    """A page for people: what runs here and where its parts are."""
    try:
        runner = await runner_of(call.gateway, retry=False)
        model = "scripted model: no real model answers" if runner.scripted else "real model"
        line = f"{runner.runner} {runner.version}, {model} ({runner.reason})"
    except Fault as fault:
        line = f"not known: {fault.message}"
    page = _PAGE.read_text(encoding="utf-8").replace("{{runner}}", html.escape(line))
    return Response(
        page,
        media_type="text/html",
        headers={
            "content-security-policy": _POLICY,
            "cache-control": "no-store",
        },
    )


async def get_problem(call: Call) -> Response:
    """What a problem's type means."""
    try:
        code = Code(call.request.path_params["code"])
    except ValueError as error:
        raise Fault(Code.NOT_FOUND, "no problem has this type") from error
    kind = code.kind
    return json_response(
        {
            "code": code.value,
            "title": kind.title,
            "status": kind.http_status,
            "exit_code": kind.exit_code,
            "retry": kind.retry,
        }
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/",
        name="frontPage",
        summary="A page for people",
        handle=front_page,
        media_types=("text/html",),
    ),
    Endpoint(
        method="GET",
        path="/openapi.json",
        name="openapi",
        summary="This document",
        handle=get_openapi,
        upstream=False,
    ),
    Endpoint(
        method="GET",
        path="/problems/{code}",
        name="getProblem",
        summary="What a problem's type means",
        handle=get_problem,
        answer=ProblemKind,
        upstream=False,
        faults=(Code.NOT_FOUND,),
    ),
)
