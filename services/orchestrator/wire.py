"""Batches of events on the wire, written by hand: protobuf copies each payload three times more.."""

from services.orchestrator.hub import Batch

_BATCH = b"\x0a"
_EPOCH, _FIRST_SEQ, _KINDS, _JSON = b"\x0a", b"\x10", b"\x1a", b"\x22"
"""Field and wire type in SubscribeResponse, then in EventBatch (protobuf's encoding: number << 3 | type)."""


def encode_batch(epoch: str, batch: Batch) -> bytes:
    """A serialized SubscribeResponse with `batch`, byte for byte what protobuf makes of it."""
    name = epoch.encode()
    parts = [_EPOCH, _varint(len(name)), name] if name else []
    if batch.first_seq:
        parts += (_FIRST_SEQ, _varint(batch.first_seq))
    if batch.kinds:
        # Every kind is below 128, so that its number is its varint.
        parts += (_KINDS, _varint(len(batch.kinds)), bytes(batch.kinds))
    for payload in batch.payloads:
        parts += (_JSON, _varint(len(payload)), payload)
    return b"".join((_BATCH, _varint(sum(map(len, parts))), *parts))


def _varint(number: int) -> bytes:
    if number < 128:
        return _ONE_BYTE[number]
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


_ONE_BYTE = [bytes((number,)) for number in range(128)]
