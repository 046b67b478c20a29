"""Children that misbehave: floods, garbage, crashes, refusals to die."""

# ruff: noqa: ASYNC240

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.process import StopDeadlines
from services.orchestrator.strays import find_strays
from tests.helpers import assert_eventually
from tests.integration.orchestrator.conftest import MakeRig
from tests.integration.orchestrator.rig import SCENARIOS, Listener, Rig
from thothii.orchestrator.v1 import orchestrator_service_pb2 as pb


def scenario(*steps: str, more: str = "") -> str:
    lines = "".join(f"      - {step}\n" for step in steps)
    commands = (
        f"  - name: nuova-domanda\n    steps: &steps\n{lines}  - name: riprendi-sessione\n    steps: *steps\n"
    )
    return f"name: test\n{more}\ncommands:\n{commands}"


async def session_of(rig: Rig) -> tuple[str, Listener]:
    session = (await rig.create()).session_id
    return session, await rig.listen_from_the_start(session)


def run_of(rig: Rig, session: str) -> Any:
    run = rig.orchestrator.manager.find(session)._run
    assert run is not None
    return run


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a28_a_long_line_is_delivered_and_one_above_the_cap_is_told(make_rig: MakeRig) -> None:
    rig = await make_rig(
        scenario("{huge: 5, as: text}", "{tool: tht_sql, do: [{huge: 8}]}", "{text: after}"),
        record_cap=6_000_000,
    )
    _, listener = await session_of(rig)
    await listener.until_state("idle")
    assert len(listener.text()) > 4_900_000 and listener.text().endswith("after")
    told = listener.system("protocol")
    assert [each["problem"] for each in told] == ["oversized"] and told[0]["bytes"] > 7_900_000


async def test_a32_garbage_on_stdout_is_counted_and_the_session_goes_on(make_rig: MakeRig) -> None:
    rig = await make_rig(
        scenario(
            '{raw: "Warning: foo\\n", times: 3}', '{raw: "{\\n"}', "{raw: '', hex: fffe0a}", "{text: fine}"
        )
    )
    _, listener = await session_of(rig)
    await listener.until_state("idle")
    assert [each["count"] for each in listener.system("protocol")] == [1, 2, 3, 4, 5]
    assert listener.text() == "fine"


async def test_a33_a_flood_of_stderr_blocks_nothing_and_its_end_is_kept(make_rig: MakeRig) -> None:
    rig = await make_rig(
        scenario(
            "{text: fine}",
            more=f'start:\n  - {{stderr: "{"e" * 1000}", times: 1100}}\n  - {{stderr: last words}}',
        )
    )
    session, listener = await session_of(rig)
    await listener.until_state("idle")
    tail = run_of(rig, session).child.process.stderr_tail()
    assert "last words" in tail and len(tail) <= 64 * 1024


async def test_a09_a_reader_that_never_reads_stops_neither_the_agent_nor_the_others(
    make_rig: MakeRig,
) -> None:
    rig = await make_rig(scenario("{flood: 20000, bytes: 1000, as: status}", "{text: end}"))
    session = (await rig.create()).session_id
    asleep = rig.stub.Subscribe(pb.SubscribeRequest(session_id=session))
    await asleep.initial_metadata()
    awake = await rig.listen(session)
    await awake.until_state("idle", 30)
    hub = rig.orchestrator.manager.find(session).hub
    assert sum(map(len, hub._payloads)) <= rig.settings.ring_bytes + 64 * 1024
    asleep.cancel()


async def test_b03_a_pending_call_fails_at_once_when_the_child_is_killed(make_rig: MakeRig) -> None:
    rig = await make_rig(scenario("{text: hi}", more="responses: {get_session_stats: {ignore: true}}"))
    session, listener = await session_of(rig)
    await listener.until_state("idle")
    run = run_of(rig, session)
    calling = asyncio.create_task(run.child.rpc.call("get_session_stats", 60))
    await assert_eventually(lambda: run.child.rpc._pending)
    os.kill(run.child.process.pid, signal.SIGKILL)
    began = time.monotonic()
    with pytest.raises(Fault, match="SIGKILL") as failed:
        await calling
    assert time.monotonic() - began < 0.5 and failed.value.code is Code.PI_FAILED
    assert failed.value.details["signal"] == "SIGKILL"
    crashed = await listener.until_state("crashed")
    assert crashed["signal"] == "SIGKILL" and crashed["exit_code"] is None
    with pytest.raises(Fault) as refused:
        await rig.call("Steer", pb.SteerRequest(session_id=session, text="x"))
    assert refused.value.code is Code.SESSION_NOT_LIVE


