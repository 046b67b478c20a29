"""The README's commands, run as they stand."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from launcher.pi_choice import PROJECT
from tests.helpers import free_port
from tests.stack import make_home

README = (PROJECT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
PUBLISHED = "http://127.0.0.1:8080"


def block(containing: str) -> str:
    """The one block of commands that has this text."""
    found = [text for text in BLOCKS if containing in text]
    assert len(found) == 1, f"{len(found)} blocks with {containing!r}"
    return found[0]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """`make run` on a home of its own; a folder that looks like the checkout, and the URL."""
    folder = tmp_path_factory.mktemp("readme")
    home = make_home(folder)
    for name in (".venv", ".run", "examples"):
        (folder / name).symlink_to(PROJECT / name)
    port = free_port()
    environment = {**os.environ, "THOTHII_HOME": str(home), "THOTHII_GATEWAY_PORT": str(port)}
    process = subprocess.Popen(
        ["make", "--no-print-directory", "run", "PI=fake"],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("stop"):
            break
    yield folder, f"http://127.0.0.1:{port}"
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(10)
    process.stdout.close()
    assert not psutil.wait_procs(family, timeout=2)[1]


def run(script: str, folder: Path, url: str, stdin: str = "") -> str:
    """What a script prints; it must succeed. The published port is replaced by the test's."""
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace(PUBLISHED, url)],
        cwd=folder,
        env={**os.environ, "THOTHII_URL": url, "COLUMNS": "160"},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_every_block_of_commands_is_tested() -> None:
    tested = ("make run", "thothii ask", "tht --home", "curl -s $URL/workspaces", "grpc_client")
    assert [block(text) for text in tested] == BLOCKS


def test_every_make_target_that_it_names_exists() -> None:
    for target in set(re.findall(r"make ([a-z][a-z-]*)", README)):
        planned = subprocess.run(
            ["make", "--dry-run", target], cwd=PROJECT, capture_output=True, text=True, check=False
        )
        assert planned.returncode == 0, planned.stderr


def test_the_question_in_the_second_terminal(running: tuple[Path, str]) -> None:
    answers = "1\n1,2,3,4\nnothing to note\napprove\napprove\napprove\n"
    printed = run(block("thothii ask"), *running, stdin=answers)
    assert "Frontier Airlines Inc." in printed


def test_the_workspace_commands(running: tuple[Path, str]) -> None:
    printed = run(block("tht --home"), *running)
    assert "flights" in printed and "airlines" in printed


def test_the_loop_by_hand(running: tuple[Path, str]) -> None:
    printed = run(block("curl -s $URL/workspaces"), *running)
    assert printed.count('"how":"answered"') == 6
    assert "Frontier Airlines Inc." in printed
    lines = (running[0] / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 17, "a header and sixteen carriers"
    assert lines[1].startswith("Frontier Airlines Inc.")


def test_the_same_over_grpc(running: tuple[Path, str]) -> None:
    assert "Frontier Airlines Inc." in run(block("grpc_client"), *running)
