"""Finding and ending what a Pi child left behind, also when the orchestrator itself was killed.

Run as a script this file is the watchdog: it holds the read end of a pipe whose only writer is the
orchestrator, so that the end of the pipe is the end of the orchestrator, however it came. It imports the
standard library alone and runs in isolated mode, to stay small.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

TERM_AFTER = 2.0
KILL_AFTER = 4.0
GIVE_UP_AFTER = 10.0
"""Seconds after the orchestrator's end. At once the children see the end of their stdin."""

_PROC = Path("/proc")


def start_ticks(pid: int) -> int | None:
    """When the process was started, in clock ticks since boot; None when there is none or it is a zombie."""
    fields = _stat(pid)
    if fields is None or fields[0] == "Z":
        return None
    return int(fields[19])


def _stat(pid: int) -> list[str] | None:
    # The name in parentheses may hold spaces; the fields begin after the last parenthesis.
    with contextlib.suppress(OSError):
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(")")[2].split()
    return None


def _belongs(pid: int, leader: int, marker: bytes) -> bool:
    """True for a living process of the leader's session, or with `marker` in its environment."""
    fields = _stat(pid)
    if fields is None or fields[0] == "Z":
        return False
    if int(fields[3]) == leader:
        return True
    with contextlib.suppress(OSError):
        return marker in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    return False


def find_strays(leader: int, marker: bytes) -> Iterator[int]:
    """Pids of living processes of the child `leader` started.

    Args:
        leader: pid of the child, which leads a session of its own (setsid).
        marker: `NAME=value` that is in this child's environment alone; what the agent's tools start inherits
            it, also in sessions of their own. PI_SESSION_ID would not do: a Pi in a terminal has it too.
    """
    own = os.getpid()
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and (pid := int(entry.name)) != own and _belongs(pid, leader, marker):
            yield pid


def signal_process(pid: int, leader: int, marker: bytes, number: int) -> None:
    """Send a signal to `pid` if it still is what it was found to be."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if _belongs(pid, leader, marker):
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def kill_strays(leader: int, marker: bytes, passes: int = 5) -> int:
    """Kill all that `find_strays` finds, again while new ones appear. Returns how many signals were sent."""
    sent = 0
    for _ in range(passes):
        found = list(find_strays(leader, marker))
        if not found:
            break
        for pid in found:
            signal_process(pid, leader, marker, signal.SIGKILL)
            sent += 1
        time.sleep(0.02)
    return sent


def _watch(children: dict[int, bytes]) -> None:
    """Keep `children` (pid to marker) as the orchestrator tells it, until its end of the pipe closes."""
    rest = b""
    while chunk := os.read(0, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            sign, pid, *marker = line.split(b" ", 2)
            if sign == b"+":
                children[int(pid)] = marker[0]
            else:
                children.pop(int(pid), None)


def _clear_away(children: dict[int, bytes]) -> None:
    began = time.monotonic()
    termed = False
    while children and (elapsed := time.monotonic() - began) < GIVE_UP_AFTER:
        for leader, marker in list(children.items()):
            found = list(find_strays(leader, marker))
            if not found:
                del children[leader]
            elif elapsed >= KILL_AFTER:
                kill_strays(leader, marker)
            elif elapsed >= TERM_AFTER and not termed and leader in found:
                signal_process(leader, leader, marker, signal.SIGTERM)
        termed = termed or elapsed >= TERM_AFTER
        select.select([], [], [], 0.1)


def main() -> None:
    """Watch, then clear away."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    children: dict[int, bytes] = {}
    _watch(children)
    _clear_away(children)


if __name__ == "__main__":
    sys.exit(main())
