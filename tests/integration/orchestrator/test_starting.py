"""Starting: what is refused, what fails, what is slow, what is left."""

# ruff: noqa: ASYNC240

import asyncio
import errno
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.rig import Rig
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb


async def refused(work: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        await work
    return caught.value


def nothing_was_made(rig: Rig) -> bool:
    return not list(rig.settings.sessions.iterdir()) and not rig.executor.manifests


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"workspace": "nowhere"}, Code.NOT_FOUND),
        ({"question": ""}, Code.INVALID_ARGUMENT),
        ({"question": " \n"}, Code.INVALID_ARGUMENT),
        ({"question": "x" * 20_001}, Code.INVALID_ARGUMENT),
        ({"provider": "scripted"}, Code.INVALID_ARGUMENT),
        ({"provider": "scripted", "model": "nope"}, Code.MODEL_UNKNOWN),
        ({"provider": "nope", "model": "scripted"}, Code.NO_CREDENTIALS),
        ({"model": "--approve"}, Code.INVALID_ARGUMENT),
        ({"thinking": "huge"}, Code.INVALID_ARGUMENT),
    ],
)
async def test_what_cannot_work_is_refused_before_anything_is_made(
    make_rig: MakeRig, fields: dict[str, str], code: Code
) -> None:
    rig = await make_rig()
    assert (await refused(rig.create(**fields))).code is code
    assert nothing_was_made(rig) and rig.orchestrator.processes.count == 0


@pytest.mark.parametrize("session_id", ["../x", "x" * 65, "a\0b", "", ".", "-a", "a/b"])
async def test_a_bad_id_is_not_found_everywhere(make_rig: MakeRig, session_id: str) -> None:
    rig = await make_rig()
    calls = {
        "OpenSession": pb.OpenSessionRequest,
        "CloseSession": pb.CloseSessionRequest,
        "Respond": pb.RespondRequest,
        "Steer": pb.SteerRequest,
        "Abort": pb.AbortRequest,
        "GetTranscript": pb.GetTranscriptRequest,
    }
    for method, request in calls.items():
        assert (await refused(rig.call(method, request(session_id=session_id)))).code is Code.NOT_FOUND
    states = pb.GetLiveStatesRequest(session_ids=[session_id])
    assert (await refused(rig.call("GetLiveStates", states))).code is Code.NOT_FOUND
    listener = rig.stub.Subscribe(pb.SubscribeRequest(session_id=session_id))
    assert [each async for each in _failing(listener)] == ["NOT_FOUND"]


async def _failing(call: Any) -> Any:
    import grpc

    try:
        async for _ in call:
            yield "an event"
    except grpc.aio.AioRpcError as error:
        yield error.code().name


@pytest.mark.parametrize(
    ("command", "code"),
    [(["no-such-pi"], Code.PI_MISSING), (["./not-executable"], Code.PI_MISSING)],
)
async def test_b07_a_missing_pi_is_a_clear_refusal(make_rig: MakeRig, command: list[str], code: Code) -> None:
    rig = await make_rig(pi_command=command)
    (rig.settings.home / "not-executable").write_text("#!/bin/sh\n")
    fault = await refused(rig.create())
    assert fault.code is code and fault.code.kind.http_status == 503 and nothing_was_made(rig)
    runner = await rig.call("GetRunner", pb.GetRunnerRequest())
    assert "there is no program" in runner.reason


async def test_an_unsupported_pi_is_refused_by_its_version(make_rig: MakeRig, tmp_path: Path) -> None:
    old = tmp_path / "old-pi"
    old.write_text("#!/bin/sh\necho 0.84.2\n")
    old.chmod(0o755)
    rig = await make_rig(runner="pi", pi_command=[str(old)])
    fault = await refused(rig.create())
    assert fault.code is Code.PI_UNSUPPORTED and "0.84.2" in fault.message and nothing_was_made(rig)
    runner = await rig.call("GetRunner", pb.GetRunnerRequest())
    assert runner.version == "0.84.2" and runner.runner == "pi" and not runner.scripted


