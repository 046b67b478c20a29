"""The gRPC face of the continuations: what is asked is checked here, the library does the work in threads."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import structlog

from contracts.errors import Code, Fault
from services.orchestrator.checkpoints.places import AllowedPlaces
from services.orchestrator.checkpoints.runs import Run, Runs
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.git import Repository, resolve_base
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan as FrozenPlan
from session_executor.plan import create_plan, parse_plan
from session_executor.receipt import COMPLETE, PREPARED
from session_executor.results import (
    Execution,
    adopt,
    branches_with,
    difference,
    discard,
    find_execution,
    list_executions,
)
from session_executor.runner import Runner
from thothii.checkpoints.v1 import checkpoints_service_pb2 as pb
from thothii.checkpoints.v1 import checkpoints_service_pb2_grpc as pb_grpc

MakeRunner = Callable[[tuple[str, str] | None], Runner]
"""A runner for a provider and model id, or for the session's own model."""

PATCH_BYTES = 4 * 1024 * 1024
"""A longer patch is left out of what is shown."""

_MESSAGE = 600
"""Characters of a failure: gRPC carries it in a header, which many servers and proxies cut at 8 KiB."""

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


class CheckpointsService(pb_grpc.CheckpointsServiceServicer):
    """See checkpoints_service.proto. Handlers raise Fault; the server's interceptor tells it."""

    def __init__(self, places: AllowedPlaces, runs: Runs, make_runner: MakeRunner) -> None:
        self._places = places
        self._runs = runs
        self._make_runner = make_runner

    async def Plan(self, request: pb.PlanRequest, context: Any) -> pb.PlanResponse:
        """See the proto."""
        plan = await _in_thread(lambda: self._plan(request))
        return pb.PlanResponse(plan_id=plan.plan_id, plan_json=_json(plan.document()))

    async def Run(self, request: pb.RunRequest, context: Any) -> AsyncIterator[pb.RunResponse]:
        """See the proto."""
        model = _model(request.provider, request.model)
        plan = await _in_thread(lambda: self._checked_plan(request))

        def execute(run: Run) -> dict[str, Any]:
            options = ExecutionOptions(progress=run.tell, stop=run.stop, keep_ignored=request.keep_ignored)
            return execute_plan(plan, self._make_runner(model), inspect_session, options)

        run = self._runs.begin(plan.plan_id, execute)

        def caller_gone(_context: object) -> None:
            run.stop.set()

        # Cancellation need not reach a generator that waits for its reader.
        context.add_done_callback(caller_gone)
        try:
            async for step in run.steps():
                progress = pb.Progress(step=step.name, detail=_text(step.detail), elapsed_ms=step.elapsed_ms)
                yield pb.RunResponse(progress=progress)
            yield pb.RunResponse(receipt_json=_json(await _receipt(run)))
        finally:
            run.stop.set()

    async def List(self, request: pb.ListRequest, context: Any) -> pb.ListResponse:
        """See the proto."""
        found = await _in_thread(lambda: list_executions(self._repository(request).root))
        return pb.ListResponse(executions=[_message(execution) for execution in found])

    async def Show(self, request: pb.ShowRequest, context: Any) -> pb.ShowResponse:
        """See the proto."""
        return await _in_thread(lambda: _shown(self._execution(request)))

    async def Adopt(self, request: pb.AdoptRequest, context: Any) -> pb.AdoptResponse:
        """See the proto."""
        branch = _name(request.branch, "branch")

        def work() -> pb.AdoptResponse:
            execution = self._execution(request)
            return pb.AdoptResponse(ref=adopt(execution, branch), commit=execution.commit or "")

        adopted = await _in_thread(work)
        _log.info("result adopted", plan=request.plan_id, ref=adopted.ref)
        return adopted

    async def Discard(self, request: pb.DiscardRequest, context: Any) -> pb.DiscardResponse:
        """See the proto."""

        def work() -> pb.DiscardResponse:
            execution = self._execution(request)
            discard(execution)
            return pb.DiscardResponse(plan_id=execution.plan_id, commit=execution.commit or "")

        discarded = await _in_thread(work)
        _log.info("execution discarded", plan=discarded.plan_id)
        return discarded

    def _repository(self, request: Any) -> Repository:
        return self._places.repository(_name(request.repository, "repository", 4096))

    def _execution(self, request: Any) -> Execution:
        repository = self._repository(request)
        return find_execution(repository.root, _name(request.plan_id, "plan_id"))

    def _plan(self, request: pb.PlanRequest) -> FrozenPlan:
        repository = self._repository(request)
        base = _name(request.base, "base", 1000)
        if request.WhichOneof("source") == "session_file":
            session = self._places.session_file(_name(request.session_file, "session_file", 4096))
        else:
            session = self._places.session_of(request.session_id)
        try:
            resolve_base(repository.root, base)
        except ExecutorError as error:
            raise Fault(
                Code.NOT_FOUND, f"the repository has no commit {base[:200]}", executor_code=error.code.value
            ) from error
        return create_plan(
            workspace=repository.root,
            base=base,
            session_file=session,
            entry_id=_name(request.entry_id, "entry_id"),
            prompt=request.prompt,
            commit_message=request.commit_message,
            inspect=inspect_session,
            allow_delete=request.allow_delete,
        )

    def _checked_plan(self, request: pb.RunRequest) -> FrozenPlan:
        repository = self._repository(request)
        plan = parse_plan(request.plan_json)
        self._places.check_plan(plan, repository)
        return plan


