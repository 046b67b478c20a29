"""The real Pi in RPC mode, driven by a test over its pipes."""

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
HARNESS = PROJECT / "harness"
PI_CLI = HARNESS / "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
GATE = ".pi/extensions/tht-gate/index.js"
GATE_TOOLS = (
    "tht_schema",
    "tht_sql",
    "artifact_write",
    "reviewer_select",
    "reviewer_decide",
    "ask_reviewer",
    "artifact_gate",
)

Record = dict[str, Any]
DEADLINE_S = 60.0


def find_node() -> str | None:
    """Node of the project's environment, else the one on PATH."""
    local = PROJECT / ".venv/bin/node"
    return str(local) if local.exists() else shutil.which("node")


class PiProcess:
    """One `pi --mode rpc`; its records are kept in order."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
    ) -> None:
        node = find_node()
        assert node, "no node: run `make pi`"
        path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
        self.records: list[Record] = []
        self.stderr = ""
        self._arrived = threading.Condition()
        self._ended = False
        self._next_id = 0
        self._process = subprocess.Popen(
            [node, str(PI_CLI), "--mode", "rpc", *arguments],
            cwd=cwd,
            env={"PATH": path, "PI_OFFLINE": "1", "LANG": "C.UTF-8", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._readers = [
            threading.Thread(target=self._read_records, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_records(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            record = json.loads(line)
            with self._arrived:
                self.records.append(record)
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def _read_stderr(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self.stderr += line.decode(errors="replace")

    def send(self, record: Mapping[str, Any]) -> None:
        """Write one record to stdin."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(record).encode() + b"\n")
        self._process.stdin.flush()

    def call(self, kind: str, **fields: Any) -> Record:
        """Send a command and wait for its response, successful or not."""
        self._next_id += 1
        call_id = f"c{self._next_id}"
        self.send({"id": call_id, "type": kind, **fields})
        return self.wait_for(lambda record: record.get("type") == "response" and record.get("id") == call_id)

    def wait_for(
        self, matches: Callable[[Record], bool], *, since: int = 0, deadline_s: float = DEADLINE_S
    ) -> Record:
        """The first record from position `since` on that matches. Fails when Pi ends or time is up."""
        until = time.monotonic() + deadline_s
        position = since
        with self._arrived:
            while True:
                for record in self.records[position:]:
                    if matches(record):
                        return record
                position = len(self.records)
                left = until - time.monotonic()
                if self._ended or left <= 0:
                    seen = [record.get("type") for record in self.records[since:]]
                    why = "Pi ended" if self._ended else "time is up"
                    raise AssertionError(f"{why}; records seen: {seen[-40:]}; stderr: {self.stderr[-2000:]}")
                self._arrived.wait(left)

    def wait_for_type(self, kind: str, *, since: int = 0) -> Record:
        """The first record of type `kind` from `since` on."""
        return self.wait_for(lambda record: record.get("type") == kind, since=since)

    def of_type(self, kind: str) -> list[Record]:
        """The records of one type so far."""
        return [record for record in self.records if record.get("type") == kind]

    def entries(self) -> list[dict[str, Any]]:
        """What the gate said on its one-way channel so far."""
        found = [record["entry"] for record in self.of_type("entry_appended")]
        return [entry["data"] for entry in found if entry.get("customType") == "tht-gate"]

    def close(self) -> int:
        """Close stdin and wait for the end; the exit code."""
        assert self._process.stdin
        if not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            code = self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait(10)
        for reader in self._readers:
            reader.join(5)
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        return code

    def wait_exit(self, deadline_s: float = 30) -> int:
        """Wait for Pi to end by itself; the exit code."""
        return self._process.wait(deadline_s)

    def __enter__(self) -> "PiProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
