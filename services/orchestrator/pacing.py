"""How fast a child's output is read: as its reviewers get it, but never held up by them for long."""

import asyncio
from collections.abc import Callable

from services.orchestrator.hub import EventHub

PATIENCE_S = 0.5
"""Seconds that output waits for subscribers of whom none takes enough."""


class Pacer:
    """Holds the output back while even the subscriber that is farthest ahead has too much to take.

    A burst would push it out of the ring otherwise. When nobody has taken enough in time, reading goes on and
    waits no more until somebody has caught up: a child does not stand still for readers that are slower.

    Args:
        hub: has the events and the subscribers.
        hold: stops reading the output when given True, goes on when given False.
    """

    def __init__(self, hub: EventHub, hold: Callable[[bool], None]) -> None:
        self._hub = hub
        self._hold = hold
        self._timer: asyncio.TimerHandle | None = None
        self._patient = True
        hub.on_taken = self._taken

    def check(self) -> None:
        """To be called when output has become events."""
        if self._timer is None and self._patient and self._hub.crowded:
            self._hold(True)
            self._timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._give_up)

    def _taken(self) -> None:
        if (self._timer is not None or not self._patient) and not self._hub.crowded:
            self._patient = True
            self._release()

    def _give_up(self) -> None:
        self._patient = False
        self._release()

    def _release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._hold(False)
