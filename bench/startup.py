"""Starting: the command line beside Python alone, a session beside Pi alone.

python -m bench.startup [--runs N]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.measure import Row, alternate, cpu_seconds, report, wall_seconds
from launcher.pi_choice import REAL_PI
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, write_agent_folder
from tests.stack import Reviewer, real_pi, running

TARGET_HELP = 3.0
TARGET_LIST = 4.0
TARGET_SESSION = 1.1


def command_line(runs: int) -> list[Row]:
    """CPU seconds of cold `tht` calls beside `python -c pass`."""
    tht = str(Path(sys.executable).with_name("tht"))
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "workspaces").mkdir()
        (Path(home) / "sessions").mkdir()
        medians = alternate(
            runs,
            {
                "pass": lambda: cpu_seconds([sys.executable, "-c", "pass"]),
                "help": lambda: cpu_seconds([tht, "--help"]),
                "list": lambda: cpu_seconds([tht, "--home", home, "session", "list", "--json"]),
            },
        )
    return [
        Row("tht --help", medians["help"], "python -c pass", medians["pass"], TARGET_HELP),
        Row("tht session list --json", medians["list"], "python -c pass", medians["pass"], TARGET_LIST),
    ]


def first_answer_of_pi(agent_folder: Path, scratch: Path) -> Callable[[], float]:
    """Seconds from spawning Pi alone to its first answer."""
    command = [
        *(str(REAL_PI), "--mode", "rpc", "--approve", "--no-session"),
        *("--provider", PROVIDER, "--model", MODEL),
    ]
    environment = {
        **os.environ,
        # Pi needs the Node of this environment, as the orchestrator gives it.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PI_OFFLINE": "1",
        "PI_CODING_AGENT_DIR": str(agent_folder),
        "TMPDIR": str(scratch),
    }

    def once() -> None:
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=REAL_PI.parents[2],
        ) as child:
            assert child.stdin is not None and child.stdout is not None
            child.stdin.write(json.dumps({"id": "1", "type": "get_state"}).encode() + b"\n")
            child.stdin.flush()
            answer = child.stdout.readline()
            child.kill()
            if not answer:
                raise SystemExit("Pi alone gave no answer")

    return lambda: wall_seconds(once)


def first_event_of_session(reviewer: Reviewer, sessions: list[str]) -> Callable[[], float]:
    """Seconds from `POST /sessions` to the first event that Pi itself caused."""

    def once() -> None:
        session = reviewer.ask()
        sessions.append(session)
        for name, _id, data in reviewer.events(session):
            if name == "lifecycle" and data["state"] == "running":
                return
            if name == "snapshot" and data["state"] in {"running", "waiting", "idle"}:
                return

    def measured() -> float:
        taken = wall_seconds(once)
        reviewer.post(f"/sessions/{sessions[-1]}/close")
        return taken

    return measured


def session_start(runs: int) -> list[Row]:
    """A session's first event beside Pi alone, both with the gate's extension found in the project."""
    with tempfile.TemporaryDirectory(prefix="thothii-") as name, ScriptedModel() as model:
        model.script(lambda _request: Answer("Nothing to do."))
        folder = Path(name)
        agent_folder = write_agent_folder(folder / "agent", model.base_url)
        with running(folder, real_pi(agent_folder)) as stack, Reviewer(stack.url) as reviewer:
            medians = alternate(
                runs,
                {
                    "pi": first_answer_of_pi(agent_folder, folder),
                    "session": first_event_of_session(reviewer, []),
                },
            )
    return [
        Row(
            "POST /sessions to the first event", medians["session"], "Pi alone", medians["pi"], TARGET_SESSION
        )
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    report("Cold command line, CPU", command_line(runs), "ms", 1000)
    report("Start of a session, wall", session_start(runs))


if __name__ == "__main__":
    main()
