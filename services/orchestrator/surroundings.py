"""What every session of an orchestrator uses."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from services.orchestrator.child import Launch
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.executor_client import Executor
from services.orchestrator.supervisor import PiProcessManager


class Launches(Protocol):
    """Gives the launch of a session's child; see Launcher."""

    async def for_session(
        self,
        session_id: str,
        directory: Path,
        manifest: dict[str, Any],
        *,
        resumes: bool,
        subagents: bool,
        own: dict[str, str],
    ) -> Launch:
        """Raises Fault PI_MISSING or PI_UNSUPPORTED."""
        ...


class Doors(Protocol):
    """The agent endpoint, as far as a session needs it."""

    def admit(self, session_id: str) -> dict[str, str]:
        """The variables with which a new child reaches the endpoint; THT_AGENT_TOKEN is among them."""
        ...

    def dismiss(self, token: str) -> None:
        """The child with that token has ended."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every session of this orchestrator uses."""

    settings: OrchestratorSettings
    owner: str
    processes: PiProcessManager
    executor: Executor
    launches: Launches
    doors: Doors
