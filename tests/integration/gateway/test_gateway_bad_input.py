"""Bad input: each kind gets one clear problem and leaves nothing half made."""

import json
from typing import Any

import httpx
import pytest

from contracts.errors import Code, Fault
from tests.integration.gateway.contract import assert_problem
from tests.integration.gateway.fakes import FakeServices

QUESTION = {"workspace": "flights", "question": "Which carrier?"}
JSON = {"content-type": "application/json"}
BAD_IDS = ["%2e%2e", "..%2Fx", "x" * 65, "a%00b", "-a", "a-", "a%20b", "a%5Cb", "%C3%A9", "a%0Ab"]


@pytest.fixture(autouse=True)
def nothing_is_made(services: FakeServices) -> Any:
    """No test of this module may reach a call with an effect, except where it says so."""
    services.add_session()
    yield
    assert services.orchestrator.created == []


async def test_a36_a_bad_id_is_not_found_and_reaches_no_service(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """A-36: whatever cannot be a session's id, on every route that takes one."""
    reads = ["", "/artifacts", "/artifacts/sql_final.sql", "/decisions", "/transcript", "/events"]
    acts = ["/open", "/close", "/abort", "/sql/preview", "/sql/export"]
    for bad in BAD_IDS:
        for rest in reads:
            assert_problem(await client.get(f"/sessions/{bad}{rest}"), Code.NOT_FOUND)
        for rest in acts:
            assert_problem(await client.post(f"/sessions/{bad}{rest}"), Code.NOT_FOUND)
        steer = await client.post(f"/sessions/{bad}/steer", json={"text": "x"})
        assert_problem(steer, Code.NOT_FOUND)
    assert services.executor.calls == services.orchestrator.calls == []


@pytest.mark.parametrize(
    "path", ["/sessions/../x", "/sessions/..%2f..%2fetc%2fpasswd", "/nothing", "/sessions/"]
)
async def test_an_unknown_path_is_a_problem(client: httpx.AsyncClient, path: str) -> None:
    assert_problem(await client.get(path), Code.NOT_FOUND)


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", "/sessions/s1"), ("PUT", "/sessions"), ("GET", "/sessions/s1/open")]
)
async def test_a_method_that_is_not_offered_is_a_problem(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    problem = assert_problem(await client.request(method, path), Code.METHOD_NOT_ALLOWED)
    assert problem["allowed"]


async def test_a_head_does_not_open_a_stream(client: httpx.AsyncClient, services: FakeServices) -> None:
    assert (await client.head("/sessions/s1/events")).status_code == 405
    assert services.orchestrator.calls == []


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2f",
        "a%5Cb",
        "a%00b",
        "%2Fetc%2Fpasswd",
        "x" * 65,
        ".history",
        "other.sql",
    ],
)
async def test_a36_an_artifact_outside_the_list_is_not_found(client: httpx.AsyncClient, name: str) -> None:
    """A-36: traversal in every spelling, and a name that is merely unknown."""
    assert_problem(await client.get(f"/sessions/s1/artifacts/{name}"), Code.NOT_FOUND)


async def test_an_unknown_session_is_not_found_everywhere(client: httpx.AsyncClient) -> None:
    for path in ("", "/artifacts", "/decisions", "/transcript", "/events"):
        assert_problem(await client.get(f"/sessions/nobody{path}"), Code.NOT_FOUND)
    for path in ("/open", "/close", "/abort", "/sql/preview", "/sql/export"):
        assert_problem(await client.post(f"/sessions/nobody{path}"), Code.NOT_FOUND)
    assert_problem(await client.post("/sessions/nobody/steer", json={"text": "x"}), Code.NOT_FOUND)
    assert_problem(
        await client.post("/sessions/nobody/response", json={"id": "q", "value": "a"}), Code.NOT_FOUND
    )


async def test_an_unknown_workspace_is_not_found(client: httpx.AsyncClient, services: FakeServices) -> None:
    assert_problem(await client.get("/workspaces/other/schema"), Code.NOT_FOUND)
    services.orchestrator.fail["CreateSession"] = Fault(Code.NOT_FOUND, "there is no workspace other")
    assert_problem(await client.post("/sessions", json={**QUESTION, "workspace": "other"}), Code.NOT_FOUND)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"question": ""}, "/question"),
        ({"question": " \n"}, "/question"),
        ({"question": "q" * 20_001}, "/question"),
        ({"question": "q" * 1024 * 1024}, "/question"),
        ({"question": 7}, "/question"),
        ({"question": None}, "/question"),
        ({"workspace": ""}, "/workspace"),
        ({"workspace": "w" * 65}, "/workspace"),
        ({"temperature": -0.1}, "/temperature"),
        ({"temperature": "hot"}, "/temperature"),
        ({"sql": "DROP TABLE x"}, "/sql"),
    ],
)
async def test_a_question_that_does_not_fit_is_refused_with_its_place(
    client: httpx.AsyncClient, change: dict[str, Any], pointer: str
) -> None:
    problem = assert_problem(
        await client.post("/sessions", json={**QUESTION, **change}), Code.INVALID_ARGUMENT, pointer=pointer
    )
    assert len(problem["detail"]) < 400


