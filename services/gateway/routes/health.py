"""What supervisors and monitors ask."""

import asyncio

from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.documents import Health, Readiness
from services.gateway.endpoints import Call, Endpoint, json_response


async def healthz(call: Call) -> Response:
    """The gateway runs."""
    del call
    return json_response({"status": "ok"})


async def readyz(call: Call) -> Response:
    """Both services answer."""
    services = call.gateway.services
    orchestrator, executor = await asyncio.gather(
        services.orchestrator.serving(), services.executor.serving()
    )
    if not (orchestrator and executor):
        missing = [
            name for name, up in (("orchestrator", orchestrator), ("tht-executor", executor)) if not up
        ]
        raise Fault(
            Code.UNAVAILABLE,
            f"not ready: {' and '.join(missing)} does not answer",
            ready=False,
            orchestrator=orchestrator,
            executor=executor,
        )
    return json_response({"ready": True, "orchestrator": True, "executor": True})


async def metrics(call: Call) -> Response:
    """Counters for Prometheus."""
    text = call.gateway.metrics.text(call.gateway.feeds)
    return Response(text, media_type="text/plain; version=0.0.4")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/healthz",
        name="healthz",
        summary="The gateway runs",
        handle=healthz,
        answer=Health,
        upstream=False,
    ),
    Endpoint(
        method="GET",
        path="/readyz",
        name="readyz",
        summary="The services behind the gateway answer",
        handle=readyz,
        answer=Readiness,
    ),
    Endpoint(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="Counters in the Prometheus text format",
        handle=metrics,
        media_types=("text/plain",),
        upstream=False,
    ),
)
