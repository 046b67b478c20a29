"""The child processes of `make run`."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

STOP_DEADLINE = 4.5
"""Seconds from the first signal to the last kill; Ctrl-C promises five."""

LOG_LINES = 15


@dataclass(slots=True)
class Service:
    """One running service and its log file."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def last_words(self) -> str:
        """The end of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES:])


def start(name: str, module: str, environment: dict[str, str], logs: Path) -> Service:
    """Start `python -m module` in a process group of its own, its output in `logs`/name.log."""
    log = logs / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment, "THOTHII_PARENT_PID": str(os.getpid())},
            start_new_session=True,
        )
    return Service(name, process, log)


def stop(services: list[Service]) -> None:
    """End all, the last started first: SIGTERM, and SIGKILL to what is left at the deadline."""
    deadline = time.monotonic() + STOP_DEADLINE
    for service in reversed(services):
        if service.process.poll() is None:
            service.process.send_signal(signal.SIGTERM)
    for service in reversed(services):
        try:
            service.process.wait(max(0.05, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(service.process.pid, signal.SIGKILL)
            service.process.wait()
