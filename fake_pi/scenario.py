"""A scenario file: what the fake Pi says and does, and when."""

import re
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from fake_pi.step_base import Json, Steps, no_steps
from fake_pi.step_kinds import MODEL_ONLY, Bash, Repeat, Switch, Text, Tool, Tools, Use
from fake_pi.steps import decode_hook

GATE_VERSION = "tht-gate/1"
"""The gate's contract version, at the end of its commands' descriptions (docs/contracts.md 6)."""


class ScenarioError(Exception):
    """The scenario file cannot be used; the message is one line and says where it is wrong."""


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """Base of the parts of a scenario."""


class Model(Part):
    """One model of get_available_models; the rest of Pi's Model object is filled in."""

    id: str
    provider: str = "scripted"
    name: str | None = None
    reasoning: bool = False
    context_window: int = 100_000
    max_tokens: int = 1000
    credentials: bool = True
    """False: not listed, and each prompt is refused for want of a key."""
    extra: dict[str, Json] = {}
    """Put over Pi's Model object."""

    @property
    def thinks(self) -> bool:
        """Whether thinking levels mean anything to it."""
        return self.reasoning or bool(self.extra.get("reasoning"))


class Gate(Part):
    """What tht-gate registers: its descriptions end in `version`; `ready` says whether it tells its start."""

    loaded: bool = True
    version: str = GATE_VERSION
    commands: tuple[str, ...] = ("nuova-domanda", "riprendi-sessione")
    ready: bool = True


class Message(Part):
    """A message of an extension (pi.sendMessage)."""

    type: str = "tht-kickoff"
    content: Json = ""
    display: bool = False
    details: Json = None


class Command(Part):
    """A command of an extension: `do` is its handler; then a run of `steps`, if any, begun by a message."""

    name: str
    description: str | None = None
    do: Steps = msgspec.field(default_factory=no_steps)
    throws: str | None = None
    message: Message | None = None
    as_user: str | None = None
    steps: Steps | None = None


class Input(Part):
    """The input hook: a text that matches is handled, changed, or makes the hook throw."""

    match: str
    do: Steps = msgspec.field(default_factory=no_steps)
    handled: bool = False
    text: str | None = None
    throws: str | None = None
    message: Message | None = None
    """A hidden message added after the user's (before_agent_start)."""


class Trigger(Part, kw_only=True):
    """Steps for a prompt, or a steer, whose text matches (re.search)."""

    match: str = ""
    steps: Steps


class Response(Part):
    """How one RPC command is answered otherwise than usually."""

    ignore: bool = False
    delay_ms: float = 0
    error: str | None = None
    data: dict[str, Json] | None = None
    """Put over the usual data."""


class Retry(Part):
    """Pi's retry settings: `attempts` retries after base, 2 base, 4 base milliseconds."""

    enabled: bool = True
    attempts: int = 3
    base_ms: float = 2000


class Shutdown(Part):
    """How the process ends: what of eof, sigterm, sighup, sigint it ignores, how long its end takes."""

    ignore: list[Literal["eof", "sigterm", "sighup", "sigint"]] = []
    delay_ms: float = 0


def _scripted_models() -> list[Model]:
    return [Model(id="scripted", name="Scripted")]


def _plain_answer() -> Steps:
    return Steps([Text(text="done")])


class Scenario(Part):
    """The whole file."""

    name: str = "unnamed"
    description: str = ""
    models: list[Model] = msgspec.field(default_factory=_scripted_models)
    gate: Gate | bool = True
    trusts: bool = False
    """True: the extensions are loaded though neither --approve nor -e was given."""
    variables: dict[str, Json] = {}
    latency_ms: float = 1
    """From the request to the first record of the model's answer."""
    chunk: int = 24
    """Characters of a text delta."""
    pause_ms: float = 0
    """After each text delta that has no pause of its own."""
    retry: Retry = msgspec.field(default_factory=Retry)
    start: Steps = msgspec.field(default_factory=no_steps)
    """Run before stdin is read (session_start)."""
    commands: list[Command] = []
    input: list[Input] = []
    prompts: list[Trigger] = []
    steer: list[Trigger] = []
    otherwise: Steps = msgspec.field(default_factory=_plain_answer)
    """The answer to what nothing else answers."""
    parts: dict[str, Steps] = {}
    responses: dict[str, Response] = {}
    shutdown: Shutdown = msgspec.field(default_factory=Shutdown)

    @property
    def the_gate(self) -> Gate:
        """The gate's settings, also when the file has only true or false."""
        return self.gate if isinstance(self.gate, Gate) else Gate(loaded=self.gate)


