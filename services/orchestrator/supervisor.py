"""PiProcessManager: starts the children, keeps count of them, and has a watchdog for the day it is killed."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import structlog

from contracts.errors import Code, Fault
from services.orchestrator import strays
from services.orchestrator.process import ChildProcess, StopDeadlines

_log = structlog.get_logger(__name__)


class Watchdog:
    """The process that ends the children when the orchestrator is killed; started with the first child."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._children: dict[int, bytes] = {}

    def add(self, pid: int, marker: bytes) -> None:
        """Tell of a child before anything else is done with it."""
        self._children[pid] = marker
        self._tell(b"+ %d %s\n" % (pid, marker))

    def remove(self, pid: int) -> None:
        """Tell that nothing of a child is left."""
        known = self._children.pop(pid, None) is not None
        if known and self._process is not None and self._process.poll() is None:
            self._tell(b"- %d\n" % pid)

    def stop(self) -> None:
        """Close the pipe: with no children left the watchdog ends at once."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(timeout=strays.GIVE_UP_AFTER + 1)
            self._process = None

    def _tell(self, line: bytes) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            if process is not None and process.stdin is not None:
                _log.warning("the watchdog had ended, a new one is started", code=process.returncode)
                process.stdin.close()
            process = self._start()
            line = b"".join(b"+ %d %s\n" % item for item in self._children.items())
        if process.stdin is not None:
            try:
                process.stdin.write(line)
            except BrokenPipeError:
                _log.warning("the watchdog has ended; the next child starts a new one")

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", strays.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        return self._process


class PiProcessManager:
    """Starts and stops Pi children."""

    def __init__(self, deadlines: StopDeadlines) -> None:
        self._deadlines = deadlines
        self._watchdog = Watchdog()
        self._children: dict[int, ChildProcess] = {}

    @property
    def count(self) -> int:
        """How many children run now."""
        return len(self._children)

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        marker: str,
        on_output: Callable[[bytes], None],
    ) -> ChildProcess:
        """Start a child; see `ChildProcess.spawn`. `marker` names the variable that is this child's alone."""
        mark = f"{marker}={environment[marker]}".encode()
        child = await ChildProcess.spawn(
            argv, cwd=cwd, environment=environment, marker=mark, on_output=on_output
        )
        self._children[child.pid] = child
        try:
            self._watchdog.add(child.pid, mark)
        except OSError as error:
            await self.stop(child)
            raise Fault(
                Code.UNAVAILABLE, f"the watchdog cannot be started ({error.strerror}); look at the machine"
            ) from error
        return child

    async def stop(self, child: ChildProcess) -> None:
        """Stop a child in an orderly way, and everything it started; also when it has exited by itself."""
        await child.stop(self._deadlines)
        self._watchdog.remove(child.pid)
        self._children.pop(child.pid, None)

    async def shutdown(self) -> None:
        """Stop all children at once, then the watchdog."""
        await asyncio.gather(*(self.stop(child) for child in list(self._children.values())))
        await asyncio.to_thread(self._watchdog.stop)
