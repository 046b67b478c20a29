"""One `pi --mode rpc` child: commands in, records out, one JSON object a line that ends at LF.

Measured on Pi 1.6.0: lines have no size limit, responses come out of order, stdout must be read to its end
also while stopping, and when stdin closes Pi ends within 0.2 s.
"""

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from session_executor.errors import ErrorCode, ExecutorError

Record = dict[str, Any]

_STDERR_BYTES = 16 * 1024
_POLL_S = 0.1


class PiProcess:
    """A running Pi. `close` must be called; it returns the exit code."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        inherit: Sequence[int],
    ) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=tuple(inherit),
                start_new_session=True,
                umask=0o077,
            )
        except OSError as error:
            raise ExecutorError(ErrorCode.PROCESS_START_FAILED, "could not start pi") from error
        self._records: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        self._ended = False
        self._stderr = b""
        self._ids = itertools.count(1)
        self._threads = [
            threading.Thread(target=self._read_records, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, command: str, **fields: Any) -> str:
        """Write one command and return its id. A Pi that is gone is seen when its records end."""
        identifier = f"executor-{next(self._ids)}"
        self._write({"id": identifier, "type": command, **fields})
        return identifier

    def cancel_dialog(self, identifier: str) -> None:
        """Answer a dialog that nobody is there for."""
        self._write({"type": "extension_ui_response", "id": identifier, "cancelled": True})

    def _write(self, document: Record) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(document).encode() + b"\n")
            self._process.stdin.flush()

    def next(self, deadline: float) -> Record | None:
        """The next record, None when none came for a moment or by `deadline` (of `time.monotonic()`).

        Raises ExecutorError PI_CONTINUATION_FAILED when Pi has ended.
        """
        if self._ended:
            raise self._gone()
        timeout = max(0.0, min(_POLL_S, deadline - time.monotonic()))
        try:
            record = self._records.get(timeout=timeout)
        except queue.Empty:
            return None
        if record is None:
            self._ended = True
            raise self._gone()
        return record

    def _gone(self) -> ExecutorError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._threads[1].join(1)
        reason = self.last_words() or "it said nothing"
        status = self._process.poll()
        return ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, f"Pi ended with status {status}: {reason}")

    def last_words(self) -> str:
        """The last line that Pi wrote to stderr."""
        lines = self._stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self, patience: float = 10.0) -> int:
        """Close stdin and wait; after `patience` seconds SIGTERM, after 5 more SIGKILL to the whole group."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        for seconds, action in ((patience, signal.SIGTERM), (5.0, signal.SIGKILL)):
            try:
                self._process.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, action)
        status = self._process.wait()
        for thread in self._threads:
            thread.join(5)
        return status

    def _read_records(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict):
                    self._records.put(cast(Record, record))
        self._records.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                self._stderr = (self._stderr + line)[-_STDERR_BYTES:]
