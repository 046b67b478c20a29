"""The routes beside the event stream. Every answer is held against /openapi.json by the client fixture."""

import asyncio
import gzip
import hashlib
from typing import Any

import httpx
import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.gateway.contract import DOCUMENT, assert_problem
from tests.integration.gateway.fakes import PAGE, FakeServices
from tests.integration.gateway.running import RunningGateway, serving

QUESTION = {"workspace": "flights", "question": "Which carrier had the worst delay?"}


async def test_workspaces_and_their_schema(client: httpx.AsyncClient) -> None:
    workspaces = (await client.get("/workspaces")).json()["workspaces"]
    assert [workspace["name"] for workspace in workspaces] == ["flights", "broken"]
    assert workspaces[1]["error"]
    schema = (await client.get("/workspaces/flights/schema")).json()
    assert schema["tables"][0]["primary_key"] == ["carrier"]


async def test_models_and_runner_say_that_the_model_is_scripted(client: httpx.AsyncClient) -> None:
    models = (await client.get("/models")).json()
    assert models["scripted"] is True
    assert models["models"][0]["id"] == "demo"
    runner = (await client.get("/runner")).json()
    assert runner["scripted"] is True
    assert runner["runner"] == "fake_pi"


async def test_the_front_page_says_it_too_and_escapes_what_it_shows(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    assert "scripted model" in page.text
    assert "no &lt;real&gt; Pi" in page.text
    assert "script-src" not in page.headers["content-security-policy"]


async def test_a_question_becomes_a_session(client: httpx.AsyncClient, services: FakeServices) -> None:
    response = await client.post("/sessions", json={**QUESTION, "temperature": 0, "model": "demo"})
    assert response.status_code == 201
    session_id = response.json()["id"]
    assert response.headers["location"] == f"/sessions/{session_id}"
    created = services.orchestrator.created[0]
    assert (created.author, created.model, created.provider) == ("dev@local", "demo", "")
    assert created.HasField("temperature")
    assert created.temperature == 0


async def test_a_session_without_a_temperature_has_none(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    await client.post("/sessions", json=QUESTION)
    assert not services.orchestrator.created[0].HasField("temperature")


async def test_sessions_are_listed_in_pages_with_their_live_state(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    for number in range(3):
        services.add_session(f"s{number}")
    services.executor.add_session("asleep")
    first = (await client.get("/sessions", params={"limit": 2})).json()
    assert [session["id"] for session in first["sessions"]] == ["asleep", "s2"]
    assert [session["live"]["state"] for session in first["sessions"]] == ["closed", "running"]
    second = (await client.get("/sessions", params={"limit": 2, "after": first["next"]})).json()
    assert [session["id"] for session in second["sessions"]] == ["s1", "s0"]
    assert second["next"] is None
    assert (await client.get("/sessions", params={"workspace": "other"})).json()["sessions"] == []


async def test_one_session(client: httpx.AsyncClient, services: FakeServices) -> None:
    conversation = services.add_session()
    await conversation.ask(options=[{"id": "a", "label": "A"}])
    session = (await client.get("/sessions/s1")).json()
    assert session["live"]["cursor"] == conversation.cursor
    assert session["live"]["pending"] == list(conversation.pending.values())
    assert session["question"] == "Which carrier?"


async def test_sessions_can_be_read_while_the_orchestrator_is_away(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.add_session()
    await services.stop_orchestrator()
    assert (await client.get("/sessions/s1")).json()["live"] is None
    assert (await client.get("/sessions")).json()["sessions"][0]["live"] is None


async def test_opening_and_closing_twice_is_the_same_as_once(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.add_session()
    for _ in range(2):
        assert (await client.post("/sessions/s1/close")).json()["live"]["state"] == "closed"
    for _ in range(2):
        assert (await client.post("/sessions/s1/open")).json()["live"]["state"] == "running"
    assert (await client.post("/sessions/s1/abort", json={})).json()["id"] == "s1"


async def test_decisions_and_transcript(client: httpx.AsyncClient, services: FakeServices) -> None:
    services.add_session()
    assert (await client.get("/sessions/s1/decisions")).json()["decisions"][0]["kind"] == "reading"
    assert (await client.get("/sessions/s1/transcript")).json()["messages"][0]["text"] == "Hello"


async def test_artifacts_have_their_hash_as_etag(client: httpx.AsyncClient, services: FakeServices) -> None:
    services.add_session()
    listed = (await client.get("/sessions/s1/artifacts")).json()["artifacts"]
    assert [artifact["name"] for artifact in listed] == ["sql_final.sql"]
    path = "/sessions/s1/artifacts/sql_final.sql"
    response = await client.get(path)
    content = services.executor.artifacts["sql_final.sql"]
    assert response.content == content
    etag = f'"{hashlib.sha256(content).hexdigest()}"'
    assert response.headers["etag"] == etag
    for known in (etag, f'"other", W/{etag}', "*"):
        again = await client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    services.executor.artifacts["sql_final.sql"] = b"SELECT 2\n"
    assert (await client.get(path, headers={"if-none-match": etag})).content == b"SELECT 2\n"


async def test_a_steer_reaches_the_agent(client: httpx.AsyncClient, services: FakeServices) -> None:
    conversation = services.add_session()
    response = await client.post("/sessions/s1/steer", json={"text": "only 2013"})
    assert response.json() == {"disposition": "queued"}
    assert conversation.steers == ["only 2013"]


async def test_an_answer_gets_its_receipt(client: httpx.AsyncClient, services: FakeServices) -> None:
    conversation = services.add_session()
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    response = await client.post("/sessions/s1/response", json={"id": asked["id"], "value": "a"})
    assert response.json()["by"] == "dev@local"


async def test_a17_the_same_answer_with_the_same_key_gets_the_same_receipt(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """A-17: the client cannot know whether its first try arrived."""
    conversation = services.add_session()
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    answer = {"id": asked["id"], "value": "a"}
    receipts = [
        (await client.post("/sessions/s1/response", json=answer, headers={"idempotency-key": "k"})).json()
        for _ in range(2)
    ]
    assert receipts[0] == receipts[1]


async def test_a16_of_two_answers_at_once_one_wins_and_the_other_hears_of_it(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """A-16: the details of the winner reach the loser."""
    conversation = services.add_session()
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}, {"id": "b", "label": "B"}])
    responses = await asyncio.gather(
        *(
            client.post("/sessions/s1/response", json={"id": asked["id"], "value": value})
            for value in ("a", "b")
        )
    )
    lost, won = sorted(responses, key=lambda response: -response.status_code)
    assert won.status_code == 200
    assert_problem(
        lost, Code.ANSWERED_ALREADY, resolved_by="dev@local", answer=won.json()["answer"], id=asked["id"]
    )


async def test_a_page_of_rows(client: httpx.AsyncClient, services: FakeServices) -> None:
    services.add_session()
    response = await client.post(
        "/sessions/s1/sql/preview", params={"limit": 5, "offset": 7, "result_id": "r1", "fresh": "true"}
    )
    assert response.json() == PAGE
    asked = services.executor.preview
    assert asked is not None
    assert (asked.limit, asked.offset, asked.result_id, asked.fresh) == (5, 7, "r1", True)


async def test_a39_a_page_of_five_mebibytes_arrives(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """A-39: gRPC's own limit of 4 MiB is lifted on both sides on purpose."""
    services.add_session()
    services.executor.page = {**PAGE, "rows": [["x" * 1024 * 1024, "1"]] * 5}
    response = await client.post("/sessions/s1/sql/preview")
    assert response.json() == services.executor.page


async def test_c09_a_preview_whose_reader_goes_is_cancelled(
    gateway: RunningGateway, services: FakeServices
) -> None:
    """C-09: closing the tab stops the query."""
    services.add_session()
    services.executor.hold_preview = asyncio.Event()
    async with httpx.AsyncClient(base_url=gateway.url) as leaving:
        task = asyncio.create_task(leaving.post("/sessions/s1/sql/preview"))
        await assert_eventually(lambda: services.executor.calls == ["PreviewSql"])
        task.cancel()
        await asyncio.wait({task})
    await assert_eventually(lambda: services.executor.preview_cancelled)


async def test_a_download_is_streamed_whole(client: httpx.AsyncClient, services: FakeServices) -> None:
    services.add_session()
    response = await client.post("/sessions/s1/sql/export", params={"format": "csv"})
    assert response.content == b"".join(services.executor.chunks)
    assert response.headers["content-type"].startswith("text/csv")
    assert response.headers["x-result-id"] == "r1"
    assert "content-length" not in response.headers
    disposition = response.headers["content-disposition"]
    assert disposition.startswith("attachment; filename=")
    assert disposition.endswith("filename*=UTF-8''risultati%20per%C3%B2.csv")


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_c27_a_download_that_fails_in_the_middle_breaks_off(
    client: httpx.AsyncClient, services: FakeServices, encoding: str
) -> None:
    """C-27: a short file never looks complete."""
    services.add_session()
    services.executor.break_after = 1
    got = b""
    with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
        async with client.stream(
            "POST", "/sessions/s1/sql/export", headers={"accept-encoding": encoding}
        ) as response:
            assert response.status_code == 200
            async for chunk in response.aiter_raw():
                got += chunk
    if encoding == "identity":
        assert got == services.executor.chunks[0]
    else:
        with pytest.raises(EOFError):
            gzip.decompress(got)


@pytest.mark.parametrize("accepts", ["gzip", "br, x-gzip;q=0.5", "*", "gzip;q=1.0, identity;q=0.5"])
async def test_a_csv_is_compressed_for_a_client_that_asks(
    client: httpx.AsyncClient, services: FakeServices, accepts: str
) -> None:
    services.add_session()
    services.executor.chunks = [b"carrier,delay\r\n", *(b"F9,%d\r\n" % n * 1000 for n in range(100))]
    headers = {"accept-encoding": accepts}
    async with client.stream("POST", "/sessions/s1/sql/export", headers=headers) as response:
        raw = b"".join([chunk async for chunk in response.aiter_raw()])
    whole = b"".join(services.executor.chunks)
    assert response.headers["content-encoding"] == "gzip"
    assert response.headers["vary"] == "accept-encoding"
    assert "content-length" not in response.headers
    assert gzip.decompress(raw) == whole
    assert len(raw) < len(whole) / 10


@pytest.mark.parametrize(
    "accepts", ["identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0.5, identity", "gzip;q=high", ""]
)
async def test_a_csv_is_plain_for_every_other_client(
    client: httpx.AsyncClient, services: FakeServices, accepts: str
) -> None:
    services.add_session()
    headers = {"accept-encoding": accepts}
    response = await client.post("/sessions/s1/sql/export", headers=headers)
    assert "content-encoding" not in response.headers
    assert response.headers["vary"] == "accept-encoding"
    assert response.content == b"".join(services.executor.chunks)


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
async def test_only_a_csv_is_compressed(
    client: httpx.AsyncClient, services: FakeServices, format_: str
) -> None:
    services.add_session()
    headers = {"accept-encoding": "gzip"}
    response = await client.post(f"/sessions/s1/sql/export?format={format_}", headers=headers)
    assert "content-encoding" not in response.headers
    assert response.content == b"".join(services.executor.chunks)


async def test_c27_a_download_that_fails_before_its_first_bytes_is_a_problem(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """C-27: what can still be told is told."""
    services.add_session()
    services.executor.break_after = 0
    assert_problem(await client.post("/sessions/s1/sql/export"), Code.DATABASE_ERROR)


async def test_health_readiness_and_metrics(client: httpx.AsyncClient, services: FakeServices) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json()["ready"] is True
    services.add_session("secret-id")
    await client.get("/sessions/secret-id")
    metrics = (await client.get("/metrics")).text
    assert 'thothii_gateway_requests_total{method="GET",route="/sessions/{id}",status="200"} 1' in metrics
    assert "secret-id" not in metrics
    await services.stop_executor()
    assert_problem(
        await client.get("/readyz"), Code.UNAVAILABLE, ready=False, orchestrator=True, executor=False
    )
    assert (await client.get("/healthz")).status_code == 200


async def test_the_document_is_served_and_problem_types_lead_somewhere(client: httpx.AsyncClient) -> None:
    assert (await client.get("/openapi.json")).json() == DOCUMENT
    for code in Code:
        meaning = (await client.get(f"/problems/{code.value}")).json()
        assert meaning["status"] == code.kind.http_status


async def test_a_call_without_effect_waits_for_a_service_that_restarts(services: FakeServices) -> None:
    services.add_session()
    async with serving(services, gateway_retry_s=10) as running:
        await services.stop_executor()
        task = asyncio.create_task(running.client.get("/workspaces"))
        await asyncio.sleep(0.1)
        await services.start_executor()
        assert (await task).status_code == 200
        await services.stop_orchestrator()
        steering = asyncio.create_task(running.client.post("/sessions/s1/steer", json={"text": "x"}))
        await asyncio.sleep(0.1)
        assert services.orchestrator.calls == []
        await services.start_orchestrator()
        assert (await steering).status_code == 200
        assert services.orchestrator.calls == ["Steer"]


async def test_a_call_that_may_have_had_an_effect_is_not_repeated(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    conversation = services.add_session()
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    services.orchestrator.hold_respond = asyncio.Event()
    task = asyncio.create_task(client.post("/sessions/s1/response", json={"id": asked["id"], "value": "a"}))
    await assert_eventually(lambda: services.orchestrator.calls == ["Respond"])
    await services.stop_orchestrator()
    await services.start_orchestrator()
    assert_problem(await task, Code.UNAVAILABLE, may_have_happened=True)
    assert services.orchestrator.calls == ["Respond"]


async def test_a_refusal_of_the_service_itself_is_not_repeated(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.orchestrator.fail["CreateSession"] = Fault(Code.UNAVAILABLE, "the executor does not answer")
    problem = assert_problem(await client.post("/sessions", json=QUESTION), Code.UNAVAILABLE)
    assert "may_have_happened" not in problem
    assert services.orchestrator.calls == ["CreateSession"]


@pytest.mark.parametrize(
    ("fault", "members"),
    [
        (Fault(Code.PI_MISSING, "Pi is not installed; run make pi"), {}),
        (Fault(Code.PI_UNSUPPORTED, "Pi 2.0.0 is not supported; run make pi"), {}),
        (Fault(Code.MODEL_UNKNOWN, "Pi does not know this model; GET /models lists them"), {}),
        (Fault(Code.NO_CREDENTIALS, "log in with pi first"), {}),
        (Fault(Code.GATE_MISSING, "the gate did not load"), {}),
        (Fault(Code.WORKSPACE_BROKEN, "flights.yaml: dialect is missing"), {}),
        (Fault(Code.DATABASE_UNAVAILABLE, "flights.duckdb is missing; run make demo-data"), {}),
        (
            Fault(Code.PI_FAILED, "Pi ended", session_id="s", exit_code=1, signal=None, stderr="boom"),
            {"exit_code": 1},
        ),
        (Fault(Code.BUSY, "all 8 places are taken"), {}),
    ],
    ids=lambda value: value.code.value if isinstance(value, Fault) else "",
)
async def test_a_session_that_cannot_start_says_why(
    client: httpx.AsyncClient, services: FakeServices, fault: Fault, members: dict[str, Any]
) -> None:
    services.orchestrator.fail["CreateSession"] = fault
    problem = assert_problem(await client.post("/sessions", json=QUESTION), fault.code, **members)
    assert problem["detail"] == fault.message
