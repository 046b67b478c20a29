"""A page that was asked for again comes without a worker, as long as nothing that decides it has changed."""

import json
import os
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.runtime.faults import fault_of
from services.tht_executor import pages
from tests.helpers import assert_eventually
from tests.integration.tht_executor.running import Executor
from thothii.executor.v1 import executor_service_pb2 as pb

Change = Callable[[Executor, str], Awaitable[object]]


class Reader:
    """Reads pages of one approved session and sees whether a worker made them."""

    def __init__(self, executor: Executor, session: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.executor = executor
        self.session = session
        self.calls = 0
        call = executor.pool.call

        async def counted(*arguments: Any, **named: Any) -> bytes:
            self.calls += 1
            return await call(*arguments, **named)

        monkeypatch.setattr(executor.pool, "call", counted)

    async def page(self, **wanted: Any) -> dict[str, Any]:
        """A page. Raises Fault."""
        request = pb.PreviewSqlRequest(session_id=self.session, **wanted)
        try:
            return json.loads((await self.executor.stub.PreviewSql(request)).page_json)
        except Exception as error:
            raise fault_of(error) from error  # type: ignore[arg-type]

    async def by_worker(self, **wanted: Any) -> bool:
        """Whether a page takes a worker."""
        before = self.calls
        await self.page(**wanted)
        return self.calls > before

    async def until_kept(self, **wanted: Any) -> None:
        """Ask until the page comes without a worker: files must be a moment old to be trusted."""

        async def kept() -> bool:
            return not await self.by_worker(**wanted)

        await assert_eventually(kept)


@pytest.fixture
async def reader(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> Reader:
    session = await executor.new_session()
    await executor.approve_all(session)
    return Reader(executor, session, monkeypatch)


def edit_workspace(executor: Executor, old: str, new: str) -> None:
    path = executor.home / "workspaces" / "shop.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


async def test_the_page_is_the_one_that_a_worker_made(reader: Reader) -> None:
    made = await reader.page(limit=2)
    await reader.until_kept(limit=2)
    assert await reader.page(limit=2) == {**made, "elapsed_ms": 0}
    assert await reader.by_worker(limit=1)
    assert await reader.by_worker(limit=2, offset=1)


async def change_text(executor: Executor, session: str) -> None:
    await executor.put(session, "sql_final.sql", b"SELECT name FROM fruit")


async def change_text_on_disk(executor: Executor, session: str) -> None:
    (executor.home / "sessions" / session / "artifacts" / "sql_final.sql").write_text("SELECT 1")


async def withdraw(executor: Executor, session: str) -> None:
    await executor.decide(session, kind="reopen", phase="F4", answer={"value": "no"})


async def allow_another_table(executor: Executor, session: str) -> None:
    edit_workspace(executor, "limits:", "allow: {tables: [vegetable]}\nlimits:")


async def lose_the_session(executor: Executor, session: str) -> None:
    (executor.home / "sessions" / session).rename(executor.home / "elsewhere")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (change_text, Code.APPROVAL_MISMATCH),
        (change_text_on_disk, Code.APPROVAL_MISMATCH),
        (withdraw, Code.NOT_APPROVED),
        (allow_another_table, Code.APPROVAL_MISMATCH),
        (lose_the_session, Code.NOT_FOUND),
    ],
)
async def test_what_is_no_longer_approved_is_refused_at_once(
    reader: Reader, change: Change, code: Code
) -> None:
    await reader.until_kept()
    await change(reader.executor, reader.session)
    with pytest.raises(Fault) as caught:
        await reader.page()
    assert caught.value.code is code


async def test_another_run_and_a_lost_result_are_seen_at_once(reader: Reader) -> None:
    await reader.until_kept()
    old = await reader.page()
    new = await reader.page(fresh=True)
    assert new["result_id"] != old["result_id"]
    assert (await reader.page())["result_id"] == new["result_id"]
    assert (await reader.page(result_id=old["result_id"]))["result_id"] == old["result_id"]
    await reader.until_kept(result_id=old["result_id"])
    for name in os.listdir(reader.executor.home / "results"):
        (reader.executor.home / "results" / name).unlink()
    with pytest.raises(Fault) as caught:
        await reader.page(result_id=old["result_id"])
    assert caught.value.code is Code.RESULT_EXPIRED


async def test_other_limits_make_another_page(reader: Reader) -> None:
    await reader.until_kept()
    edit_workspace(reader.executor, "timeout_s: 30", "timeout_s: 30, result_age_s: 1000")
    assert await reader.by_worker()


@pytest.mark.parametrize("limits", ["limits: {rows: 2", "allow: {deny_columns: [secret]}\nlimits: {rows: 10"])
async def test_pages_that_may_come_to_be_others_are_not_kept(
    executor: Executor, monkeypatch: pytest.MonkeyPatch, limits: str
) -> None:
    edit_workspace(executor, "limits: {", limits + ", ")
    session = await executor.new_session()
    await executor.approve_all(session)
    other = await executor.new_session("fruits")
    await executor.approve_all(other)
    cut, whole = Reader(executor, session, monkeypatch), Reader(executor, other, monkeypatch)
    await cut.page()
    await cut.page()
    # By now files are old enough, as the page of the other session shows.
    await whole.until_kept()
    assert await cut.by_worker()
    assert await cut.by_worker()


async def test_the_oldest_pages_make_room(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    await reader.until_kept()
    monkeypatch.setattr(pages, "MOST_BYTES", 300)
    await reader.until_kept(limit=2)
    assert not await reader.by_worker(limit=2)
    assert await reader.by_worker()


async def test_a_page_of_a_result_that_has_become_old_is_not_given(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    await reader.until_kept()
    later = time.time_ns() + 3601 * 10**9
    monkeypatch.setattr(pages, "time", SimpleNamespace(time_ns=lambda: later))
    assert await reader.by_worker()
