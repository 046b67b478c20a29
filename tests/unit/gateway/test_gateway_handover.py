"""The hand-over from a reader's own subscription to the shared one: no gap, no duplicate."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from services.gateway.handover import HandOver
from services.gateway.sse import Frames, Position
from thothii.events.v1.events_pb2 import EventBatch, EventKind

DELTA = EventKind.EVENT_KIND_TEXT_DELTA


def numbered(epoch: str, first: int, count: int) -> Frames:
    """A batch of `count` events from `first`."""
    data = [b'{"n":%d}' % number for number in range(first, first + count)]
    return Frames.of(EventBatch(epoch=epoch, first_seq=first, kinds=[DELTA] * count, json=data))


def head(epoch: str, seq: int, kind: "EventKind.ValueType") -> Frames:
    """A snapshot or a replay_complete."""
    data = b'{"cursor":"%b-%d"}' % (epoch.encode(), seq)
    return Frames.of(EventBatch(epoch=epoch, first_seq=0, kinds=[kind], json=[data]))


def snapshot(epoch: str, seq: int) -> Frames:
    return head(epoch, seq, EventKind.EVENT_KIND_SNAPSHOT)


def replayed(epoch: str, seq: int) -> Frames:
    return head(epoch, seq, EventKind.EVENT_KIND_REPLAY_COMPLETE)


def ids(stream: bytes) -> list[str]:
    """The ids in the order told."""
    return [line[4:].decode() for line in stream.split(b"\n") if line.startswith(b"id: ")]


@dataclass
class Source:
    """What one subscription still has to deliver: a queue over the orchestrator's event log."""

    epoch: str
    delivered: int
    queue: list[Frames] = field(default_factory=list[Frames])

    def next(self, upto: int, count: int) -> Frames | None:
        """The next batch, at most `count` events and none younger than `upto`."""
        if self.queue:
            return self.queue.pop(0)
        count = min(count, upto - self.delivered)
        if count <= 0:
            return None
        frames = numbered(self.epoch, self.delivered + 1, count)
        self.delivered += count
        return frames


steps = st.lists(
    st.tuples(st.sampled_from(["emit", "own", "shared"]), st.integers(min_value=1, max_value=5)), max_size=60
)


@given(
    steps=steps,
    logged=st.integers(min_value=0, max_value=20),
    shared_at=st.integers(min_value=0, max_value=20),
    cursor=st.none() | st.integers(min_value=0, max_value=20),
)
def test_a01_a04_a05_every_event_is_told_once_and_in_order(
    steps: list[tuple[str, int]], logged: int, shared_at: int, cursor: int | None
) -> None:
    """A-01, A-04, A-05: for every interleaving of both subscriptions and the hand-over."""
    last = logged
    shared = Source("e", min(shared_at, logged))
    shared_position = Position("e", shared.delivered)
    start = last if cursor is None else min(cursor, last)
    own = Source("e", start)
    if cursor is None:
        own.queue = [snapshot("e", last), replayed("e", last)]
    else:
        if start < last:
            own.queue.append(numbered("e", start + 1, last - start))
        own.queue.append(replayed("e", last))
        own.delivered = last
    handover = HandOver()
    told = b""

    def step(what: str, count: int) -> None:
        nonlocal last, told, shared_position
        if what == "emit":
            last += count
        elif what == "own" and not handover.done:
            if (frames := own.next(last, count)) is not None:
                told += handover.own(frames)
                if handover.caught_up and not handover.listening:
                    told += handover.listen(shared_position)
        elif what == "shared" and (frames := shared.next(last, count)) is not None:
            shared_position = frames.position_after(shared_position) or shared_position
            told += handover.shared(frames)

    for what, count in steps:
        step(what, count)
    for _ in range(3):
        for source in ("own", "shared"):
            for _ in range(last + 3):
                step(source, 7)
    # Once both subscriptions have delivered everything, the reader has met the shared one.
    assert handover.done
    assert ids(told) == [f"e-{seq}" for seq in range(start + 1, last + 1)]


def met(reader_at: int, shared_at: int) -> HandOver:
    """A reader that stands at `reader_at` and met the shared subscription at `shared_at`."""
    handover = HandOver()
    handover.own(snapshot("e", reader_at))
    handover.own(replayed("e", reader_at))
    handover.listen(Position("e", shared_at))
    assert handover.done
    return handover


def test_a_snapshot_of_the_past_does_not_take_the_reader_back() -> None:
    handover = met(reader_at=10, shared_at=5)
    assert handover.shared(snapshot("e", 7)) == b""
    assert ids(handover.shared(numbered("e", 8, 5))) == ["e-11", "e-12"]


def test_a_gap_that_passes_the_reader_is_told() -> None:
    handover = met(reader_at=10, shared_at=5)
    assert b"event: snapshot" in handover.shared(snapshot("e", 15))
    assert ids(handover.shared(numbered("e", 16, 1))) == ["e-16"]


def test_a_new_epoch_is_told_from_its_first_event() -> None:
    handover = met(reader_at=10, shared_at=5)
    assert b"event: snapshot" in handover.shared(snapshot("f", 0))
    assert ids(handover.shared(numbered("f", 1, 2))) == ["f-1", "f-2"]


def test_events_of_a_new_epoch_need_no_snapshot_before_them() -> None:
    handover = met(reader_at=10, shared_at=10)
    assert ids(handover.shared(numbered("f", 1, 2))) == ["f-1", "f-2"]


def test_subscriptions_of_two_epochs_do_not_meet() -> None:
    handover = HandOver()
    handover.own(snapshot("f", 3))
    handover.own(replayed("f", 3))
    assert handover.listen(Position("e", 1)) == b""
    assert not handover.listening
    assert ids(handover.own(numbered("f", 4, 1))) == ["f-4"]


def test_a_reader_whose_epoch_changes_while_it_waits_lives_on_alone() -> None:
    handover = HandOver()
    handover.own(snapshot("e", 3))
    handover.own(replayed("e", 3))
    handover.listen(Position("e", 9))
    handover.shared(numbered("e", 10, 1))
    assert b"snapshot" in handover.own(snapshot("f", 0))
    assert not handover.listening
    assert not handover.done
    assert handover.shared(numbered("e", 11, 1)) == b""
    assert ids(handover.listen(Position("f", 0)) + handover.shared(numbered("f", 1, 1))) == ["f-1"]


def test_a_reader_that_has_not_caught_up_does_not_listen() -> None:
    handover = HandOver()
    handover.own(snapshot("e", 3))
    handover.listen(Position("e", 3))
    assert not handover.listening


def test_a_shared_subscription_that_ends_early_leaves_the_reader_its_own() -> None:
    handover = HandOver()
    handover.own(snapshot("e", 3))
    handover.own(replayed("e", 3))
    handover.listen(Position("e", 5))
    handover.shared(numbered("e", 6, 1))
    handover.part()
    assert ids(handover.own(numbered("e", 4, 4))) == ["e-4", "e-5", "e-6", "e-7"]
