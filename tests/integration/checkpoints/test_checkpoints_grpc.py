"""Continuations over real gRPC: the whole way, and everything that is refused."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.checkpoints.continuing import pi_runners
from services.orchestrator.installation import Installation
from session_executor.artifacts import Artifacts
from session_executor.lock import PlanLock
from session_executor.pi.session_file import inspect_session
from session_executor.plan import create_plan
from tests.helpers import assert_eventually
from tests.integration.checkpoints.conftest import Serve
from tests.integration.checkpoints.served import Held, Served
from tests.unit.session_executor.executor_fixtures import (
    MESSAGE,
    PROMPT,
    TARGET_ENTRY,
    Repository,
    make_plan,
    make_repository,
    write_session,
)
from tests.unit.session_executor.executor_runner import ScriptedRunner, write_files
from thothii.checkpoints.v1 import checkpoints_service_pb2 as pb

UNKNOWN = "sep_" + "0" * 64


def write_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


async def refused(served: Served, method: str, request: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        await served.call(method, request)
    return caught.value


async def run_refused(served: Served, plan: pb.PlanResponse, **fields: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        await served.run(plan, **fields)
    return caught.value


def every_request(served: Served, repository: str) -> dict[str, Any]:
    return {
        "Plan": served.plan_request(repository=repository),
        "List": pb.ListRequest(repository=repository),
        "Show": pb.ShowRequest(repository=repository, plan_id=UNKNOWN),
        "Adopt": pb.AdoptRequest(repository=repository, plan_id=UNKNOWN, branch="b"),
        "Discard": pb.DiscardRequest(repository=repository, plan_id=UNKNOWN),
    }


async def test_from_a_plan_to_a_branch_and_back(serve: Serve, repository: Repository) -> None:
    served = await serve()
    name = str(repository.root)
    before = repository.snapshot()
    plan = await served.plan(allow_delete=True)
    assert repository.snapshot() == before
    assert await served.executions() == []
    steps, receipt = await served.run(plan, provider="p", model="m")
    assert repository.snapshot() == before
    assert served.models == [("p", "m")]
    assert steps[:3] == ["validating", "locking", "recovering"]
    assert steps[-1] in {"completing", "unlocking"}
    assert receipt["status"] == "complete"
    assert receipt["planId"] == plan.plan_id
    assert PROMPT not in json.dumps(receipt)

    [listed] = await served.executions()
    commit = repository.git("rev-parse", receipt["result"]["ref"]).strip()
    assert (listed.plan_id, listed.status, listed.commit) == (plan.plan_id, "complete", commit)
    assert (listed.base_commit, listed.entry_id) == (repository.base, TARGET_ENTRY)
    assert list(listed.changed_paths) == ["generated.txt"]
    assert listed.subject == MESSAGE

    shown = await served.call("Show", pb.ShowRequest(repository=name, plan_id=plan.plan_id[:12]))
    assert shown.execution == listed
    assert json.loads(shown.receipt_json) == receipt
    assert list(shown.branches) == []
    assert b"+continued from checkpoint" in shown.patch
    assert shown.patch_bytes == len(shown.patch)

    adopt = pb.AdoptRequest(repository=name, plan_id=plan.plan_id, branch="try/it")
    adopted = await served.call("Adopt", adopt)
    assert (adopted.ref, adopted.commit) == ("refs/heads/try/it", commit)
    assert repository.git("rev-parse", "try/it").strip() == commit
    assert repository.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    shown = await served.call("Show", pb.ShowRequest(repository=name, plan_id=plan.plan_id))
    assert list(shown.branches) == ["try/it"]

    discarded = await served.call("Discard", pb.DiscardRequest(repository=name, plan_id=plan.plan_id))
    assert (discarded.plan_id, discarded.commit) == (plan.plan_id, commit)
    assert await served.executions() == []
    assert repository.git("rev-parse", "try/it").strip() == commit
    assert repository.leftovers() == []


async def test_a_session_of_thothii_is_named_by_its_id(serve: Serve, repository: Repository) -> None:
    served = await serve(checkpoint_sessions=[])
    write_session(served.home / "sessions/s1/pi/2026-11-30_s1.jsonl", repository.root)
    plan = await served.plan(session_id="s1", repository=repository.root.name)
    _, receipt = await served.run(plan)
    assert receipt["checkpoint"]["entryId"] == TARGET_ENTRY
    assert served.models == [None]


async def test_checkpoints_are_off_unless_a_repository_is_allowed(serve: Serve) -> None:
    served = await serve(checkpoint_repositories=[])
    for method, request in every_request(served, str(served.repository.root)).items():
        fault = await refused(served, method, request)
        assert (method, fault.code) == (method, Code.NOT_FOUND)
        assert "THOTHII_CHECKPOINT_REPOSITORIES" in fault.message
    fault = await run_refused(served, pb.PlanResponse(plan_json=b"{}"))
    assert "THOTHII_CHECKPOINT_REPOSITORIES" in fault.message


@pytest.mark.parametrize("where", ["other", "..", "../other", "/", "{tmp}", "{tmp}/other"])
async def test_another_repository_is_not_found(serve: Serve, tmp_path: Path, where: str) -> None:
    served = await serve()
    make_repository(tmp_path / "other")
    name = where.replace("{tmp}", str(tmp_path))
    for method, request in every_request(served, name).items():
        fault = await refused(served, method, request)
        assert (method, fault.code) == (method, Code.NOT_FOUND)
        assert "allowed are repository" in fault.message
    assert (await run_refused(served, await served.plan(), repository=name)).code is Code.NOT_FOUND


@pytest.mark.parametrize("bad", ["", "a\0b", "a\nb", "x" * 5000, "\u202e/x"])
async def test_what_cannot_be_a_name_is_an_invalid_argument(serve: Serve, bad: str) -> None:
    served = await serve()
    name = str(served.repository.root)
    requests = [
        *every_request(served, bad).items(),
        ("Plan", served.plan_request(base=bad)),
        ("Plan", served.plan_request(entry_id=bad)),
        ("Plan", served.plan_request(session_file=bad)),
        ("Show", pb.ShowRequest(repository=name, plan_id=bad)),
        ("Adopt", pb.AdoptRequest(repository=name, plan_id=bad, branch="b")),
        ("Adopt", pb.AdoptRequest(repository=name, plan_id=UNKNOWN, branch=bad)),
        ("Discard", pb.DiscardRequest(repository=name, plan_id=bad)),
    ]
    for method, request in requests:
        fault = await refused(served, method, request)
        assert (method, fault.code) == (method, Code.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"base": "nothing"}, Code.NOT_FOUND),
        ({"base": "--help"}, Code.NOT_FOUND),
        ({"base": "main:README.md"}, Code.NOT_FOUND),
        ({"entry_id": "nothing"}, Code.NOT_FOUND),
        ({"entry_id": "a b"}, Code.INVALID_ARGUMENT),
        ({"session_id": "nothing"}, Code.NOT_FOUND),
        ({"session_id": "../x"}, Code.NOT_FOUND),
        ({"session_id": ""}, Code.NOT_FOUND),
        ({"session_file": "/etc/passwd"}, Code.NOT_FOUND),
        ({"session_file": "README.md"}, Code.NOT_FOUND),
        ({"prompt": ""}, Code.INVALID_ARGUMENT),
        ({"prompt": " \n"}, Code.INVALID_ARGUMENT),
        ({"prompt": "a\0b"}, Code.INVALID_ARGUMENT),
        ({"commit_message": ""}, Code.INVALID_ARGUMENT),
        ({"commit_message": "x\n\nHarness-Session: y"}, Code.INVALID_ARGUMENT),
    ],
)
async def test_a_plan_that_cannot_be_is_refused(serve: Serve, fields: dict[str, str], code: Code) -> None:
    served = await serve()
    assert (await refused(served, "Plan", served.plan_request(**fields))).code is code
    assert not (served.repository.root / ".git/better-harness").exists()


async def test_a_session_that_is_none_is_refused(serve: Serve, session: Path) -> None:
    served = await serve()
    write_bytes(session, b"\xff\n")
    fault = await refused(served, "Plan", served.plan_request())
    assert fault.code is Code.INVALID_ARGUMENT
    assert fault.details["executor_code"] in {"INVALID_UTF8", "INVALID_SESSION"}


@pytest.mark.parametrize("plan", [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"a":1e999}'])
async def test_what_is_no_plan_does_not_run(serve: Serve, plan: bytes) -> None:
    served = await serve()
    fault = await run_refused(served, pb.PlanResponse(plan_json=plan))
    assert fault.code is Code.INVALID_ARGUMENT
    assert served.runner.preflights == 0


async def test_a_changed_plan_does_not_run(serve: Serve) -> None:
    served = await serve()
    plan = json.loads((await served.plan()).plan_json)
    plan["continuation"]["commitMessage"] = "something else"
    fault = await run_refused(served, pb.PlanResponse(plan_json=json.dumps(plan).encode()))
    assert (fault.code, fault.details["executor_code"]) == (Code.INVALID_ARGUMENT, "PLAN_TAMPERED")


async def test_a_plan_of_another_repository_or_session_does_not_run(serve: Serve, tmp_path: Path) -> None:
    served = await serve()
    other = make_repository(tmp_path / "other")
    secret = write_session(tmp_path / "private" / "x.jsonl", tmp_path)
    for plan, code in (
        (make_plan(other, served.session), Code.INVALID_ARGUMENT),
        (make_plan(served.repository, secret), Code.NOT_FOUND),
    ):
        told = pb.PlanResponse(plan_json=json.dumps(plan.document()).encode())
        assert (await run_refused(served, told)).code is code
    assert served.runner.preflights == 0


async def test_provider_and_model_go_together(serve: Serve) -> None:
    served = await serve()
    plan = await served.plan()
    for half in ({"provider": "p"}, {"model": "m"}):
        assert (await run_refused(served, plan, **half)).code is Code.INVALID_ARGUMENT


async def test_a_plan_runs_once(serve: Serve) -> None:
    served = await serve()
    plan = await served.plan()
    await served.run(plan)
    fault = await run_refused(served, plan)
    assert (fault.code, fault.details["executor_code"]) == (Code.CONFLICT, "OUTPUT_EXISTS")
    assert len(served.runner.requests) == 1


async def test_of_two_runs_of_one_plan_one_wins(serve: Serve) -> None:
    served = await serve()
    held = Held(write_files({"a.txt": "a\n"}))
    served.runner = ScriptedRunner(held)
    plan = await served.plan()
    first = asyncio.create_task(served.run(plan))
    await assert_eventually(held.working.is_set)
    assert [each.status for each in await served.executions()] == ["running"]
    fault = await run_refused(served, plan)
    assert fault.code is Code.CONFLICT
    discard = pb.DiscardRequest(repository=str(served.repository.root), plan_id=plan.plan_id)
    assert (await refused(served, "Discard", discard)).code is Code.CONFLICT
    held.let_go.set()
    _, receipt = await first
    assert receipt["status"] == "complete"


async def test_only_so_many_run_at_once(serve: Serve) -> None:
    served = await serve(max_checkpoint_runs=1)
    held = Held(write_files({"a.txt": "a\n"}))
    served.runner = ScriptedRunner(held)
    first = asyncio.create_task(served.run(await served.plan()))
    await assert_eventually(held.working.is_set)
    second = await served.plan(prompt="something else")
    fault = await run_refused(served, second)
    assert (fault.code, fault.details["limit"]) == (Code.BUSY, 1)
    held.let_go.set()
    await first
    await assert_eventually(lambda: served.orchestrator.runs.active == 0)
    _, receipt = await served.run(second)
    assert receipt["status"] == "complete"


async def test_a_caller_that_leaves_stops_its_run_which_can_run_again(serve: Serve) -> None:
    served = await serve(max_checkpoint_runs=1)
    before = served.repository.snapshot()
    held = Held(write_files({"a.txt": "a\n"}))
    served.runner = ScriptedRunner(held)
    plan = await served.plan()
    call = served.stub.Run(served.run_request(plan))
    assert (await call.read()).progress.step == "validating"
    await assert_eventually(held.working.is_set)
    call.cancel()
    await assert_eventually(lambda: served.orchestrator.runs.active == 0)
    assert await served.executions() == []
    assert served.repository.leftovers() == []
    assert served.repository.snapshot() == before
    held.let_go.set()
    _, receipt = await served.run(plan)
    assert receipt["status"] == "complete"


async def test_the_end_of_the_orchestrator_stops_runs_and_cleans_up(serve: Serve) -> None:
    served = await serve()
    held = Held(write_files({"a.txt": "a\n"}))
    served.runner = ScriptedRunner(held)
    plan = await served.plan()
    running = asyncio.create_task(run_refused(served, plan))
    await assert_eventually(held.working.is_set)
    await served.stop_orchestrator()
    assert (await running).code is Code.CANCELLED
    assert served.orchestrator.runs.active == 0
    assert served.repository.leftovers() == []
    again = await serve()
    _, receipt = await again.run(plan)
    assert receipt["status"] == "complete"


async def test_a_run_that_fails_says_why_and_leaves_nothing(serve: Serve) -> None:
    served = await serve()
    served.runner = ScriptedRunner(write_files({}))
    fault = await run_refused(served, await served.plan())
    assert (fault.code, fault.details["executor_code"]) == (Code.PI_FAILED, "NO_CHANGES")
    assert await served.executions() == []
    assert served.repository.leftovers() == []


async def test_a_runner_that_breaks_is_an_internal_fault_of_one_short_line(serve: Serve) -> None:
    def breaks(request: Any) -> None:
        raise RuntimeError("odd\n" * 2000)

    served = await serve()
    served.runner = ScriptedRunner(breaks)
    fault = await run_refused(served, await served.plan())
    assert fault.code is Code.INTERNAL
    assert len(fault.message) <= 600
    assert "\n" not in fault.message
    assert served.repository.leftovers() == []


async def test_without_a_pi_that_fits_the_run_is_refused(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = await serve()
    wrong = tmp_path / "pi"
    wrong.write_text("#!/bin/sh\necho 0.1.0\n")
    wrong.chmod(0o755)
    monkeypatch.setenv("HARNESS_SESSION_EXECUTOR_PI", str(wrong))
    settings = served.orchestrator.settings
    served.runner = pi_runners(settings, Installation(settings), os.environ)(None)
    fault = await run_refused(served, await served.plan())
    assert fault.code is Code.PI_MISSING


async def test_an_existing_branch_is_never_moved(serve: Serve, repository: Repository) -> None:
    served = await serve()
    plan = await served.plan()
    await served.run(plan)
    repository.git("branch", "taken/by")
    before = repository.snapshot()
    for branch, code in (
        ("main", Code.CONFLICT),
        ("taken/by", Code.CONFLICT),
        ("-f", Code.INVALID_ARGUMENT),
        ("a..b", Code.INVALID_ARGUMENT),
        ("HEAD", Code.INVALID_ARGUMENT),
        ("a.lock", Code.INVALID_ARGUMENT),
        ("x/", Code.INVALID_ARGUMENT),
    ):
        adopt = pb.AdoptRequest(repository=str(repository.root), plan_id=plan.plan_id, branch=branch)
        assert (branch, (await refused(served, "Adopt", adopt)).code) == (branch, code)
    assert repository.snapshot() == before


@pytest.mark.parametrize(
    ("plan_id", "code"),
    [(UNKNOWN, Code.NOT_FOUND), ("sep_abcd", Code.NOT_FOUND), ("sep_", Code.INVALID_ARGUMENT)]
    + [(bad, Code.INVALID_ARGUMENT) for bad in ("ab", "../..", "main", "sep_ABCD")],
)
async def test_an_unknown_execution_is_told(serve: Serve, plan_id: str, code: Code) -> None:
    served = await serve()
    name = str(served.repository.root)
    for method, request in (
        ("Show", pb.ShowRequest(repository=name, plan_id=plan_id)),
        ("Adopt", pb.AdoptRequest(repository=name, plan_id=plan_id, branch="b")),
        ("Discard", pb.DiscardRequest(repository=name, plan_id=plan_id)),
    ):
        assert (method, (await refused(served, method, request)).code) == (method, code)


async def test_a_crashed_execution_is_shown_not_adopted_and_discarded(serve: Serve) -> None:
    served = await serve()
    plan = create_plan(
        workspace=str(served.repository.root),
        base="main",
        session_file=str(served.session),
        entry_id=TARGET_ENTRY,
        prompt=PROMPT,
        commit_message=MESSAGE,
        inspect=inspect_session,
    )
    write_bytes(Path(plan.output.artifact_dir, "plan.json"), json.dumps(plan.document()).encode())
    name = str(served.repository.root)
    shown = await served.call("Show", pb.ShowRequest(repository=name, plan_id=plan.plan_id))
    assert (shown.execution.status, shown.execution.commit, shown.patch) == ("crashed", "", b"")
    assert json.loads(shown.receipt_json) is None
    fault = await refused(served, "Adopt", pb.AdoptRequest(repository=name, plan_id=plan.plan_id, branch="b"))
    assert (fault.code, fault.details["executor_code"]) == (Code.CONFLICT, "EXECUTION_INCOMPLETE")
    await served.call("Discard", pb.DiscardRequest(repository=name, plan_id=plan.plan_id))
    assert await served.executions() == []


async def test_a_plan_that_another_process_runs_is_a_conflict(serve: Serve) -> None:
    served = await serve()
    plan = await served.plan()
    document = json.loads(plan.plan_json)
    artifacts = Artifacts(document["workspace"]["gitCommonDir"], plan.plan_id)
    Path(artifacts.path).parent.mkdir(parents=True)
    lock = PlanLock.acquire(artifacts.lock_path)
    try:
        assert (await run_refused(served, plan)).code is Code.CONFLICT
    finally:
        lock.release()


async def test_names_that_are_not_utf8_are_told_with_their_odd_bytes_escaped(serve: Serve) -> None:
    def action(request: Any) -> None:
        Path(os.fsdecode(os.fsencode(request.worktree) + b"/caf\xe9")).write_text("x\n")

    served = await serve()
    served.runner = ScriptedRunner(action)
    plan = await served.plan()
    _, receipt = await served.run(plan)
    assert receipt["result"]["changedPaths"] == ["caf\\udce9"]
    [listed] = await served.executions()
    assert list(listed.changed_paths) == ["caf\\udce9"]


async def test_a_patch_that_is_too_long_is_left_out(serve: Serve) -> None:
    served = await serve()
    served.runner = ScriptedRunner(write_files({"long.txt": "line\n" * 1_000_000}))
    plan = await served.plan()
    await served.run(plan)
    request = pb.ShowRequest(repository=str(served.repository.root), plan_id=plan.plan_id)
    shown = await served.call("Show", request)
    assert shown.patch == b""
    assert shown.patch_bytes > 5_000_000
