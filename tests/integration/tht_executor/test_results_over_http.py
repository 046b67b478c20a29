"""A kept result over HTTP: a gateway before a real executor with real workers."""

import asyncio
import csv
import hashlib
import io
import json
from base64 import b64encode
from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from contracts.errors import Code
from tests.integration.gateway.contract import assert_problem
from tests.integration.gateway.running import serving
from tests.integration.tht_executor.running import Executor

MANY = (
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {last}) "
    "SELECT n % 7 AS g, n, 'row ' || n AS t, n * 0.5 AS half FROM c"
)
VIEW = {
    "sort": json.dumps([{"key": "c0", "descending": True}, {"key": "c3"}]),
    "filter": json.dumps(
        [{"key": "c2", "op": "contains", "value": "ROW 1"}, {"key": "c1", "op": "gt", "value": 99}]
    ),
}


@pytest.fixture
async def client(executor: Executor, tmp_path: Path) -> AsyncGenerator[httpx.AsyncClient]:
    """A client of a gateway before that executor; there is no orchestrator."""
    services: Any = SimpleNamespace(
        orchestrator_address=f"unix:{tmp_path}/nobody.sock", executor_address=f"unix:{tmp_path}/executor.sock"
    )
    async with serving(services) as running:
        yield running.client


async def approved(executor: Executor, final_sql: str) -> str:
    """The path of the SQL of a session in which `final_sql` is approved."""
    session = await executor.new_session()
    await executor.approve_all(session, final_sql)
    return f"/sessions/{session}/sql"


async def test_c28_what_was_sorted_and_filtered_on_the_screen_is_in_the_file(
    executor: Executor, client: httpx.AsyncClient
) -> None:
    path = await approved(executor, MANY.format(last=3000))
    first = (await client.post(f"{path}/preview", params={"limit": 5})).json()
    assert (first["row_count"], len(first["rows"])) == (3000, 5)
    shown: list[list[Any]] = []
    while True:
        asked = {**VIEW, "limit": 300, "offset": len(shown), "result_id": first["result_id"]}
        page = (await client.post(f"{path}/preview", params=asked)).json()
        assert page["result_id"] == first["result_id"]
        shown += page["rows"]
        if not page["truncated"]:
            break
    assert page["row_count"] == len(shown)
    numbers = [n for n in range(100, 3001) if str(n).startswith("1")]
    assert [row[1] for row in shown] == sorted(numbers, key=lambda n: (-(n % 7), n))
    file = await client.post(f"{path}/export", params={**VIEW, "result_id": first["result_id"]})
    assert file.headers["x-result-id"] == first["result_id"]
    lines = list(csv.reader(io.StringIO(file.text)))
    assert lines == [["g", "n", "t", "half"], *([str(cell) for cell in row] for row in shown)]


async def test_c23_the_same_page_asked_for_many_times_at_once_is_one_run_and_the_same(
    executor: Executor, client: httpx.AsyncClient
) -> None:
    path = await approved(executor, "SELECT random() AS r, a.name AS n FROM fruit AS a, fruit AS b")
    asked = {"sort": '[{"key": "c0"}]', "limit": 4, "offset": 2}
    pages = [
        answer.json()
        for answer in await asyncio.gather(*(client.post(f"{path}/preview", params=asked) for _ in range(6)))
    ]
    assert len({json.dumps([page["rows"], page["result_id"], page["row_count"]]) for page in pages}) == 1
    plain = (await client.post(f"{path}/preview")).json()
    assert plain["result_id"] == pages[0]["result_id"]
    assert sorted(plain["rows"], key=lambda row: int(row[0]))[2:6] == pages[0]["rows"]
    beyond = (await client.post(f"{path}/preview", params={**asked, "offset": 900})).json()
    assert (beyond["rows"], beyond["row_count"], beyond["truncated"]) == ([], 9, False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sort": '[{"key": "name"}]'},
        {"filter": '[{"key": "c1", "op": "eq", "value": "dear"}]'},
        {"filter": '[{"key": "c1", "op": "in", "value": 3}]'},
        {"filter": '[{"key": "c0", "op": "eq"}]'},
    ],
)
@pytest.mark.parametrize("route", ["preview", "export"])
async def test_a_view_that_does_not_fit_the_columns_is_a_problem(
    executor: Executor, client: httpx.AsyncClient, wrong: dict[str, str], route: str
) -> None:
    path = await approved(executor, "SELECT name, price FROM fruit")
    assert_problem(await client.post(f"{path}/{route}", params=wrong), Code.INVALID_ARGUMENT)


async def test_a_cut_result_says_so_and_its_sorted_file_is_refused(
    executor: Executor, client: httpx.AsyncClient
) -> None:
    path = await approved(executor, MANY.format(last=12_000))
    page = (await client.post(f"{path}/preview", params={**VIEW, "limit": 1})).json()
    assert (page["row_count"], page["truncated"]) == (None, True)
    assert "cut at 10000 rows" in page["warnings"][0]
    refused = await client.post(f"{path}/export", params={**VIEW, "result_id": page["result_id"]})
    assert_problem(refused, Code.OVER_CAP)
    whole = await client.post(f"{path}/export", params={"result_id": page["result_id"]})
    assert whole.text.count("\r\n") == 12_001
    assert "x-result-id" not in whole.headers
    assert whole.headers["x-result-source"] == "fresh-run"
    assert "x-row-count" not in whole.headers


@pytest.mark.parametrize("view", [{}, VIEW])
@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
async def test_the_second_download_tells_its_digest_before_its_bytes(
    executor: Executor, client: httpx.AsyncClient, view: dict[str, str], form: str
) -> None:
    path = await approved(executor, MANY.format(last=2000))
    page = (await client.post(f"{path}/preview", params={**view, "limit": 1})).json()
    asked = {**view, "result_id": page["result_id"], "format": form}
    plain = {"accept-encoding": "identity"}
    first = await client.post(f"{path}/export", params=asked, headers=plain)
    assert (first.headers["x-result-source"], first.headers["x-row-count"]) == (
        "kept",
        str(page["row_count"]),
    )
    assert "x-sha256" not in first.headers
    second = await client.post(f"{path}/export", params=asked, headers=plain)
    assert second.content == first.content
    digest = hashlib.sha256(first.content)
    assert second.headers["x-sha256"] == digest.hexdigest()
    assert second.headers["repr-digest"] == f"sha-256=:{b64encode(digest.digest()).decode()}:"
    packed = await client.post(f"{path}/export", params=asked)
    assert packed.headers["x-sha256"] == digest.hexdigest()
    assert ("repr-digest" in packed.headers) is (form != "csv")
    assert packed.content == first.content
