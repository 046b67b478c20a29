"""Batches of events from the wire, read by hand: protobuf copies each payload once more.

What is not written as protobuf and the orchestrator write it is left to protobuf.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from thothii.orchestrator.v1.orchestrator_service_pb2 import SubscribeResponse

_BATCH = b"\x0a"
_EPOCH, _FIRST_SEQ, _KINDS, _JSON = b"\x0a", b"\x10", b"\x1a", b"\x22"
"""Field and wire type of SubscribeResponse, then of EventBatch (protobuf's encoding: number << 3 | type)."""


class Batch(Protocol):
    """What there is to read of an EventBatch."""

    @property
    def epoch(self) -> str:
        """See the proto."""
        ...

    @property
    def first_seq(self) -> int:
        """See the proto."""
        ...

    @property
    def kinds(self) -> Sequence[int]:
        """See the proto."""
        ...

    @property
    def json(self) -> Sequence[bytes]:
        """See the proto."""
        ...


class WireBatch(NamedTuple):
    """A batch as it was read from the wire."""

    epoch: str
    first_seq: int
    kinds: Sequence[int]
    json: Sequence[bytes]


def decode_batch(message: bytes) -> Batch:
    """The batch of a serialized SubscribeResponse. Raises protobuf's DecodeError for what is none."""
    try:
        batch = _read(message)
    except (IndexError, UnicodeDecodeError):
        batch = None
    return batch or SubscribeResponse.FromString(message).batch


def _read(message: bytes) -> WireBatch | None:
    """The batch, None where the message is not as `encode_batch` writes it."""
    size = len(message)
    length, at = _number(message, 1)
    if not message.startswith(_BATCH) or at + length != size:
        return None
    epoch, first_seq, kinds = b"", 0, b""
    if message.startswith(_EPOCH, at):
        epoch, at = _bytes(message, at + 1)
    if message.startswith(_FIRST_SEQ, at):
        first_seq, at = _number(message, at + 1)
    if message.startswith(_KINDS, at):
        kinds, at = _bytes(message, at + 1)
    payloads: list[bytes] = []
    while message.startswith(_JSON, at):
        payload, at = _bytes(message, at + 1)
        payloads.append(payload)
    if at != size or max(kinds, default=0) > 127:
        return None
    return WireBatch(epoch.decode(), first_seq, kinds, payloads)


def _number(message: bytes, at: int) -> tuple[int, int]:
    """A varint at `at` and where it ends. Raises IndexError beyond the end, and for huge numbers."""
    number = message[at]
    if number < 128:
        return number, at + 1
    number &= 127
    shift = 7
    while (byte := message[at := at + 1]) > 127:
        number |= (byte & 127) << shift
        shift += 7
        if shift > 56:
            raise IndexError(at)
    return number | byte << shift, at + 1


def _bytes(message: bytes, at: int) -> tuple[bytes, int]:
    """A field with its length at `at`, and where it ends. Raises IndexError beyond the end."""
    length, at = _number(message, at)
    end = at + length
    if end > len(message):
        raise IndexError(end)
    return message[at:end], end
