"""D-07: a run killed at any point, and the same plan run again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from session_executor.execute import STEPS

PROJECT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("kind", ["steps", "changes", "orphans"])
def test_d07_killed_anywhere_the_plan_runs_or_finishes(tmp_path: Path, kind: str) -> None:
    driver = "tests.integration.session_executor.crash_driver"
    done = subprocess.run(
        [sys.executable, "-m", driver, str(tmp_path), kind],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    points = [json.loads(line) for line in done.stdout.splitlines()]
    if kind == "steps":
        assert len(points) == len(STEPS)
    else:
        assert points.pop()["ended"] == "finished"
        assert len(points) > 20
    for point in points:
        assert point["ended"] == "killed", point
        assert point["left"] == [], point
        assert point["content"] == "continued from checkpoint\n", point
        assert point["status"] in {"complete", "OUTPUT_EXISTS complete"}, point
