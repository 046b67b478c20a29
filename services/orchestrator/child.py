"""One Pi child with its framing and its calls, from spawn to exit."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import Code, Fault
from services.orchestrator.line_splitter import LineProblem, LineSplitter
from services.orchestrator.process import ChildProcess, Exit
from services.orchestrator.rpc_client import RpcClient
from services.orchestrator.supervisor import PiProcessManager

FAIL_AFTER_EXIT = 0.2
"""Seconds that output gets to arrive after the exit before pending calls fail."""
STDERR_TOLD = 4 * 1024
"""Bytes of stderr in a fault or an event."""

Lines = list[bytes | LineProblem]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a child."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    record_cap: int


class PiChild:
    """A Pi process that can be called, once it was started. `on_lines` gets its records."""

    def __init__(self, processes: PiProcessManager) -> None:
        self._processes = processes
        self._splitter = LineSplitter()
        self._process: ChildProcess | None = None
        self.after_output: Callable[[], None] = _nothing
        """Called when what was read has been handed on."""
        self.on_lines: Callable[[Lines], None] = _ignore
        self.rpc = RpcClient(self.write)
        self.ended = asyncio.Event()
        """Set once `until_exit` handed on the last record."""

    async def start(self, launch: Launch) -> None:
        """Spawn it. Raises Fault when it cannot be spawned."""
        self._splitter = LineSplitter(launch.record_cap)
        self._process = await self._processes.spawn(
            launch.argv,
            cwd=launch.cwd,
            environment=launch.environment,
            marker="THT_AGENT_TOKEN",
            on_output=self._on_output,
        )

    @property
    def process(self) -> ChildProcess:
        """The process under it."""
        if self._process is None:
            raise RuntimeError("the child was not started")
        return self._process

    def hold_output(self, hold: bool) -> None:
        """Stop reading its output, or go on; see `ChildProcess.hold_output`."""
        if self._process is not None:
            self._process.hold_output(hold)

    def write(self, line: bytes) -> None:
        """Send one line; see `ChildProcess.write`."""
        self.process.write(line)

    async def until_exit(self) -> Exit:
        """Wait for the exit. Pending calls fail at once with how it was; then output is read to its end."""
        await self.process.exited(FAIL_AFTER_EXIT)
        self.rpc.fail(self.exit_fault())
        result = await self.process.wait()
        if rest := self._splitter.finish():
            self.on_lines(rest)
        self.ended.set()
        return result

    async def stop(self) -> None:
        """Stop it in an orderly way, and what it left; also after its exit."""
        await self._processes.stop(self.process)

    async def abandon(self) -> None:
        """Stop it if it was started at all."""
        if self._process is not None:
            await self._processes.stop(self._process)

    def exit_fault(self) -> Fault:
        """PI_FAILED with exit code, signal and the last stderr lines."""
        ended = self.process.exit
        stderr = self.process.stderr_tail(STDERR_TOLD)
        last = stderr.strip().rpartition("\n")[2].strip()
        how = str(ended) if ended else "it was stopped"
        return Fault(
            Code.PI_FAILED,
            f"Pi ended ({how})" + (f": {last[:300]}" if last else ""),
            exit_code=ended.code if ended else None,
            signal=ended.signal if ended else None,
            stderr=stderr,
        )

    def _on_output(self, chunk: bytes) -> None:
        if lines := self._splitter.feed(chunk):
            self.on_lines(lines)
            self.after_output()


def _nothing() -> None:
    """Nobody wants to know."""


def _ignore(_lines: Lines) -> None:
    """Records of a child nobody listens to."""
