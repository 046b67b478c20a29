"""Which Pi runs the sessions: the real one, or the scripted one."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
REAL_PI = PROJECT / "harness" / "node_modules" / ".bin" / "pi"
DEMO_SCENARIO = PROJECT / "demo" / "worst_carrier.yaml"
LIST_MODELS_TIMEOUT = 60
"""Seconds; a first start of Pi on a busy machine takes some."""


class NoUsablePi(Exception):
    """The Pi that was asked for cannot run; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PiChoice:
    """The Pi to run, and why."""

    runner: str
    """pi or fake_pi."""
    reason: str
    """One line for people."""
    environment: dict[str, str]
    """What the orchestrator needs to know of it."""


def choose(wanted: str, environment: dict[str, str] | None = None, real_pi: Path | None = None) -> PiChoice:
    """Decide by `wanted`: real, fake, or auto (the real one when it is installed and has a model).

    `real_pi` is where the real one would be; by default in this project's harness folder. Raises NoUsablePi
    when the real one is wanted and cannot run.
    """
    if wanted == "fake":
        return _fake("asked for with PI=fake")
    program = real_pi or REAL_PI
    problem = _real_problem(environment or dict(os.environ), program)
    if problem is None:
        return PiChoice("pi", "installed, with a usable model", _runner("pi", [str(program)]))
    if wanted == "real":
        raise NoUsablePi(problem)
    return _fake(problem)


def _fake(reason: str) -> PiChoice:
    environment = _runner("fake_pi", [sys.executable, "-m", "fake_pi"])
    return PiChoice("fake_pi", reason, {**environment, "THOTHII_FAKE_PI_SCENARIO": str(DEMO_SCENARIO)})


def _runner(runner: str, command: list[str]) -> dict[str, str]:
    return {
        "THOTHII_RUNNER": runner,
        "THOTHII_PI_COMMAND": json.dumps(command),
        "THOTHII_NODE_DIRECTORY": str(Path(sys.executable).parent),
    }


def _real_problem(environment: dict[str, str], program: Path) -> str | None:
    """Why the real Pi cannot run; None when it can."""
    if not program.exists():
        return "the real Pi is not installed (make pi)"
    try:
        listing = subprocess.run(
            [str(program), "--list-models"],
            capture_output=True,
            text=True,
            timeout=LIST_MODELS_TIMEOUT,
            env={**environment, "PI_OFFLINE": "1"},
            cwd=program.parents[2],
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the real Pi does not start ({type(error).__name__})"
    if listing.returncode != 0:
        last = (listing.stderr.strip().splitlines() or ["no message"])[-1]
        return f"the real Pi does not start: {last}"
    # A table with a header when there are models, else a sentence (Pi 1.6.0); both with exit code 0.
    rows = [line for line in listing.stdout.splitlines() if re.match(r"\S+ {2,}\S+ {2,}", line)]
    if len(rows) < 2:
        return "the real Pi has no model with credentials (configure a provider, see README)"
    return None
