"""Approved statements on real databases through the gateway: what a browser gets, value by value and file by
file."""

import csv
import io
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from services.runtime.channel import open_channel
from services.runtime.server import GrpcServer
from services.runtime.settings import ServiceSettings
from services.tht_executor.pool import WorkerPool
from services.tht_executor.service import NAME, ExecutorService
from services.tht_executor.worker import Worker
from tests.databases.databases import Database
from tests.helpers import assert_eventually
from tests.integration.gateway.running import serving
from tests.integration.tht_executor.running import Executor
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc
from tht.home import Home

pytestmark = pytest.mark.databases

every_engine = pytest.mark.parametrize("dialect", ("sqlite", "duckdb", "postgres", "mariadb"))


@dataclass
class Desk:
    """A reviewer's desk: approved statements, and the gateway in front of them."""

    executor: Executor
    client: httpx.AsyncClient

    async def approved(self, dialect: str, text: str) -> str:
        """The address of a session whose final SQL is `text`."""
        session = await self.executor.new_session(dialect)
        phase = await self.executor.approve_all(session, text)
        assert phase["phase"] == "F5"
        return f"/sessions/{session}"

    async def page(self, dialect: str, text: str) -> dict[str, Any]:
        answer = await self.client.post(f"{await self.approved(dialect, text)}/sql/preview")
        assert answer.status_code == 200, answer.text
        return json.loads(answer.content, parse_constant=lambda word: pytest.fail(word))


@pytest.fixture
async def desk(
    tmp_path: Path, request: pytest.FixtureRequest, database: Callable[[str], Database]
) -> AsyncGenerator[Desk]:
    home = tmp_path / "home"
    (home / "workspaces").mkdir(parents=True)
    dialect = str(request.node.callspec.params["dialect"])
    connection = f"connection: {{url: '{database(dialect).url}'}}"
    (home / "workspaces" / f"{dialect}.yaml").write_text(
        f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n", encoding="utf-8"
    )
    pool = WorkerPool(lambda: Worker.start(home, 2048), size=1, queue=8, wait=20.0, idle=60.0)
    service = ExecutorService(Home(home), pool, grace=1.0)
    server = GrpcServer(
        ServiceSettings(),
        f"unix:{tmp_path}/executor.sock",
        [(NAME, pb_grpc.add_ExecutorServiceServicer_to_server, service)],
    )
    await pool.open()
    await server.start()
    places = SimpleNamespace(
        orchestrator_address=f"unix:{tmp_path}/nobody.sock", executor_address=server.address
    )
    async with open_channel(server.address) as channel, serving(cast("Any", places)) as gateway:
        yield Desk(Executor(pb_grpc.ExecutorServiceStub(channel), pool, home), gateway.client)
    await server.stop(0)
    await pool.close()


VALUES: dict[str, tuple[str, list[Any], str]] = {
    "sqlite": (
        "SELECT 9007199254740993 AS a, -9e999 AS b, x'00ff' AS c, NULL AS d, '' AS e, 1.10 AS f",
        ["9007199254740993", "-Infinity", "AP8=", None, "", 1.1],
        '9007199254740993,-Infinity,\\x00ff,,"",1.1',
    ),
    "duckdb": (
        "SELECT 170141183460469231731687303715884105727::HUGEINT AS a, ['NaN'::DOUBLE] AS b, "
        "1.10::DECIMAL(38, 18) AS c, NULL AS d, '' AS e, TIMESTAMPTZ '2026-03-29 02:30:00 Europe/Rome' AS f",
        [
            "170141183460469231731687303715884105727",
            ["NaN"],
            "1.100000000000000000",
            None,
            "",
            "2026-03-29T01:30:00+00:00",
        ],
        '170141183460469231731687303715884105727,"[""NaN""]",1.100000000000000000,,"",'
        "2026-03-29T01:30:00+00:00",
    ),
    "postgres": (
        "SELECT -9223372036854775808 AS a, 'NaN'::numeric AS b, 1.10::numeric AS c, NULL AS d, '' AS e, "
        "'infinity'::date AS f, '{\"a\": 1.10}'::jsonb AS g, interval '1 mon -1 day' AS h",
        ["-9223372036854775808", "NaN", "1.10", None, "", "infinity", '{"a": 1.10}', "P1M-1D"],
        '-9223372036854775808,NaN,1.10,,"",infinity,"{""a"": 1.10}",P1M-1D',
    ),
    "mariadb": (
        "SELECT 18446744073709551615 AS a, CAST('0000-00-00' AS DATE) AS b, 1.10 AS c, NULL AS d, '' AS e, "
        "CAST('-838:59:59' AS TIME) AS f",
        ["18446744073709551615", "0000-00-00", "1.10", None, "", "-838:59:59"],
        '18446744073709551615,0000-00-00,1.10,,"",-838:59:59',
    ),
}


