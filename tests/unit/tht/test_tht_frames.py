"""Frames of a worker survive any cutting of the stream; what is no frame is refused."""

import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tht.frames import CHUNK, FRAME_CAP, Chunk, FrameReader, Message, encode_chunks, encode_message

_messages = st.dictionaries(st.text(), st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.text()))
_parts = st.one_of(
    _messages.map(lambda document: ([encode_message(document)], [document])),
    st.tuples(st.integers(0, 2**32 - 1), st.binary(max_size=600)).map(
        lambda pair: (list(encode_chunks(*pair)), [pair] if pair[1] else [])
    ),
)


def told(frame: Message | Chunk) -> object:
    return msgspec.json.decode(frame.payload) if isinstance(frame, Message) else tuple(frame)


@given(st.lists(_parts, max_size=8), st.data())
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(
    parts: list[tuple[list[bytes], list[object]]], data: st.DataObject
) -> None:
    stream = b"".join(frame for frames, _ in parts for frame in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    reader = FrameReader()
    found: list[object] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += [told(frame) for frame in reader.feed(stream[start:end])]
    assert found == [document for _, documents in parts for document in documents]
    assert reader.pending == 0


def test_a_long_content_is_carried_in_frames_of_at_most_a_chunk() -> None:
    content = bytes(range(256)) * 4096
    frames = list(encode_chunks(7, content))
    assert all(len(frame) <= CHUNK + 9 for frame in frames)
    parsed = FrameReader().feed(b"".join(frames))
    assert b"".join(frame.content for frame in parsed if isinstance(frame, Chunk)) == content
    assert {frame.call for frame in parsed if isinstance(frame, Chunk)} == {7}


def test_raw_json_is_passed_on_as_it_is() -> None:
    frame = encode_message({"id": 1, "ok": msgspec.Raw(b'{"rows":[["1.10"]]}')})
    assert FrameReader().feed(frame) == [Message(b'{"id":1,"ok":{"rows":[["1.10"]]}}')]


@pytest.mark.parametrize(
    "stream",
    [
        struct.pack(">IB", 0, ord("J")),
        struct.pack(">IB", FRAME_CAP + 1, ord("J")),
        struct.pack(">IB", 3, ord("X")) + b"ab",
        struct.pack(">IB", 4, ord("B")) + b"abc",
        b"Traceback (most recent call last):\n",
    ],
)
def test_what_is_no_frame_is_refused(stream: bytes) -> None:
    with pytest.raises(Fault) as raised:
        FrameReader().feed(stream)
    assert raised.value.code is Code.MALFORMED


def test_an_answer_above_the_cap_is_a_fault_and_not_a_frame() -> None:
    with pytest.raises(Fault) as raised:
        encode_message({"ok": "x" * FRAME_CAP})
    assert raised.value.code is Code.OVER_CAP
