"""One child process: spawn, drained output, exit, orderly stop. Knows nothing of Pi's protocol."""

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from contracts.errors import Code, Fault
from services.orchestrator.strays import kill_strays, start_ticks

STDERR_KEPT = 64 * 1024
"""Bytes of stderr that are kept, the last ones."""
STDIN_QUEUE = 8 * 1024 * 1024
"""Bytes that may wait for a child that does not read."""
STDOUT_PIPE = 256 * 1024
"""Bytes that stdout's pipe has room for, as much as is read at a time; Linux gives 64 KiB unasked. More would
soon meet the limit of one user's pipes, 64 MiB."""
DRAIN_SECONDS = 2.0
"""How long after the exit output is still read: a grandchild may hold the pipe open for ever."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: an exit code or a signal's name."""

    code: int | None
    signal: str | None

    def __str__(self) -> str:
        return f"exit code {self.code}" if self.signal is None else self.signal


@dataclass(frozen=True, slots=True)
class StopDeadlines:
    """Seconds each step of an orderly stop waits for the exit before the next one is taken."""

    end_of_input: float = 1.5
    first_term: float = 1.0
    second_term: float = 0.5


class _Pipe(asyncio.Protocol):
    """Hands what a pipe gives to a function, to its end; `ended` is done once the pipe is closed."""

    def __init__(self, receive: Callable[[bytes], None]) -> None:
        self._receive = receive
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        self._receive(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if not self.ended.done():
            self.ended.set_result(None)


class ChildProcess:
    """A running child, leader of its own session. Made by `spawn`."""

    def __init__(self, popen: subprocess.Popen[bytes], marker: bytes) -> None:
        self._popen = popen
        self._marker = marker
        self.pid = popen.pid
        self.start_ticks = start_ticks(popen.pid) or 0
        self._stderr = bytearray()
        self._exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._stdin: asyncio.WriteTransport | None = None
        self._input: _Pipe | None = None
        self._outputs: list[tuple[asyncio.BaseTransport, _Pipe]] = []
        self._stopping: asyncio.Task[Exit] | None = None
        self._handle = -1

    @classmethod
    async def spawn(
        cls,
        argv: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        marker: bytes,
        on_output: Callable[[bytes], None],
    ) -> "ChildProcess":
        """Start `argv`; `on_output` gets stdout as it comes, up to 256 KiB at a time, also while stopping.

        Popen uses vfork, which blocks the loop for about a millisecond whatever the heap; no Python code runs
        between fork and exec. Raises Fault PI_MISSING when the program cannot be run, UNAVAILABLE when the
        machine has no room.
        """
        try:
            popen = subprocess.Popen(  # noqa: ASYNC220
                argv,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise _spawn_fault(error, argv[0], cwd) from error
        child = cls(popen, marker)
        try:
            await child._connect(on_output)
        except BaseException as error:
            child._discard()
            if isinstance(error, OSError):
                raise _spawn_fault(error, argv[0], cwd) from error
            raise
        return child

    async def _connect(self, on_output: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        popen = self._popen
        self._handle = os.pidfd_open(popen.pid)
        if popen.stdout is not None:
            # Beyond the user's limit it stays as it is.
            with contextlib.suppress(OSError):
                fcntl.fcntl(popen.stdout.fileno(), fcntl.F_SETPIPE_SZ, STDOUT_PIPE)
        loop.add_reader(self._handle, self._on_exit)
        self._stdin, self._input = await loop.connect_write_pipe(lambda: _Pipe(_ignore), popen.stdin)
        for pipe, receive in ((popen.stdout, on_output), (popen.stderr, self._keep_stderr)):
            connection = await loop.connect_read_pipe(lambda receive=receive: _Pipe(receive), pipe)
            self._outputs.append(cast("tuple[asyncio.BaseTransport, _Pipe]", connection))

    @property
    def exit(self) -> Exit | None:
        """How the process ended; None while it runs."""
        return self._exited.result() if self._exited.done() else None

    def stderr_tail(self, limit: int = STDERR_KEPT) -> str:
        """The last `limit` bytes of stderr."""
        return bytes(self._stderr[-limit:]).decode(errors="replace")

    def hold_output(self, hold: bool) -> None:
        """Stop reading stdout, or go on. What an exited process has left is read in any case."""
        output = cast("asyncio.ReadTransport", self._outputs[0][0])
        if not hold:
            output.resume_reading()
        elif not self._exited.done():
            output.pause_reading()

    def write(self, line: bytes) -> None:
        """Queue bytes for the child's stdin.

        Raises Fault SESSION_NOT_LIVE when the child has ended, BUSY when it has long not read.
        """
        if self._stdin is None or self._stdin.is_closing() or self._exited.done():
            raise Fault(Code.SESSION_NOT_LIVE, "the agent has ended; open the session to start it again")
        if self._stdin.get_write_buffer_size() > STDIN_QUEUE:
            raise Fault(Code.BUSY, "the agent does not read its input at the moment; try again")
        self._stdin.write(line)

    async def exited(self, drain_seconds: float) -> Exit:
        """The exit; output has `drain_seconds` to be read before it is given."""
        result = await asyncio.shield(self._exited)
        await asyncio.wait([output.ended for _, output in self._outputs], timeout=drain_seconds)
        return result

    async def wait(self) -> Exit:
        """The exit, once the output was read to its end; then the pipes are closed."""
        result = await self.exited(DRAIN_SECONDS)
        for transport, _ in self._outputs:
            transport.close()
        # A transport that has closed itself can be closed no more.
        if self._stdin is not None and self._input is not None and not self._input.ended.done():
            self._stdin.abort()
        return result

    async def stop(self, deadlines: StopDeadlines) -> Exit:
        """End the process in an orderly way, then whatever it left. May be called twice, also after the exit.

        The order that ended Pi 1.6.0 in every state: end of input, SIGTERM, SIGTERM, SIGKILL to the group.
        """
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_task(self._stop(deadlines))
        return await asyncio.shield(self._stopping)

    async def _stop(self, deadlines: StopDeadlines) -> Exit:
        if self._stdin is not None:
            self._stdin.close()
        steps = (
            (None, deadlines.end_of_input),
            (signal.SIGTERM, deadlines.first_term),
            (signal.SIGTERM, deadlines.second_term),
        )
        for number, seconds in steps:
            if self._exited.done():
                break
            if number is not None:
                self._popen.send_signal(number)
            await asyncio.wait([self._exited], timeout=seconds)
        # Kills the child too when it is still there, then what is left of its session or carries its marker.
        await asyncio.to_thread(kill_strays, self.pid, self._marker)
        return await self.wait()

    def _discard(self) -> None:
        """End a child that could not be connected; nobody has heard of it yet."""
        self._close_handle()
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()

    def _close_handle(self) -> None:
        if self._handle >= 0:
            asyncio.get_running_loop().remove_reader(self._handle)
            os.close(self._handle)
            self._handle = -1

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr += data
        if len(self._stderr) > 2 * STDERR_KEPT:
            del self._stderr[:-STDERR_KEPT]

    def _on_exit(self) -> None:
        code = self._popen.poll()
        if code is None:
            return
        self._close_handle()
        self.hold_output(hold=False)
        if code < 0:
            self._exited.set_result(Exit(None, signal.Signals(-code).name))
        else:
            self._exited.set_result(Exit(code, None))


def _ignore(_data: bytes) -> None:
    """A pipe for writing gives nothing."""


def _spawn_fault(error: OSError, program: str, cwd: Path) -> Fault:
    if error.errno == errno.ENOENT and not cwd.is_dir():
        return Fault(Code.UNAVAILABLE, "the harness folder is gone; set THOTHII_HOME to the right one")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC):
        return Fault(
            Code.PI_MISSING,
            f"{program} cannot be run ({error.strerror}); run `make pi` or set THOTHII_PI_COMMAND",
        )
    return Fault(
        Code.UNAVAILABLE, f"the machine cannot start another process ({error.strerror}); close a session"
    )
