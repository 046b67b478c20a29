"""Who may use a worker next: askers take turns, so that one who asks much waits for nobody but himself."""

import asyncio
from collections import OrderedDict, deque

from contracts.errors import Code, Fault


class Turns:
    """A number of places. While all are taken calls wait, each asker's in their order of arrival, the askers
    in rotation.

    Args:
        places: most calls at once.
        queue: calls that may wait; the next one is refused.
        wait: seconds a call waits before it is refused.
    """

    def __init__(self, places: int, queue: int, wait: float) -> None:
        self._places = places
        self._queue = queue
        self._wait = wait
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.taken = 0
        """Places that are in use."""

    @property
    def waiting(self) -> int:
        """Calls that wait."""
        return sum(map(len, self._waiting.values()))

    async def take(self, asker: str) -> None:
        """Wait for a place, which `give` gives back. Raises Fault BUSY when the queue is full or the wait is
        too long."""
        if self.taken < self._places and not self._waiting:
            self.taken += 1
            return
        if self.waiting >= self._queue:
            raise _busy()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker, deque()).append(turn)
        try:
            async with asyncio.timeout(self._wait):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                # The place was handed over in the very moment in which the caller gave up.
                self.give()
            else:
                self._forget(asker, turn)
            if isinstance(error, TimeoutError):
                raise _busy() from None
            raise

    def give(self) -> None:
        """Hand a place to the asker whose turn it is, or free it."""
        while self._waiting:
            asker, calls = next(iter(self._waiting.items()))
            turn = calls.popleft()
            # Behind those who have waited since; whoever has no more calls leaves the round.
            self._waiting.move_to_end(asker)
            if not calls:
                del self._waiting[asker]
            if not turn.done():
                turn.set_result(None)
                return
        self.taken -= 1

    def _forget(self, asker: str, turn: asyncio.Future[None]) -> None:
        calls = self._waiting.get(asker)
        if calls is not None and turn in calls:
            calls.remove(turn)
            if not calls:
                del self._waiting[asker]


def _busy() -> Fault:
    return Fault(Code.BUSY, "every SQL worker is taken and the queue is full; try again in a moment")