async def test_b07_no_room_for_a_process_leaves_the_others_alone(make_rig: MakeRig) -> None:
    rig = await make_rig()
    first = (await rig.create()).session_id
    await (await rig.listen(first)).until_state("idle")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open("/dev/null", os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        fault = await refused(rig.create())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert fault.code is Code.UNAVAILABLE and "Too many open files" in fault.message
    assert (await rig.live(first)).state == pb.SESSION_STATE_IDLE
    assert (await rig.create()).session_id


@pytest.mark.parametrize(
    "part",
    [
        "services.orchestrator.process.os.pidfd_open",
        "services.orchestrator.ownership.Ownership.name_child",
        "services.orchestrator.supervisor.Watchdog._start",
        "services.orchestrator.journal.os.write",
    ],
)
async def test_b07_a_start_that_fails_half_way_leaves_no_process(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    rig = await make_rig()

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(part, fail)
        fault = await refused(rig.create())
    assert fault.code is Code.UNAVAILABLE and "No space left" in fault.message
    assert rig.orchestrator.processes.count == 0
    session = fault.details["session_id"]
    assert (await rig.live(session)).state == pb.SESSION_STATE_CLOSED
    await rig.open(session)
    await (await rig.listen(session)).until_state("idle")


async def test_closing_while_starting_ends_the_start(make_rig: MakeRig) -> None:
    rig = await make_rig("name: slow\nstart:\n  - {delay: 60000}\n", start_patience_seconds=0.1)
    session = (await rig.create()).session_id
    opening = asyncio.create_task(rig.orchestrator.manager.open(session))
    await asyncio.sleep(0)
    assert (await rig.close_session(session)).state == pb.SESSION_STATE_CLOSED
    await asyncio.wait([opening])
    assert rig.orchestrator.processes.count == 0
    assert (await rig.live(session)).state == pb.SESSION_STATE_CLOSED
    listener = await rig.listen_from_the_start(session)
    await listener.until("replay_complete")
    assert listener.states() == ["starting", "closing", "closed"]


async def test_b10_a_child_that_exits_at_once_fails_the_call_with_its_stderr(make_rig: MakeRig) -> None:
    rig = await make_rig(
        """\
name: bad start
start:
  - {stderr: "Error: Failed to load extension"}
  - {delay: 300}
  - {exit: 1}
"""
    )
    began = time.monotonic()
    fault = await refused(rig.create())
    assert time.monotonic() - began < 8
    assert fault.code is Code.PI_FAILED and "Failed to load extension" in fault.message
    assert fault.details["exit_code"] == 1 and "Failed to load extension" in fault.details["stderr"]
    session = fault.details["session_id"]
    state = await rig.live(session)
    assert state.state == pb.SESSION_STATE_CRASHED and "Failed to load extension" in state.reason
    crashed = (await rig.listen_from_the_start(session)).until_state("crashed")
    assert (await crashed)["exit_code"] == 1
    await assert_eventually(lambda: rig.orchestrator.processes.count == 0)


async def test_b10_a_slow_child_stays_starting_until_its_deadline(make_rig: MakeRig) -> None:
    rig = await make_rig(
        "name: slow\nstart:\n  - {delay: 60000}\n", start_patience_seconds=0.3, start_seconds=2.0
    )
    session = await rig.create()
    assert session.state == pb.SESSION_STATE_STARTING
    steer = pb.SteerRequest(session_id=session.session_id, text="x")
    assert (await refused(rig.call("Steer", steer))).code is Code.SESSION_NOT_LIVE
    listener = await rig.listen(session.session_id)
    crashed = await listener.until_state("crashed")
    assert "did not come up within 2 s" in crashed["reason"]
    assert rig.orchestrator.processes.count == 0


async def test_b10_a_slow_child_that_comes_up_in_time_goes_on(make_rig: MakeRig) -> None:
    rig = await make_rig(
        "name: slow\nstart:\n  - {delay: 1500}\ncommands:\n  - {name: nuova-domanda, steps: [{text: hi}]}\n",
        start_patience_seconds=0.1,
    )
    session = await rig.create()
    assert session.state == pb.SESSION_STATE_STARTING
    await (await rig.listen(session.session_id)).until_state("idle")


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("gate: false", "without the gate"),
        ("gate: {version: tht-gate/0}", "another version"),
        ("gate: {ready: false}", "did not get ready"),
    ],
)
async def test_a27_a_session_without_its_gate_never_runs(make_rig: MakeRig, gate: str, words: str) -> None:
    rig = await make_rig(f"name: no gate\n{gate}\n")
    fault = await refused(rig.create())
    assert fault.code is Code.GATE_MISSING and words in fault.message
    session = fault.details["session_id"]
    listener = await rig.listen_from_the_start(session)
    await listener.until_state("crashed")
    assert listener.states() == ["starting", "crashed"]
    await assert_eventually(lambda: rig.orchestrator.processes.count == 0)


async def test_without_credentials_no_session_runs(make_rig: MakeRig) -> None:
    rig = await make_rig("name: no key\nmodels: [{id: m, credentials: false}]\n")
    assert (await refused(rig.create())).code is Code.NO_CREDENTIALS
    made = len(list(rig.settings.sessions.iterdir()))
    assert (await refused(rig.create(provider="scripted", model="m"))).code is Code.NO_CREDENTIALS
    assert len(list(rig.settings.sessions.iterdir())) == made


