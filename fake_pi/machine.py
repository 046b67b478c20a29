"""What all parts of the fake Pi share: the session, the model, the dialogs, the way out."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fake_pi.command_line import Options
from fake_pi.dialogs import Dialogs
from fake_pi.gate import COMMAND_TEXTS, GATE_ENTRY, GATE_TOOLS
from fake_pi.messages import BUILTIN_TOOLS
from fake_pi.output import Output
from fake_pi.scenario import Command, Model, Scenario
from fake_pi.session_file import SessionFile, find_session
from fake_pi.step_base import Steps
from fake_pi.step_kinds import Tool, Tools

if TYPE_CHECKING:
    from fake_pi.agent import Agent


class Machine:
    """One running fake Pi."""

    agent: "Agent"

    def __init__(self, scenario: Scenario, options: Options, output: Output) -> None:
        self.scenario = scenario
        self.options = options
        self.output = output
        self.muted = False
        """After EOF or SIGTERM nothing of a run is written any more."""
        self.reading = True
        self.compacting = False
        self.gate_loaded = scenario.trusts or options.approve or bool(options.extensions)
        self.model = scenario.models[0]
        self.thinking_level = "off"
        self.session_name: str | None = None
        self.steering_mode = "one-at-a-time"
        self.follow_up_mode = "one-at-a-time"
        self.dialogs = Dialogs(self.emit)
        self.commands = self._commands()
        self.session, self.resumed = self._open_session()
        self.variables: dict[str, Any] = {
            **scenario.variables,
            "session_id": os.environ.get("THT_SESSION") or self.session.session_id,
            "resumed": self.resumed,
            "env": dict(os.environ),
        }
        self.last_phase: str | None = None

    @property
    def has_endpoint(self) -> bool:
        """Whether there is an agent endpoint, as under an orchestrator."""
        return bool(os.environ.get("THT_AGENT_ENDPOINT"))

    def emit(self, record: dict[str, Any]) -> None:
        """Writes a record of a run or of an extension."""
        if not self.muted:
            self.output.record(record)

    def append_entry(self, kind: str, data: Any) -> None:
        """pi.appendEntry: kept in the session and told on stdout."""
        fields: dict[str, Any] = {"customType": kind}
        if data is not None:
            fields["data"] = data
        self.emit({"type": "entry_appended", "entry": self.session.append("custom", **fields)})

    def gate_says(self, event: dict[str, Any]) -> None:
        """One event of tht-gate on its one-way channel."""
        self.append_entry(GATE_ENTRY, event)

    def rename(self, name: str) -> None:
        """Sets the session's name and keeps it."""
        self.session_name = name
        self.session.append("session_info", name=name)

    def find_model(self, provider: str, model_id: str) -> Model | None:
        """The model of this provider and id."""
        models = self.scenario.models
        return next((item for item in models if (item.provider, item.id) == (provider, model_id)), None)

    def offered_tools(self) -> list[str]:
        """Names of the tools that the model has: built-in ones, the gate's, and those of the scenario."""
        options = self.options
        names = [] if options.no_builtin_tools else list(BUILTIN_TOOLS)
        if self.gate_loaded:
            names += [*GATE_TOOLS, *sorted(self._scenario_tools())]
        if options.tools is not None:
            names = [name for name in dict.fromkeys([*names, *options.tools]) if name in options.tools]
        if options.no_tools:
            names = []
        return [name for name in dict.fromkeys(names) if name not in options.excluded_tools]

    def offers(self, tool: str) -> bool:
        """True when the model may call this tool; a scenario's own tools exist where the gate is loaded."""
        options = self.options
        if tool in options.excluded_tools or options.no_tools:
            return False
        if options.tools is not None:
            return tool in options.tools
        return tool in BUILTIN_TOOLS or self.gate_loaded

    def _scenario_tools(self) -> set[str]:
        found: set[str] = set()

        def collect(steps: Steps) -> None:
            for step in steps.items:
                if isinstance(step, Tool):
                    found.add(step.tool)
                elif isinstance(step, Tools):
                    collect(step.tools)

        for trigger in self.scenario.prompts:
            collect(trigger.steps)
        return found - set(BUILTIN_TOOLS)

    def _commands(self) -> dict[str, Command]:
        """Commands by name: the gate's, then the scenario's own, which may say more about the gate's."""
        if not self.gate_loaded:
            return {}
        gate = self.scenario.the_gate
        found: dict[str, Command] = {}
        if gate.loaded:
            for name in gate.commands:
                text = _gate_description(name, gate.version)
                found[name] = Command(name=name, description=text, steps=Steps([]))
        for command in self.scenario.commands:
            known = found.get(command.name)
            if known is None and not gate.loaded and command.name in COMMAND_TEXTS:
                continue
            if command.description is None and known is not None:
                command.description = known.description
            found[command.name] = command
        return found

    def _open_session(self) -> tuple[SessionFile, bool]:
        """The session of --session-id, resumed if its file is there; sets model, thinking level and name."""
        options = self.options
        cwd = str(Path.cwd())
        session_id = options.session_id or os.urandom(8).hex()
        directory = (
            None if options.no_session else Path(options.session_dir or _default_directory(cwd)).absolute()
        )
        session = SessionFile(directory, session_id, cwd)
        found = find_session(directory, session_id, cwd) if directory is not None else None
        if found is not None:
            session.resume(*found)
            self.session_name = session.last("session_info", "name")
            provider, model_id = (
                session.last("model_change", "provider"),
                session.last("model_change", "modelId"),
            )
            self.model = self.find_model(provider, model_id) or self.model
            self.thinking_level = session.last("thinking_level_change", "thinkingLevel") or "off"
        elif options.session_id:
            self.output.error_line(
                f"Warning: No project session found with id '{session_id}'; "
                "creating a new session with that id."
            )
        return session, found is not None

    def apply_options(self) -> str | None:
        """What the flags say about name, model and thinking; returns the error that makes Pi exit 1."""
        options = self.options
        for warning in options.warnings:
            self.output.error_line(f"Warning: {warning}")
        if options.late_errors:
            return f"Error: {options.late_errors[0]}"
        if options.name:
            self.rename(options.name.strip())
        before = (self.session.last("model_change", "modelId"), self.thinking_level)
        if options.model:
            error = self._choose_model(options.provider or self.model.provider, options.model)
            if error:
                return error
        if options.thinking:
            self.thinking_level = options.thinking if self.model.thinks else "off"
        if not self.resumed or before[0] != self.model.id:
            self.session.append("model_change", provider=self.model.provider, modelId=self.model.id)
        if not self.resumed or before[1] != self.thinking_level:
            self.session.append("thinking_level_change", thinkingLevel=self.thinking_level)
        return None

    def _choose_model(self, provider: str, model_id: str) -> str | None:
        models = [model for model in self.scenario.models if model.provider == provider]
        if not models:
            return (
                f'Error: Unknown provider "{provider}". Use --list-models to see available providers/models.'
            )
        found = next((model for model in models if model.id == model_id), None)
        if found is None:
            self.output.error_line(
                f'Warning: Model "{model_id}" not found for provider "{provider}". Using custom model id.'
            )
            found = Model(id=model_id, provider=provider, credentials=models[0].credentials)
        self.model = found
        return None


def _gate_description(name: str, version: str) -> str:
    return f"{COMMAND_TEXTS.get(name, name)}: /{name} <session id> ({version})"


def _default_directory(cwd: str) -> Path:
    agent = os.environ.get("PI_CODING_AGENT_DIR") or str(Path.home() / ".pi" / "agent")
    return Path(agent) / "sessions" / f"--{cwd.strip('/').replace('/', '-')}--"
