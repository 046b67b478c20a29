"""The models Pi has credentials for."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

import structlog

from contracts.errors import Code, Fault
from services.orchestrator.bridge import SessionBridge
from services.orchestrator.child import Lines, PiChild
from services.orchestrator.command_line import THINKING_LEVELS, ModelChoice
from services.orchestrator.items import Replied
from services.orchestrator.launching import Launcher
from services.orchestrator.startup_checks import find_model
from services.orchestrator.supervisor import PiProcessManager

_log = structlog.get_logger(__name__)

Models = list[dict[str, Any]]


class ModelCatalogue:
    """Keeps the list, and asks a throw-away child (one start of Pi) when it has none that is fresh.

    Args:
        ask: gives the list anew.
        stamp: changes when the operator's credentials do, which makes a kept list stale.
        seconds: how long a list is fresh.
    """

    def __init__(
        self, ask: Callable[[], Awaitable[Models]], stamp: Callable[[], object], seconds: float
    ) -> None:
        self._ask = ask
        self._stamp = stamp
        self._seconds = seconds
        self._models: Models = []
        self._kept: tuple[object, float] | None = None
        self._asking = asyncio.Lock()

    def keep(self, models: Models) -> None:
        """Take over the list a session's child gave at its start."""
        self._models = models
        self._kept = (self._stamp(), time.monotonic())

    async def models(self, *, at_most: float | None = None) -> Models:
        """The list, at most `at_most` seconds old. Raises Fault when Pi cannot be asked."""
        async with self._asking:
            if self._is_stale(self._seconds if at_most is None else at_most):
                self.keep(await self._ask())
            return self._models

    async def warm(self) -> None:
        """Have a list ready. A Pi that cannot be asked is told to whoever needs it later."""
        try:
            await self.models()
        except Fault as fault:
            _log.warning("the models could not be listed", reason=fault.message)

    async def check(self, choice: ModelChoice) -> None:
        """Raise Fault MODEL_UNKNOWN or NO_CREDENTIALS for a model that Pi would only fail with later.

        Without a model in `choice` a start of Pi is not spent on it.
        """
        if not choice.model and (self._kept is None or self._is_stale(self._seconds)):
            return
        try:
            find_model(choice, await self.models())
        except Fault:
            # The operator may have signed in since.
            find_model(choice, await self.models(at_most=1.0))

    def _is_stale(self, seconds: float) -> bool:
        if self._kept is None:
            return True
        stamp, at = self._kept
        return stamp != self._stamp() or time.monotonic() - at > seconds


async def ask_pi(launcher: Launcher, processes: PiProcessManager, seconds: float) -> Models:
    """The models of a throw-away child. Raises Fault PI_MISSING, PI_UNSUPPORTED or PI_FAILED."""
    launch = await launcher.for_models({"THT_AGENT_TOKEN": secrets.token_hex(16)})
    child = PiChild(processes)
    bridge = SessionBridge(0)

    def receive(lines: Lines) -> None:
        for item in bridge.read(lines):
            if isinstance(item, Replied):
                child.rpc.resolve(item.reply)

    child.on_lines = receive
    await child.start(launch)
    watching = asyncio.get_running_loop().create_task(child.until_exit())
    try:
        data = await child.rpc.call("get_available_models", seconds)
    except Fault as fault:
        if fault.code is Code.TIMEOUT:
            raise Fault(Code.PI_FAILED, f"Pi did not list its models within {seconds:g} s") from fault
        raise
    finally:
        await child.stop()
        await watching
    models: Any = data.get("models")
    return (
        [each for each in cast("list[Any]", models) if isinstance(each, dict)]
        if isinstance(models, list)
        else []
    )


def thinking_levels(model: dict[str, Any]) -> list[str]:
    """The levels a model of Pi 1.6.0 takes: its map names or forbids them, by default all up to high."""
    if not model.get("reasoning"):
        return ["off"]
    raw: Any = model.get("thinkingLevelMap")
    mapped = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    return [
        level
        for level in THINKING_LEVELS
        if (mapped[level] is not None if level in mapped else level not in ("xhigh", "max"))
    ]
