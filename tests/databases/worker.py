"""A driver of `tht worker`: the real process, with real frames, so that a statement that will not end can be
killed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import msgspec

from contracts.errors import Code, Fault
from tht.frames import Chunk, FrameReader, Message, encode_message

START = "import sys; from tht.cli import main; sys.exit(main())"


class Worker:
    """One worker process for one home; it is started again when a call ended it."""

    def __init__(self, home: Path, errors: IO[bytes] | None = None) -> None:
        self.home = home
        self._errors = subprocess.DEVNULL if errors is None else errors
        self.process: subprocess.Popen[bytes] | None = None
        self._calls = 0

    def _start(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.stop()
            command = [sys.executable, "-c", START, "--home", str(self.home), "worker"]
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd="/",
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            )
            self._frames = FrameReader()
            self._pending: list[Any] = []
            self._next()
        return self.process

    def _next(self) -> Any:
        assert self.process is not None
        assert self.process.stdout is not None
        while not self._pending:
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                code = self.process.wait()
                kind = next((c for c in Code if c.kind.exit_code == code), Code.INTERNAL)
                raise Fault(kind, f"the worker ended with code {code}")
            self._pending += list(self._frames.feed(data))
        return self._pending.pop(0)

    def call(self, operation: str, **arguments: Any) -> tuple[dict[str, Any], bytes]:
        """The result and the bytes of the stream, if there is one. Raises the Fault of the operation."""
        process = self._start()
        assert process.stdin is not None
        self._calls += 1
        process.stdin.write(encode_message({"id": self._calls, "op": operation, "args": arguments}))
        process.stdin.flush()
        stream = bytearray()
        early: dict[str, Any] | None = None
        while True:
            frame = self._next()
            if isinstance(frame, Chunk):
                stream += frame.content
                continue
            assert isinstance(frame, Message)
            answer: dict[str, Any] = msgspec.json.decode(frame.payload)
            if "error" in answer:
                raise Fault.from_document(answer["error"])
            early = answer.get("early", early)
            if "ok" in answer:
                return early or answer["ok"], bytes(stream)

    def stop(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            self.process = None
