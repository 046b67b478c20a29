"""Artifacts: the files that the agent produced. Their ETag is the sha256 of their bytes."""

import re

import msgspec
from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.documents import Artifacts
from services.gateway.endpoints import Call, Endpoint, json_response
from services.gateway.streaming import content_disposition
from thothii.executor.v1.executor_service_pb2 import (
    GetArtifactRequest,
    GetArtifactResponse,
    ListArtifactsRequest,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


async def list_artifacts(call: Call) -> Response:
    """What there is."""
    services = call.gateway.services
    request = ListArtifactsRequest(session_id=call.session_id)
    answer = await services.executor.read(services.executor_stub.ListArtifacts, request)
    return json_response({"artifacts": msgspec.Raw(answer.artifacts_json or b"[]")})


async def get_artifact(call: Call) -> Response:
    """One file, or 304 for a client that has it."""
    name = call.request.path_params["name"]
    if not _NAME.fullmatch(name):
        raise Fault(
            Code.NOT_FOUND, "a session's artifacts are schema_linking.json, ctes.json and sql_final.sql"
        )
    services = call.gateway.services
    request = GetArtifactRequest(session_id=call.session_id, name=name)
    answer: GetArtifactResponse = await services.executor.read(services.executor_stub.GetArtifact, request)
    headers = {"etag": f'"{answer.sha256}"', "cache-control": "private, no-cache"}
    if _has(call.request.headers.get("if-none-match", ""), answer.sha256):
        return Response(status_code=304, headers=headers)
    headers["content-disposition"] = content_disposition(answer.name).replace("attachment", "inline", 1)
    headers["content-security-policy"] = "default-src 'none'; sandbox"
    return Response(answer.content, headers=headers, media_type=answer.media_type)


def _has(if_none_match: str, sha256: str) -> bool:
    """True when the header names this version (RFC 9110 13.1.2: a weak comparison)."""
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or f'"{sha256}"' in tags


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/sessions/{id}/artifacts",
        name="listArtifacts",
        summary="The files that the agent produced",
        handle=list_artifacts,
        answer=Artifacts,
    ),
    Endpoint(
        method="GET",
        path="/sessions/{id}/artifacts/{name}",
        name="getArtifact",
        summary="One file",
        handle=get_artifact,
        media_types=("application/json", "application/sql", "text/plain"),
        headers={"If-None-Match": "ETags of versions that the client has."},
        answer_headers={"ETag": "sha256 of the bytes, quoted."},
        also={304: "The client has this version."},
        faults=(Code.TOO_LARGE,),
    ),
)
