"""The frames between a `tht worker` and whoever drives it (docs/contracts.md, 3). Pure.

A frame is a 4-byte big-endian length, one type byte, and that many bytes less one of payload. Type `J` holds
a JSON object; type `B` a 4-byte big-endian call id and then raw bytes of a stream.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from contracts.errors import Code, Fault

FRAME_CAP = 64 << 20
"""Bytes of a frame, type byte and payload; a longer one ends the worker."""
CHUNK = 256 << 10
"""Bytes of a stream in one `B` frame, at most."""

_HEAD = struct.Struct(">IB")
_LENGTH = struct.Struct(">I")
_CALL = struct.Struct(">I")
_JSON = ord("J")
_BYTES = ord("B")
_encode = msgspec.json.Encoder().encode


class Message(NamedTuple):
    """A `J` frame. Its payload is not decoded, so that a page can be passed on as it is."""

    payload: bytes


class Chunk(NamedTuple):
    """A `B` frame."""

    call: int
    content: bytes


def encode_message(message: Any) -> bytes:
    """The `J` frame of an object; it may hold `msgspec.Raw`. Raises Fault OVER_CAP above FRAME_CAP."""
    payload = _encode(message)
    if len(payload) + 1 > FRAME_CAP:
        raise Fault(Code.OVER_CAP, f"the answer is larger than {FRAME_CAP} bytes; ask for less")
    return _HEAD.pack(len(payload) + 1, _JSON) + payload


def encode_chunks(call: int, content: bytes) -> Iterator[bytes]:
    """The `B` frames that carry `content` for a call."""
    view = memoryview(content)
    for start in range(0, len(view), CHUNK):
        piece = view[start : start + CHUNK]
        yield b"".join((_HEAD.pack(len(piece) + 5, _BYTES), _CALL.pack(call), piece))


class FrameReader:
    """Cuts a stream of bytes into frames, however it was split on the way."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message | Chunk]:
        """The frames that `data` completes. Raises Fault MALFORMED for a length or a type that cannot be;
        nothing can be read after that."""
        self._buffer += data
        frames: list[Message | Chunk] = []
        start = 0
        while len(self._buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            kind = self._buffer[start + 4] if len(self._buffer) > start + 4 else _JSON
            if not 1 <= length <= FRAME_CAP or kind not in (_JSON, _BYTES) or (kind == _BYTES and length < 5):
                raise Fault(Code.MALFORMED, "what came over the pipe is not a frame of a tht worker")
            end = start + 4 + length
            if len(self._buffer) < end:
                break
            payload = bytes(memoryview(self._buffer)[start + _HEAD.size : end])
            frames.append(Message(payload) if kind == _JSON else Chunk(*_split(payload)))
            start = end
        del self._buffer[:start]
        return frames

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not complete."""
        return len(self._buffer)


def _split(payload: bytes) -> tuple[int, bytes]:
    return _CALL.unpack_from(payload)[0], payload[_CALL.size :]
