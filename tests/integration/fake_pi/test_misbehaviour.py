"""The fake Pi's misbehaviour: each scenario of tests/scenarios does what it says."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import assert_eventually
from tests.integration.fake_pi.pipe import PipedPi, text_of

Start = Callable[..., PipedPi]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_flood_writes_every_record_and_ends_with_the_text(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "flood") as pi:
        records = pi.kick()
    floods = [record for record in records if record.get("statusKey") == "flood"]
    assert len(floods) == 5000 and 280 < len(json.dumps(floods[0], separators=(",", ":"))) < 320
    deltas = [
        record for record in records if record.get("assistantMessageEvent", {}).get("type") == "text_delta"
    ]
    assert len(deltas) == 201 and text_of(records).endswith("end of the flood")


def test_huge_records_have_the_size_they_say(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "huge") as pi:
        pi.send(id="k", type="prompt", message="/nuova-domanda abc-1")
        lines = pi.lines()
    sizes = sorted((len(line) for line in lines), reverse=True)
    assert sizes[0] > 4_900_000 and any(2_900_000 < size < 3_100_000 for size in sizes)
    assert "after the huge ones" in text_of([json.loads(line) for line in lines])


def test_garbage_stands_between_whole_records(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "garbage") as pi:
        pi.send(id="k", type="prompt", message="/nuova-domanda abc-1")
        lines = pi.lines()
    for garbage in (b"this is not JSON\n", b"\xff\xfe\x00\xff\n", b"null\n", b"\n"):
        assert garbage in lines
    assert b'{"type":"unknown_record","a":1}\r\n' in lines
    assert '{"type":"unknown_record","b":"\u2028\u0085"}\n'.encode() in lines
    assert any(b'"method":"frobnicate"' in line for line in lines)
    assert b'"agent_settled"' in lines[-1]


def test_stderr_flood_does_not_stop_the_run(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "stderr_flood") as pi:
        assert text_of(pi.kick()) == "still here"
    assert pi.stderr().count("noise noise") >= 20_000 and pi.stderr().endswith("Error: the last words\n")


def test_crash_leaves_half_a_line_and_its_exit_code(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "crash") as pi:
        pi.send(type="prompt", message="/nuova-domanda abc-1")
        assert pi.lines()[-1] == b'{"type":"message_upd'
        assert pi.process.wait(10) == 3


def test_killed_dies_by_the_signal(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "killed") as pi:
        pi.kick()
        assert pi.process.wait(10) == -signal.SIGKILL


async def test_refusing_to_die_needs_sigkill_and_the_grandchild_stays_in_the_group(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "refuses_to_die") as pi:
        grandchild = int(text_of(pi.kick()).removeprefix("grandchild "))
        pi.end_input()
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
            pi.process.send_signal(number)
        with pytest.raises(TimeoutError):
            await assert_ended(pi, 0.5)
        os.kill(grandchild, signal.SIGTERM)
        assert os.getpgid(grandchild) == pi.process.pid
    await assert_eventually(lambda: not alive(grandchild))


async def assert_ended(pi: PipedPi, seconds: float) -> None:
    """Raises TimeoutError when the process still lives after so many seconds."""
    try:
        await assert_eventually(lambda: pi.process.poll() is not None, seconds)
    except AssertionError as error:
        raise TimeoutError from error


def test_grandchildren_are_in_two_sessions(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "grandchildren") as pi:
        own, detached = map(int, text_of(pi.kick()).split())
        assert os.getpgid(own) == pi.process.pid
        assert os.getsid(detached) == detached
        os.kill(detached, signal.SIGKILL)


def test_slow_start_answers_late(tmp_path: Path) -> None:
    began = time.monotonic()
    with PipedPi(tmp_path, "slow_start") as pi:
        pi.send(id="s", type="get_state")
        pi.records("get_state")
    assert time.monotonic() - began > 1.5


def test_start_error_writes_only_to_stderr(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "start_error") as pi:
        assert pi.process.wait(10) == 1
        assert [record["type"] for record in pi.records()] == ["entry_appended"]
    assert 'Failed to load extension "tht-gate.js"' in pi.stderr()


def test_deaf_answers_other_commands_only(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "deaf") as pi:
        pi.send(id="s", type="get_state")
        pi.send(id="c", type="get_commands")
        assert [record.get("id") for record in pi.records("get_commands")] == [None, "c"]


@pytest.mark.parametrize(
    ("scenario", "arguments", "versions"),
    [
        ("hello", (), ["(tht-gate/1)", "(tht-gate/1)"]),
        ("gate_old", (), ["(tht-gate/0)", "(tht-gate/0)"]),
        ("gate_missing", (), []),
        ("hello", ("--no-approve",), []),
    ],
)
def test_the_commands_show_which_gate_is_loaded(
    tmp_path: Path, scenario: str, arguments: tuple[str, ...], versions: list[str]
) -> None:
    with PipedPi(tmp_path, scenario, *arguments) as pi:
        pi.send(type="get_commands")
        commands = pi.records("get_commands")[-1]["data"]["commands"]
    ends = [
        each["description"].rpartition(" ")[2] for each in commands if "<session id>" in each["description"]
    ]
    assert ends == versions


def test_retries_tell_each_failure_and_then_the_answer(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "retries") as pi:
        records = pi.kick()
    kinds = [record["type"] for record in records if record["type"].startswith("auto_retry")]
    assert kinds == ["auto_retry_start", "auto_retry_start", "auto_retry_end"]
    assert records[-2]["willRetry"] is False and text_of(records) == "half an ansThe whole answer."


def test_a_failing_model_ends_the_run_with_its_error(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "model_fails") as pi:
        records = pi.kick()
    last = [record["message"] for record in records if record["type"] == "message_end"][-1]
    assert (last["stopReason"], last["errorMessage"][:4]) == ("error", "401:")


def test_a_stalled_model_is_ended_by_abort(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "stall") as pi:
        pi.send(type="prompt", message="/nuova-domanda abc-1")
        pi.lines("message_update")
        pi.send(id="a", type="abort")
        records = pi.records("abort")
        assert records[-2] == {"type": "agent_settled", "aborted": True}
        pi.send(type="prompt", message="go on")
        assert text_of(pi.records()) == "awake again"


@pytest.mark.parametrize(
    ("steer", "text"),
    [
        ("look at the weather", "Heard: look at the weather. Done without steering."),
        ("please stop", "I stop as you said."),
    ],
)
def test_a_steer_is_heard_after_the_tool(tmp_path: Path, steer: str, text: str) -> None:
    with PipedPi(tmp_path, "steered") as pi:
        pi.send(type="prompt", message="/nuova-domanda abc-1")
        pi.lines("tool_execution_start")
        pi.send(type="prompt", message=steer, streamingBehavior="steer")
        assert text_of(pi.records()) == text


def test_notices_are_one_way_records(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "notices") as pi:
        records = pi.kick()
    methods = [record["method"] for record in records if record["type"] == "extension_ui_request"]
    assert methods == ["notify", "notify", "setStatus", "setWidget", "setTitle"]
    said = [record["entry"]["data"]["ev"] for record in records if record["type"] == "entry_appended"]
    assert said == ["ready", "phase_changed", "artifact_written"]
    kinds = {record["type"] for record in records}
    assert {"compaction_start", "compaction_end", "extension_error"} <= kinds


def test_environment_is_shown_as_it_is(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "environment", PI_SESSION_ID="abc-1", SECRET="x") as pi:
        records = pi.kick()
    notice = next(record for record in records if record["type"] == "extension_ui_request")
    assert json.loads(notice["message"])["SECRET"] == "x" and text_of(records) == "abc-1"


def test_a_real_command_runs_and_its_output_can_be_used(tmp_path: Path) -> None:
    scenario = (
        "commands: [{name: nuova-domanda, steps: [{run: [echo, hi], as: out}, {text: '${out.output|line}'}]}]"
    )
    with PipedPi(tmp_path, scenario) as pi:
        assert text_of(pi.kick()) == "hi"


def test_an_operation_without_an_endpoint_is_a_tool_error(tmp_path: Path) -> None:
    steps = "[{call: sql.preview, args: {sql: x}, as: page}, {text: '${page.error.code}'}]"
    scenario = f"commands: [{{name: nuova-domanda, steps: {steps}}}]"
    with PipedPi(tmp_path, scenario) as pi:
        records = pi.kick()
    end = next(record for record in records if record["type"] == "tool_execution_end")
    assert end["isError"] and end["toolName"] == "tht_sql" and text_of(records) == "unavailable"


def test_a_tool_that_the_command_line_does_not_offer_is_not_found(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "widgets", "--tools", "tht_sql") as pi:
        records = pi.kick()
    ends = [record for record in records if record["type"] == "tool_execution_end"]
    assert ends[0]["result"]["content"][0]["text"] == "Tool reviewer_select not found"


def test_a_broken_scenario_is_one_line_and_exit_2(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "otherwise: [{frob: 1}]") as pi:
        assert pi.process.wait(10) == 2
    assert pi.stderr().count("\n") == 1 and "no known step in ['frob']" in pi.stderr()


def test_a_closed_stdout_ends_it_with_exit_1(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "hello") as pi:
        pi.send(id="s", type="get_state")
        pi.lines("get_state")
        assert pi.process.stdout is not None
        pi.process.stdout.close()
        pi.send(id="s", type="get_state")
        assert pi.process.wait(10) == 1


def test_changed_responses(tmp_path: Path) -> None:
    scenario = (
        "responses: {get_state: {data: {sessionId: other}, delay_ms: 50}, get_messages: {error: no luck}}"
    )
    with PipedPi(tmp_path, scenario) as pi:
        pi.send(id="s", type="get_state")
        assert pi.records("get_state")[-1]["data"]["sessionId"] == "other"
        pi.send(id="m", type="get_messages")
        answer = pi.records("get_messages")[-1]
        assert (answer["success"], answer["error"]) == (False, "no luck")


def test_list_models_and_version(tmp_path: Path) -> None:
    with PipedPi(tmp_path, "hello", "--list-models") as pi:
        assert pi.process.wait(10) == 0 and pi.lines() == []
    assert "scripted  scripted  100K" in pi.stderr()
    with PipedPi(tmp_path, "hello", "--version") as pi:
        assert pi.lines() == [b"1.6.0\n"] and pi.process.wait(10) == 0
