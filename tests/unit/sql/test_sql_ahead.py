"""Items made in a thread: all of them, in order, not many before they are used, and none after the block."""

import threading
from collections.abc import Iterator

import pytest

from tht.sql.ahead import DEPTH, ahead

PATIENCE_S = 10


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "sql-reader"]


def never() -> None:
    raise AssertionError("nothing was to be stopped")


@pytest.mark.parametrize("count", [0, 1, DEPTH, 50])
def test_all_items_come_in_order(count: int) -> None:
    with ahead(iter(range(count)), lambda: None) as items:
        assert list(items) == list(range(count))
    assert readers() == []


def test_what_the_items_raise_comes_after_them() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("gone")

    seen: list[int] = []
    with pytest.raises(KeyError, match="gone"), ahead(failing(), lambda: None) as items:
        for item in items:
            seen.append(item)  # noqa: PERF402 - what came before the failure
    assert seen == [1]
    assert readers() == []


def test_few_items_are_made_before_they_are_used() -> None:
    made: list[int] = []
    waits = threading.Event()

    def counted() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            if number == DEPTH:
                waits.set()
            yield number

    with ahead(counted(), lambda: None):
        assert waits.wait(PATIENCE_S)
    assert made == list(range(DEPTH + 1))
    assert readers() == []


def test_leaving_early_stops_an_item_that_is_being_made() -> None:
    stopped = threading.Event()

    def slow() -> Iterator[int]:
        yield 1
        assert stopped.wait(PATIENCE_S)
        raise InterruptedError

    with ahead(slow(), stopped.set) as items:
        assert next(items) == 1
    assert stopped.is_set()
    assert readers() == []
