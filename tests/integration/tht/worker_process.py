"""Drives one real `tht worker` over its pipes."""

import os
import select
import struct
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from tht.frames import Chunk, FrameReader, Message, encode_message


class WorkerProcess:
    """A `tht worker` on a home folder; `preload` is Python that the process runs first, as a driver might."""

    def __init__(self, root: str, preload: str = "", env: Mapping[str, str] | None = None) -> None:
        run = f"import sys\nfrom tht.cli import main\nsys.exit(main(['--home', {root!r}, 'worker']))"
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{preload}\n{run}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self._frames = FrameReader()
        self._received: list[Message | Chunk] = []
        self.chunks: list[bytes] = []

    def __enter__(self) -> "WorkerProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: Any) -> None:
        """Writes one `J` frame."""
        self.write(encode_message(message))

    def write(self, data: bytes) -> None:
        """Writes bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def frame(self, seconds: float = 30) -> Message | Chunk | None:
        """The next frame, None at the end of the worker's output."""
        assert self.process.stdout
        descriptor = self.process.stdout.fileno()
        while not self._received:
            ready, _, _ = select.select([descriptor], [], [], seconds)
            assert ready, f"nothing from the worker within {seconds} s"
            data = os.read(descriptor, 1 << 16)
            if not data:
                return None
            self._received += self._frames.feed(data)
        return self._received.pop(0)

    def message(self, seconds: float = 30) -> dict[str, Any]:
        """The next `J` frame, decoded; chunks before it are kept in `chunks`."""
        while isinstance(frame := self.frame(seconds), Chunk):
            self.chunks.append(frame.content)
        assert frame is not None, f"the worker ended: {self.end()}"
        return msgspec.json.decode(frame.payload, type=dict[str, Any])

    def call(self, call: int, operation: str, **arguments: Any) -> dict[str, Any]:
        """Asks for an operation; the next message."""
        self.send({"id": call, "op": operation, "args": arguments})
        return self.message()

    def end(self, seconds: float = 30) -> tuple[int, str]:
        """Closes the worker's stdin and waits: its exit code and what it wrote on stderr."""
        _, stderr = self.process.communicate(timeout=seconds)
        return self.process.returncode, stderr.decode()


def length(size: int) -> bytes:
    """The length field of a frame."""
    return struct.pack(">I", size)
