"""The Pi that continues conversations into commits: that of the settings, with the operator's credentials."""

from collections.abc import Mapping

from services.orchestrator.checkpoints.service import MakeRunner
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.environment import operator_agent_dir
from services.orchestrator.installation import Installation
from session_executor.pi.runner import PiRunner
from session_executor.runner import Runner


def pi_runners(
    settings: OrchestratorSettings, installation: Installation, inherited: Mapping[str, str]
) -> MakeRunner:
    """Runners that drive the Pi of the settings.

    Where the settings name none by its path alone (the fake Pi, a program with arguments) the session
    executor looks for one itself. A runner is made when a plan runs; Fault PI_MISSING is raised then.
    """

    def make_runner(model: tuple[str, str] | None) -> Runner:
        named = settings.runner == "pi" and len(settings.pi_command) == 1
        return PiRunner(
            pi=installation.command()[0] if named else None,
            model=model,
            agent_directory=operator_agent_dir(settings.operator_agent_dir, inherited),
        )

    return make_runner
