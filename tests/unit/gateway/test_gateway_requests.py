"""What the gateway takes and refuses before any service is asked: hosts, origins, bodies, settings."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from contracts.errors import TAXONOMY, Code, Fault
from services.gateway.bodies import (
    Answer,
    CreateSession,
    check_answer,
    check_json_type,
    decode_body,
    decode_query,
)
from services.gateway.config import GatewaySettings
from services.gateway.endpoints import spliced
from services.gateway.origin import LOOPBACK, check
from services.gateway.problems import TYPE_PREFIX, problem_document
from services.gateway.result_queries import PreviewQuery
from services.gateway.streaming import content_disposition


def refusal(call: Any, *arguments: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        call(*arguments)
    return caught.value


def headers(**named: str) -> list[tuple[bytes, bytes]]:
    return [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in named.items()]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost:0"]
)
def test_a35_our_own_names_are_answered(host: str) -> None:
    """A-35: loopback names in every spelling, without an Origin."""
    check(headers(host=host), LOOPBACK, frozenset())


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example:8080",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "127.0.0.1@evil.com",
        "evil.com:localhost",
        "localhost:",
        "localhost:8080:8080",
        "[::1",
        "::1",
        "",
        "0.0.0.0:8080",
    ],
)
def test_a35_foreign_names_are_refused(host: str) -> None:
    """A-35: a name that somebody else re-pointed at this machine."""
    assert refusal(check, headers(host=host), LOOPBACK, frozenset()).code is Code.FORBIDDEN_ORIGIN


def test_a35_no_host_and_two_hosts_are_refused() -> None:
    two = headers(host="localhost") + headers(host="evil.com")
    for sent in ([], two):
        assert refusal(check, sent, LOOPBACK, frozenset()).code is Code.FORBIDDEN_ORIGIN


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost:9",
        "http://localhost",
        "file://",
        "",
        "localhost:8080",
        "http://[::1",
        "http://[x]:8080",
    ],
)
def test_a34_pages_of_other_origins_are_refused(origin: str) -> None:
    """A-34: another port on this machine is another origin, too."""
    sent = headers(host="localhost:8080", origin=origin)
    assert refusal(check, sent, LOOPBACK, frozenset()).code is Code.FORBIDDEN_ORIGIN


def test_a34_our_own_pages_and_those_allowed_may_call() -> None:
    check(headers(host="localhost:8080", origin="http://LOCALHOST:8080"), LOOPBACK, frozenset())
    allowed = frozenset({"https://console.example"})
    check(headers(host="localhost:8080", origin="https://console.example"), LOOPBACK, allowed)


@pytest.mark.parametrize(("mode", "allowed"), [("no-cors", False), ("navigate", True)])
def test_a34_simple_reads_of_other_sites_are_refused(mode: str, allowed: bool) -> None:
    """A-34: a browser sends no Origin with an image; it says where the page stands all the same."""
    sent = headers(host="localhost:8080", sec_fetch_site="cross-site", sec_fetch_mode=mode)
    if allowed:
        check(sent, LOOPBACK, frozenset())
    else:
        assert refusal(check, sent, LOOPBACK, frozenset()).code is Code.FORBIDDEN_ORIGIN


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::"])
def test_a34_nobody_listens_to_strangers_without_authentication(host: str) -> None:
    """A-34: a public address is refused until the operator vouches for it."""
    settings = GatewaySettings(gateway_host=host)
    assert refusal(settings.check_bind).code is Code.INVALID_ARGUMENT
    GatewaySettings(gateway_host=host, gateway_published_on_loopback=True).check_bind()
    GatewaySettings().check_bind()


def test_every_setting_is_described() -> None:
    undescribed = [name for name, field in GatewaySettings.model_fields.items() if not field.description]
    assert undescribed == []


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=UTF-8"])
def test_json_is_taken(content_type: str) -> None:
    check_json_type(content_type)


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "text/json", "application/json; charset=latin-1"],
)
def test_a34_other_content_types_are_refused(content_type: str) -> None:
    """A-34: what a foreign page can send without asking is no JSON."""
    assert refusal(check_json_type, content_type).code is Code.UNSUPPORTED_MEDIA_TYPE


@pytest.mark.parametrize(
    ("raw", "code", "pointer"),
    [
        (b"", Code.MALFORMED, None),
        (b"{", Code.MALFORMED, None),
        (b"\xff", Code.MALFORMED, None),
        (b'{"workspace":"w","question":"\xff"}', Code.MALFORMED, None),
        (b"[" * 100_000, Code.INVALID_ARGUMENT, ""),
        (b"[]", Code.INVALID_ARGUMENT, ""),
        (b"null", Code.INVALID_ARGUMENT, ""),
        (b"{}", Code.INVALID_ARGUMENT, "/workspace"),
        (b'{"workspace":"w","question":"q","a~b/c":1}', Code.INVALID_ARGUMENT, "/a~0b~1c"),
        (b'{"workspace":1,"question":"q"}', Code.INVALID_ARGUMENT, "/workspace"),
        (b'{"workspace":"w","question":""}', Code.INVALID_ARGUMENT, "/question"),
        (b'{"workspace":"w","question":"' + b"q" * 20_001 + b'"}', Code.INVALID_ARGUMENT, "/question"),
        (b'{"workspace":"w","question":"q","temperature":3}', Code.INVALID_ARGUMENT, "/temperature"),
        (b'{"workspace":"w","question":"q","temperature":NaN}', Code.MALFORMED, None),
        (b'{"workspace":"w","question":"\\ud800"}', Code.INVALID_ARGUMENT, "/question"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_with_its_place(
    raw: bytes, code: Code, pointer: str | None
) -> None:
    fault = refusal(decode_body, raw, CreateSession)
    assert (fault.code, fault.details.get("pointer")) == (code, pointer)
    assert "\n" not in fault.message


@given(st.binary(max_size=200))
def test_whatever_comes_as_a_body_is_taken_or_refused(raw: bytes) -> None:
    try:
        answer = decode_body(raw, Answer)
    except Fault as fault:
        assert fault.code in {Code.MALFORMED, Code.INVALID_ARGUMENT}
    else:
        assert answer.id


def test_a24_texts_that_no_question_takes_are_refused() -> None:
    """A-24: too long, and not Unicode."""
    for field in ("text", "comment"):
        fault = refusal(check_answer, Answer(id="q", **{field: "x" * (1024 * 1024 + 1)}))
        assert (fault.code, fault.details) == (Code.ANSWER_DOES_NOT_FIT, {"pointer": f"/{field}"})
    fault = refusal(decode_body, b'{"id":"q","values":["a","\\udfff"]}', Answer)
    assert fault.details == {"pointer": "/values/1"}


def query_of(text: str) -> Request:
    return Request({"type": "http", "query_string": text.encode(), "headers": []})


def test_query_parameters_are_typed() -> None:
    query = decode_query(query_of("limit=5&fresh=true"), PreviewQuery)
    assert (query.limit, query.offset, query.fresh) == (5, 0, True)


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("limit=0", "limit"),
        ("limit=10001", "limit"),
        ("limit=x", "limit"),
        ("offset=-1", "offset"),
        ("offset=9007199254740992", "offset"),
        ("fresh=perhaps", "fresh"),
        ("sql=DROP", "sql"),
        ("limit=1&limit=2", None),
    ],
)
def test_query_parameters_that_do_not_fit_are_refused(text: str, parameter: str | None) -> None:
    fault = refusal(decode_query, query_of(text), PreviewQuery)
    assert (fault.code, fault.details.get("parameter")) == (Code.INVALID_ARGUMENT, parameter)


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_its_problem(code: Code) -> None:
    document = problem_document(Fault(code, "a b", status=1, pointer="/x", title="mine"), "/there")
    assert document == {
        "type": TYPE_PREFIX + code.value,
        "title": TAXONOMY[code].title,
        "status": TAXONOMY[code].http_status,
        "detail": "a b",
        "instance": "/there",
        "code": code.value,
        "pointer": "/x",
    }


def test_a_member_is_spliced_into_an_object_undecoded() -> None:
    assert spliced(b' {"a":1.10} ', "live", b"null") == b'{"a":1.10,"live":null}'
    assert spliced(b"{}", "live", b"null") == b'{"live":null}'
    assert refusal(spliced, b"[]", "live", b"null").code is Code.INTERNAL


def test_a36_file_names_cannot_leave_their_header() -> None:
    """A-36: quotes, line ends and names outside Latin-1."""
    header = content_disposition('résultat "1"\r\nx: y/…\U0001f600.csv')
    assert header.isascii()
    assert "\r" not in header
    assert "filename*=UTF-8''r%C3%A9sultat%20%221%22%0D%0Ax%3A%20y%2F" in header
