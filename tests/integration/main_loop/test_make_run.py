"""`make run`: what it prints, and that nothing is left when it stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from launcher.pi_choice import PROJECT
from tests.helpers import free_port
from tests.stack import Reviewer, make_home


def start(home: Path, port: int) -> subprocess.Popen[str]:
    """`python -m launcher` as `make run` calls it."""
    return subprocess.Popen(
        [sys.executable, "-m", "launcher", "--pi", "fake", "--port", str(port), "--home", str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=PROJECT,
        start_new_session=True,
    )


def lines_until_stop(process: subprocess.Popen[str]) -> list[str]:
    """What it prints up to the line that says how to stop it."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if line.startswith("stop"):
            return lines
    raise AssertionError(f"it ended: {lines}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_a_person_needs_and_stops_without_a_trace(tmp_path: Path, number: int) -> None:
    port = free_port()
    with start(make_home(tmp_path), port) as process:
        lines = lines_until_stop(process)
        said = {line.split()[0]: line for line in lines}
        assert f"http://127.0.0.1:{port}" in said["ThothII"]
        assert "flights" in said["workspace"]
        assert "scripted model" in said["Pi"]
        with Reviewer(f"http://127.0.0.1:{port}") as reviewer:
            reviewer.ask()
        family = psutil.Process(process.pid).children(recursive=True)
        assert len(family) >= 5, "three services, a worker and a Pi"
        started = time.monotonic()
        os.kill(process.pid, number)
        assert process.wait(10) == 0
        assert time.monotonic() - started < 5
        _gone, alive = psutil.wait_procs(family, timeout=1)
        assert not alive


def test_it_takes_its_services_along_when_it_is_killed(tmp_path: Path) -> None:
    with start(make_home(tmp_path), free_port()) as process:
        lines_until_stop(process)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        _gone, alive = psutil.wait_procs(family, timeout=10)
        assert not alive


def test_a_taken_port_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with start(make_home(tmp_path), taken.getsockname()[1]) as process:
            assert process.stdout is not None
            output = process.stdout.read()
        assert process.returncode == 1
        assert "is taken" in output
