"""Server-Sent Events as the WHATWG grammar wants them; each frame is built once and shared by all readers."""

from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from services.gateway.wire import Batch
from thothii.events.v1.events_pb2 import EventKind

HEARTBEAT = b":\n"
"""A comment: it keeps proxies from closing a silent stream and no client sees it. A blank line after it would
make some decoders tell an event without data."""

NAMES: dict[int, bytes] = {
    number: name.removeprefix("EVENT_KIND_").lower().encode() for name, number in EventKind.items()
}
"""SSE event name of each kind of event."""

_POSITIONED = frozenset({EventKind.EVENT_KIND_SNAPSHOT, EventKind.EVENT_KIND_REPLAY_COMPLETE})
_LAST = frozenset({EventKind.EVENT_KIND_EVICTED, EventKind.EVENT_KIND_BYE})


class Position(NamedTuple):
    """How far a stream has come: everything up to `seq` of `epoch` has been told."""

    epoch: str
    seq: int

    @classmethod
    def parse(cls, cursor: str) -> "Position | None":
        """The position that `<epoch>-<seq>` means; None when it means none."""
        epoch, dash, seq = cursor.rpartition("-")
        if not dash or not seq.isascii() or not seq.isdigit():
            return None
        return cls(epoch, int(seq))


class _Cursor(msgspec.Struct):
    cursor: str = ""


def frame(name: bytes, data: bytes, event_id: bytes = b"") -> bytes:
    """One event. A line end inside `data` becomes a further data line, as the grammar asks."""
    if b"\n" in data or b"\r" in data:
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        data = b"\ndata: ".join(lines)
    if event_id:
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (event_id, name, data)
    return b"event: %b\ndata: %b\n\n" % (name, data)


def retry(milliseconds: int) -> bytes:
    """How long a client waits before it comes back; a line that belongs to the event after it."""
    return b"retry: %d\n" % milliseconds


@dataclass(frozen=True, slots=True)
class Frames:
    """The events of one batch, framed."""

    epoch: str
    first_seq: int
    """Sequence number of the first event; 0 when none of them has an id."""
    parts: tuple[bytes, ...]
    joined: bytes
    told: Position | None
    """The position that a snapshot or replay_complete among them states."""
    replayed: bool
    """True when a replay_complete is among them."""
    last: bool
    """True when nothing follows on this subscription: evicted or bye."""

    @classmethod
    def of(cls, batch: Batch) -> "Frames":
        """Frame `batch`. Numbered events get the id `<epoch>-<seq>`."""
        kinds, payloads = list(batch.kinds), list(batch.json)
        first = batch.first_seq
        prefix = batch.epoch.encode() + b"-"
        parts = tuple(
            frame(NAMES.get(kind, b"info"), data, prefix + b"%d" % (first + index) if first else b"")
            for index, (kind, data) in enumerate(zip(kinds, payloads, strict=True))
        )
        told: Position | None = None
        if not first:
            for kind, data in zip(kinds, payloads, strict=True):
                if kind in _POSITIONED:
                    told = Position.parse(msgspec.json.decode(data, type=_Cursor).cursor) or told
        return cls(
            epoch=batch.epoch,
            first_seq=first,
            parts=parts,
            joined=b"".join(parts),
            told=told,
            replayed=EventKind.EVENT_KIND_REPLAY_COMPLETE in kinds,
            last=not _LAST.isdisjoint(kinds),
        )

    def position_after(self, before: Position | None) -> Position | None:
        """Where a stream stands that stood at `before` and then told these events."""
        if self.first_seq and self.parts:
            return Position(self.epoch, self.first_seq + len(self.parts) - 1)
        return self.told or before

    def follows(self, before: Position | None) -> bool:
        """False when numbered events are missing between `before` and these."""
        if not self.first_seq or before is None or before.epoch != self.epoch:
            return True
        return self.first_seq <= before.seq + 1

    def after(self, seq: int) -> bytes:
        """The numbered events younger than `seq`, joined."""
        known = seq + 1 - self.first_seq
        if known <= 0:
            return self.joined
        return b"".join(self.parts[known:])
