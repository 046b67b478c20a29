"""The steps of a scenario: one struct for each, decoded from a mapping with one main key.

A step is a YAML mapping whose main key says what it is (`text`, `widget`, `call`, ...) and whose other keys are its
options. Unknown keys are refused, with the place where they stand.
"""

from typing import Any, Literal

import msgspec

Json = Any


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """Base of all steps."""


class Steps:
    """A list of steps inside a step; a class of its own so that msgspec hands it to `decode_hook`."""

    def __init__(self, items: list[Step]) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def no_steps() -> Steps:
    """An empty list of steps, as a default."""
    return Steps([])


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
    args: dict[str, Json] = {}
    id: str | None = None
    do: Steps = msgspec.field(default_factory=no_steps)
    result: Json = ""
    details: Json = {}
    error: str | None = None
    """The tool throws this."""
    not_run: str | None = None
    """The tool is not run (blocked, invalid arguments); the model gets this as an error."""
    raw_args: str | None = None
    """The text of the arguments as the model writes it, when it is not JSON; `args_error` is what Pi says of it."""
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
    """A question of the gate: the envelope inside a native `input` dialog. At the top a tool call of its own."""

    widget: Literal["select", "multiselect", "confirm", "input", "editor", "artifact_gate"]
    kind: str | None = None
    title: str = ""
    body: str | None = None
    options: Json = []
    min: int = 0
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
    """An operation through the agent endpoint, as the gate calls it. Those that read the session make no tool call."""

    call: str
    args: dict[str, Json] = {}
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
    stderr: list[str] = []


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


# What goes wrong.


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
    """A grandchild that sleeps: in Pi's group, or `detached` in a session of its own; `keep_stdout` holds the pipe."""

    spawn: float
    """Seconds."""
    detached: bool = False
    keep_stdout: bool = False
    deaf: bool = False
    """Ignores SIGTERM and SIGHUP."""


class Exit(Step):
    """The process exits with this code, at once or after so many milliseconds in which the scenario goes on."""

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


STEP_TYPES: dict[str, type[Step]] = {
    kind.__struct_encode_fields__[0]: kind
    for kind in (
        Text, Thinking, Tool, CutTool, Tools, Widget, Dialog, Call, Phase, Run, Bash, Fail, Stop, Stall, Empty,
        Delay, Update, Notify, Request, Entry, Send, Refuse, GateEvent, ExtensionError,
        Set, Switch, Repeat, Use, Done, Compaction,
        Record, Raw, Huge, Flood, Stderr, Environment, Spawn, Exit, Kill, CloseStdout, StopReading, Freeze,
    )
}  # fmt: skip

# A main key that is also an option of other steps: the other main key wins.
_WEAK_KEYS = ("phase", "tool", "stderr", "record", "text")


def decode_step(value: object) -> Step:
    """The step of a YAML mapping. Raises ValueError that names what is wrong."""
    if not isinstance(value, dict):
        raise ValueError(f"a step is a mapping, got {type(value).__name__}")
    mapping: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
    keys = [str(key) for key in mapping if str(key) in STEP_TYPES]
    if len(keys) > 1:
        keys = [key for key in keys if key not in _WEAK_KEYS] or keys[:1]
    if not keys:
        raise ValueError(f"no known step in {sorted(str(key) for key in mapping)}; see fake_pi/README.md")
    try:
        return msgspec.convert(value, STEP_TYPES[keys[0]], dec_hook=decode_hook, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"step `{keys[0]}`: {error}") from error


def decode_hook(kind: type, value: object) -> object:
    """Decodes `Steps` for msgspec; the number of a bad step is put before its error."""
    if kind is not Steps:
        raise NotImplementedError(f"cannot decode {kind}")
    if not isinstance(value, list):
        raise ValueError("a list of steps is expected")
    items: list[Step] = []
    for index, item in enumerate(value):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        try:
            items.append(decode_step(item))
        except ValueError as error:
            raise ValueError(f"step {index + 1}: {error}") from error
    return Steps(items)
