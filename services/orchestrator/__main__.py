"""`thothii-orchestrator`: serve until SIGTERM or SIGINT; a second signal ends the process at once."""

import asyncio
import os
import sys

# Before grpc is imported: children are spawned by vfork and exec, where its fork handlers are in the way.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

import structlog
from pydantic import ValidationError

from contracts.errors import Fault
from services.orchestrator.app import Orchestrator
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.executor_client import GrpcExecutor
from services.runtime.channel import open_channel
from services.runtime.lifetime import end_with_parent
from services.runtime.logs import configure
from services.runtime.server import until_signalled

_log = structlog.get_logger(__name__)


async def serve(settings: OrchestratorSettings) -> None:
    """Serve until signalled, then stop every child."""
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
    """Entry point; exits with the code of the taxonomy when it cannot serve."""
    end_with_parent()
    try:
        settings = OrchestratorSettings()
    except ValidationError as error:
        for wrong in error.errors():
            name = "_".join(str(part) for part in wrong["loc"]).upper()
            sys.stderr.write(f"thothii-orchestrator: THOTHII_{name}: {wrong['msg']}\n")
        sys.exit(2)
    configure("orchestrator", settings.log_level)
    try:
        asyncio.run(serve(settings))
    except Fault as fault:
        sys.stderr.write(f"thothii-orchestrator: {fault.message}\n")
        sys.exit(fault.code.kind.exit_code)


if __name__ == "__main__":
    main()
