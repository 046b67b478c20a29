"""Where the rest transport connects to, with which secrets, and what it says when it cannot."""

import base64
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code
from tests.databases.endpoints import Exchange
from tests.databases.rest_helpers import HELLO, fault_of, own_endpoint, page_of, workspace_of
from tht import sql
from tht.sql import warm
from tht.workspaces import parse_workspace

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def no_connection_stays() -> Iterator[None]:
    yield
    warm.close_all()


def test_c32_secrets_travel_in_headers_and_never_in_messages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ENDPOINT_TOKEN", "s3cret-token")

    def answer(exchange: Exchange) -> None:
        exchange.json({"error": {"message": f"bad {exchange.request.headers['authorization']}"}}, 400)

    with own_endpoint(answer) as running:
        workspace = workspace_of(running.url, connection=", token: '${ENDPOINT_TOKEN}'")
        assert workspace.warnings == ()
        fault = fault_of(lambda: page_of(workspace, "SELECT 1", tmp_path))
        assert {one.headers["authorization"] for one in running.requests} == {"Bearer s3cret-token"}
        assert "s3cret" not in fault.message
        assert "s3cret" not in repr(workspace) + repr(workspace.connection.resolve())
        monkeypatch.setenv("ENDPOINT_TOKEN", "s3cret\r\nX-Other: 1")
        again = workspace_of(f"{running.url}/2", connection=", token: '${ENDPOINT_TOKEN}'")
        fault = fault_of(lambda: page_of(again, "SELECT 1", tmp_path))
        assert (fault.code, "s3cret" in fault.message) == (Code.WORKSPACE_BROKEN, False)


def test_user_and_password_travel_as_basic_authorization(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PASSWORD", "pass:/@word")
    with own_endpoint() as running:
        url = running.url.replace("//", "//ann:${PASSWORD}@")
        page_of(workspace_of(url), "SELECT 1", tmp_path)
        expected = base64.b64encode(b"ann:pass:/@word").decode()
        assert {one.headers["authorization"] for one in running.requests} == {f"Basic {expected}"}


def test_an_endpoint_that_cannot_be_reached(tmp_path: Path) -> None:
    with own_endpoint() as running:
        gone = running.url
    for url in (gone, "http://no-such-host.invalid/", gone.replace("http:", "https:")):
        fault = fault_of(lambda u=url: page_of(workspace_of(u), "SELECT 1", tmp_path))
        assert fault.code is Code.DATABASE_UNAVAILABLE
        assert "127.0.0.1" not in fault.message


def test_a_certificate_of_nobody_is_not_trusted(tmp_path: Path) -> None:
    import ssl
    import subprocess

    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = json.dumps(HELLO).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    class Server(http.server.HTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        workspace = workspace_of(f"https://127.0.0.1:{server.server_address[1]}/")
        fault = fault_of(lambda: sql.role_checks(workspace))
        assert fault.code is Code.DATABASE_UNAVAILABLE
        assert "certificate" in fault.message
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SSL_CERT_FILE", str(certificate))
            assert sql.role_checks(workspace)[0]["ok"]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


BROKEN_WORKSPACES = [
    "dialect: sqlite\nconnection: {path: x.db}",
    "dialect: sqlite\nconnection: {url: 'sqlite:///x.db'}",
    "dialect: postgres\nconnection: {url: 'postgresql://h/d'}",
    "dialect: sqlite\nconnection: {url: 'http://h/d', adapter: other}",
    "dialect: postgres\nconnection: {url: 'http://h/d', adapter: datasette}",
    "connection: {url: 'http://h/d'}",
]


@pytest.mark.parametrize("text", BROKEN_WORKSPACES)
def test_a_workspace_that_cannot_be_is_refused(text: str) -> None:
    fault = fault_of(lambda: parse_workspace("w", f"transport: rest\n{text}\n", Path("/")))
    assert fault.code is Code.WORKSPACE_BROKEN


@pytest.mark.parametrize("url", ["http://", "http://h:x/", "http://h/?a=1", "http://h/a b", "ftp://h/"])
def test_an_address_that_is_none_is_refused(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ADDRESS", url)
    fault = fault_of(lambda: page_of(workspace_of("${ADDRESS}"), "SELECT 1", tmp_path))
    assert fault.code is Code.WORKSPACE_BROKEN


def test_plain_http_to_another_machine_is_warned_of() -> None:
    assert workspace_of("http://127.0.0.1:1/").warnings == ()
    assert workspace_of("https://db.example.org/").warnings == ()
    assert "http://" in workspace_of("http://db.example.org/").warnings[0]
