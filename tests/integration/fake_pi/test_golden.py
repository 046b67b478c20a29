"""The fake Pi against recordings of the real Pi 1.6.0: the same inputs, records of the same kinds, fields and order."""

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
    """Records without what differs from process to process; `bash_output` false leaves out a command's output so
    far, which the real Pi happened to write or not before an abort."""
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


def play(name: str, folder: Path) -> Replay:
    scenario = dict(SCENARIOS[name])
    before = scenario.pop("after", None)
    if before is not None:
        play(before, folder)
    replay = Replay(name, scenario, folder)
    try:
        replay.run()
        code = replay.finish(alive=expected_exit(replay.lines) is None)
    finally:
        replay.close()
    assert code == expected_exit(replay.lines), "\n".join(replay.errors)
    return replay


SPECIAL = ("framing_input_lines",)
"""Replayed by a test of its own: their inputs are not all written down as bytes."""


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in SPECIAL])
def test_fake_pi_writes_what_the_real_pi_wrote(name: str, tmp_path: Path) -> None:
    replay = play(name, tmp_path)
    complete = name != "abort_bash_tool"
    problem = differences(normal(outputs(recording(name)), complete), normal(replay.actual, complete))
    assert not problem, problem
