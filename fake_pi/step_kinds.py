"""The steps of the model, of an extension, and those that decide what comes next."""

from typing import Literal

import msgspec

from fake_pi.step_base import Json, Step, Steps, no_steps

# What the model says.


class Text(Step):
    """The model writes text, in pieces of `chunk` characters or exactly as in `chunks`."""

    text: str = ""
    chunks: list[str] | None = None
    chunk: int | None = None
    pause_ms: float | None = None


class Thinking(Step):
    """The model reasons."""

    thinking: str = ""
    chunks: list[str] | None = None
    chunk: int | None = None
    pause_ms: float | None = None


class Tool(Step):
    """The model calls a tool of an extension; `do` is what the tool does between start and end."""

    tool: str
    args: dict[str, Json] = msgspec.field(default_factory=dict[str, Json])
    id: str | None = None
    do: Steps = msgspec.field(default_factory=no_steps)
    result: Json = ""
    details: Json = msgspec.field(default_factory=dict[str, Json])
    error: str | None = None
    """The tool throws this."""
    not_run: str | None = None
    """The tool is not run (blocked, invalid arguments); the model gets this as an error."""
    raw_args: str | None = None
    """What the model writes as arguments, when it is not JSON; `args_error` is what Pi says of it."""
    args_error: str | None = None
    sequential: bool = False
    set_as: str | None = msgspec.field(default=None, name="as")


class CutTool(Step):
    """The beginning of a tool call that the model never ends; a `fail` has to follow. The tool is not run."""

    cut_tool: str
    raw_args: str
    args_error: str
    id: str = "cut"


class Tools(Step):
    """Several tools called in one message; they run in parallel unless one of them is `sequential`."""

    tools: Steps


class Widget(Step):
    """A question of the gate: an envelope in a native `input` dialog. At the top a tool call of its own."""

    widget: Literal["select", "multiselect", "confirm", "input", "editor", "artifact_gate"]
    kind: str | None = None
    title: str = ""
    body: str | None = None
    options: Json = msgspec.field(default_factory=list[Json])
    min: int | None = None
    max: int | None = None
    free_text: bool = False
    placeholder: str | None = None
    prefill: str | None = None
    artifact: Json = None
    phase: str | None = None
    source: dict[str, str] | None = msgspec.field(default=None, name="from")
    timeout_ms: int | None = None
    signal: bool = True
    tool: str | None = None
    set_as: str | None = msgspec.field(default=None, name="as")


class Dialog(Step):
    """A native dialog of Pi. At the top a call of the tool `ask`."""

    dialog: Literal["select", "confirm", "input", "editor"]
    title: Json = "T"
    options: Json = None
    message: Json = None
    placeholder: Json = None
    prefill: Json = None
    timeout_ms: int | None = None
    signal: bool = False
    set_as: str | None = msgspec.field(default=None, name="as")


class Call(Step):
    """An operation through the agent endpoint. At the top a tool call, unless it only reads the session."""

    call: str
    args: dict[str, Json] = msgspec.field(default_factory=dict[str, Json])
    tool: str | None = None
    quiet: bool | None = None
    may_fail: bool = False
    set_as: str | None = msgspec.field(default=None, name="as")


class Phase(Step):
    """Asks `phase.show` and says `phase_changed` on the one-way channel when it is another one."""

    phase: str
    """Name of the variable that gets the answer."""


class Run(Step):
    """A real command (execFile of an extension tool): list of words, no shell."""

    run: list[str]
    stdin: str | None = None
    signal: bool = True
    may_fail: bool = False
    tool: str = "cli"
    set_as: str | None = msgspec.field(default=None, name="as")


class Bash(Step):
    """Pi's built-in bash tool, really run in a process group of its own."""

    bash: str
    id: str | None = None
    do: Steps = msgspec.field(default_factory=no_steps)
    """Run before the command, as a `tool_call` hook would."""


class Fail(Step):
    """The model's answer fails with this error message (`500: ...`)."""

    fail: str
    retry: bool = True
    times: int = 1
    ended: bool = True
    """Whether the open blocks get their `text_end`; Pi leaves it out after a cut stream."""
    overflow: bool = False
    """The context is too long: compaction, then the run goes on."""
    stderr: tuple[str, ...] = ()


class Stop(Step):
    """The model's answer ends here with this reason."""

    stop: Literal["stop", "length"]


class Stall(Step):
    """The model falls silent: before its answer began when nothing is open, else in the middle of it."""

    stall: bool


class Empty(Step):
    """An answer without content."""

    empty: bool


# What an extension does.


class Delay(Step):
    """Waits so many milliseconds. `deaf` does not hear an abort."""

    delay: float
    deaf: bool = False


class Update(Step):
    """A partial result of the tool that runs."""

    update: str
    details: Json = None


class Notify(Step):
    """ctx.ui.notify."""

    notify: Json
    level: Literal["info", "warning", "error"] | None = None


class Request(Step):
    """Any `extension_ui_request`, known method or not; `answered` waits for its answer."""

    request: dict[str, Json]
    answered: bool = False
    set_as: str | None = msgspec.field(default=None, name="as")


class Entry(Step):
    """pi.appendEntry(type, data)."""

    entry: str
    data: Json = None


class Send(Step):
    """pi.sendMessage without a run: a message of this type (`customType`) in the session and on stdout."""

    send: str
    content: Json = ""
    display: bool = False
    details: Json = None


class Refuse(Step):
    """Inside `do`: a `tool_call` hook blocks the tool; the model gets this reason, the tool does not run."""

    refuse: str


class GateEvent(Step):
    """pi.appendEntry("tht-gate", ...)."""

    gate_event: dict[str, Json]


class ExtensionError(Step):
    """A hook of an extension threw."""

    extension_error: str
    event: str = "session_start"
    path: str | None = None


class Set(Step):
    """Sets variables."""

    set: dict[str, Json]


class Switch(Step):
    """Runs the case whose name is the value, else `default`; with `patterns` the first name found in it."""

    switch: Json
    cases: dict[str, Steps]
    patterns: bool = False


class Repeat(Step):
    """Runs its steps until the value of `until` is one of `is`, at most `at_most` times."""

    repeat: Steps
    until: Json = None
    values: tuple[str, ...] = msgspec.field(default=(), name="is")
    at_most: int = 1000


class Use(Step):
    """Runs the steps of this name under `parts`."""

    use: str


class Done(Step):
    """Ends the list of steps that began the run (`run`) or only a repeat (`repeat`)."""

    done: Literal["run", "repeat"]


class Compaction(Step):
    """The records of a compaction of the context."""

    compaction: Literal["threshold", "overflow", "manual"]
    aborted: bool = False
    error: str | None = None
    summary: str = "SUMMARY"


MODEL_ONLY = (Text, Thinking, Tool, CutTool, Tools, Bash, Fail, Stop, Stall, Empty, Compaction)
"""Steps that only the model can take; they cannot stand inside a tool or a command."""
