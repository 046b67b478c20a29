"""Endpoints of the rest transport on loopback: a real Datasette, and a server of our own for wire formats."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.databases.servers import _wait
from tests.helpers import free_port


@contextmanager
def datasette(path: Path, **settings: int) -> Generator[str]:
    """A Datasette that serves the SQLite file `path`; gives the URL of its database."""
    port = free_port()
    options = [text for name, value in settings.items() for text in ("--setting", name, str(value))]
    command = [Path(sys.executable).with_name("datasette"), "serve", path, "-p", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port, process)
        yield f"http://127.0.0.1:{port}/{path.stem}"
    finally:
        process.terminate()
        process.wait(20)


@dataclass
class Request:
    """What an endpoint was sent."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """Names in small letters."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Exchange:
    """One request and the way to answer it."""

    def __init__(self, request: Request, handler: BaseHTTPRequestHandler) -> None:
        self.request = request
        self._handler = handler

    def send(self, status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else body
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def json(self, document: Any, status: int = 200, **headers: str) -> None:
        self.send(status, json.dumps(document), **headers)

    def begin(self, kind: str) -> None:
        """Starts a chunked answer; see `part` and `end`."""
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()

    def part(self, data: str) -> None:
        content = data.encode()
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self._handler.wfile.flush()

    def end(self) -> None:
        self._handler.wfile.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Ends the connection in mid answer."""
        self._handler.close_connection = True

    def wait_for_close(self, seconds: float) -> bool:
        """True when the client left within `seconds`."""
        self._handler.connection.settimeout(seconds)
        try:
            return self._handler.connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True


Answering = Callable[[Exchange], None]


@dataclass
class Endpoint:
    """A running server."""

    port: int
    answering: Answering
    requests: list[Request] = field(default_factory=list[Request])
    left: threading.Event = field(default_factory=threading.Event)
    """For tests: set when the client was seen to leave."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def endpoint(answering: Answering) -> Generator[Endpoint]:
    """A server that answers each request by `answering`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            parts = urlsplit(self.path)
            request = Request(
                self.command,
                parts.path,
                {name: values[-1] for name, values in parse_qs(parts.query, True).items()},
                {name.lower(): value for name, value in self.headers.items()},
                self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            )
            running.requests.append(request)
            try:
                running.answering(Exchange(request, self))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        do_GET = do_POST = do_DELETE = _any

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    running = Endpoint(server.server_address[1], answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.socket.close()


def wait_for(probe: Callable[[], bool], seconds: float = 10) -> None:
    """Fails when `probe` is not true within `seconds`."""
    deadline = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        threading.Event().wait(0.02)


_CLICKHOUSE_USERS = """<yandex><profiles>
<default><max_memory_usage>500000000</max_memory_usage></default>
<reading><readonly>2</readonly></reading><locked><readonly>1</readonly></locked>
</profiles><users>{users}</users><quotas><default/></quotas></yandex>"""
_CLICKHOUSE_USER = """<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>{profile}</profile><quota>default</quota></{name}>"""
_CLICKHOUSE = """<yandex><logger><level>none</level></logger>
<http_port>{port}</http_port><tcp_port>{tcp_port}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size><timezone>UTC</timezone></yandex>"""


@contextmanager
def clickhouse(folder: Path) -> Generator[str]:
    """A ClickHouse server of this machine; gives its URL. Its accounts are `default` (all rights, no
    password), `reader` (readonly = 2) and `locked` (readonly = 1), both with the password sesame."""
    port, tcp_port = free_port(), free_port()
    for name in ("data", "tmp"):
        (folder / name).mkdir(parents=True)
    accounts = (("default", "", "default"), ("reader", "sesame", "reading"), ("locked", "sesame", "locked"))
    users = "".join(
        _CLICKHOUSE_USER.format(name=name, password=password, profile=profile)
        for name, password, profile in accounts
    )
    (folder / "users.xml").write_text(_CLICKHOUSE_USERS.format(users=users))
    (folder / "config.xml").write_text(_CLICKHOUSE.format(port=port, tcp_port=tcp_port, folder=folder))
    process = subprocess.Popen(
        ["clickhouse-server", f"--config-file={folder}/config.xml"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
