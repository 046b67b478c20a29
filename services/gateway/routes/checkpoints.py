"""Continuations of Pi sessions into new commits."""

import msgspec
import structlog
from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.bodies import ANSWER
from services.gateway.checkpoint_models import (
    AdoptCheckpoint,
    AdoptedExecution,
    CheckpointPlan,
    CheckpointsQuery,
    DiscardCheckpoint,
    DiscardedExecution,
    Execution,
    Executions,
    PlanCheckpoint,
    RunCheckpoint,
    ShownExecution,
)
from services.gateway.endpoints import Call, Endpoint, json_response
from services.gateway.problems import instance_of
from services.gateway.run_stream import RunStream, begin_run
from services.gateway.streaming import EVENT_STREAM, EventStream
from thothii.checkpoints.v1 import checkpoints_service_pb2 as pb

PLAN_S = 60.0
"""Seconds in which git finds the commit of a plan, also in a large repository on a cold disk."""
CHANGE_S = 60.0
"""Seconds in which a branch is made or an execution removed."""

_log = structlog.get_logger(__name__)


async def plan(call: Call) -> Response:
    """Freeze the inputs; creates nothing."""
    body: PlanCheckpoint = call.body
    if (body.session_id is None) == (body.session_file is None):
        raise Fault(Code.INVALID_ARGUMENT, "give either session_id or session_file", pointer="/session_id")
    source = {"session_file": body.session_file or ""}
    if body.session_id is not None:
        source = {"session_id": body.session_id}
    request = pb.PlanRequest(
        repository=body.repository,
        base=body.base,
        entry_id=body.entry_id,
        prompt=body.prompt,
        commit_message=body.commit_message,
        allow_delete=body.allow_delete,
        **source,
    )
    services = call.gateway.services
    answer: pb.PlanResponse = await services.orchestrator.read(
        services.checkpoints_stub.Plan, request, PLAN_S
    )
    return json_response({"plan_id": answer.plan_id, "plan": msgspec.Raw(answer.plan_json)})


async def run(call: Call) -> Response:
    """Execute a plan; the answer begins once its checks are over."""
    body: RunCheckpoint = call.body
    request = pb.RunRequest(
        repository=body.repository,
        plan_json=msgspec.json.encode(body.plan),
        provider=body.provider or "",
        model=body.model or "",
        keep_ignored=body.keep_ignored,
    )
    gateway = call.gateway
    running, said = await begin_run(gateway.services, request)
    _log.info("continuation begins", plan=str(body.plan.get("planId")), by=call.author)
    settings = gateway.settings
    stream = RunStream(
        gateway.services,
        running,
        said,
        instance_of(call.request.scope),
        settings.gateway_reader_bytes,
        settings.gateway_heartbeat_s,
    )
    return EventStream(stream.reader, stream.leave)


async def list_executions(call: Call) -> Response:
    """What there is in a repository."""
    query: CheckpointsQuery = call.query
    services = call.gateway.services
    request = pb.ListRequest(repository=query.repository)
    answer: pb.ListResponse = await services.orchestrator.read(
        services.checkpoints_stub.List, request, PLAN_S
    )
    executions = [_execution(each) for each in answer.executions]
    return json_response(msgspec.json.encode(Executions(executions=executions)))


async def show(call: Call) -> Response:
    """One execution."""
    query: CheckpointsQuery = call.query
    services = call.gateway.services
    request = pb.ShowRequest(repository=query.repository, plan_id=call.request.path_params["plan"])
    answer: pb.ShowResponse = await services.orchestrator.read(
        services.checkpoints_stub.Show, request, PLAN_S
    )
    return json_response(
        {
            "execution": _execution(answer.execution),
            "receipt": msgspec.Raw(answer.receipt_json),
            "branches": list(answer.branches),
            "patch": answer.patch.decode("utf-8", "replace"),
            "patch_bytes": answer.patch_bytes,
        }
    )


async def adopt(call: Call) -> Response:
    """Make a branch."""
    body: AdoptCheckpoint = call.body
    services = call.gateway.services
    request = pb.AdoptRequest(
        repository=body.repository, plan_id=call.request.path_params["plan"], branch=body.branch
    )
    answer: pb.AdoptResponse = await services.orchestrator.write(
        services.checkpoints_stub.Adopt, request, CHANGE_S
    )
    _log.info("result adopted", plan=request.plan_id, ref=answer.ref, by=call.author)
    return json_response({"ref": answer.ref, "commit": answer.commit})


async def discard(call: Call) -> Response:
    """Remove an execution."""
    body: DiscardCheckpoint = call.body
    services = call.gateway.services
    request = pb.DiscardRequest(repository=body.repository, plan_id=call.request.path_params["plan"])
    answer: pb.DiscardResponse = await services.orchestrator.write(
        services.checkpoints_stub.Discard, request, CHANGE_S
    )
    _log.info("execution discarded", plan=answer.plan_id, by=call.author)
    return json_response({"plan_id": answer.plan_id, "commit": answer.commit})


def _execution(message: pb.Execution) -> Execution:
    return Execution(
        plan_id=message.plan_id,
        status=message.status,
        ref=message.ref,
        commit=message.commit,
        base_commit=message.base_commit,
        session_id=message.session_id,
        entry_id=message.entry_id,
        created_at=message.created_at,
        completed_at=message.completed_at,
        changed_paths=list(message.changed_paths),
        subject=message.subject,
    )


FAULTS = (Code.NOT_FOUND, Code.CONFLICT)

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/checkpoints",
        name="listCheckpoints",
        summary="The executions in a repository",
        handle=list_executions,
        answer=Executions,
        query=CheckpointsQuery,
        faults=FAULTS,
    ),
    Endpoint(
        method="POST",
        path="/checkpoints/plan",
        name="planCheckpoint",
        summary="Freeze what to continue and where; creates nothing",
        handle=plan,
        answer=CheckpointPlan,
        body=PlanCheckpoint,
        faults=FAULTS,
        stops_with_client=True,
    ),
    Endpoint(
        method="POST",
        path="/checkpoints/run",
        name="runCheckpoint",
        summary="Execute a plan: events `progress`, then `receipt` or `problem`; it stops with its client",
        handle=run,
        body=RunCheckpoint,
        body_limit=ANSWER,
        media_types=(EVENT_STREAM,),
        faults=(*FAULTS, Code.BUSY, Code.CANCELLED, Code.PI_MISSING, Code.PI_FAILED),
        stops_with_client=True,
    ),
    Endpoint(
        method="GET",
        path="/checkpoints/{plan}",
        name="showCheckpoint",
        summary="One execution with its receipt and its change",
        handle=show,
        answer=ShownExecution,
        query=CheckpointsQuery,
        faults=FAULTS,
    ),
    Endpoint(
        method="POST",
        path="/checkpoints/{plan}/adopt",
        name="adoptCheckpoint",
        summary="Make a new branch at the result; nothing is checked out, moved or forced",
        handle=adopt,
        answer=AdoptedExecution,
        body=AdoptCheckpoint,
        faults=FAULTS,
    ),
    Endpoint(
        method="POST",
        path="/checkpoints/{plan}/discard",
        name="discardCheckpoint",
        summary="Remove the ref and the artifacts of an execution",
        handle=discard,
        answer=DiscardedExecution,
        body=DiscardCheckpoint,
        faults=FAULTS,
    ),
)
