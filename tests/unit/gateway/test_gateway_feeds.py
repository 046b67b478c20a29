"""Readers and their shared subscription without a network: who holds what, and what each ending leaves."""

import asyncio

import pytest

from contracts.errors import Code, Fault
from services.gateway import upstream
from services.gateway.readers import Reader
from services.gateway.upstream import Feeds
from tests.helpers import assert_eventually
from thothii.events.v1.events_pb2 import EventBatch, EventKind

DELTA = EventKind.EVENT_KIND_TEXT_DELTA


def numbered(first: int, count: int = 1, size: int = 1) -> EventBatch:
    data = b'{"delta":"%b"}' % (b"x" * size)
    return EventBatch(epoch="e", first_seq=first, kinds=[DELTA] * count, json=[data] * count)


def alone(kind: "EventKind.ValueType", data: bytes) -> EventBatch:
    return EventBatch(epoch="e", first_seq=0, kinds=[kind], json=[data])


def caught_up(seq: int) -> EventBatch:
    return alone(EventKind.EVENT_KIND_REPLAY_COMPLETE, b'{"cursor":"e-%d"}' % seq)


class Source:
    """A subscription fed by the test."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[EventBatch | Fault | None] = asyncio.Queue()
        self.cancelled = False

    def give(self, *batches: EventBatch | Fault | None) -> None:
        for batch in batches:
            self.queue.put_nowait(batch)

    async def read(self) -> EventBatch | None:
        batch = await self.queue.get()
        if isinstance(batch, Fault):
            raise batch
        return batch

    def cancel(self) -> None:
        self.cancelled = True


class Rig:
    """Feeds over sources of the test."""

    def __init__(self, limit: int = 100_000) -> None:
        self.sources: list[Source] = []
        self.feeds = Feeds(self.subscribe, limit, 10)

    async def subscribe(self, session_id: str, last_event_id: str) -> Source:
        source = Source()
        self.sources.append(source)
        return source

    async def join(self, *batches: EventBatch) -> tuple[Reader, Source]:
        reader = await self.feeds.join("s", "")
        self.sources[-1].give(*batches)
        return reader, self.sources[-1]


async def taken(reader: Reader, upto: bytes) -> bytes:
    """What `reader` gives until `upto` is in it."""
    got = b""
    async with asyncio.timeout(5):
        while upto not in got:
            piece = await reader.take()
            assert piece, got
            got += piece
    return got


async def test_the_first_reader_brings_the_subscription_and_the_others_give_theirs_up() -> None:
    rig = Rig()
    first, shared = await rig.join(caught_up(3))
    await taken(first, b"replay_complete")
    second, own = await rig.join(caught_up(3))
    await taken(second, b"replay_complete")
    await assert_eventually(lambda: own.cancelled)
    assert not shared.cancelled
    shared.give(numbered(4))
    assert await taken(first, b"e-4") == await taken(second, b"e-4")
    rig.feeds.leave(first)
    assert not shared.cancelled
    rig.feeds.leave(second)
    assert shared.cancelled
    assert (rig.feeds.feed_count, rig.feeds.reader_count) == (0, 0)


async def test_a_reader_ahead_of_the_shared_subscription_waits_for_it() -> None:
    rig = Rig()
    first, shared = await rig.join(caught_up(3))
    await taken(first, b"replay_complete")
    second, own = await rig.join(caught_up(5))
    await assert_eventually(lambda: own.cancelled)
    shared.give(numbered(4, 3))
    assert (await taken(second, b"e-6")).count(b"id: ") == 1
    assert (await taken(first, b"e-6")).count(b"id: ") == 3


async def test_a_reader_behind_the_shared_subscription_stays_on_its_own_until_they_meet() -> None:
    rig = Rig()
    first, shared = await rig.join(caught_up(3))
    await taken(first, b"replay_complete")
    shared.give(numbered(4, 3))
    await taken(first, b"e-6")
    second, own = await rig.join(caught_up(4))
    await taken(second, b"replay_complete")
    shared.give(numbered(7))
    await taken(first, b"e-7")
    assert not own.cancelled
    own.give(numbered(5, 2))
    got = await taken(second, b"e-7")
    assert got.count(b"id: ") == 3
    assert own.cancelled


@pytest.mark.parametrize("ending", [None, Fault(Code.UNAVAILABLE, "gone")], ids=["end", "failure"])
async def test_readers_of_a_subscription_that_ends_hear_bye(ending: Fault | None) -> None:
    rig = Rig()
    first, shared = await rig.join(caught_up(3))
    await taken(first, b"replay_complete")
    waiting, own = await rig.join(caught_up(2))
    await taken(waiting, b"replay_complete")
    shared.give(ending)
    assert b"come back" in await taken(first, b"event: bye")
    assert await first.take() == b""
    # The one that had not met it lives on, and its own subscription becomes the shared one.
    own.give(numbered(3))
    await taken(waiting, b"e-3")
    assert not own.cancelled
    assert rig.feeds.feed_count == 1
    rig.feeds.leave(first)
    rig.feeds.leave(waiting)
    assert own.cancelled


async def test_an_eviction_of_the_gateway_itself_sends_its_readers_back() -> None:
    rig = Rig()
    reader, shared = await rig.join(caught_up(3))
    await taken(reader, b"replay_complete")
    shared.give(alone(EventKind.EVENT_KIND_EVICTED, b'{"reason":"slow"}'))
    got = await taken(reader, b"event: bye")
    assert b"evicted" not in got


async def test_a_reader_whose_own_subscription_ends_hears_bye() -> None:
    rig = Rig()
    for ending in (None, Fault(Code.UNAVAILABLE, "gone"), alone(EventKind.EVENT_KIND_BYE, b'{"reason":"x"}')):
        reader, own = await rig.join()
        own.give(ending)
        await taken(reader, b"event: bye")
        assert own.cancelled
        rig.feeds.leave(reader)
    assert rig.feeds.reader_count == 0


async def test_a_hole_in_the_events_is_never_passed_on() -> None:
    rig = Rig()
    reader, shared = await rig.join(caught_up(3))
    await taken(reader, b"replay_complete")
    shared.give(numbered(6))
    got = await taken(reader, b"event: bye")
    assert b"id: " not in got
    assert shared.cancelled


async def test_a_reader_that_leaves_at_once_leaves_no_subscription() -> None:
    rig = Rig()
    reader, own = await rig.join(caught_up(3))
    rig.feeds.leave(reader)
    assert own.cancelled
    first, shared = await rig.join(caught_up(3))
    await taken(first, b"replay_complete")
    rig.feeds.leave(first)
    assert shared.cancelled
    assert (rig.feeds.feed_count, rig.feeds.reader_count) == (0, 0)


async def test_an_evicted_reader_does_not_hold_the_others_up() -> None:
    rig = Rig(limit=2_000)
    slow, shared = await rig.join(caught_up(0))
    fast, _own = await rig.join(caught_up(0))
    await taken(fast, b"replay_complete")
    for seq in range(1, 20):
        shared.give(numbered(seq, size=200))
        await taken(fast, b"e-%d\n" % seq)
    assert slow.evicted
    assert b"event: evicted" in await slow.take()
    rig.feeds.leave(slow)
    assert rig.feeds.evictions == 1
    shared.give(numbered(20))
    await taken(fast, b"e-20\n")


async def test_nobody_joins_a_gateway_that_goes_down() -> None:
    rig = Rig()
    reader, _own = await rig.join(caught_up(3))
    rig.feeds.close("going down")
    assert b"going down" in await taken(reader, b"event: bye")
    with pytest.raises(Fault, match="going down"):
        await rig.feeds.join("s", "")


async def test_a_reader_with_nothing_to_catch_up_takes_a_chunk_of_any_size() -> None:
    reader = Reader(limit=64)
    long_message = b"x" * 1000
    reader.put(long_message)
    assert await reader.take() == long_message
    reader.put(long_message)
    reader.put(b"y")
    assert reader.evicted


async def test_a_burst_waits_for_the_fastest_reader_and_evicts_only_the_one_that_does_not_read() -> None:
    rig = Rig()
    first, shared = await rig.join(caught_up(0))
    await taken(first, b"replay_complete")
    second, _own = await rig.join(caught_up(0))
    await taken(second, b"replay_complete")
    shared.give(*(numbered(seq, size=20_000) for seq in range(1, 41)))
    got = await taken(first, b"id: e-40\n")
    assert got.count(b"id: ") == 40
    assert second.evicted and not first.evicted


async def test_a_burst_does_not_wait_for_readers_of_whom_none_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "PATIENCE_S", 0.01)
    rig = Rig()
    only, shared = await rig.join(caught_up(0))
    await taken(only, b"replay_complete")
    shared.give(*(numbered(seq, size=20_000) for seq in range(1, 41)))
    await assert_eventually(lambda: only.evicted)
    assert b"event: evicted" in await only.take()
