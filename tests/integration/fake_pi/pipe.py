"""A fake Pi on plain pipes, for tests of what it writes and how it ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

SCENARIOS = Path(__file__).parents[2] / "scenarios"


class PipedPi:
    """One fake Pi in its own group. Use it as a context manager; its whole group is killed at the end."""

    def __init__(self, folder: Path, scenario: str, *arguments: str, **environment: str) -> None:
        path = SCENARIOS / f"{scenario}.yaml"
        if "\n" in scenario or ":" in scenario:
            path = folder / "scenario.yaml"
            path.write_text(scenario, encoding="utf-8")
        command = [sys.executable, "-m", "fake_pi", "--mode", "rpc", "--approve", "--session-id", "abc-1"]
        command += ["--session-dir", str(folder / "pi"), "--scenario", str(path), *arguments]
        self._errors = (folder / "stderr").open("wb")
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._folder = folder

    def __enter__(self) -> "PipedPi":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._errors.close()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                continue

    def send(self, **record: Any) -> None:
        """Writes one command."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(record).encode() + b"\n")
        self.process.stdin.flush()

    def end_input(self) -> None:
        """Closes stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def lines(self, until: str = "agent_settled") -> list[bytes]:
        """Lines of stdout up to the first record of this type (or response to this command), or to EOF."""
        assert self.process.stdout is not None
        found: list[bytes] = []
        for line in self.process.stdout:
            found.append(line)
            if f'"type":"{until}"'.encode() in line or f'"command":"{until}"'.encode() in line:
                break
        return found

    def records(self, until: str = "agent_settled") -> list[dict[str, Any]]:
        """The same, decoded."""
        return [json.loads(line) for line in self.lines(until)]

    def kick(self) -> list[dict[str, Any]]:
        """Starts the session's work; all records until it settles."""
        self.send(id="k", type="prompt", message="/nuova-domanda abc-1")
        return self.records()

    def stderr(self) -> str:
        """What it wrote on stderr so far."""
        return (self._folder / "stderr").read_text(encoding="utf-8", errors="replace")


def text_of(records: list[dict[str, Any]]) -> str:
    """The text that the model streamed."""
    events = [record.get("assistantMessageEvent", {}) for record in records]
    return "".join(event["delta"] for event in events if event.get("type") == "text_delta")
