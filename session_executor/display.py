"""What a person or a program sees while a run goes on."""

import contextlib
import json
import sys
import time
from typing import TextIO

from session_executor.runner import Progress

_WORDS = {
    "validating": "checking the plan",
    "locking": "taking the lock",
    "recovering": "looking for a killed run",
    "freezing": "freezing the session",
    "checking-out": "checking out the base",
    "continuing": "continuing the session",
    "starting-pi": "starting Pi",
    "prompted": "the model works",
    "tool": "the model works",
    "retrying": "waiting for the provider",
    "aborting": "stopping the model",
    "verifying": "checking the result",
    "staging": "staging the changes",
    "committing": "committing",
    "preparing": "writing the receipt",
    "referencing": "making the ref",
    "checking": "running the check",
    "removing": "removing the worktree",
    "completing": "completing the receipt",
    "unlocking": "done",
}


def json_lines(stream: TextIO) -> Progress:
    """One JSON object a line: `{"event", "detail", "elapsedMs"}`."""
    started = time.monotonic()

    def show(event: str, detail: str) -> None:
        elapsed = round((time.monotonic() - started) * 1000)
        _write(stream, json.dumps({"event": event, "detail": detail, "elapsedMs": elapsed}) + "\n")

    return show


def terminal_line(stream: TextIO) -> Progress:
    """One line that is written over: what happens now, the tool calls so far, the seconds."""
    started = time.monotonic()
    calls = 0

    def show(event: str, detail: str) -> None:
        nonlocal calls
        calls += event == "tool"
        seconds = time.monotonic() - started
        words = _WORDS.get(event, event)
        tool = f", {calls} tool calls, now {detail}" if event == "tool" else ""
        line = "" if event == "unlocking" else f"{seconds:5.1f}s {words}{tool}"
        _write(stream, f"\r\x1b[2K{line}")

    return show


def _write(stream: TextIO, text: str) -> None:
    """A run does not fail because nobody watches it any more."""
    with contextlib.suppress(OSError):
        stream.write(text)
        stream.flush()


def choose(*, lines: bool) -> Progress:
    """JSON lines on stdout when asked for, a line on a terminal's stderr, else nothing."""
    if lines:
        return json_lines(sys.stdout)
    if sys.stderr.isatty():
        return terminal_line(sys.stderr)
    return lambda _event, _detail: None
