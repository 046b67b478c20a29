"""What a `tht worker` writes, cut into frames for the one who reads them."""

import asyncio
from collections import deque
from typing import cast

import structlog

from contracts.errors import Fault
from tht.frames import Chunk, FrameReader, Message

MOST_WAITING = 1 << 20
"""Bytes of frames that wait for their reader before the worker is left to wait."""

_log = structlog.get_logger(__name__)


class WorkerDied(Exception):
    """The process ended while a call was waiting for it."""


class WorkerOutput(asyncio.Protocol):
    """The reading end of a worker's pipe, for one reader at a time."""

    def __init__(self) -> None:
        self._frames = FrameReader()
        self._received: deque[Message | Chunk] = deque()
        self._waiting = 0
        """Bytes of the frames in `_received`."""
        self._ended = False
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False

    async def read(self) -> Message | Chunk:
        """The next frame. Raises WorkerDied at the end of the output or when it is no frame."""
        while not self._received:
            if self._ended:
                raise WorkerDied
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        frame = self._received.popleft()
        self._waiting -= _size(frame)
        if self._paused and self._waiting <= MOST_WAITING // 2 and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return frame

    def close(self) -> None:
        """Read no more; what is here can still be taken."""
        self._ended = True
        if self._transport is not None:
            self._transport.close()
        self._wake()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        if self._ended:
            return
        try:
            frames = self._frames.feed(data)
        except Fault as fault:
            _log.error("worker wrote what is no frame", reason=fault.message)
            self.close()
            return
        if not frames:
            return
        self._received.extend(frames)
        self._waiting += sum(map(_size, frames))
        if self._waiting > MOST_WAITING and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        del exc
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _size(frame: Message | Chunk) -> int:
    return len(frame.payload) if isinstance(frame, Message) else len(frame.content)
