"""`thothii-orchestrator`: serve until SIGTERM or SIGINT; a second signal ends the process at once."""

import asyncio

import structlog

from services.orchestrator.app import Orchestrator
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.executor_client import GrpcExecutor
from services.runtime.channel import open_channel
from services.runtime.entry import run
from services.runtime.server import until_signalled

_log = structlog.get_logger(__name__)


async def serve(settings: OrchestratorSettings) -> None:
    """Serve until signalled, then stop every child. Raises Fault for an installation that cannot serve."""
    channel = open_channel(settings.executor_address, settings.service_token.get_secret_value())
    orchestrator = Orchestrator(settings, GrpcExecutor(channel))
    await orchestrator.start()
    _log.info("orchestrator listens", address=settings.orchestrator_address, runner=settings.runner)
    warming: asyncio.Task[None] | None = None
    if settings.warm_models:
        warming = asyncio.get_running_loop().create_task(orchestrator.catalogue.warm())
    try:
        await until_signalled()
    finally:
        if warming is not None:
            warming.cancel()
        await orchestrator.stop()
        await channel.close()


def main() -> None:
    """Entry point of `thothii-orchestrator`."""
    run("thothii-orchestrator", "orchestrator", OrchestratorSettings, serve)


if __name__ == "__main__":
    main()