@pytest.mark.parametrize("missing", ["workspace", "question"])
async def test_a_missing_field_is_named(client: httpx.AsyncClient, missing: str) -> None:
    body = {name: value for name, value in QUESTION.items() if name != missing}
    assert_problem(await client.post("/sessions", json=body), Code.INVALID_ARGUMENT, pointer=f"/{missing}")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"workspace=flights", b'{"workspace":"w","question":"q"}x']
)
async def test_a_body_that_is_no_json_cannot_be_read(client: httpx.AsyncClient, content: bytes) -> None:
    assert_problem(await client.post("/sessions", content=content, headers=JSON), Code.MALFORMED)


@pytest.mark.parametrize("content", [b"[]", b"null", b'"text"', b"7"])
async def test_json_that_is_no_object_does_not_fit(client: httpx.AsyncClient, content: bytes) -> None:
    assert_problem(await client.post("/sessions", content=content, headers=JSON), Code.INVALID_ARGUMENT)


@pytest.mark.parametrize("path", ["/sessions", "/sessions/s1/steer", "/sessions/s1/response"])
@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
async def test_a34_another_content_type_is_not_read(
    client: httpx.AsyncClient, services: FakeServices, path: str, content_type: str | None
) -> None:
    """A-34: a foreign page can send these without asking first."""
    headers = {"content-type": content_type} if content_type else {}
    response = await client.post(path, content=json.dumps(QUESTION), headers=headers)
    assert_problem(response, Code.UNSUPPORTED_MEDIA_TYPE)
    assert services.orchestrator.calls == []


@pytest.mark.parametrize("path", ["/sessions/s1/close", "/sessions/s1/sql/preview"])
async def test_a34_a_route_without_a_body_takes_no_other_content_type_either(
    client: httpx.AsyncClient, services: FakeServices, path: str
) -> None:
    """A-34: and no body that says something it would not heed."""
    plain = await client.post(path, content=b"{}", headers={"content-type": "text/plain"})
    assert_problem(plain, Code.UNSUPPORTED_MEDIA_TYPE)
    assert_problem(await client.post(path, json={"sql": "DROP"}), Code.INVALID_ARGUMENT, pointer="/sql")
    assert services.orchestrator.calls == services.executor.calls == []


async def test_a34_a_page_of_another_origin_starts_nothing(client: httpx.AsyncClient) -> None:
    """A-34: also when it managed to send JSON."""
    response = await client.post("/sessions", json=QUESTION, headers={"origin": "http://evil.example"})
    assert_problem(response, Code.FORBIDDEN_ORIGIN)
    preflight = await client.options("/sessions", headers={"origin": "http://evil.example"})
    assert_problem(preflight, Code.FORBIDDEN_ORIGIN)
    assert "access-control-allow-origin" not in preflight.headers


@pytest.mark.parametrize("host", ["attacker.example:8080", "localhost.evil.com", ""])
@pytest.mark.parametrize("path", ["/", "/sessions", "/healthz", "/sessions/s1/events"])
async def test_a35_a_name_that_was_pointed_here_is_not_answered(
    client: httpx.AsyncClient, path: str, host: str
) -> None:
    """A-35: DNS rebinding."""
    assert_problem(await client.get(path, headers={"host": host}), Code.FORBIDDEN_ORIGIN)


@pytest.mark.parametrize("host", ["LOCALHOST", "[::1]:8080", "127.0.0.1:1"])
async def test_a35_our_own_names_are_answered(client: httpx.AsyncClient, host: str) -> None:
    """A-35: the port is the business of whoever forwards it."""
    assert (await client.get("/healthz", headers={"host": host})).status_code == 200


async def test_a_body_above_the_limit_is_refused(client: httpx.AsyncClient, services: FakeServices) -> None:
    huge = json.dumps({**QUESTION, "question": "q" * (3 * 1024 * 1024)}).encode()
    assert_problem(await client.post("/sessions", content=huge, headers=JSON), Code.TOO_LARGE)

    async def pieces() -> Any:
        yield huge

    assert_problem(await client.post("/sessions", content=pieces(), headers=JSON), Code.TOO_LARGE)
    assert (await client.get("/healthz")).status_code == 200


