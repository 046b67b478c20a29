"""What waits for one reader of an event stream."""

import asyncio
from collections import deque

import msgspec

from services.gateway.sse import HEARTBEAT, frame

CHUNK = 256 * 1024
"""Bytes after which queued frames are no longer joined into one body chunk."""


def farewell(name: str, reason: str) -> bytes:
    """An `evicted` or `bye` event."""
    return frame(name.encode(), msgspec.json.encode({"reason": reason}))


class Reader:
    """What waits for one HTTP client. Putting never blocks; a client that stays behind is evicted.

    Args:
        limit: bytes that may wait.
    """

    def __init__(self, limit: int) -> None:
        self.evicted = False
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._told = False
        self._taker: asyncio.Future[None] | None = None
        self._over = asyncio.Event()
        self.room = asyncio.Event()
        """Set while less than a quarter of the limit waits, and once nothing can be put any more."""
        self.room.set()

    @property
    def waiting(self) -> int:
        """Bytes that wait."""
        return self._size

    @property
    def ended(self) -> bool:
        """True when nothing can be put any more."""
        return self._ended

    def put(self, chunk: bytes) -> None:
        """Queue `chunk`; above the limit everything queued is dropped for an `evicted` event.

        A chunk that meets an empty queue is taken whatever its size: a reader that has nothing to catch up
        with is not behind, however long the message in its snapshot is.
        """
        if self._ended or not chunk:
            return
        if self._size and self._size + len(chunk) > self._limit:
            self._waiting.clear()
            self._size = 0
            self.evicted = True
            self.end(
                farewell("evicted", "this reader stayed too far behind; come back with the last event id")
            )
            return
        self._waiting.append(chunk)
        self._size += len(chunk)
        if self._size > self._limit // 4:
            self.room.clear()
        self._told = True
        self._wake()

    def end(self, chunk: bytes = b"") -> None:
        """Queue a last `chunk`; nothing follows."""
        if self._ended:
            return
        self._ended = True
        self._over.set()
        self.room.set()
        if chunk:
            self._waiting.append(chunk)
            self._size += len(chunk)
        self._wake()

    async def until_ended(self) -> None:
        """Wait until nothing can be put any more."""
        await self._over.wait()

    def beat(self) -> None:
        """Queue a comment when nothing was put since the last beat."""
        if not self._told:
            self.put(HEARTBEAT)
        self._told = False

    async def take(self) -> bytes:
        """What waits, joined; nothing at the end. For one taker at a time."""
        while not self._waiting:
            if self._ended:
                return b""
            self._taker = asyncio.get_running_loop().create_future()
            await self._taker
        taken: list[bytes] = []
        size = 0
        while self._waiting and (not taken or size + len(self._waiting[0]) <= CHUNK):
            taken.append(self._waiting.popleft())
            size += len(taken[-1])
        self._size -= size
        if self._size <= self._limit // 4:
            self.room.set()
        return taken[0] if len(taken) == 1 else b"".join(taken)

    def _wake(self) -> None:
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(None)
