"""Run the operator's check command on the commit's files; the result goes into the receipt only."""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import IO, Any

from session_executor.artifacts import CHECK_FILE, Artifacts
from session_executor.files import PRIVATE_DIRECTORY, replace_bytes
from session_executor.sandbox import NONE, choose_sandbox
from session_executor.worktree import Worktree

_KEPT_OUTPUT_BYTES = 64 * 1024
_POLL_S = 0.1


class CheckCommand:
    """A shell command, run where the files are those of the commit, without the caller's environment.

    `timeout` is in seconds. The last 64 KiB of output go to `check.log` beside the receipt.
    """

    def __init__(self, command: str, stop: threading.Event, timeout: float = 600.0) -> None:
        self._command = command
        self._stop = stop
        self._timeout = timeout

    def __call__(
        self, worktree: Worktree, lost_files: list[dict[str, Any]], artifacts: Artifacts
    ) -> dict[str, Any]:
        """See `session_executor.execute.AfterCommit`."""
        tree, home = worktree.place.tree, str(Path(worktree.place.temporary_root, "check-home"))
        result: dict[str, Any] = {"command": self._command, "sandbox": NONE, "exitCode": None}
        started = time.monotonic()
        try:
            Path(home).mkdir(mode=PRIVATE_DIRECTORY)
            _remove_uncommitted(tree, lost_files)
            sandbox = choose_sandbox(tree, home)
            result["sandbox"] = sandbox.name
            output = _Output()
            words = [*_dying_with_us(), *sandbox.command(["sh", "-c", self._command])]
            outcome = self._run(words, tree, home, output)
            result |= outcome | {"outputSha256": output.digest.hexdigest(), "outputBytes": output.size}
            replace_bytes(artifacts.file(CHECK_FILE), output.tail)
        except OSError as error:
            result["error"] = f"{type(error).__name__}: {error.strerror}"
        result["durationMs"] = round((time.monotonic() - started) * 1000)
        return result

    def _run(self, words: list[str], tree: str, home: str, output: "_Output") -> dict[str, Any]:
        process = subprocess.Popen(
            words,
            cwd=tree,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        reader = threading.Thread(target=output.read, args=(process.stdout,), daemon=True)
        reader.start()
        deadline = time.monotonic() + self._timeout
        while process.poll() is None and time.monotonic() < deadline and not self._stop.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
        ended_early = process.poll() is None
        interrupted = ended_early and self._stop.is_set()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        reader.join(5)
        return {
            "exitCode": None if ended_early else status,
            "timedOut": ended_early and not interrupted,
            "interrupted": interrupted,
        }


class _Output:
    """The end of what a command printed, and the digest of all of it."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.size = 0
        self.tail = b""

    def read(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 65536):
                self.digest.update(chunk)
                self.size += len(chunk)
                self.tail = (self.tail + chunk)[-_KEPT_OUTPUT_BYTES:]


def _dying_with_us() -> list[str]:
    """So that the command of a killed run does not go on in a directory that the next run removes."""
    program = shutil.which("setpriv")
    return [program, "--pdeathsig", "KILL"] if program else []


def _remove_uncommitted(tree: str, lost_files: list[dict[str, Any]]) -> None:
    """What is not in the commit must not make the check pass."""
    for file in lost_files:
        if file["reason"] != "unchanged":
            Path(tree, file["path"]).unlink(missing_ok=True)


def _environment(home: str) -> dict[str, str]:
    """No provider keys and no tokens: the command runs what a model wrote."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
    return {"PATH": os.defpath, **kept, "HOME": home, "TMPDIR": home, "CI": "1", "TERM": "dumb"}
