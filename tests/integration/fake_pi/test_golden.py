"""The fake Pi against recordings of the real Pi 1.6.0: same inputs, same kinds, fields, order of records."""

import difflib
import json
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.fake_pi.replay import HERE, Replay, alike, outputs, plain, recording


def golden_scenarios() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((HERE / "golden").glob("*.yaml")):
        if path.stem != "base":
            found |= yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


SCENARIOS = golden_scenarios()


def expected_exit(lines: list[dict[str, Any]]) -> int | None:
    """The exit code as subprocess gives it; None where the real Pi went on living."""
    record = lines[-1]["record"]
    if isinstance(record, str):
        return None
    return int(record["code"]) if record["code"] is not None else -signal.Signals[record["signal"]]


def normal(records: list[dict[str, Any]], bash_output: bool = True) -> list[Any]:
    """Records without what differs from process to process.

    `bash_output` false leaves out a command's output so far, which the real Pi happened not to write.
    """
    ids: dict[str, str] = {}
    return [
        plain(record, ids)
        for record in records
        if bash_output or record["type"] != "tool_execution_update" or not record["partialResult"]["content"]
    ]


def differences(expected: list[Any], actual: list[Any]) -> str:
    """What differs, as a unified diff of the records; empty when nothing does."""
    if len(expected) == len(actual) and all(map(alike, expected, actual)):
        return ""
    left = [json.dumps(record, ensure_ascii=False, sort_keys=True)[:1500] for record in expected]
    right = [json.dumps(record, ensure_ascii=False, sort_keys=True)[:1500] for record in actual]
    return (
        "\n".join(difflib.unified_diff(left, right, "real", "fake", lineterm="", n=1)) or "long texts differ"
    )


def play(
    name: str, folder: Path, scenario: dict[str, Any] | None = None, inputs: dict[str, bytes] | None = None
) -> Replay:
    scenario = dict(SCENARIOS[name] if scenario is None else scenario)
    before = scenario.pop("after", None)
    if before is not None:
        play(before, folder)
    replay = Replay(name, scenario, folder, inputs)
    try:
        replay.run()
        code = replay.finish(alive=expected_exit(replay.lines) is None)
    finally:
        replay.close()
    assert code == expected_exit(replay.lines), "\n".join(replay.errors)
    return replay


def compare(name: str, replay: Replay) -> None:
    complete = name != "abort_bash_tool"
    problem = differences(normal(outputs(recording(name)), complete), normal(replay.actual, complete))
    assert not problem, problem


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != "framing_input_lines"])
def test_fake_pi_writes_what_the_real_pi_wrote(name: str, tmp_path: Path) -> None:
    compare(name, play(name, tmp_path))


ODD_INPUTS = {
    '{"id":"crlf","type":"get_last_assistant_text"}\\r': (
        b'{"id":"crlf","type":"get_last_assistant_text"}\r\n'
    ),
    "<empty line>": b"\n",
    "<three spaces>": b"   \n",
    "<CR LF>": b"\r\n",
    '<no LF yet> {"id":"split","ty': b'{"id":"split","ty',
    '<rest of the line> pe":"get_last_assistant_text"}': b'pe":"get_last_assistant_text"}\n',
    '<UTF-8 BOM> {"id":"bom","type":"get_last_assistant_text"}': (
        b'\xef\xbb\xbf{"id":"bom","type":"get_last_assistant_text"}\n'
    ),
    '{"id":"badutf8","type":"set_session_name","name":"a\\xff\\xfeb"}': (
        b'{"id":"badutf8","type":"set_session_name","name":"a\xff\xfeb"}\n'
    ),
    "\\xff\\xfe\\xfd": b"\xff\xfe\xfd\n",
    "<first half, cut inside a 4-byte character>": b'{"id":"emo","type":"set_session_name","name":"\xf0\x9f',
    "<second half>": b'\x98\x80"}\n',
    '<no LF> {"id":"lastnolf","type":"get_last_assistant_text"}': (
        b'{"id":"lastnolf","type":"get_last_assistant_text"}'
    ),
}


def test_odd_input_lines_are_answered_as_the_real_pi_answers_them(tmp_path: Path) -> None:
    compare("framing_input_lines", play("framing_input_lines", tmp_path, inputs=ODD_INPUTS))


def test_malformed_dialog_answers_reach_the_extension_as_in_the_real_pi(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = []
    for record in outputs(recording("dialog_wrong_shapes")):
        if record["type"] != "tool_execution_start":
            continue
        args = record["args"]
        dialog = {key: args[key] for key in ("title", "options") if key in args}
        steps.append(
            {
                "tool": "ask",
                "id": record["toolCallId"],
                "args": args,
                "do": [{"dialog": args["kind"], **dialog, "as": "answer"}],
                "result": "ANSWER ${answer|typeof}",
            }
        )
    assert len(steps) == 20
    compare("dialog_wrong_shapes", play("dialog_wrong_shapes", tmp_path, {"prompts": [{"steps": steps}]}))