@every_engine
async def test_c12_c13_c14_c18_values_reach_the_browser_as_they_are(dialect: str, desk: Desk) -> None:
    text, row, line = VALUES[dialect]
    session = await desk.approved(dialect, text)
    shown = await desk.client.post(f"{session}/sql/preview")
    page = json.loads(shown.content, parse_constant=lambda word: pytest.fail(word))
    assert page["rows"] == [row]
    assert all(column["type"] for column in page["columns"])
    for raw in ("true", "false"):
        file = await desk.client.post(
            f"{session}/sql/export?format=csv&raw={raw}&result_id={page['result_id']}"
        )
        assert file.text.split("\r\n")[1] == line
        assert file.headers["x-result-id"] == page["result_id"]


@every_engine
async def test_c15_equal_names_reach_the_browser(dialect: str, desk: Desk) -> None:
    page = await desk.page(dialect, "SELECT 1 AS id, 2 AS id, 3 AS id")
    assert [column["name"] for column in page["columns"]] == ["id"] * 3
    assert len({column["key"] for column in page["columns"]}) == 3
    assert [str(cell) for cell in page["rows"][0]] == ["1", "2", "3"]


@every_engine
async def test_c21_a_result_that_is_gone_is_410_and_no_other(dialect: str, desk: Desk) -> None:
    session = await desk.approved(dialect, "SELECT count(*) AS n FROM orders")
    page = (await desk.client.post(f"{session}/sql/preview")).json()
    again = (await desk.client.post(f"{session}/sql/preview?result_id={page['result_id']}")).json()
    assert (again["result_id"], again["rows"]) == (page["result_id"], page["rows"])
    for kept in desk.executor.home.rglob(f"*{page['result_id']}*"):
        kept.unlink()
    for way in ("preview", "export"):
        gone = await desk.client.post(f"{session}/sql/{way}?result_id={page['result_id']}")
        assert (gone.status_code, gone.json()["code"]) == (410, "result_expired")


@every_engine
async def test_c25_a_download_is_safe_unless_it_is_asked_raw(dialect: str, desk: Desk) -> None:
    session = await desk.approved(dialect, "SELECT txt, -id AS n FROM csv_injection WHERE id < 5 ORDER BY id")
    safe = (await desk.client.post(f"{session}/sql/export?format=csv")).text
    raw = (await desk.client.post(f"{session}/sql/export?format=csv&raw=true")).text
    assert list(csv.reader(io.StringIO(safe)))[1:] == [
        ["'=1+1", "-1"],
        ["'+1", "-2"],
        ["'-1", "-3"],
        ["'@SUM(A1)", "-4"],
    ]
    assert list(csv.reader(io.StringIO(raw)))[1:] == [
        ["=1+1", "-1"],
        ["+1", "-2"],
        ["-1", "-3"],
        ["@SUM(A1)", "-4"],
    ]


FAILS_LATE = {
    "sqlite": "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 200000) "
    "SELECT abs(CASE WHEN i = 150000 THEN -9223372036854775807 - 1 ELSE i END) AS a FROM s",
    "duckdb": "SELECT if(i = 150000, error('late'), i) AS a FROM generate_series(1, 200000) s(i)",
    "postgres": "SELECT 1 / (150000 - i) AS a FROM generate_series(1, 200000) s(i)",
    "mariadb": "SELECT IF(seq = 150000, (SELECT 1 UNION SELECT 2), seq) AS a FROM seq_1_to_200000",
}


