"""One `tht worker` process and the frames to and from it."""

import asyncio
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import structlog

from contracts.errors import Code, Fault
from services.tht_executor.output import WorkerDied, WorkerOutput
from tht.frames import Chunk, Message, encode_message

PIPE_SIZE = 1 << 20
"""Bytes that the pipe from a worker may hold, as much as Linux grants without privileges: a chunk of an
export then comes in one piece."""
START_DEADLINE = 30.0
"""Seconds from the spawn to the worker's first word."""
CANCEL_GRACE = 2.0
"""Seconds a cancelled call has to end before its worker is killed."""
CLOSE_GRACE = 1.0
"""Seconds an idle worker has to end after its stdin was closed."""

_log = structlog.get_logger(__name__)


class Reply(msgspec.Struct):
    """The head of a worker's message; results stay undecoded, and are empty where there is none."""

    id: int = 0
    ok: msgspec.Raw = msgspec.Raw()
    early: msgspec.Raw = msgspec.Raw()
    """The answer of a call that works on."""
    head: msgspec.Raw = msgspec.Raw()
    error: dict[str, Any] | None = None
    connection: int | None = None
    """Of the database's server, on which the call's statement runs."""
    ends: bool = False
    """True when the worker ends itself after this message."""

    @property
    def last(self) -> bool:
        """True for the last word on a call."""
        return self.error is not None or bool(bytes(self.ok))


class Head(msgspec.Struct, frozen=True):
    """What a stream is, before its first chunk: a JSON object."""

    json: bytes


class Result(msgspec.Struct, frozen=True):
    """The answer of a call, its last word unless it is `early`: a JSON object."""

    json: bytes
    early: bool = False


_decode_reply = msgspec.json.Decoder(Reply).decode


class Worker:
    """A child process that runs one call at a time.

    A worker in doubt (`broken`) is never given another call: its late answer could be taken for the
    answer to a later one. Nor is one that has said that it ends itself, while its process is still there.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        output: WorkerOutput,
        writer: asyncio.WriteTransport,
    ) -> None:
        self._process = process
        self._output = output
        self._writer = writer
        self._next_id = 1
        self.broken = False
        self.affinity = ""
        """What the last call was about: its connection is warm here."""
        self.connection: int | None = None
        """The server's connection on which a statement may still run should this process die."""
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
        assert process.stdout is not None
        # The limit of an account's pipes may be reached; it works with the size that it has.
        with contextlib.suppress(OSError):
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        _, output = await loop.connect_read_pipe(WorkerOutput, process.stdout)
        writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, process.stdin)
        worker = cls(process, output, writer)
        try:
            async with asyncio.timeout(START_DEADLINE):
                await output.read()
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

    async def stream(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> AsyncGenerator[Head | bytes | Result]:
        """Run one operation: of one that streams the head and chunks of bytes, at last its result. After an
        early result the iteration goes on until the worker is free.

        Raises Fault as the operation told it, WorkerDied when the process ended first. An iteration that is
        given up has the operation cancelled.
        """
        call_id = self._next_id
        self._next_id += 1
        over = answered = False
        try:
            self._writer.write(encode_message({"id": call_id, "op": operation, "args": arguments}))
            while True:
                frame = await self._output.read()
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
                if reply.connection is not None:
                    self.connection = reply.connection
                    continue
                if early := bytes(reply.early):
                    answered = True
                    yield Result(early, early=True)
                    continue
                over = True
                if not self.broken:
                    self.connection = None
                if reply.error is not None:
                    raise Fault.from_document(reply.error)
                if not answered:
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
                    await self._output.read()
        await self.kill()

    async def kill(self) -> int:
        """Kill the worker's process group and reap it. Returns its exit code, negative for a signal."""
        self.broken = True
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._writer.close()
        self._output.close()
        return await asyncio.to_thread(self._process.wait)

    async def _cancel(self, call_id: int) -> None:
        """Tell the worker to stop and wait for its last word on the call; without one it is broken."""
        try:
            self._writer.write(encode_message({"cancel": call_id}))
            async with asyncio.timeout(CANCEL_GRACE):
                while True:
                    frame = await self._output.read()
                    if isinstance(frame, Message):
                        reply = self._reply(frame)
                        if reply.id == call_id and reply.last:
                            self.connection = None
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
