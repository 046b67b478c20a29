"""The watchdog ends what will not end, and leaves alone what does."""

import threading

import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tht import watchdog
from tht.watchdog import Watchdog


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "GRACE_S", 0.05)
    monkeypatch.setattr(watchdog, "TICK_S", 0.01)


async def test_a_call_that_outlasts_its_time_is_told_once() -> None:
    told: list[Fault] = []
    with Watchdog(told.append).guard(0.05, 1 << 40):
        await assert_eventually(lambda: told)
    assert [fault.code for fault in told] == [Code.TIMEOUT]


async def test_a_call_that_takes_too_much_memory_is_told() -> None:
    told: list[Fault] = []
    with Watchdog(told.append).guard(60, 8 << 20):
        hoard = bytearray(64 << 20)
        await assert_eventually(lambda: told)
    assert [fault.code for fault in told] == [Code.OVER_CAP]
    assert len(hoard) == 64 << 20


async def test_the_cap_of_the_process_holds_whatever_a_workspace_allows() -> None:
    told: list[Fault] = []
    with Watchdog(told.append, memory_cap=watchdog.held_bytes() // 2).guard(60, 1 << 40):
        await assert_eventually(lambda: told)
    assert [fault.code for fault in told] == [Code.OVER_CAP]


async def test_calls_that_end_in_time_are_left_alone_and_the_next_one_is_watched() -> None:
    told: list[Fault] = []
    dog = Watchdog(told.append)
    for _ in range(200):
        with dog.guard(60, 1 << 40):
            pass
    assert not told
    assert sum(thread.name == "watchdog" for thread in threading.enumerate()) >= 1
    with dog.guard(0.05, 1 << 40):
        await assert_eventually(lambda: told)
