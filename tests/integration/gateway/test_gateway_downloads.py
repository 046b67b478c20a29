"""What a download is asked for, and what it tells of itself beside its bytes."""

import json
from typing import Any

import httpx
import pytest

from contracts.errors import Code
from tests.integration.gateway.contract import assert_problem
from tests.integration.gateway.fakes import FakeServices
from thothii.executor.v1.executor_service_pb2 import CsvOptions

EXPORT = "/sessions/s1/sql/export"


async def test_the_options_of_csv_reach_the_executor_and_the_others_stay_unset(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.add_session()
    await client.post(EXPORT)
    assert services.executor.export is not None
    assert not services.executor.export.HasField("csv")
    given = {"delimiter": ";", "decimal_comma": "true", "bom": "1", "null": "", "crlf": "false"}
    assert (await client.post(EXPORT, params=given)).status_code == 200
    assert services.executor.export.csv == CsvOptions(
        delimiter=";", decimal_comma=True, bom=True, null_text="", crlf=False
    )
    assert not services.executor.export.csv.HasField("header")


@pytest.mark.parametrize(
    "given",
    [
        {"delimiter": ""},
        {"delimiter": ";;"},
        {"decimal_comma": "yes, please"},
        {"bom": "2"},
        {"null": "x" * 21},
        {"crlf": ""},
        {"header": "none"},
        {"quote": "'"},
        {"format": "xlsx"},
    ],
)
async def test_options_that_are_none_are_refused_by_name(
    client: httpx.AsyncClient, services: FakeServices, given: dict[str, Any]
) -> None:
    services.add_session()
    problem = assert_problem(await client.post(EXPORT, params=given), Code.INVALID_ARGUMENT)
    assert problem["parameter"] in given
    assert services.executor.calls == []


SORT = '[{"key": "c1", "descending": true}, {"key": "c0"}]'
FILTER = '[{"key": "c0", "op": "in", "value": ["F9", "FL"]}, {"key": "c1", "op": "ge", "value": "1.10"}]'


@pytest.mark.parametrize("route", ["preview", "export"])
async def test_sort_and_filter_reach_the_executor(
    client: httpx.AsyncClient, services: FakeServices, route: str
) -> None:
    services.add_session()
    path = f"/sessions/s1/sql/{route}"
    assert (await client.post(path, params={"sort": SORT, "filter": FILTER})).status_code == 200
    asked: Any = getattr(services.executor, route)
    assert [(wanted.key, wanted.descending) for wanted in asked.sort] == [("c1", True), ("c0", False)]
    assert json.loads(asked.filter_json) == json.loads(FILTER)
    await client.post(path, params={"sort": "", "filter": "[]"})
    asked = getattr(services.executor, route)
    assert (len(asked.sort), asked.filter_json) == (0, b"")


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"sort": "c1"}, None),
        ({"sort": '{"key": "c1"}'}, ""),
        ({"sort": "[1]"}, "/0"),
        ({"sort": "[{}]"}, "/0/key"),
        ({"sort": '[{"key": "c1", "order": "desc"}]'}, "/0/order"),
        ({"sort": '[{"key": "c1", "descending": "yes"}]'}, "/0/descending"),
        ({"sort": "[" * 3_000}, None),
        ({"sort": "[" + " " * 4_000 + "]"}, None),
        ({"filter": '[{"key": "c1", "op": "like", "value": "x"}]'}, "/0/op"),
        ({"filter": '[{"key": "c1"}]'}, "/0/op"),
        ({"filter": '[{"key": "c1", "op": "eq", "value": "\\ud800"}]'}, None),
        ({"filter": '[{"key": "c1", "op": "eq", "value": NaN}]'}, None),
        ({"filter": "[" * 9_000}, None),
        ({"order": "c1"}, None),
    ],
)
@pytest.mark.parametrize("route", ["preview", "export"])
async def test_a_view_that_is_none_is_refused_by_name(
    client: httpx.AsyncClient, services: FakeServices, route: str, given: dict[str, str], pointer: str | None
) -> None:
    services.add_session()
    response = await client.post(f"/sessions/s1/sql/{route}", params=given)
    problem = assert_problem(response, Code.INVALID_ARGUMENT)
    assert problem["parameter"] in given
    if pointer is not None:
        assert problem["pointer"] == pointer
    assert services.executor.calls == []
