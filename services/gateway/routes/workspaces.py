"""Workspaces: the databases that can be asked about, read only."""

import msgspec
from starlette.responses import Response

from contracts.errors import Code
from services.gateway.documents import Schema, Workspaces
from services.gateway.endpoints import Call, Endpoint, json_response
from thothii.executor.v1.executor_service_pb2 import GetSchemaRequest, ListWorkspacesRequest


async def list_workspaces(call: Call) -> Response:
    """All workspaces."""
    services = call.gateway.services
    answer = await services.executor.read(services.executor_stub.ListWorkspaces, ListWorkspacesRequest())
    return json_response({"workspaces": msgspec.Raw(answer.workspaces_json)})


async def get_schema(call: Call) -> Response:
    """Tables and columns of one."""
    services = call.gateway.services
    request = GetSchemaRequest(workspace=call.request.path_params["name"])
    answer = await services.executor.read(
        services.executor_stub.GetSchema, request, call.gateway.settings.gateway_query_s
    )
    return json_response(answer.schema_json)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/workspaces",
        name="listWorkspaces",
        summary="The databases that can be asked about",
        handle=list_workspaces,
        answer=Workspaces,
    ),
    Endpoint(
        method="GET",
        path="/workspaces/{name}/schema",
        name="getSchema",
        summary="Tables and columns of a workspace",
        handle=get_schema,
        answer=Schema,
        stops_with_client=True,
        faults=(
            Code.NOT_FOUND,
            Code.WORKSPACE_BROKEN,
            Code.DATABASE_ERROR,
            Code.DATABASE_UNAVAILABLE,
            Code.TOO_LARGE,
            Code.BUSY,
        ),
    ),
)
