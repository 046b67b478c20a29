"""Plays a recording of the real Pi to the fake Pi and compares the two, record by record."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
RECORDINGS = HERE.parents[1] / "data" / "pi_recordings"
PATIENCE_S = 10.0

_ID_KEYS = ("id", "parentId", "leafId", "targetId", "firstKeptEntryId")
_MASKED = {
    "timestamp",
    "usage",
    "durationMs",
    "baseUrl",
    "sessionFile",
    "sessionId",
    "responseId",
    "wall_time_seconds",
    "tokensBefore",
    "estimatedTokensAfter",
    "summary",
    "sourceInfo",
    "tokens",
    "contextUsage",
    "extensionPath",
}
"""Values that differ from process to process; only their presence and kind are compared."""


def recording(name: str) -> list[dict[str, Any]]:
    """The lines of a recording."""
    text = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def outputs(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Pi wrote on stdout."""
    return [line["record"] for line in lines if line["dir"] == "out"]


def plain(value: Any, ids: dict[str, str], key: str = "") -> Any:
    """`value` with what differs from process to process replaced by its kind, ids by their order."""
    if key in _MASKED or isinstance(value, float):
        return f"<{'number' if isinstance(value, int | float) else type(value).__name__}>"
    if isinstance(value, dict):
        if value.get("role") == "system":
            return {"role": "system", "keys": sorted(value), "sections": sorted(value["sections"])}
        fields = {name: plain(item, ids, name) for name, item in value.items()}
        if value.get("errorMessage") == "This operation was aborted":
            fields.pop("durationMs", None)  # the real Pi has it or not, by chance
        return fields
    if isinstance(value, list):
        return [plain(item, ids, key) for item in value]
    if isinstance(value, str):
        if key in _ID_KEYS and re.fullmatch(r"[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f-]{27}", value):
            return ids.setdefault(value, f"id-{len(ids)}")
        value = re.sub(r"\{(PI|CWD)\}/|/[^' ]*/(?=pi-sessions/)", "", value)
        return re.sub(r"\d{4}-\d\d-\d\dT[\d-]+Z_", "TIME_", value)
    return value


def alike(expected: Any, actual: Any) -> bool:
    """Equal, but for long texts, of which recordings keep 200 characters and three dots."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(alike(expected[key], actual[key]) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(alike, expected, actual))
    if (
        isinstance(expected, str)
        and isinstance(actual, str)
        and len(expected) == 203
        and expected.endswith("...")
    ):
        return actual.startswith(expected[:200]) and len(actual) > 4096
    return bool(expected == actual)


class Replay:
    """One fake Pi that gets a recording's inputs, each after as many outputs as the real one had given."""

    def __init__(
        self, name: str, scenario: dict[str, Any], folder: Path, inputs: dict[str, bytes] | None = None
    ) -> None:
        """`inputs`: the bytes of what the recording only describes; then every input is its own write."""
        self.lines = recording(name)
        self._inputs = inputs
        self.actual: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._folder = folder
        self._ids: dict[str, str] = {}
        self._arrived = threading.Condition()
        self.process = self._spawn(dict(scenario))
        self._threads = [
            threading.Thread(target=self._read_records, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _spawn(self, scenario: dict[str, Any]) -> subprocess.Popen[bytes]:
        base = yaml.safe_load((HERE / "golden" / "base.yaml").read_text(encoding="utf-8"))
        arguments = scenario.pop("arguments", [])
        approve = ["--approve"] if scenario.pop("approve", True) else []
        cwd = self._folder / scenario.pop("cwd", "project")
        cwd.mkdir(exist_ok=True)
        self._removed = scenario.pop("remove_session_dir_before", None)
        self._session_dir = self._folder / scenario.pop("session_dir", "pi-sessions")
        path = self._folder / "scenario.yaml"
        text = yaml.safe_dump({**base, **scenario}, allow_unicode=False, sort_keys=False)
        path.write_text(text.replace("X_TIMES_2000000", "x" * 2_000_000), encoding="utf-8")
        command = [sys.executable, "-m", "fake_pi", "--scenario", str(path), "--mode", "rpc", *approve]
        command += ["--provider", "scripted", "--model", "scripted", "--session-dir", str(self._session_dir)]
        command += ["--session-id", "abc-1", *arguments]
        return subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self._folder)},
        )

    def run(self) -> None:
        """Gives all inputs and waits for the end of the process."""
        end = self.lines[-1]["t"]
        seen = 0
        batch: list[bytes] = []
        for line in self.lines:
            if line["dir"] == "in":
                self._wait_for(seen)
                if line["record"] == "<stdin closed>" and line["t"] == end:
                    continue  # the real Pi had ended by itself
                batch.append(self._input(line["record"]))
                continue
            self._send(batch)
            seen += line["dir"] == "out"
        self._send(batch)

    def _wait_for(self, count: int) -> None:
        with self._arrived:
            enough = self._arrived.wait_for(lambda: len(self.actual) >= count, timeout=PATIENCE_S)
        missing = outputs(self.lines)[len(self.actual) : count]
        assert enough, f"{len(self.actual)} of {count} records; missing {json.dumps(missing)[:600]}"

    def _input(self, record: Any) -> bytes:
        """The bytes of an input; those of a signal or EOF are a mark of their own."""
        if isinstance(record, dict):
            if self._removed and record.get("type") == self._removed:
                self._session_dir.rmdir()
            return json.dumps(self._with_ids(record), ensure_ascii=False).encode() + b"\n"
        if self._inputs is not None and record in self._inputs:
            return self._inputs[record]
        return record.encode() if record.startswith("<") else record.encode() + b"\n"

    def _with_ids(self, record: dict[str, Any]) -> dict[str, Any]:
        """The input with the ids of the recording replaced by those of this process."""
        recorded: dict[str, str] = {}
        ours: dict[str, str] = {}
        count = len(self.actual)
        plain(outputs(self.lines)[:count], recorded)
        plain(self.actual, ours)
        back = {mark: value for value, mark in ours.items()}
        return {
            key: back.get(recorded[value], value) if isinstance(value, str) and value in recorded else value
            for key, value in record.items()
        }

    def _send(self, batch: list[bytes]) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        texts = [item for item in batch if not item.startswith(b"<")]
        for text in filter(None, [b"".join(texts)] if self._inputs is None else texts):
            stdin.write(text)
            stdin.flush()
            if self._inputs is not None and not text.endswith(b"\n"):
                time.sleep(0.05)  # so that the rest of the line comes with another read
        for mark in (item.decode() for item in batch if item.startswith(b"<")):
            if mark == "<stdin closed>":
                self._close_stdin()
            else:
                self._kill(signal.Signals[mark.removeprefix("<signal ").rstrip(">")])
        batch.clear()

    def _close_stdin(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            return

    def _kill(self, number: signal.Signals) -> None:
        # Between two signals the real recording waited too: signals that wait together arrive as one.
        time.sleep(0.1)
        self.process.send_signal(number)

    def finish(self, alive: bool = False) -> int | None:
        """Waits for the end, or sees that the process goes on living and kills it; returns the exit code."""
        try:
            code = self.process.wait(timeout=1.0 if alive else PATIENCE_S)
        except subprocess.TimeoutExpired:
            code = None
        self.close()
        return code

    def close(self) -> None:
        """Ends whatever is left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue

    def _read_records(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            record = json.loads(line)
            with self._arrived:
                self.actual.append(record)
                self._arrived.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line.decode().rstrip("\n"))