async def test_a_crash_shows_its_last_words_and_ends_the_questions(make_rig: MakeRig) -> None:
    rig = await make_rig(
        scenario(
            "{tool: tht_sql, do: [{stderr: boom at line 7}, {exit: 3, after_ms: 400}, "
            "{widget: input, title: Q, kind: answer}]}"
        )
    )
    session, listener = await session_of(rig)
    asked = await listener.next_question([])
    crashed = await listener.until_state("crashed")
    assert crashed["exit_code"] == 3 and "boom at line 7" in crashed["stderr"]
    resolved = listener.named("ui_resolved")
    assert [(each["id"], each["how"]) for each in resolved] == [(asked["id"], "gone")]
    with pytest.raises(Fault) as gone:
        await rig.answer(session, {"id": asked["id"], "text": "late"})
    assert gone.value.code is Code.GONE and rig.executor.decisions == []
    await rig.open(session)
    await listener.next_question([asked["id"]])
    superseded = [each for each in listener.named("ui_resolved") if each["how"] == "superseded"]
    assert superseded[0]["id"] == asked["id"] and superseded[0]["superseded_by"].startswith(f"{session}.2.")


async def test_a30_a_last_line_without_its_end_is_told(make_rig: MakeRig) -> None:
    rig = await make_rig(scenario('{raw: "{\\"type\\": \\"agent_set"}', "{exit: 3}"))
    _, listener = await session_of(rig)
    await listener.until_state("crashed")
    assert [each["problem"] for each in listener.system("protocol")] == ["truncated"]


STUBBORN = """\
name: stubborn
shutdown: {ignore: [eof, sigterm]}
commands:
  - name: nuova-domanda
    steps:
      - {spawn: 600, detached: true, deaf: true}
      - {spawn: 600, deaf: true, keep_stdout: true}
      - {text: here}
"""


async def test_closing_ends_a_child_that_refuses_to_die_and_all_it_started(make_rig: MakeRig) -> None:
    rig = await make_rig(STUBBORN)
    rig.orchestrator.processes._deadlines = StopDeadlines(0.3, 0.2, 0.2)
    session, listener = await session_of(rig)
    await listener.until_state("idle")
    process = run_of(rig, session).child.process
    tree = list(find_strays(process.pid, process._marker))
    assert len(tree) >= 3
    await rig.close_session(session)
    assert not any(alive(pid) for pid in tree)
    assert (await listener.until_state("closed"))["stderr"] is None


async def test_closing_a_healthy_session_is_quick_and_orderly(make_rig: MakeRig) -> None:
    rig = await make_rig("widgets.yaml")
    session, listener = await session_of(rig)
    await listener.next_question([])
    process = run_of(rig, session).child.process
    began = time.monotonic()
    await rig.close_session(session)
    assert time.monotonic() - began < 2.5
    assert process.exit is not None and process.exit.code == 0
    assert listener.named("ui_resolved")[0]["how"] == "gone"


async def test_abort_cancels_what_is_asked_and_the_child_lives_on(make_rig: MakeRig) -> None:
    rig = await make_rig("widgets.yaml")
    session, listener = await session_of(rig)
    asked = await listener.next_question([])
    live = (await rig.call("Abort", pb.AbortRequest(session_id=session, author="bea"))).live
    resolved = listener.named("ui_resolved")
    assert (resolved[0]["id"], resolved[0]["how"], resolved[0]["by"]) == (asked["id"], "cancelled", "bea")
    assert live.state == pb.SESSION_STATE_IDLE and live.reason == "aborted"
    assert rig.executor.decisions == []