def find_trigger(triggers: list[Trigger], text: str) -> Trigger | None:
    """The first trigger whose pattern is found in `text`."""
    return next((trigger for trigger in triggers if re.search(trigger.match, text)), None)


def load_scenario(path: Path) -> Scenario:
    """The scenario in `path`. Raises ScenarioError with the place of the first mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"cannot read scenario {path}: {error}") from error
    return parse_scenario(text, str(path))


def parse_scenario(text: str, name: str = "scenario") -> Scenario:
    """The scenario in YAML text. Raises ScenarioError with the place of the first mistake."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data: object = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ScenarioError(f"{name}: not YAML: {' '.join(str(error).split())}") from error
    try:
        scenario = msgspec.convert(_text_keys(data), Scenario, dec_hook=decode_hook, strict=False)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"{name}: {error}") from error
    _check(scenario, name)
    return scenario


def _text_keys(value: object) -> object:
    """YAML reads `true:` and `1:` as keys that are no text; cases of a switch are named by text."""
    if isinstance(value, dict):
        items: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {_key_text(key): _text_keys(item) for key, item in items.items()}
    if isinstance(value, list):
        entries: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_text_keys(item) for item in entries]
    return value


def _key_text(key: object) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)


def _check(scenario: Scenario, name: str) -> None:
    """What the types cannot say: patterns compile, used parts exist, steps stand where they can be taken."""
    for field, items in (("prompts", scenario.prompts), ("steer", scenario.steer), ("input", scenario.input)):
        for index, item in enumerate(items):
            _check_pattern(item.match, f"{name}: {field}[{index}].match")
    if not scenario.models:
        raise ScenarioError(f"{name}: models: at least one model is needed")
    for where, steps, inside in _all_steps(scenario):
        _check_steps(scenario, steps, f"{name}: {where}", inside)


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ScenarioError(f"{where}: not a pattern: {error}") from error


def _check_steps(scenario: Scenario, steps: Steps, where: str, inside: bool) -> None:
    """`inside`: the steps are those of a tool, a command or a hook, where the model says nothing."""
    for index, step in enumerate(steps.items):
        here = f"{where}: step {index + 1}"
        if inside and isinstance(step, MODEL_ONLY):
            raise ScenarioError(
                f"{here}: `{step.__struct_encode_fields__[0]}` is the model's, it cannot stand here"
            )
        if isinstance(step, Use) and step.use not in scenario.parts:
            raise ScenarioError(f"{here}: use: there is no part `{step.use}`")
        if isinstance(step, Tools):
            for tool in step.tools.items:
                if not isinstance(tool, Tool):
                    raise ScenarioError(f"{here}: tools: only `tool` steps can stand here")
                _check_steps(scenario, tool.do, here, inside=True)
        elif isinstance(step, Switch):
            for case, body in step.cases.items():
                if step.patterns:
                    _check_pattern(case, f"{here}: switch")
                _check_steps(scenario, body, f"{here}: case {case}", inside)
        elif isinstance(step, Repeat):
            _check_steps(scenario, step.repeat, here, inside)
        elif isinstance(step, (Tool, Bash)):
            _check_steps(scenario, step.do, here, inside=True)


def _all_steps(scenario: Scenario) -> list[tuple[str, Steps, bool]]:
    """Every list of steps, where it stands, and whether it is an extension's. Parts may be used by both."""
    found = [("start", scenario.start, True), ("otherwise", scenario.otherwise, False)]
    found += [(f"parts.{name}", steps, False) for name, steps in scenario.parts.items()]
    found += [(f"prompts[{index}]", item.steps, False) for index, item in enumerate(scenario.prompts)]
    found += [(f"steer[{index}]", item.steps, False) for index, item in enumerate(scenario.steer)]
    found += [(f"input[{index}]", item.do, True) for index, item in enumerate(scenario.input)]
    for command in scenario.commands:
        found.append((f"commands.{command.name}", command.do, True))
        if command.steps is not None:
            found.append((f"commands.{command.name}", command.steps, False))
    return found
