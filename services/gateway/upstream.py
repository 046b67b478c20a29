"""Event streams: one subscription to the orchestrator for each session, shared by all its readers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

import structlog

from contracts.errors import Code, Fault
from services.gateway.handover import HandOver
from services.gateway.readers import Reader, farewell
from services.gateway.sse import Frames, Position
from services.gateway.wire import Batch

PATIENCE_S = 0.5
"""Seconds that a shared subscription waits for readers of whom none takes enough."""
SOURCE_ENDED = farewell("bye", "the event source ended; come back with the last event id")

_log = structlog.get_logger(__name__)


class Subscription(Protocol):
    """Events of one session from the orchestrator, acknowledged before it is handed out."""

    async def read(self) -> Batch | None:
        """The next batch; None at the end. Raises Fault when the orchestrator fails."""
        ...

    def cancel(self) -> None:
        """Give the subscription up."""
        ...


Subscribe = Callable[[str, str], Awaitable[Subscription]]
"""Opens a subscription for (session id, last event id). Raises Fault before the acknowledgement."""


class Pace:
    """How fast a subscription is read: as its readers take, so that a burst evicts none that reads."""

    def __init__(self) -> None:
        self._patient = True

    async def until_room(self, readers: Iterable[Reader]) -> None:
        """Wait for the reader with the least to take.

        Once it has not taken enough in time there is no more waiting until it has: readers that do not read
        hold up nobody for long.
        """
        reading = (reader for reader in readers if not reader.ended)
        fastest = min(reading, key=lambda reader: reader.waiting, default=None)
        if fastest is None or fastest.room.is_set():
            self._patient = True
        elif self._patient:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await fastest.room.wait()
            except TimeoutError:
                self._patient = False


class Feed:
    """The shared subscription of one session."""

    def __init__(self, subscription: Subscription, position: Position) -> None:
        self.position = position
        self.readers: dict[Reader, HandOver] = {}
        self._subscription = subscription
        self._stopped = False
        self._pace = Pace()

    async def run(self) -> None:
        """Pass on batches until the subscription ends, then end the readers that live from it."""
        goodbye = SOURCE_ENDED
        try:
            while (batch := await self._subscription.read()) is not None:
                frames = Frames.of(batch)
                if not frames.follows(self.position):
                    _log.error("hole in the events", at=self.position.seq, next=frames.first_seq)
                    break
                if frames.last:
                    goodbye = _goodbye(frames, goodbye)
                    break
                self.position = frames.position_after(self.position) or self.position
                for reader, handover in self.readers.items():
                    reader.put(handover.shared(frames))
                await self._pace.until_room(
                    reader for reader, handover in self.readers.items() if handover.done
                )
        except Fault as fault:
            _log.warning("event source failed", code=fault.code.value, detail=fault.message)
        finally:
            self._stopped = True
            self._subscription.cancel()
            for reader, handover in self.readers.items():
                if handover.done:
                    reader.end(goodbye)
                else:
                    handover.part()
            self.readers.clear()

    def stop(self) -> None:
        """Give the subscription up; for a feed without readers."""
        self._stopped = True
        self._subscription.cancel()

    def add(self, reader: Reader, handover: HandOver) -> None:
        """Let `reader` listen."""
        if not self._stopped:
            reader.put(handover.listen(self.position))
            if handover.listening:
                self.readers[reader] = handover


def _goodbye(frames: Frames, otherwise: bytes) -> bytes:
    # A source that evicts means this gateway, not its readers: they only come back.
    return frames.joined if b"event: bye\n" in frames.joined else otherwise


class Feeds:
    """All event streams of this gateway.

    Args:
        subscribe: opens a subscription at the orchestrator.
        reader_limit: bytes that may wait for one reader.
        heartbeat: seconds of silence after which a reader gets a comment.
    """

    def __init__(self, subscribe: Subscribe, reader_limit: int, heartbeat: float) -> None:
        self.evictions = 0
        self._subscribe = subscribe
        self._reader_limit = reader_limit
        self._heartbeat = heartbeat
        self._beating: asyncio.Task[None] | None = None
        self._feeds: dict[str, Feed] = {}
        self._pumps: dict[str, asyncio.Task[None]] = {}
        self._catching: dict[Reader, tuple[asyncio.Task[None], Subscription]] = {}
        self._sessions: dict[Reader, str] = {}
        self._closed: bytes = b""

    @property
    def reader_count(self) -> int:
        """Readers that are connected."""
        return len(self._sessions)

    @property
    def feed_count(self) -> int:
        """Shared subscriptions that are open."""
        return len(self._feeds)

    async def join(self, session_id: str, last_event_id: str) -> Reader:
        """A reader of `session_id`, to be given back with `leave`.

        Raises Fault when the orchestrator does not acknowledge the subscription.
        """
        if self._closed:
            raise Fault(Code.UNAVAILABLE, "the gateway is going down; try again")
        subscription = await self._subscribe(session_id, last_event_id)
        reader = Reader(self._reader_limit)
        self._sessions[reader] = session_id
        task = asyncio.create_task(self._catch_up(session_id, subscription, reader))
        self._catching[reader] = task, subscription
        if self._closed:
            reader.end(self._closed)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        return reader

    def leave(self, reader: Reader) -> None:
        """The client of `reader` is gone. The last one of a session ends its shared subscription."""
        reader.end()
        if reader.evicted:
            self.evictions += 1
        session_id = self._sessions.pop(reader, "")
        catching = self._catching.pop(reader, None)
        if catching is not None:
            task, subscription = catching
            task.cancel()
            # A task that never ran cannot do this itself.
            subscription.cancel()
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.readers.pop(reader, None)
            if not feed.readers:
                self._pumps[session_id].cancel()
                feed.stop()
                self._forget(session_id, feed)

    def close(self, reason: str) -> None:
        """Say `bye` to every reader and take no others."""
        self._closed = farewell("bye", reason)
        for reader in self._sessions:
            reader.end(self._closed)

    async def _beat(self) -> None:
        # One clock for all readers: a timer for each would cost more than the events they get.
        while self._sessions:
            await asyncio.sleep(self._heartbeat / 2)
            for reader in self._sessions:
                reader.beat()
        self._beating = None

    async def _catch_up(self, session_id: str, subscription: Subscription, reader: Reader) -> None:
        handover = HandOver()
        kept = False
        goodbye = SOURCE_ENDED
        pace = Pace()
        try:
            while (batch := await subscription.read()) is not None:
                frames = Frames.of(batch)
                if frames.last:
                    goodbye = _goodbye(frames, goodbye)
                    break
                if not frames.follows(handover.position):
                    _log.error("hole in the events", session=session_id, next=frames.first_seq)
                    break
                reader.put(handover.own(frames))
                kept = self._hand_over(session_id, subscription, reader, handover)
                if handover.done:
                    return
                await pace.until_room((reader,))
        except Fault as fault:
            _log.warning("event source failed", code=fault.code.value, detail=fault.message)
        finally:
            if not kept:
                subscription.cancel()
            if not handover.done:
                reader.end(goodbye)
            self._catching.pop(reader, None)

    def _hand_over(
        self, session_id: str, subscription: Subscription, reader: Reader, handover: HandOver
    ) -> bool:
        """Bring `reader` to the shared subscription; True when its own became the shared one."""
        if handover.listening or not handover.caught_up or reader.ended:
            return False
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.add(reader, handover)
            return False
        if handover.position is None:
            return False
        feed = Feed(subscription, handover.position)
        self._feeds[session_id] = feed
        feed.add(reader, handover)
        self._pumps[session_id] = asyncio.create_task(self._pump(session_id, feed))
        return True

    async def _pump(self, session_id: str, feed: Feed) -> None:
        try:
            await feed.run()
        finally:
            self._forget(session_id, feed)

    def _forget(self, session_id: str, feed: Feed) -> None:
        if self._feeds.get(session_id) is feed:
            del self._feeds[session_id], self._pumps[session_id]