ORCHESTRATOR = """\
import asyncio, os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tests.integration.orchestrator.rig import Rig

async def main():
    rig = Rig(Path(sys.argv[2]), Path(sys.argv[3]), dict(os.environ), {})
    await rig.start()
    for _ in range(int(sys.argv[4])):
        session = (await rig.create()).session_id
        await (await rig.listen(session)).until_state("idle")
        print(rig.orchestrator.manager.find(session)._run.child.process.pid, flush=True)
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_b01_after_kill_9_of_the_orchestrator_nothing_of_its_tree_lives(tmp_path: Path) -> None:
    stubborn = tmp_path / "stubborn.yaml"
    stubborn.write_text(STUBBORN)
    project = str(SCENARIOS.parents[1])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ORCHESTRATOR, project, str(tmp_path), str(stubborn), "2", stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    pids: list[int] = []
    while (line := (await process.stdout.readline()).decode().strip()) != "ready":
        assert line, "the orchestrator did not come up"
        pids.append(int(line))
    tokens = [
        next(
            part for part in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") if b"AGENT_TOKEN" in part
        )
        for pid in pids
    ]
    tree = [stray for pid, token in zip(pids, tokens, strict=True) for stray in find_strays(pid, token)]
    assert len(tree) >= 6
    process.kill()
    await process.wait()
    await assert_eventually(lambda: not any(alive(pid) for pid in tree), 10)
    # The next orchestrator finds the sessions free.
    for directory in (tmp_path / "harness" / "sessions").iterdir():
        assert json.loads((directory / "live.json").read_text())["child_pid"] in pids


async def test_a15_after_kill_9_of_the_orchestrator_an_old_answer_is_never_taken(tmp_path: Path) -> None:
    project = str(SCENARIOS.parents[1])
    script = ORCHESTRATOR.replace('until_state("idle")', 'until_state("waiting")')
    widgets = str(SCENARIOS / "widgets.yaml")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, project, str(tmp_path), widgets, "1", stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    pid = int(await process.stdout.readline())
    process.kill()
    await process.wait()
    directory = next((tmp_path / "harness" / "sessions").iterdir())
    journal = [json.loads(line) for line in (directory / "questions.jsonl").read_text().splitlines()]
    old = {"id": journal[-1]["asked"], "value": "worst"}
    second = Rig(
        tmp_path, SCENARIOS / "widgets.yaml", dict(os.environ), {"orchestrator_address": f"unix:{tmp_path}/2"}
    )
    second.executor.manifests[directory.name] = {"id": directory.name, "phase": {"phase": "F1"}}
    await second.start()
    try:
        with pytest.raises(Fault) as gone:
            await second.answer(directory.name, old)
        assert gone.value.code is Code.GONE
        await second.open(directory.name)
        assert not alive(pid)
        asked = await (await second.listen(directory.name)).next_question([])
        with pytest.raises(Fault) as superseded:
            await second.answer(directory.name, old)
        assert superseded.value.details["how"] == "superseded"
        assert superseded.value.details["superseded_by"] == asked["id"] != old["id"]
        assert second.executor.decisions == []
    finally:
        await second.stop()


async def test_the_watchdog_is_replaced_when_it_dies_and_ends_with_the_service(make_rig: MakeRig) -> None:
    rig = await make_rig()
    await rig.create()
    watchdog = rig.orchestrator.processes._watchdog
    first = watchdog._process
    assert first is not None
    first.kill()
    first.wait()
    await rig.create()
    second = watchdog._process
    assert second is not None and second.pid != first.pid and alive(second.pid)
    await rig.orchestrator.manager.shutdown("the test is over")
    assert not alive(second.pid)


async def test_a11_at_the_end_every_reader_hears_bye_and_every_child_is_gone(make_rig: MakeRig) -> None:
    rig = await make_rig("widgets.yaml")
    sessions = [(await rig.create()).session_id for _ in range(3)]
    listeners = [await rig.listen(session) for session in sessions for _ in range(4)]
    for listener in listeners:
        await listener.next_question([])
    began = time.monotonic()
    await rig.orchestrator.stop("maintenance")
    assert time.monotonic() - began < 5
    await assert_eventually(lambda: all(listener.over for listener in listeners))
    assert all(listener.named("bye") == [{"reason": "maintenance"}] for listener in listeners)
    assert all(listener.states()[-1] == "closed" for listener in listeners)
    assert rig.orchestrator.processes.count == 0


async def test_a41_many_children_spawned_among_calls_are_all_born_whole(make_rig: MakeRig) -> None:
    count = 16
    rig = await make_rig(max_live_sessions=count, start_patience_seconds=60)
    busy = [asyncio.create_task(_chatter(rig)) for _ in range(4)]
    created = await asyncio.gather(*(rig.create() for _ in range(count)))
    listeners = [await rig.listen_from_the_start(live.session_id) for live in created]
    for listener, live in zip(listeners, created, strict=True):
        await listener.until_state("idle", 60)
        assert listener.text() == f"Hello. The session is {live.session_id}."
    for task in busy:
        task.cancel()
    await asyncio.wait(busy)


async def _chatter(rig: Rig) -> None:
    while True:
        await rig.call("GetLiveStates", pb.GetLiveStatesRequest())


async def test_b11_a_session_lives_until_it_was_idle_for_long(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.orchestrator.manager.SWEEP_SECONDS", 0.05)
    rig = await make_rig(idle_seconds=0.5)
    session, listener = await session_of(rig)
    await listener.until_state("idle")
    await asyncio.sleep(0.8)
    assert (await rig.live(session)).state == pb.SESSION_STATE_IDLE
    await listener.close()

    async def closed() -> bool:
        return (await rig.live(session)).state == pb.SESSION_STATE_CLOSED

    await assert_eventually(closed, 5)
    assert "nobody was there" in (await rig.live(session)).reason


async def test_a_service_that_opens_and_closes_sessions_leaks_no_descriptor(make_rig: MakeRig) -> None:
    rig = await make_rig()
    session, listener = await session_of(rig)
    await listener.until_state("idle")

    async def cycle() -> None:
        await rig.close_session(session)
        await rig.open(session)
        await listener.until_state("idle")

    await cycle()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(4):
        await cycle()
    assert len(os.listdir("/proc/self/fd")) <= before + 2