async def test_a24_an_answer_that_does_not_fit_leaves_the_question_open(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """A-24: what no question takes is refused here, what this one does not take by the orchestrator."""
    conversation = services.orchestrator.sessions["s1"]
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    public_id = asked["id"]
    path = "/sessions/s1/response"
    too_long = {"id": public_id, "text": "x" * (2 * 1024 * 1024)}
    assert_problem(await client.post(path, json=too_long), Code.ANSWER_DOES_NOT_FIT, pointer="/text")
    number = {"id": public_id, "confirmed": 1}
    assert_problem(await client.post(path, json=number), Code.INVALID_ARGUMENT, pointer="/confirmed")
    surrogate = b'{"id":"%b","text":"\\ud800"}' % public_id.encode()
    response = await client.post(path, content=surrogate, headers=JSON)
    assert_problem(response, Code.INVALID_ARGUMENT, pointer="/text")
    unknown = {"id": public_id, "value": "z"}
    assert_problem(await client.post(path, json=unknown), Code.ANSWER_DOES_NOT_FIT, pointer="/value")
    other = {"id": public_id, "approve": True}
    assert_problem(await client.post(path, json=other), Code.INVALID_ARGUMENT, pointer="/approve")
    assert list(conversation.pending) == [public_id]


async def test_an_answer_to_nothing_is_not_found(client: httpx.AsyncClient) -> None:
    response = await client.post("/sessions/s1/response", json={"id": "nobody.asked", "value": "a"})
    assert_problem(response, Code.NOT_FOUND)


async def test_an_answer_twice_hears_of_the_first(client: httpx.AsyncClient, services: FakeServices) -> None:
    asked = await services.orchestrator.sessions["s1"].ask(options=[{"id": "a", "label": "A"}])
    answer = {"id": asked["id"], "value": "a"}
    assert (await client.post("/sessions/s1/response", json=answer)).status_code == 200
    again = await client.post("/sessions/s1/response", json=answer)
    assert_problem(again, Code.ANSWERED_ALREADY, id=asked["id"], resolved_by="dev@local")


@pytest.mark.parametrize(
    ("fault", "members"),
    [
        (Fault(Code.EXPIRED, "the question has expired", id="q", expires_at="t"), {"expires_at": "t"}),
        (
            Fault(Code.GONE, "asked again", id="q", how="superseded", superseded_by="q2"),
            {"superseded_by": "q2"},
        ),
    ],
    ids=["a19_expired", "a15_superseded"],
)
async def test_an_answer_that_comes_too_late_hears_why(
    client: httpx.AsyncClient, services: FakeServices, fault: Fault, members: dict[str, Any]
) -> None:
    """A-15, A-19: the details of the orchestrator reach the client."""
    services.orchestrator.fail["Respond"] = fault
    response = await client.post("/sessions/s1/response", json={"id": "q", "value": "a"})
    assert_problem(response, fault.code, **members)


@pytest.mark.parametrize("text", ["", "  ", "x" * 100_001])
async def test_a_steer_that_says_nothing_or_too_much_is_refused(client: httpx.AsyncClient, text: str) -> None:
    response = await client.post("/sessions/s1/steer", json={"text": text})
    assert_problem(response, Code.INVALID_ARGUMENT, pointer="/text")


async def test_a_steer_on_a_closed_session_is_refused(client: httpx.AsyncClient) -> None:
    await client.post("/sessions/s1/close")
    response = await client.post("/sessions/s1/steer", json={"text": "x"})
    assert_problem(response, Code.SESSION_NOT_LIVE)


async def test_rows_before_approval_are_refused(client: httpx.AsyncClient, services: FakeServices) -> None:
    services.executor.approved = False
    for path in ("preview", "export"):
        assert_problem(await client.post(f"/sessions/s1/sql/{path}"), Code.NOT_APPROVED)


async def test_c31_a_changed_text_is_refused_with_both_hashes(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    """C-31: the details of the executor reach the client."""
    services.executor.fail["PreviewSql"] = Fault(
        Code.APPROVAL_MISMATCH, "sql_final.sql changed since its approval", approved="1", found="2"
    )
    response = await client.post("/sessions/s1/sql/preview")
    assert_problem(response, Code.APPROVAL_MISMATCH, approved="1", found="2")


async def test_c21_a_result_that_is_gone_is_gone(client: httpx.AsyncClient, services: FakeServices) -> None:
    """C-21: never another result."""
    services.executor.fail["PreviewSql"] = Fault(Code.RESULT_EXPIRED, "the kept result is gone; run it again")
    response = await client.post("/sessions/s1/sql/preview", params={"result_id": "old"})
    assert_problem(response, Code.RESULT_EXPIRED)


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("/sessions?limit=0", "limit"),
        ("/sessions?phase=F9", "phase"),
        ("/sessions?nothing=1", "nothing"),
        ("/workspaces?x=1", "x"),
    ],
)
async def test_a_query_that_does_not_fit_is_refused(
    client: httpx.AsyncClient, path: str, parameter: str
) -> None:
    assert_problem(await client.get(path), Code.INVALID_ARGUMENT, parameter=parameter)


@pytest.mark.parametrize("query", ["format=xlsx", "raw=perhaps", "sql=x"])
async def test_an_export_that_does_not_fit_is_refused(client: httpx.AsyncClient, query: str) -> None:
    response = await client.post(f"/sessions/s1/sql/export?{query}")
    assert_problem(response, Code.INVALID_ARGUMENT, parameter=query.partition("=")[0])


async def test_a_key_that_is_too_long_is_refused(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/sessions/s1/response", json={"id": "q", "value": "a"}, headers={"idempotency-key": "k" * 201}
    )
    assert_problem(response, Code.INVALID_ARGUMENT)


async def test_what_nobody_foresaw_says_nothing_of_the_inside(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.executor.page = {"rows": [object()]}
    problem = assert_problem(await client.post("/sessions/s1/sql/preview"), Code.INTERNAL)
    assert "object" not in problem["detail"]
