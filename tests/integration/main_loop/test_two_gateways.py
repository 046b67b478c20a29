"""Two gateways before one orchestrator: a session is opened once and a question answered once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from launcher import services
from launcher.stack import MODULES, Stack
from tests.helpers import free_port
from tests.stack import Reviewer


@pytest.fixture
def second(stack: Stack) -> Iterator[str]:
    """The URL of another gateway of the product."""
    port = free_port()
    environment = {**stack._environment, "THOTHII_GATEWAY_PORT": str(port)}
    service = services.start("second-gateway", MODULES["gateway"], environment, stack._logs)
    url = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
            assert client.get(f"{url}/readyz", timeout=30).status_code == 200
        yield url
    finally:
        services.stop([service])


def test_b12_a16_two_gateways_open_once_and_answer_once(
    stack: Stack, reviewer: Reviewer, second: str
) -> None:
    session = reviewer.ask()
    reviewer.post(f"/sessions/{session}/close")
    with ThreadPoolExecutor(8) as tabs:
        paths = [f"{url}/sessions/{session}/open" for url in (stack.url, second)] * 4
        opened = list(tabs.map(lambda path: httpx.post(path, timeout=30).status_code, paths))
        assert opened == [200] * 8
        asked = next(data for name, _, data in reviewer.events(session) if name == "ui_request")
        ids = [option["id"] for option in asked["options"]]

        def answer(number: int) -> httpx.Response:
            url = (stack.url, second)[number % 2]
            body = {"id": asked["id"], "value": ids[number % len(ids)]}
            return httpx.post(f"{url}/sessions/{session}/response", json=body, timeout=30)

        answers = list(tabs.map(answer, range(8)))
    won = [each.json() for each in answers if each.status_code == 200]
    lost = [each.json() for each in answers if each.status_code == 409]
    assert len(won) == 1 and len(lost) == 7
    assert {each["code"] for each in lost} == {"answered_already"}
    assert all(each["answer"] == won[0]["answer"] for each in lost)
    lines = reviewer.get(f"/sessions/{session}/decisions")["decisions"]
    assert [line["question"] for line in lines] == [asked["id"]]
    reviewer.post(f"/sessions/{session}/close")
