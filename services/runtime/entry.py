"""How a server begins and ends as a process: settings, logs, and what keeps it from serving in one line."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeVar

from pydantic import ValidationError

from contracts.errors import Code, Fault
from services.runtime import logs
from services.runtime.lifetime import end_with_parent
from services.runtime.memory import keep_batches
from services.runtime.settings import ServiceSettings

Settings = TypeVar("Settings", bound=ServiceSettings)


def run(
    program: str,
    service: str,
    settings: type[Settings],
    serve: Callable[[Settings], Awaitable[None]],
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Read the settings from the environment and serve until `serve` returns.

    `program` is the command's name, for the one line on stderr when it cannot serve; `service` is its name in
    the logs; `new_loop` makes an event loop of another kind than asyncio's own. Exits with the taxonomy's
    code for a setting that cannot be and for a Fault that `serve` raises.
    """
    end_with_parent()
    keep_batches()
    try:
        chosen = settings()
    except ValidationError as error:
        _end(program, Fault(Code.INVALID_ARGUMENT, _first_complaint(error)))
    logs.configure(service, chosen.log_level)

    async def served() -> None:
        await serve(chosen)

    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(served())
    except Fault as fault:
        _end(program, fault)


def _first_complaint(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    name = "THOTHII_" + "_".join(str(part) for part in first["loc"]).upper()
    return f"{name}: {first['msg']}"


def _end(program: str, fault: Fault) -> NoReturn:
    sys.stderr.write(f"{program}: {fault.message}\n")
    sys.exit(fault.code.kind.exit_code)
