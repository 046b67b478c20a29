"""One `tht worker` process and the frames to and from it."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import structlog

from contracts.errors import Code, Fault
from tht.frames import Chunk, FrameReader, Message, encode_message

READ_SIZE = 256 * 1024
START_DEADLINE = 30.0
"""Seconds from the spawn to the worker's first word."""
CANCEL_GRACE = 2.0
"""Seconds a cancelled call has to end before its worker is killed."""
CLOSE_GRACE = 1.0
"""Seconds an idle worker has to end after its stdin was closed."""

_log = structlog.get_logger(__name__)


class WorkerDied(Exception):
    """The process ended while a call was waiting for it."""


class Reply(msgspec.Struct):
    """The head of a worker's message; results stay undecoded, and are empty where there is none."""

    id: int = 0
    ok: msgspec.Raw = msgspec.Raw()
    head: msgspec.Raw = msgspec.Raw()
    error: dict[str, Any] | None = None
    ends: bool = False
    """True when the worker ends itself after this message."""


class Head(msgspec.Struct, frozen=True):
    """What a stream is, before its first chunk: a JSON object."""

    json: bytes


class Result(msgspec.Struct, frozen=True):
    """The end of a call: a JSON object."""

    json: bytes


_decode_reply = msgspec.json.Decoder(Reply).decode


class Worker:
    """A child process that runs one call at a time.

    A worker in doubt (`broken`) is never given another call: its late answer could be taken for the
    answer to a later one. Nor is one that has said that it ends itself, while its process is still there.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader()
        self._received: deque[Message | Chunk] = deque()
        self._next_id = 1
        self.broken = False
        self.affinity = ""
        """What the last call was about: its connection is warm here."""
        self.idle_since = 0.0
        """Loop time of the end of the last call."""

    @classmethod
    async def start(cls, home: Path, memory_mib: int) -> "Worker":
        """Spawn a worker and wait until it is ready. Raises Fault UNAVAILABLE when it does not come up."""
        # vfork and exec: it holds the loop for about a millisecond, and no fork meets gRPC's threads.
        process = subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-m", "tht", "--home", str(home), "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "THT_WORKER_MEMORY_MIB": str(memory_mib)},
            start_new_session=True,
        )
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), process.stdout)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, process.stdin)
        worker = cls(process, reader, asyncio.StreamWriter(transport, protocol, None, loop))
        try:
            async with asyncio.timeout(START_DEADLINE):
                await worker._read()
        except (TimeoutError, WorkerDied) as error:
            await worker.kill()
            raise Fault(
                Code.UNAVAILABLE, "a tht worker did not come up; the executor's log has its last words"
            ) from error
        return worker

    @property
    def alive(self) -> bool:
        """True while the process runs and no answer is in doubt."""
        return not self.broken and self._process.poll() is None

    async def call(self, operation: str, arguments: Mapping[str, Any]) -> bytes:
        """Run one operation. Returns its result, a JSON object as bytes.

        Raises Fault as the operation told it, WorkerDied when the process ended first. A caller that is
        cancelled has the operation cancelled.
        """
        async with contextlib.aclosing(self.stream(operation, arguments)) as parts:
            async for part in parts:
                if isinstance(part, Result):
                    return part.json
        raise WorkerDied

    async def stream(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> AsyncGenerator[Head | bytes | Result]:
        """Run one operation that streams: its head, chunks of bytes, at last its result.

        Raises as `call` does. An iteration that is given up has the operation cancelled.
        """
        call_id = self._next_id
        self._next_id += 1
        over = False
        try:
            self._writer.write(encode_message({"id": call_id, "op": operation, "args": arguments}))
            while True:
                frame = await self._read()
                if isinstance(frame, Chunk):
                    if frame.call == call_id:
                        yield frame.content
                    continue
                reply = self._reply(frame)
                if reply.id != call_id:
                    continue
                if head := bytes(reply.head):
                    yield Head(head)
                    continue
                over = True
                if reply.error is not None:
                    raise Fault.from_document(reply.error)
                yield Result(bytes(reply.ok))
                return
        except WorkerDied:
            over = self.broken = True
            raise
        finally:
            if not over:
                await self._cancel(call_id)

    async def close(self) -> None:
        """End an idle worker by closing its stdin; kill it when it does not go."""
        self._writer.close()
        with contextlib.suppress(TimeoutError, WorkerDied):
            async with asyncio.timeout(CLOSE_GRACE):
                while True:
                    await self._read()
        await self.kill()

    async def kill(self) -> int:
        """Kill the worker's process group and reap it. Returns its exit code, negative for a signal."""
        self.broken = True
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._writer.close()
        return await asyncio.to_thread(self._process.wait)

    async def _cancel(self, call_id: int) -> None:
        """Tell the worker to stop and wait for its last word on the call; without one it is broken."""
        try:
            self._writer.write(encode_message({"cancel": call_id}))
            async with asyncio.timeout(CANCEL_GRACE):
                while True:
                    frame = await self._read()
                    if isinstance(frame, Message):
                        reply = self._reply(frame)
                        if reply.id == call_id and not bytes(reply.head):
                            return
        except (TimeoutError, WorkerDied):
            self.broken = True

    def _reply(self, frame: Message) -> Reply:
        """What a message says. Raises WorkerDied when it is none of the contract's."""
        try:
            reply = _decode_reply(frame.payload)
        except msgspec.DecodeError as error:
            _log.error("worker sent a message that cannot be", reason=str(error))
            raise WorkerDied from error
        self.broken = self.broken or reply.ends
        return reply

    async def _read(self) -> Message | Chunk:
        """The next frame. Raises WorkerDied at the end of the worker's output or when it is no frame."""
        while not self._received:
            data = await self._reader.read(READ_SIZE)
            if not data:
                raise WorkerDied
            try:
                self._received.extend(self._frames.feed(data))
            except Fault as fault:
                _log.error("worker wrote what is no frame", reason=fault.message)
                raise WorkerDied from fault
        return self._received.popleft()
