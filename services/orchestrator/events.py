"""The kinds of events, with the numbers of thothii.events.v1.EventKind."""

from enum import IntEnum
from typing import Any

import msgspec


class EventKind(IntEnum):
    """What an event tells (docs/contracts.md 8)."""

    SNAPSHOT = 1
    UI_REQUEST = 2
    UI_RESOLVED = 3
    TEXT_DELTA = 4
    INFO = 5
    SYSTEM_EVENT = 6
    LIFECYCLE = 7
    REPLAY_COMPLETE = 8
    EVICTED = 9
    BYE = 10


def encode(data: dict[str, Any]) -> bytes:
    """An event's data as compact JSON."""
    return msgspec.json.encode(data)
