"""The ring, cursors, replay and subscribers."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.orchestrator.events import EventKind, encode
from services.orchestrator.hub import BATCH_EVENTS, EventHub, Subscription
from services.orchestrator.text_runs import escaped
from thothii.events.v1 import events_pb2

Event = tuple[str, str, dict[str, Any]]


def snapshot_of(hub: EventHub) -> Any:
    return lambda gap: encode({"cursor": hub.cursor(), "gap": gap is not None, "reason": gap})


def subscribe(hub: EventHub, last: str = "", pending: list[dict[str, Any]] | None = None) -> Subscription:
    return hub.subscribe(last, snapshot_of(hub), lambda: [encode(each) for each in pending or []])


async def read(hub: EventHub, subscription: Subscription, until: str) -> list[Event]:
    """Events up to the first of name `until`."""
    events: list[Event] = []
    while not events or events[-1][1] != until:
        batch = await asyncio.wait_for(subscription.next(), 2)
        if batch is None:
            break
        for index, (kind, payload) in enumerate(zip(batch.kinds, batch.payloads, strict=True)):
            identity = f"{hub.epoch}-{batch.first_seq + index}" if batch.first_seq else ""
            events.append((identity, kind.name.lower(), json.loads(payload)))
    return events


def say(hub: EventHub, message_id: str, *deltas: str) -> None:
    hub.publish_text(message_id, [escaped(delta) for delta in deltas])


def publish(hub: EventHub, *numbers: int) -> None:
    for number in numbers:
        hub.publish(EventKind.INFO, encode({"n": number}))


def test_the_numbers_are_those_of_the_proto() -> None:
    told = {name.removeprefix("EVENT_KIND_"): number for name, number in events_pb2.EventKind.items()}
    del told["UNSPECIFIED"]
    assert told == {kind.name: kind.value for kind in EventKind}


async def test_a_fresh_subscription_gets_the_snapshot_the_questions_and_then_what_comes() -> None:
    hub = EventHub()
    publish(hub, 1, 2)
    subscription = subscribe(hub, pending=[{"id": "q"}])
    events = await read(hub, subscription, "replay_complete")
    assert [name for _, name, _ in events] == ["snapshot", "ui_request", "replay_complete"]
    assert all(identity == "" for identity, _, _ in events)
    assert events[0][2] == {"cursor": f"{hub.epoch}-2", "gap": False, "reason": None}
    publish(hub, 3)
    assert await read(hub, subscription, "info") == [(f"{hub.epoch}-3", "info", {"n": 3})]


async def test_a01_what_was_missed_comes_in_order_then_live_with_an_idless_replay_complete() -> None:
    hub = EventHub()
    publish(hub, *range(1, 21))
    subscription = subscribe(hub, f"{hub.epoch}-10")
    publish(hub, 21)
    events = await read(hub, subscription, "replay_complete")
    assert [data["n"] for _, name, data in events if name == "info"] == list(range(11, 21))
    assert events[-1] == ("", "replay_complete", {"cursor": f"{hub.epoch}-20"})
    assert [data["n"] for _, _, data in await read(hub, subscription, "info")] == [21]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("{epoch}-5", "evicted"),
        ("0123456789ab-450", "epoch"),
        ("{epoch}-501", "unknown"),
        ("{epoch}-abc", "unknown"),
        ("{epoch}--1", "epoch"),
        ("nonsense", "unknown"),
        ("{epoch}-" + "9" * 30, "unknown"),
        ("{epoch}-٣", "unknown"),
    ],
)
async def test_a02_a_cursor_that_cannot_be_continued_gets_one_snapshot_and_never_a_silent_gap(
    last: str, reason: str
) -> None:
    hub = EventHub(max_events=100)
    publish(hub, *range(1, 501))
    subscription = subscribe(hub, last.format(epoch=hub.epoch))
    events = await read(hub, subscription, "replay_complete")
    assert [name for _, name, _ in events] == ["snapshot", "replay_complete"]
    assert events[0][0] == "" and events[0][2]["gap"] is True and events[0][2]["reason"] == reason
    publish(hub, 501)
    assert (await read(hub, subscription, "info"))[0][2] == {"n": 501}


async def test_a04_a_reconnect_at_the_boundary_repeats_nothing() -> None:
    hub = EventHub(max_events=10)
    publish(hub, *range(1, 21))
    for seen in (10, 15, 20):
        subscription = subscribe(hub, f"{hub.epoch}-{seen}")
        events = await read(hub, subscription, "replay_complete")
        assert [data["n"] for _, name, data in events if name == "info"] == list(range(seen + 1, 21))


async def test_a05_the_cursor_of_a_snapshot_joins_the_stream_without_gap_or_duplicate() -> None:
    hub = EventHub()
    for index in range(30):
        say(hub, "m", f"{index},")
        cursor = hub.cursor()
        say(hub, "m", f"{index}", "+,")
        subscription = subscribe(hub, cursor)
        events = await read(hub, subscription, "replay_complete")
        said = "".join(data["delta"] for _, name, data in events if name == "text_delta")
        assert said == f"{index}+,"


async def test_deltas_that_nobody_has_taken_merge_and_keep_their_order_among_other_events() -> None:
    hub = EventHub()
    subscription = subscribe(hub)
    await read(hub, subscription, "replay_complete")
    for delta in ("a", "b"):
        say(hub, "1", delta)
    say(hub, "2", "c")
    publish(hub, 1)
    say(hub, "2", "d")
    batch = await subscription.next()
    assert batch is not None
    assert [json.loads(payload) for payload in batch.payloads] == [
        {"message_id": "1", "delta": "ab"},
        {"message_id": "2", "delta": "c"},
        {"n": 1},
        {"message_id": "2", "delta": "d"},
    ]


async def test_a09_a_reader_that_stays_behind_is_evicted_and_nobody_else_notices() -> None:
    hub = EventHub(max_events=100_000, max_bytes=1024 * 1024)
    asleep, awake = subscribe(hub), subscribe(hub)
    await read(hub, awake, "replay_complete")
    read_by_other = 0
    for _ in range(50):
        for _ in range(64):
            hub.publish(EventKind.INFO, b'{"x":"' + b"y" * 16_384 + b'"}')
            batch = await awake.next()
            assert batch is not None
            read_by_other += len(batch.kinds)
    assert read_by_other == 3200
    assert sum(map(len, hub._payloads)) < 2 * 1024 * 1024
    events = await read(hub, asleep, "evicted")
    assert [name for _, name, _ in events] == ["snapshot", "evicted"]
    assert await asleep.next() is None


async def test_a_big_backlog_comes_in_bounded_batches() -> None:
    hub = EventHub()
    publish(hub, *range(1000))
    subscription = subscribe(hub, f"{hub.epoch}-0")
    batch = await subscription.next()
    assert batch is not None and len(batch.kinds) == BATCH_EVENTS and batch.first_seq == 1


async def test_a11_closing_says_bye_after_what_is_still_to_come() -> None:
    hub = EventHub()
    subscription = subscribe(hub)
    await read(hub, subscription, "replay_complete")
    waiting = asyncio.create_task(read(hub, subscription, "bye"))
    await asyncio.sleep(0)
    publish(hub, 1)
    hub.close("the service stops")
    events = await waiting
    assert [name for _, name, _ in events] == ["info", "bye"]
    assert events[1][2] == {"reason": "the service stops"}
    assert await subscription.next() is None


async def test_subscriptions_are_counted_once() -> None:
    hub = EventHub()
    first, second = subscribe(hub), subscribe(hub)
    assert hub.subscribers == 2
    first.close()
    first.close()
    assert hub.subscribers == 1
    second.close()
    assert await second.next() is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("text"), st.sampled_from("ab"), st.text(min_size=1, max_size=5)),
            st.tuples(st.just("event")),
            st.tuples(st.just("read"), st.integers(1, 3)),
            st.tuples(st.just("reconnect")),
        ),
        max_size=60,
    )
)
def test_any_interleaving_of_writing_reading_and_reconnecting_loses_and_repeats_nothing(
    ops: list[Any],
) -> None:
    async def play() -> None:
        hub = EventHub()
        subscription = subscribe(hub)
        await read(hub, subscription, "replay_complete")
        last, wrote, got, ids = f"{hub.epoch}-{hub.head()}", [], [], []

        def take(batch: Any) -> None:
            nonlocal last
            for index, (kind, payload) in enumerate(zip(batch.kinds, batch.payloads, strict=True)):
                if batch.first_seq:
                    ids.append(batch.first_seq + index)
                    last = f"{hub.epoch}-{ids[-1]}"
                    data = json.loads(payload)
                    got.append(data.get("delta", "#"))
                else:
                    assert kind is EventKind.REPLAY_COMPLETE

        for op in ops:
            match op:
                case ("text", message, delta):
                    say(hub, message, delta)
                    wrote.append(delta)
                case ("event",):
                    hub.publish(EventKind.INFO, b"{}")
                    wrote.append("#")
                case ("read", count):
                    for _ in range(count):
                        if hub.head() > int(last.rpartition("-")[2]):
                            take(await subscription.next())
                case _:
                    subscription.close()
                    subscription = subscribe(hub, last)
        hub.close("end")
        while (batch := await subscription.next()) is not None:
            if EventKind.BYE not in batch.kinds:
                take(batch)
        assert "".join(got) == "".join(wrote)
        assert ids == sorted(set(ids))

    asyncio.run(play())