@every_engine
async def test_c27_a_download_that_fails_late_is_no_short_file(dialect: str, desk: Desk) -> None:
    """Either a problem, before the first byte, or a body that breaks off."""
    session = await desk.approved(dialect, FAILS_LATE[dialect])
    received = b""
    try:
        async with desk.client.stream("POST", f"{session}/sql/export?format=csv") as answer:
            async for part in answer.aiter_bytes():
                received += part
            whole = answer.status_code
    except httpx.RemoteProtocolError:
        whole = 0
    assert whole in (0, 500, 502, 422), received[-200:]
    assert received.count(b"\n") < 150_001
    after = await desk.page(dialect, "SELECT count(*) AS n FROM orders")
    assert [str(cell) for cell in after["rows"][0]] == ["7"]


@every_engine
async def test_c28_a_file_says_what_it_was_made_from(dialect: str, desk: Desk) -> None:
    text = {
        "sqlite": "SELECT hex(randomblob(8)) AS r",
        "duckdb": "SELECT uuid() AS r",
        "postgres": "SELECT gen_random_uuid() AS r",
        "mariadb": "SELECT UUID() AS r",
    }[dialect]
    session = await desk.approved(dialect, text)
    page = (await desk.client.post(f"{session}/sql/preview")).json()
    kept = await desk.client.post(f"{session}/sql/export?format=csv&raw=true&result_id={page['result_id']}")
    assert kept.text == f"r\r\n{page['rows'][0][0]}\r\n"
    assert kept.headers["x-result-source"] == "kept"
    fresh = await desk.client.post(f"{session}/sql/export?format=csv&raw=true")
    assert fresh.headers["x-result-source"] == "fresh-run"
    assert fresh.text != kept.text


@every_engine
async def test_c31_one_space_more_runs_nothing(dialect: str, desk: Desk) -> None:
    text = "SELECT count(*) AS n FROM orders"
    session = await desk.approved(dialect, text)
    await desk.executor.put(session.rsplit("/", 1)[1], "sql_final.sql", f"{text} ".encode())
    for way in ("preview", "export"):
        refused = await desk.client.post(f"{session}/sql/{way}")
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (409, "approval_mismatch")
        assert {len(problem["approved"]), len(problem["current"])} == {64}
        assert problem["approved"] != problem["current"]


CASTS = {
    "sqlite": "SELECT json_extract(name, '$.x') AS a FROM customers",
    "duckdb": "SELECT CAST(name AS INTEGER) AS a FROM customers",
    "postgres": "SELECT name::integer AS a FROM customers",
    "mariadb": "SELECT ST_GeomFromText(name) AS a FROM customers",
}


@every_engine
async def test_c32_a_problem_quotes_no_value_and_no_address(
    dialect: str, desk: Desk, database: Callable[[str], Database]
) -> None:
    session = await desk.approved(dialect, CASTS[dialect])
    answer = await desk.client.post(f"{session}/sql/preview")
    for secret in ("Ada", "Lovelace", "127.0.0.1", database(dialect).url, "Traceback"):
        assert secret not in answer.text
    if dialect == "postgres":
        assert "22P02" in answer.text


@pytest.mark.parametrize("dialect", ["postgres"])
async def test_c27_a_database_that_goes_in_mid_download_breaks_it_off(
    dialect: str, desk: Desk, database: Callable[[str], Database]
) -> None:
    laid: Any = database(dialect)
    session = await desk.approved(
        dialect, "SELECT i, repeat('x', 100) AS t FROM generate_series(1, 3000000) s(i)"
    )
    received = 0
    with pytest.raises(httpx.RemoteProtocolError):
        async with desk.client.stream("POST", f"{session}/sql/export?format=csv") as answer:
            assert answer.status_code == 200
            async for part in answer.aiter_bytes():
                if not received:
                    running = laid.look.execute(
                        "SELECT pid FROM pg_stat_activity "
                        "WHERE application_name = 'thothii' AND state = 'active'"
                    ).fetchall()
                    assert running
                    for (pid,) in running:
                        laid.look.execute("SELECT pg_terminate_backend(%s)", (pid,))
                received += len(part)
    assert received
    count = "SELECT count(*) AS n FROM orders"
    again = await assert_eventually(lambda: desk.page(dialect, count))
    assert again["rows"] == [["7"]]
