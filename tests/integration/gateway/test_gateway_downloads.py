"""What a download is asked for, and what it tells of itself beside its bytes."""

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