async def test_a_failed_start_can_be_mended_and_opened(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = await make_rig("name: no gate\ngate: false\n")
    session = (await refused(rig.create())).details["session_id"]
    assert (await refused(rig.open(session))).code is Code.GATE_MISSING
    Path(rig.settings.fake_pi_scenario).write_text(
        "name: good\ncommands:\n  - {name: nuova-domanda, steps: [{text: hi}]}\n", encoding="utf-8"
    )
    await rig.open(session)
    await (await rig.listen(session)).until_state("idle")


async def test_a_full_house_is_told_before_anything_is_made(make_rig: MakeRig) -> None:
    rig = await make_rig(max_live_sessions=2)
    results = await asyncio.gather(*(rig.create() for _ in range(4)), return_exceptions=True)
    faults = [each for each in results if isinstance(each, Fault)]
    assert [fault.code for fault in faults] == [Code.BUSY] * 2
    assert len(rig.executor.manifests) == 2
    session = next(each for each in results if not isinstance(each, BaseException)).session_id
    await rig.close_session(session)
    assert (await rig.create()).session_id


async def test_b12_two_opens_at_once_make_one_child(make_rig: MakeRig) -> None:
    rig = await make_rig()
    session = (await rig.create()).session_id
    await (await rig.listen(session)).until_state("idle")
    await rig.close_session(session)
    await asyncio.gather(*(rig.open(session) for _ in range(5)))
    assert rig.orchestrator.processes.count == 1
    assert rig.orchestrator.manager.find(session).generation == 2


async def test_opening_what_is_not_there(make_rig: MakeRig) -> None:
    rig = await make_rig()
    for work in (rig.open("20260101t000000-000abcdef"), rig.close_session("20260101t000000-000abcdef")):
        assert (await refused(work)).code is Code.NOT_FOUND
    assert len(rig.orchestrator.manager._sessions) == 0


async def test_a_lost_history_is_refused(make_rig: MakeRig) -> None:
    rig = await make_rig()
    session = (await rig.create()).session_id
    await (await rig.listen(session)).until_state("idle")
    await rig.close_session(session)
    history = next((rig.settings.sessions / session / "pi").glob("*.jsonl"))
    lines = history.read_text().splitlines()
    header = json.loads(lines[0]) | {"cwd": "/somewhere/else"}
    history.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")
    fault = await refused(rig.open(session))
    assert fault.code is Code.PI_FAILED and "history" in fault.message


async def test_models_come_from_pi_and_are_kept(make_rig: MakeRig) -> None:
    rig = await make_rig(
        "name: models\nmodels:\n  - {id: m, name: M, context_window: 1000000, reasoning: true}\n"
        "  - {id: secret, provider: other, credentials: false}\n"
    )
    for _ in range(2):
        response = await rig.call("ListModels", pb.ListModelsRequest())
        assert response.scripted
        assert [(each.provider, each.id, each.name) for each in response.models] == [("scripted", "m", "M")]
        assert response.models[0].context_window == 1_000_000
        assert list(response.models[0].thinking_levels)[:2] == ["off", "minimal"]
    assert rig.orchestrator.processes.count == 0
    runner = await rig.call("GetRunner", pb.GetRunnerRequest())
    assert (runner.runner, runner.version, runner.scripted) == ("fake_pi", "1.6.0", True)


async def test_b14_the_child_sees_its_own_environment_and_no_secret(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    seen = tmp_path / "environment.json"
    rig = await make_rig(
        f"name: environment\nstart:\n  - {{environment: {seen}}}\n",
        inherited={"THT_DB_PASSWORD": "s3cret", "THOTHII_SERVICE_TOKEN": "t0ken", "OPENAI_API_KEY": "k"},
        node_directory="/opt/node/bin",
    )
    session = (await rig.create(temperature=0.25)).session_id
    told = json.loads(seen.read_text())
    assert "s3cret" not in seen.read_text() and "t0ken" not in seen.read_text()
    assert told["OPENAI_API_KEY"] == "k" and told["PATH"].startswith("/opt/node/bin:")
    assert told["THT_SESSION"] == told["PI_SESSION_ID"] == session
    assert told["THT_TEMPERATURE"] == "0.25" and told["THT_HOME"] == str(rig.settings.home)
    assert told["THT_AGENT_ENDPOINT"].startswith("unix:/") and len(told["THT_AGENT_TOKEN"]) > 30
    assert Path(told["PI_CODING_AGENT_DIR"]).is_dir() and Path(told["TMPDIR"]).is_dir()
    assert str(Path(sys.executable).parent) in told["PATH"].split(":")
