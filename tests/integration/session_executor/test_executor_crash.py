"""D-07: a run killed at any point, and the same plan run again."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from session_executor.execute import STEPS

PROJECT = Path(__file__).resolve().parents[3]
DRIVER = "tests.integration.session_executor.crash_driver"
DRIVERS = 2
"""Processes at once, each with every second kill point."""


def walk(directory: Path, kind: str) -> list[list[dict[str, Any]]]:
    """What each driver saw at its kill points."""
    processes: list[subprocess.Popen[str]] = []
    for first in range(DRIVERS):
        place = directory / str(first)
        place.mkdir()
        command = [sys.executable, "-m", DRIVER, str(place), kind, str(first), str(DRIVERS)]
        processes.append(
            subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    outputs = [process.communicate(timeout=280) for process in processes]
    assert [process.returncode for process in processes] == [0] * DRIVERS, outputs
    return [[json.loads(line) for line in output.splitlines()] for output, _ in outputs]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["steps", "changes", "orphans"])
def test_d07_killed_anywhere_the_plan_runs_or_finishes(tmp_path: Path, kind: str) -> None:
    points: list[dict[str, Any]] = []
    for seen in walk(tmp_path, kind):
        if kind != "steps":
            assert seen.pop()["ended"] == "finished"
        points += seen
    assert len(points) == len(STEPS) if kind == "steps" else len(points) > 20
    for point in points:
        assert point["ended"] == "killed", point
        assert point["left"] == [], point
        assert point["content"] == "continued from checkpoint\n", point
        assert point["status"] in {"complete", "OUTPUT_EXISTS complete"}, point
