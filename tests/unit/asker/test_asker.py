"""thothii-ask without an orchestrator."""

import pytest

from asker.cli import EXIT_CODES, NO
from asker.endpoint import ask, connection_to
from services.orchestrator.asking import parse_ask
from services.orchestrator.service import _ASK_STATUSES  # pyright: ignore[reportPrivateUsage]


def test_every_status_has_an_exit_code_of_its_own() -> None:
    assert {*_ASK_STATUSES, "error"} == set(EXIT_CODES)
    codes = [*EXIT_CODES.values(), NO, 2]
    assert len(set(codes)) == len(codes) and max(codes) < 126


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "unix:s", "x", "http://[::1",
        "http://127.0.0.1@evil.example:80", "http://127.0.0.1:99999",
    ],
)  # fmt: skip
def test_the_token_goes_to_a_unix_socket_or_loopback_and_nowhere_else(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        connection_to(endpoint, 1.0)
    assert ask(endpoint, "token", {"timeout_ms": 1000})["status"] == "no-host"


def test_loopback_is_taken() -> None:
    connection = connection_to("http://127.0.0.1:81", 1.0)
    assert (connection.host, connection.port) == ("127.0.0.1", 81)


def test_who_asks_is_one_short_line() -> None:
    asked = parse_ask(b'{"call": "c", "from": "a\\nb\\t  c", "questions": [{"question": "Q"}]}')
    assert asked.sender == "a b c"
    long = parse_ask(b'{"call": "c", "from": "' + b"x" * 500 + b'", "questions": [{"question": "Q"}]}')
    assert len(long.sender) == 80
    assert parse_ask(b'{"call": "c", "questions": [{"question": "Q"}]}').sender == "a process"
