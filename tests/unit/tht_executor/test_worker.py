"""What the executor makes of a worker's messages, with a worker that is only a pipe."""

import contextlib
from typing import Any, cast

import pytest

from contracts.errors import Code, Fault
from services.tht_executor.output import WorkerDied, WorkerOutput
from services.tht_executor.worker import Head, Result, Worker
from tht.frames import encode_message

OK = {"id": 1, "ok": {"rows": []}}
OVER_CAP = Fault(Code.OVER_CAP, "it took too much memory").document()


class StubProcess:
    """A process that never ends by itself."""

    def poll(self) -> int | None:
        return None


class StubPipe:
    """Takes what is written."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data


_outputs: dict[Worker, WorkerOutput] = {}


def worker_says(worker: Worker, message: dict[str, Any]) -> None:
    _outputs[worker].data_received(encode_message(message))


def worker_that_says(*messages: dict[str, Any]) -> Worker:
    output = WorkerOutput()
    for message in messages:
        output.data_received(encode_message(message))
    worker = Worker(cast(Any, StubProcess()), output, cast(Any, StubPipe()))
    _outputs[worker] = output
    return worker


async def said(worker: Worker, operation: str) -> list[Head | bytes | Result]:
    return [part async for part in worker.stream(operation, {})]


async def test_a_worker_that_answers_is_used_again() -> None:
    worker = worker_that_says(OK)
    assert await said(worker, "sql.check") == [Result(b'{"rows":[]}')]
    assert worker.alive


async def test_an_early_answer_is_passed_on_before_the_end() -> None:
    worker = worker_that_says({"id": 1, "early": {"rows": []}})
    async with contextlib.aclosing(worker.stream("sql.preview", {})) as parts:
        assert await anext(parts) == Result(b'{"rows":[]}', early=True)
        worker_says(worker, {"id": 1, "ok": {}})
        assert [part async for part in parts] == []
    assert worker.alive


async def test_who_gives_up_after_an_early_answer_waits_for_the_last_word() -> None:
    worker = worker_that_says({"id": 1, "early": {}}, {"id": 1, "early": {}}, OK)
    async with contextlib.aclosing(worker.stream("sql.preview", {})) as parts:
        await anext(parts)
    assert worker.alive
    worker_says(worker, {"id": 2, "ok": {}})
    assert await said(worker, "sql.check") == [Result(b"{}")]


async def test_a_worker_that_fails_a_call_is_used_again() -> None:
    worker = worker_that_says({"id": 1, "error": OVER_CAP})
    with pytest.raises(Fault) as told:
        await said(worker, "sql.preview")
    assert told.value.code is Code.OVER_CAP
    assert worker.alive


@pytest.mark.parametrize("before", [[], [{"id": 1, "head": {"filename": "rows.csv"}}]])
async def test_a_worker_that_ends_itself_tells_its_fault_and_is_never_used_again(
    before: list[dict[str, Any]],
) -> None:
    worker = worker_that_says(*before, {"id": 1, "error": OVER_CAP, "ends": True})
    with pytest.raises(Fault) as told:
        await said(worker, "sql.export")
    assert told.value.code is Code.OVER_CAP
    assert not worker.alive


async def test_a_worker_that_ends_itself_while_it_is_cancelled_is_never_used_again() -> None:
    worker = worker_that_says({"id": 1, "head": {}}, {"id": 1, "error": OVER_CAP, "ends": True})
    async with contextlib.aclosing(worker.stream("sql.export", {})) as parts:
        assert await anext(parts) == Head(b"{}")
    assert not worker.alive


@pytest.mark.parametrize("message", [{"id": None, "ok": {}}, {"id": "1"}, {"error": "text"}, {"ends": 1}])
async def test_a_message_that_cannot_be_is_the_end_of_the_worker(message: dict[str, Any]) -> None:
    worker = worker_that_says(message)
    with pytest.raises(WorkerDied):
        await said(worker, "sql.check")
    assert not worker.alive
