"""Real commands that the fake Pi runs: bash in a session of its own, others in Pi's process group."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_READ_BYTES = 65536


@dataclass(slots=True)
class Ended:
    """How a command ended; `code` is None when it was killed because of an abort."""

    code: int | None
    output: str
    errors: str = ""


async def run_command(words: list[str], stdin: str | None, abort: asyncio.Event | None) -> Ended:
    """Runs a command without a shell, in Pi's own group, killed on abort when it is given the signal.

    Raises OSError when the program is not there.
    """
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.PIPE if stdin is not None else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    work = asyncio.ensure_future(process.communicate(None if stdin is None else stdin.encode()))
    if abort is not None and await _aborted_first(work, abort):
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        work.cancel()
        return Ended(None, "")
    output, errors = await work
    return Ended(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))


async def run_bash(command: str, abort: asyncio.Event | None, on_output: Callable[[str], None]) -> Ended:
    """Runs a shell command in its own session, killed with all its children on abort.

    `on_output` gets each new piece of its output.
    """
    process = await asyncio.create_subprocess_exec(
        "/bin/bash",
        "-c",
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    pieces: list[str] = []

    async def read() -> None:
        assert process.stdout is not None
        while data := await process.stdout.read(_READ_BYTES):
            pieces.append(data.decode(errors="replace"))
            on_output(pieces[-1])

    work = asyncio.ensure_future(read())
    if abort is not None and await _aborted_first(work, abort):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        work.cancel()
        return Ended(None, "".join(pieces))
    await work
    return Ended(await process.wait(), "".join(pieces))


async def _aborted_first(work: asyncio.Future[Any], abort: asyncio.Event) -> bool:
    waiter = asyncio.ensure_future(abort.wait())
    try:
        await asyncio.wait({work, waiter}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiter.cancel()
    return not work.done()


def spawn_sleeper(seconds: float, detached: bool, keep_stdout: bool, deaf: bool) -> int:
    """Starts a grandchild that sleeps; returns its process id.

    `deaf` ignores SIGTERM and SIGHUP; `keep_stdout` leaves it Pi's stdout, so that the pipe stays open.
    """
    import subprocess

    trap = "trap '' TERM HUP; " if deaf else ""
    where = None if keep_stdout else subprocess.DEVNULL
    child = subprocess.Popen(
        ["/bin/sh", "-c", f"{trap}sleep {seconds}"],
        stdin=subprocess.DEVNULL,
        stdout=where,
        stderr=where,
        start_new_session=detached,
    )
    return child.pid
