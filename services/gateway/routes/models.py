"""Models, and the Pi that runs them."""

from starlette.responses import Response

from contracts.errors import Code
from services.gateway.documents import Models, Runner
from services.gateway.endpoints import Call, Endpoint, Gateway, json_response
from thothii.orchestrator.v1.orchestrator_service_pb2 import (
    GetRunnerRequest,
    GetRunnerResponse,
    ListModelsRequest,
    ListModelsResponse,
)

PI_FAULTS = (Code.PI_MISSING, Code.PI_UNSUPPORTED, Code.PI_FAILED, Code.NO_CREDENTIALS, Code.BUSY)


async def list_models(call: Call) -> Response:
    """The models Pi has credentials for."""
    services = call.gateway.services
    answer: ListModelsResponse = await services.orchestrator.read(
        services.orchestrator_stub.ListModels, ListModelsRequest(), call.gateway.settings.gateway_create_s
    )
    models = [
        {
            "provider": model.provider,
            "id": model.id,
            "name": model.name,
            "context_window": model.context_window,
            "max_tokens": model.max_tokens,
            "thinking_levels": list(model.thinking_levels),
        }
        for model in answer.models
    ]
    return json_response({"models": models, "scripted": answer.scripted})


async def runner_of(gateway: Gateway, retry: bool = True) -> GetRunnerResponse:
    """The Pi that runs the sessions. Raises Fault UNAVAILABLE."""
    services = gateway.services
    return await services.orchestrator.read(
        services.orchestrator_stub.GetRunner, GetRunnerRequest(), retry=retry
    )


async def get_runner(call: Call) -> Response:
    """Which Pi it is, and whether a script answers in place of a model."""
    answer = await runner_of(call.gateway)
    return json_response(
        {
            "runner": answer.runner,
            "version": answer.version,
            "scripted": answer.scripted,
            "reason": answer.reason,
        }
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/models",
        name="listModels",
        summary="Models that a session can be started with",
        handle=list_models,
        answer=Models,
        stops_with_client=True,
        faults=PI_FAULTS,
    ),
    Endpoint(
        method="GET",
        path="/runner",
        name="getRunner",
        summary="The Pi that runs the sessions, and whether its model is scripted",
        handle=get_runner,
        answer=Runner,
        faults=PI_FAULTS,
    ),
)
