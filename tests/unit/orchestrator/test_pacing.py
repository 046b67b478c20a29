"""A child's output waits for its subscribers, and for none that does not take anything."""

import asyncio

import pytest

from services.orchestrator import hub, pacing
from services.orchestrator.events import EventKind
from services.orchestrator.hub import EventHub, Subscription
from services.orchestrator.pacing import Pacer
from tests.helpers import assert_eventually

EVENT = b'"' + b"x" * 998 + b'"'


class Output:
    """What the pacer said last; `read` publishes as a child's output does."""

    def __init__(self) -> None:
        self.hub = EventHub(max_bytes=100_000)
        self.held = False
        self.pacer = Pacer(self.hub, self._hold)

    def _hold(self, hold: bool) -> None:
        self.held = hold

    def read(self, count: int) -> None:
        for _ in range(count):
            self.hub.publish(EventKind.INFO, EVENT)
        self.pacer.check()

    def subscribe(self, last: str = "") -> Subscription:
        return self.hub.subscribe(last, lambda _gap: b"{}", list)


async def take_all(subscription: Subscription, upto: int) -> None:
    while (batch := await subscription.next()) is not None:
        if batch.first_seq and batch.first_seq + len(batch.kinds) > upto:
            return


async def test_output_is_held_while_the_subscriber_ahead_of_all_is_behind() -> None:
    output = Output()
    output.read(60)
    assert not output.held
    fast, _slow = output.subscribe(), output.subscribe()
    output.read(20)
    assert not output.held
    output.read(6)
    assert output.held
    await take_all(fast, 86)
    assert not output.held
    output.read(20)
    assert not output.held


async def test_a_subscriber_that_catches_up_counts_with_what_it_missed() -> None:
    output = Output()
    output.read(60)
    late = output.subscribe(f"{output.hub.epoch}-20")
    output.read(1)
    assert output.held
    await take_all(late, 61)
    assert not output.held


async def test_the_end_of_the_last_subscription_lets_the_output_go_on() -> None:
    output = Output()
    subscription = output.subscribe()
    output.read(50)
    assert output.held
    subscription.close()
    assert not output.held
    output.read(50)
    assert not output.held


async def test_nobody_waits_for_a_subscriber_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PATIENCE_S", 0.01)
    output = Output()
    subscription = output.subscribe()
    output.read(30)
    assert output.held
    await assert_eventually(lambda: not output.held)
    output.read(30)
    assert not output.held
    await asyncio.wait_for(subscription.next(), 2)
    await take_all(subscription, 60)
    output.read(30)
    assert output.held


async def test_one_that_takes_too_little_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PATIENCE_S", 0.01)
    monkeypatch.setattr(hub, "BATCH_EVENTS", 5)
    output = Output()
    subscription = output.subscribe()
    output.read(60)
    await assert_eventually(lambda: not output.held)
    for _ in range(3):
        await asyncio.wait_for(subscription.next(), 2)
        output.read(10)
        assert not output.held
