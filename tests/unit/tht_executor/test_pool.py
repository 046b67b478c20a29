"""The pool's rules, with workers that only say what they were asked."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

import pytest

from contracts.errors import Code, Fault
from services.tht_executor.output import WorkerDied
from services.tht_executor.pool import WorkerPool
from services.tht_executor.worker import Head, Result
from tests.helpers import assert_eventually


class StubWorker:
    """Answers when its `release` is set; dies or hangs when told to."""

    started = 0

    def __init__(self) -> None:
        type(self).started += 1
        self.number = type(self).started
        self.affinity = ""
        self.idle_since = 0.0
        self.broken = False
        self.killed = False
        self.connection: int | None = None
        self.ended: list[Mapping[str, Any]] = []

    @property
    def alive(self) -> bool:
        return not self.broken

    async def stream(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> AsyncGenerator[Head | bytes | Result]:
        if operation == "sql.end":
            self.ended.append(arguments)
        if operation == "die":
            self.broken = True
            self.connection = arguments.get("connection")
            raise WorkerDied
        if operation == "sql.export":
            yield Head(b"{}")
            yield b"chunk"
        early = operation == "early"
        if early:
            yield Result(b"%d" % self.number, early=True)
        if "release" in arguments:
            await arguments["release"].wait()
        if not early:
            yield Result(b"%d" % self.number)
        elif "fault" in arguments:
            raise arguments["fault"]

    async def close(self) -> None:
        self.broken = True

    async def kill(self) -> int:
        self.broken = self.killed = True
        return -9


@pytest.fixture(autouse=True)
def _count_from_zero() -> None:
    StubWorker.started = 0


def make_pool(**options: Any) -> WorkerPool:
    async def start() -> Any:
        return StubWorker()

    return WorkerPool(start, **{"size": 2, "queue": 4, "wait": 5.0, "idle": 60.0, **options})


async def ask(
    pool: WorkerPool, operation: str = "sql.check", affinity: str = "a", asker: str = "", **arguments: Any
) -> bytes:
    return await pool.call(operation, arguments, affinity=affinity, asker=asker, deadline=5)


async def test_a_call_about_the_same_thing_meets_the_same_worker() -> None:
    pool = make_pool()
    gate = asyncio.Event()
    first = asyncio.create_task(ask(pool, affinity="a", release=gate))
    second = asyncio.create_task(ask(pool, affinity="b", release=gate))
    await asyncio.sleep(0)
    gate.set()
    by_affinity = {"a": await first, "b": await second}
    for affinity in ("b", "a", "a", "b"):
        assert await ask(pool, affinity=affinity) == by_affinity[affinity]
    assert StubWorker.started == 2


async def test_waiting_calls_are_served_in_order_of_arrival() -> None:
    pool = make_pool(size=1)
    gate = asyncio.Event()
    order: list[int] = []

    async def numbered(number: int) -> None:
        await ask(pool, release=gate)
        order.append(number)

    tasks = [asyncio.create_task(numbered(number)) for number in range(5)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3, 4]
    assert StubWorker.started == 1


async def test_one_who_asks_much_does_not_keep_others_waiting() -> None:
    pool = make_pool(size=1, queue=20)
    gate = asyncio.Event()
    order: list[str] = []

    async def named(asker: str) -> None:
        await ask(pool, asker=asker, release=gate)
        order.append(asker)

    tasks = [asyncio.create_task(named(asker)) for asker in "aaaaaabc"]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)
    assert "".join(order) == "aabcaaaa"


async def test_a_call_beyond_the_queue_is_refused_at_once_as_busy() -> None:
    pool = make_pool(size=1, queue=1)
    gate = asyncio.Event()
    held = [asyncio.create_task(ask(pool, release=gate)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Fault) as refused:
        await ask(pool)
    assert refused.value.code is Code.BUSY
    gate.set()
    await asyncio.gather(*held)


async def test_a_call_that_waits_too_long_is_refused_and_frees_its_place() -> None:
    pool = make_pool(size=1, wait=0.05)
    gate = asyncio.Event()
    held = asyncio.create_task(ask(pool, release=gate))
    await asyncio.sleep(0)
    with pytest.raises(Fault) as refused:
        await ask(pool)
    assert refused.value.code is Code.BUSY
    gate.set()
    await held
    assert await ask(pool) == b"1"


async def test_a_caller_that_gives_up_while_waiting_leaves_no_hole() -> None:
    pool = make_pool(size=1)
    gate = asyncio.Event()
    held = asyncio.create_task(ask(pool, release=gate))
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(ask(pool)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    gate.set()
    await held
    # The place is handed to the second in the moment in which it gives up too.
    waiting[1].cancel()
    assert await waiting[2] == b"1"
    assert await ask(pool) == b"1"


async def test_a_worker_that_dies_loses_one_call_and_is_replaced() -> None:
    pool = make_pool(size=1)
    with pytest.raises(Fault) as lost:
        await ask(pool, "die")
    assert lost.value.code is Code.INTERNAL
    assert await ask(pool) == b"2"


async def test_what_a_dead_worker_left_at_a_server_is_ended_in_its_place() -> None:
    pool = make_pool(size=1)
    with pytest.raises(Fault):
        await ask(pool, "die", affinity="shop", connection=7)
    assert await ask(pool) == b"2"
    (worker,) = cast("list[Any]", pool._idle)
    assert worker.ended == [{"workspace": "shop", "connection": 7}]
    assert pool.busy == 0


async def test_an_overdue_call_is_a_timeout() -> None:
    pool = make_pool(size=1)
    with pytest.raises(Fault) as late:
        await pool.call("sql.preview", {"release": asyncio.Event()}, affinity="a", asker="", deadline=0.05)
    assert late.value.code is Code.TIMEOUT


async def test_a_stream_holds_its_worker_until_it_is_given_up() -> None:
    pool = make_pool(size=1, wait=0.05)
    parts = pool.stream("sql.export", {}, affinity="a", asker="", deadline=5)
    assert await anext(parts) == Head(b"{}")
    with pytest.raises(Fault):
        await ask(pool)
    await parts.aclose()
    assert await ask(pool) == b"1"


async def test_an_early_answer_leaves_the_worker_taken_until_the_end() -> None:
    pool = make_pool(size=1, wait=0.05)
    gate = asyncio.Event()
    assert await ask(pool, "early", release=gate) == b"1"
    with pytest.raises(Fault) as busy:
        await ask(pool)
    assert busy.value.code is Code.BUSY
    gate.set()
    assert await assert_eventually(lambda: not pool._after)
    assert await ask(pool) == b"1"


async def test_what_fails_after_its_answer_costs_nobody_else_a_call() -> None:
    pool = make_pool(size=1)
    assert await ask(pool, "early", fault=Fault(Code.TIMEOUT, "too long")) == b"1"
    assert await ask(pool) == b"1"


async def test_what_goes_on_past_its_deadline_is_ended() -> None:
    pool = make_pool(size=1)
    started = StubWorker.started
    await pool.call("early", {"release": asyncio.Event()}, affinity="a", asker="", deadline=0.05)
    assert await ask(pool) == b"1"
    assert StubWorker.started == started + 1


async def test_closing_ends_what_goes_on_after_its_answer() -> None:
    pool = make_pool(size=1)
    await ask(pool, "early", release=asyncio.Event())
    await pool.close()
    assert not pool._after


async def test_idle_workers_end_but_one_stays_warm() -> None:
    pool = make_pool(idle=0.05)
    gate = asyncio.Event()
    tasks = [asyncio.create_task(ask(pool, release=gate)) for _ in range(2)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)
    await pool.open()
    await assert_eventually(lambda: len(pool._idle) == 1)
    await pool.close()
    assert not pool._idle
