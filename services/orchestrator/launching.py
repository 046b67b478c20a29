"""How a child of this installation is started: command line, environment, folders."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from services.orchestrator.child import Launch
from services.orchestrator.command_line import ModelChoice, session_arguments, throwaway_arguments
from services.orchestrator.config import SUBAGENT_TOOLS, OrchestratorSettings
from services.orchestrator.environment import (
    Places,
    child_environment,
    operator_agent_dir,
    prepare_agent_dir,
)
from services.orchestrator.installation import Installation


def choice_of(manifest: Mapping[str, Any]) -> ModelChoice:
    """Provider, model and thinking level of a manifest."""
    return ModelChoice(*(str(manifest.get(key) or "") for key in ("provider", "model", "thinking")))


class Launcher:
    """Makes launches for sessions and for throw-away children."""

    def __init__(
        self, settings: OrchestratorSettings, installation: Installation, inherited: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._installation = installation
        self._inherited = inherited
        self._home = settings.home
        state = settings.state_dir
        self._places = Places(self._home, state / "agent", state / "cache", settings.node_directory)

    def environment(self, own: Mapping[str, str]) -> dict[str, str]:
        """A child's environment; `own` is added last."""
        if self._settings.fake_pi_scenario:
            own = {"FAKE_PI_SCENARIO": self._settings.fake_pi_scenario, **own}
        return child_environment(self._inherited, self._places, self._settings.pi_environment, own)

    async def for_session(
        self,
        session_id: str,
        directory: Path,
        manifest: Mapping[str, Any],
        *,
        resumes: bool,
        subagents: bool,
        own: Mapping[str, str],
    ) -> Launch:
        """The launch of a session's child; `subagents`: it may start some.

        Raises Fault PI_MISSING or PI_UNSUPPORTED.
        """
        command = await self._ready_command()
        settings = self._settings
        argv = session_arguments(
            command,
            gate_extension=settings.gate_extension if settings.runner == "pi" else "",
            subagents_extension=settings.subagents_extension if subagents and settings.runner == "pi" else "",
            gate_tools=f"{settings.gate_tools},{SUBAGENT_TOOLS}" if subagents else settings.gate_tools,
            session_dir=directory / "pi",
            session_id=session_id,
            name="" if resumes else str(manifest.get("name") or ""),
            choice=choice_of(manifest),
            more=settings.pi_arguments,
        )
        variables = {"THT_SESSION": session_id, "PI_SESSION_ID": session_id, **own}
        if subagents:
            variables["THT_SUBAGENTS"] = "1"
        if manifest.get("temperature") is not None:
            variables["THT_TEMPERATURE"] = str(manifest["temperature"])
        return Launch(argv, self._home, self.environment(variables), settings.record_cap)

    async def for_models(self, own: Mapping[str, str]) -> Launch:
        """The launch of a child that lists its models. Raises Fault PI_MISSING or PI_UNSUPPORTED."""
        command = await self._ready_command()
        argv = throwaway_arguments(command, self._settings.pi_arguments)
        return Launch(argv, self._home, self.environment(own), self._settings.record_cap)

    def credentials_stamp(self) -> tuple[int, ...]:
        """Changes when the operator's credentials or models do."""
        return tuple(_changed_at(self._operator_dir() / name) for name in ("auth.json", "models.json"))

    async def version(self) -> str:
        """The version of Pi. Raises Fault PI_MISSING or PI_FAILED."""
        return await self._installation.version(self.environment({}))

    async def check(self) -> None:
        """Raise Fault PI_MISSING or PI_UNSUPPORTED when no session can be started."""
        await self._installation.checked_command(self.environment({}))

    async def _ready_command(self) -> list[str]:
        command = await self._installation.checked_command(self.environment({}))
        await asyncio.to_thread(self._prepare)
        return command

    def _prepare(self) -> None:
        self._places.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        prepare_agent_dir(self._places.agent_dir, self._operator_dir())

    def _operator_dir(self) -> Path:
        return operator_agent_dir(self._settings.operator_agent_dir, self._inherited).absolute()


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
