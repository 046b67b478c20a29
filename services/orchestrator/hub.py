"""The events of one session: a bounded ring, cursors, replay, and subscribers that never hold it up."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.orchestrator.events import EventKind, encode

BATCH_EVENTS = 256
BATCH_BYTES = 256 * 1024
"""A batch is what gathered while the one before was being sent, at most so much."""

TEXT_EVENT_BYTES = 64 * 1024
"""Deltas nobody has taken yet merge up to this size."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive events; `first_seq` 0 for events without an id."""

    first_seq: int
    kinds: Sequence[EventKind]
    payloads: Sequence[bytes]


class EventHub:
    """Keeps the last events of a session and hands them to subscribers.

    A subscriber is a position in the ring: nothing is copied for it, and the bounds of the ring are its
    bounds too. The ring holds at most `max_events` events and about `max_bytes` bytes.
    """

    def __init__(self, max_events: int = 16_384, max_bytes: int = 8 * 1024 * 1024) -> None:
        self.epoch = secrets.token_hex(6)
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._kinds: list[EventKind] = []
        self._payloads: list[bytes] = []
        # Both lists start with `_dropped` entries that left the ring; they are cut off in bulk.
        self._dropped = 0
        self._first_seq = 1
        self._bytes = 0
        self._text_message = ""
        self._text: list[bytes | memoryview] = []
        self._text_size = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._written = 0
        self._subscriptions: set[Subscription] = set()
        self.on_taken: Callable[[], None] = _nobody_asks
        """Called when a subscriber has taken a batch."""
        self.farewell: str | None = None

    @property
    def subscribers(self) -> int:
        """How many subscriptions are open."""
        return len(self._subscriptions)

    @property
    def crowded(self) -> bool:
        """True when there are subscribers and all of them have more than a quarter of the ring to take."""
        if not self._subscriptions:
            return False
        ahead = max(subscription.taken for subscription in self._subscriptions)
        return self._written + self._text_size - ahead > self._max_bytes // 4

    @property
    def first_seq(self) -> int:
        """Sequence number of the oldest event in the ring."""
        return self._first_seq

    def head(self) -> int:
        """Sequence number of the newest event, 0 before the first."""
        self._seal_text()
        return self._first_seq + len(self._kinds) - self._dropped - 1

    def cursor(self) -> str:
        """The event id from which a subscription continues without gap or duplicate."""
        return f"{self.epoch}-{self.head()}"

    def publish(self, kind: EventKind, payload: bytes) -> None:
        """Append an event and wake the subscribers."""
        self._seal_text()
        self._append(kind, payload)
        self._wake()

    def publish_text(self, message_id: str, parts: Sequence[bytes | memoryview]) -> None:
        """Append a text delta; it merges with the one before if that is of this message and nobody has it.

        `parts` together are the delta as it stands between the quotes of a JSON string.
        """
        if self._text and (self._text_message != message_id or self._text_size >= TEXT_EVENT_BYTES):
            self._seal_text()
        self._text_message = message_id
        self._text += parts
        self._text_size += sum(map(len, parts))
        self._wake()

    def close(self, reason: str) -> None:
        """End every subscription with `bye` after what it has still to get."""
        self.farewell = reason
        self._wake()

    def subscribe(
        self,
        last_event_id: str,
        snapshot: Callable[[str | None], bytes],
        pending: Callable[[], list[bytes]],
    ) -> "Subscription":
        """Open a subscription.

        Args:
            last_event_id: what the client has seen; empty for a fresh one.
            snapshot: gives the snapshot's data at this moment, from the reason of a gap or None.
            pending: the repeated requests' data.
        """
        head = self.head()
        gap, position = self._continue(last_event_id, head)
        first: list[tuple[EventKind, bytes]] = []
        if gap is not None or not last_event_id:
            first.append((EventKind.SNAPSHOT, snapshot(gap)))
            position = head
        after = [(EventKind.UI_REQUEST, data) for data in pending()]
        after.append((EventKind.REPLAY_COMPLETE, encode({"cursor": f"{self.epoch}-{head}"})))
        missed = self._payloads[self._dropped + position + 1 - self._first_seq :]
        taken = self._written - sum(map(len, missed))
        subscription = Subscription(self, position, head, first, after, taken)
        self._subscriptions.add(subscription)
        return subscription

    def release(self, subscription: "Subscription") -> None:
        """Told by a subscription that it ended; may be told twice."""
        self._subscriptions.discard(subscription)
        self.on_taken()

    def batch_after(self, position: int, until: int | None) -> Batch | None:
        """Events after `position`, up to `until`; None without any. `position` is in the ring."""
        self._seal_text()
        start = self._dropped + position + 1 - self._first_seq
        stop = min(len(self._kinds), start + BATCH_EVENTS)
        if until is not None:
            stop = min(stop, self._dropped + until + 1 - self._first_seq)
        if start >= stop:
            return None
        size = 0
        for index in range(start, stop):
            size += len(self._payloads[index])
            if size >= BATCH_BYTES:
                stop = index + 1
                break
        return Batch(position + 1, self._kinds[start:stop], self._payloads[start:stop])

    async def wait(self) -> None:
        """Return when something was published after this call."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    def _continue(self, last_event_id: str, head: int) -> tuple[str | None, int]:
        if not last_event_id:
            return None, head
        epoch, _, number = last_event_id.rpartition("-")
        if not epoch or not (number.isascii() and number.isdigit()) or len(number) > 18:
            return "unknown", head
        if epoch != self.epoch:
            return "epoch", head
        position = int(number)
        if position > head:
            return "unknown", head
        if position + 1 < self._first_seq:
            return "evicted", head
        return None, position

    def _seal_text(self) -> None:
        if not self._text:
            return
        begun = encode({"message_id": self._text_message, "delta": ""})[:-2]
        payload = b"".join((begun, *self._text, b'"}'))
        self._text.clear()
        self._text_size = 0
        self._append(EventKind.TEXT_DELTA, payload)

    def _append(self, kind: EventKind, payload: bytes) -> None:
        self._kinds.append(kind)
        self._payloads.append(payload)
        self._bytes += len(payload)
        self._written += len(payload)
        while self._bytes > self._max_bytes or len(self._kinds) - self._dropped > self._max_events:
            if len(self._kinds) - self._dropped == 1:
                break
            self._bytes -= len(self._payloads[self._dropped])
            self._payloads[self._dropped] = b""
            self._dropped += 1
            self._first_seq += 1
        if self._dropped > 1024 and self._dropped * 2 > len(self._kinds):
            del self._kinds[: self._dropped]
            del self._payloads[: self._dropped]
            self._dropped = 0

    def _wake(self) -> None:
        if self._waiting:
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_result(None)
            self._waiting.clear()


class Subscription:
    """One reader's way through the ring: what it missed, then the open questions, then live."""

    def __init__(
        self,
        hub: EventHub,
        position: int,
        replay_until: int,
        first: list[tuple[EventKind, bytes]],
        after: list[tuple[EventKind, bytes]],
        taken: int,
    ) -> None:
        self._hub = hub
        self._position = position
        self._replay_until = replay_until
        self._first = first
        self._after = after
        self._over = False
        self.taken = taken
        """Bytes of all events up to its position that the ring ever had."""

    async def next(self) -> Batch | None:
        """The next events, waiting for them when there are none; None once the subscription is over."""
        while not self._over:
            if self._first:
                return _without_ids(self._first)
            if self._position + 1 < self._hub.first_seq:
                self._over = True
                farewell = encode({"reason": "the reader stayed too far behind"})
                return _without_ids([(EventKind.EVICTED, farewell)])
            replaying = bool(self._after)
            batch = self._hub.batch_after(self._position, self._replay_until if replaying else None)
            if batch is not None:
                self._position += len(batch.kinds)
                self.taken += sum(map(len, batch.payloads))
                self._hub.on_taken()
                return batch
            if replaying:
                return _without_ids(self._after)
            if self._hub.farewell is not None:
                self._over = True
                return _without_ids([(EventKind.BYE, encode({"reason": self._hub.farewell}))])
            await self._hub.wait()
        return None

    def close(self) -> None:
        """End the subscription; may be called twice."""
        self._over = True
        self._hub.release(self)


def _nobody_asks() -> None:
    """Nobody wants to know."""


def _without_ids(events: list[tuple[EventKind, bytes]]) -> Batch:
    batch = Batch(0, [kind for kind, _ in events], [payload for _, payload in events])
    events.clear()
    return batch
