"""How the output of a child is read: much at a time, and not while it is held."""

import asyncio
import sys
from pathlib import Path

from services.orchestrator.process import STDOUT_PIPE, ChildProcess, Exit, StopDeadlines
from tests.helpers import assert_eventually

PIPE_SIZE = "import fcntl; print(fcntl.fcntl(1, fcntl.F_GETPIPE_SZ))"
ONE_THEN_MANY = (
    "import sys; print('one', flush=True); sys.stdin.readline(); print('x' * 100_000, end='', flush=True)"
)


async def spawn(tmp_path: Path, program: str, got: list[bytes]) -> ChildProcess:
    return await ChildProcess.spawn(
        [sys.executable, "-c", program], cwd=tmp_path, environment={}, marker=b"none", on_output=got.append
    )


async def test_the_pipe_has_room_for_what_is_read_at_a_time(tmp_path: Path) -> None:
    got: list[bytes] = []
    child = await spawn(tmp_path, PIPE_SIZE, got)
    assert await child.wait() == Exit(0, None)
    assert int(b"".join(got)) == STDOUT_PIPE


async def test_held_output_comes_when_it_is_let_go(tmp_path: Path) -> None:
    got: list[bytes] = []
    child = await spawn(tmp_path, ONE_THEN_MANY + "; sys.stdin.readline()", got)
    await assert_eventually(lambda: b"".join(got) == b"one\n")
    child.hold_output(True)
    child.write(b"go\n")
    # Enough turns of the loop for what would come; that nothing comes cannot be waited for.
    for _ in range(100):
        await asyncio.sleep(0)
    assert b"".join(got) == b"one\n"
    child.hold_output(False)
    await assert_eventually(lambda: len(b"".join(got)) == 100_004)
    await child.stop(StopDeadlines())


async def test_what_an_exited_child_has_left_is_read_though_it_was_held(tmp_path: Path) -> None:
    got: list[bytes] = []
    child = await spawn(tmp_path, ONE_THEN_MANY, got)
    await assert_eventually(lambda: b"".join(got) == b"one\n")
    child.hold_output(True)
    child.write(b"go\n")
    assert await child.wait() == Exit(0, None)
    assert len(b"".join(got)) == 100_004
    child.hold_output(True)
