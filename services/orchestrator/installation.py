"""Which Pi there is: the command, its version, whether it is one this orchestrator works with."""

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from contracts.errors import Code, Fault
from services.orchestrator.config import OrchestratorSettings

SUPPORTED = re.compile(r"1\.6\.\d+")
PACKAGE = "@earendil-works/pi-coding-agent"
VERSION_SECONDS = 20.0


class Installation:
    """The Pi of the settings, looked at again whenever the program changes."""

    def __init__(self, settings: OrchestratorSettings) -> None:
        self._settings = settings
        self._versions: dict[tuple[str, int], str] = {}

    def command(self) -> list[str]:
        """Program and arguments before the options. Raises Fault PI_MISSING."""
        settings = self._settings
        program, *arguments = settings.pi_command or [""]
        if settings.runner == "fake_pi" and settings.pi_command == ["node_modules/.bin/pi"]:
            program, arguments = sys.executable, ["-m", "fake_pi"]
        found = shutil.which(settings.home / program) if "/" in program else shutil.which(program)
        if found is None:
            raise Fault(
                Code.PI_MISSING,
                f"there is no program {program!r}; run `make pi` or set THOTHII_PI_COMMAND",
            )
        return [str(Path(found).absolute()), *arguments]

    async def checked_command(self, environment: Mapping[str, str]) -> list[str]:
        """`command()`, once its version was found to be supported.

        Raises Fault PI_MISSING, or PI_UNSUPPORTED with the versions in the message.
        """
        command = self.command()
        if self._settings.runner != "pi":
            return command
        version = await self.version(environment)
        if not SUPPORTED.fullmatch(version):
            raise Fault(
                Code.PI_UNSUPPORTED,
                f"Pi {version} is installed and this ThothII works with 1.6.x; run `make pi`",
                version=version,
            )
        return command

    async def version(self, environment: Mapping[str, str]) -> str:
        """The version, from the package or else from the program. Raises Fault PI_MISSING or PI_FAILED."""
        command = self.command()
        key = (" ".join(command), _changed_at(command[0]))
        if key not in self._versions:
            packaged = _packaged_version(command[0]) if self._settings.runner == "pi" else None
            self._versions[key] = packaged or await _asked_version(command, environment)
        return self._versions[key]


def _changed_at(program: str) -> int:
    return Path(program).stat().st_mtime_ns


def _packaged_version(program: str) -> str | None:
    for folder in Path(program).resolve().parents:
        package = folder / "package.json"
        if package.is_file():
            described = msgspec.json.decode(package.read_bytes(), type=dict[str, object])
            return str(described.get("version")) if described.get("name") == PACKAGE else None
    return None


async def _asked_version(command: list[str], environment: Mapping[str, str]) -> str:
    try:
        output = await asyncio.to_thread(_run_version, command, environment)
    except OSError as error:
        raise Fault(Code.PI_MISSING, f"{command[0]} cannot be run ({error.strerror})") from error
    words = output.split()
    if not words:
        raise Fault(Code.PI_FAILED, f"{command[0]} does not say its version")
    return words[-1]


def _run_version(command: list[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [*command, "--version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""
