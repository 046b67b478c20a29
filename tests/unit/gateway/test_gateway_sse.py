"""Frames as the WHATWG grammar wants them, and the queue of one reader."""

import json
from typing import Any

import pytest
from httpx_sse import ServerSentEvent
from httpx_sse._decoders import SSEDecoder
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.readers import CHUNK, Reader
from services.gateway.sse import HEARTBEAT, Frames, Position, frame, retry
from thothii.events.v1.events_pb2 import EventBatch, EventKind


def parse(stream: bytes) -> list[ServerSentEvent]:
    """Events of `stream`, by a decoder that is not ours."""
    decoder = SSEDecoder()
    lines = stream.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # The last piece is what follows the last line end: no line.
    return [event for line in lines[:-1] if (event := decoder.decode(line)) is not None]


json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), json_values, max_size=3), min_size=1, max_size=5))
def test_every_event_comes_out_of_a_foreign_decoder_as_it_went_in(documents: list[dict[str, Any]]) -> None:
    data = [json.dumps(document, ensure_ascii=False).encode() for document in documents]
    kinds = [EventKind.EVENT_KIND_INFO] * len(data)
    frames = Frames.of(EventBatch(epoch="e", first_seq=7, kinds=kinds, json=data))
    events = parse(retry(5) + frames.joined + HEARTBEAT)
    assert [event.json() for event in events] == documents
    assert [event.id for event in events] == [f"e-{7 + index}" for index in range(len(data))]
    assert {event.event for event in events} == {"info"}


@given(st.text(alphabet=st.sampled_from("a\r\n \u2028é"), max_size=20))
def test_a29_line_ends_in_data_make_further_data_lines(text: str) -> None:
    """A-29: only CR and LF end a line of the grammar; U+2028 does not."""
    events = parse(frame(b"info", text.encode()))
    wanted = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [event.data for event in events] == [wanted]


def test_events_without_a_number_have_no_id() -> None:
    batch = EventBatch(
        epoch="e",
        first_seq=0,
        kinds=[EventKind.EVENT_KIND_SNAPSHOT, EventKind.EVENT_KIND_REPLAY_COMPLETE],
        json=[b'{"cursor":"e-4","gap":false}', b'{"cursor":"e-6"}'],
    )
    frames = Frames.of(batch)
    assert b"id:" not in frames.joined
    assert frames.position_after(None) == Position("e", 6)


@pytest.mark.parametrize("cursor", ["", "e", "e-", "-", "e-x", "e-٣", "e--"])
def test_what_is_no_cursor_is_no_position(cursor: str) -> None:
    assert Position.parse(cursor) is None


def test_an_epoch_may_hold_dashes() -> None:
    assert Position.parse("2026-11-30-7") == Position("2026-11-30", 7)


def test_a_hole_between_numbered_events_is_noticed() -> None:
    batch = EventBatch(epoch="e", first_seq=5, kinds=[EventKind.EVENT_KIND_INFO], json=[b"{}"])
    frames = Frames.of(batch)
    assert frames.follows(Position("e", 4))
    assert frames.follows(Position("e", 9))
    assert not frames.follows(Position("e", 3))
    assert frames.follows(Position("f", 3))


async def test_a_reader_gets_what_waits_in_one_piece() -> None:
    reader = Reader(limit=100)
    reader.put(b"a")
    reader.put(b"b")
    reader.end(b"c")
    reader.put(b"late")
    assert await reader.take() == b"abc"
    assert await reader.take() == b""


async def test_a06_a_silent_stream_gets_a_comment() -> None:
    """A-06: something crosses every proxy before its idle timeout."""
    reader = Reader(limit=100)
    reader.beat()
    assert await reader.take() == HEARTBEAT
    reader.put(b"x")
    reader.beat()
    assert await reader.take() == b"x"
    reader.beat()
    assert await reader.take() == HEARTBEAT


async def test_a09_a_reader_above_its_limit_is_evicted() -> None:
    """A-09: what waited is dropped for the event that says so."""
    reader = Reader(limit=10)
    reader.put(b"12345678")
    reader.put(b"123")
    assert reader.evicted
    events = parse(await reader.take())
    assert [event.event for event in events] == ["evicted"]
    assert await reader.take() == b""


async def test_pieces_stay_small_enough_to_write_at_once() -> None:
    reader = Reader(limit=4 * CHUNK)
    for _ in range(3):
        reader.put(b"x" * (CHUNK // 2 + 1))
    assert len(await reader.take()) <= CHUNK
