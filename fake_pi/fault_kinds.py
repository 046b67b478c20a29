"""The steps of a Pi that misbehaves."""

from typing import Literal

import msgspec

from fake_pi.step_base import Json, Step


class Record(Step):
    """One record, whatever it is; `ending` replaces the LF, `split` writes it in so many pieces."""

    record: dict[str, Json]
    ending: str = "\n"
    split: int = 1
    pause_ms: float = 0


class Raw(Step):
    """Bytes on stdout as they are: text (with escapes of YAML) or `hex`."""

    raw: str = ""
    hex: str | None = None
    times: int = 1
    pause_ms: float = 0


class Huge(Step):
    """One record of so many megabytes: as a text delta, a tool result's update, or an unknown type."""

    huge: float
    form: Literal["text", "update", "unknown"] = msgspec.field(default="unknown", name="as")


class Flood(Step):
    """So many records of `bytes` bytes: at once, or `per_second`. A text flood belongs to the open answer."""

    flood: int
    bytes: int = 300
    per_second: float | None = None
    form: Literal["text", "update", "status", "unknown"] = msgspec.field(default="text", name="as")


class Stderr(Step):
    """Lines on stderr."""

    stderr: str
    times: int = 1


class Environment(Step):
    """Writes this process's environment as JSON to a file, or as notify when the path is `notify`."""

    environment: str


class Spawn(Step):
    """A grandchild that sleeps: in Pi's group, or `detached` in its own session.

    With `keep_stdout` it holds the pipe open."""

    spawn: float
    """Seconds."""
    detached: bool = False
    keep_stdout: bool = False
    deaf: bool = False
    """Ignores SIGTERM and SIGHUP."""


class Exit(Step):
    """The process exits with this code, at once or after so many milliseconds in which all goes on."""

    exit: int
    after_ms: float = 0


class Kill(Step):
    """The process dies by this signal."""

    kill: str


class CloseStdout(Step):
    """Closes stdout and goes on living."""

    close_stdout: bool


class StopReading(Step):
    """Reads nothing more from stdin, or again when false."""

    stop_reading: bool


class Freeze(Step):
    """Blocks the whole process for so many milliseconds, as a synchronous extension does."""

    freeze: float