async def _in_thread(work: Callable[[], Result]) -> Result:
    try:
        return await asyncio.to_thread(work)
    except ExecutorError as error:
        raise _told(error) from error


async def _receipt(run: Run) -> dict[str, Any]:
    try:
        return await run.work
    except ExecutorError as error:
        if run.stop.is_set() and error.code is ErrorCode.EXECUTION_FAILED:
            raise Fault(Code.CANCELLED, error.message, executor_code=error.code.value) from error
        raise _told(error) from error


def _told(error: ExecutorError) -> Fault:
    fault = error.as_fault()
    return Fault(fault.code, fault.message[:_MESSAGE], **fault.details)


def _name(value: str, field: str, length: int = 250) -> str:
    """`value` when it can be a path, ref or id. Raises Fault INVALID_ARGUMENT."""
    if not value or len(value) > length or not value.isprintable():
        raise Fault(Code.INVALID_ARGUMENT, f"{field}: 1 to {length} printable characters", field=field)
    return value


def _model(provider: str, model: str) -> tuple[str, str] | None:
    if not provider and not model:
        return None
    return _name(provider, "provider"), _name(model, "model")


def _shown(execution: Execution) -> pb.ShowResponse:
    has_result = execution.status in {COMPLETE, PREPARED}
    patch = difference(execution, summary=False, color=False) if has_result else b""
    return pb.ShowResponse(
        execution=_message(execution),
        receipt_json=_json(execution.receipt),
        branches=[_text(branch) for branch in branches_with(execution)],
        patch=patch if len(patch) <= PATCH_BYTES else b"",
        patch_bytes=len(patch),
    )


def _message(execution: Execution) -> pb.Execution:
    document = execution.document()
    changed: list[str] = document["changedPaths"] or []
    return pb.Execution(
        plan_id=execution.plan_id,
        status=execution.status,
        ref=execution.ref,
        commit=execution.commit or "",
        base_commit=_text(document["baseCommit"]),
        session_id=_text(document["sessionId"]),
        entry_id=_text(document["entryId"]),
        created_at=_text(document["createdAt"]),
        completed_at=_text(document["completedAt"]),
        changed_paths=[_text(path) for path in changed],
        subject=_text(document["subject"]),
    )


def _json(document: dict[str, Any] | None) -> bytes:
    """One line of JSON, with names as in `_text`. A plan holds no such name, so its digests stay true."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return re.sub("[\ud800-\udfff]", lambda odd: f"\\\\u{ord(odd[0]):x}", text).encode()


def _text(value: Any) -> str:
    """A string as protobuf takes it: a name that is not UTF-8 has its odd bytes written as `\\udcXX`."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""
