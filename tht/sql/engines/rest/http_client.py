"""One HTTP connection to one endpoint, with the caps and refusals that a database connection needs.

Certificates are verified, redirects are never followed, proxies of the environment are not used, answers
come unpacked and are read up to a cap. Secrets travel in headers alone and are taken out of every message.
"""

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from contracts.errors import Code, Fault
from tht.sql.messages import over_cap, safe_line

CONNECT_S = 10.0
"""Seconds until an endpoint must have taken the connection."""
BODY_CAP = 64 << 20
"""Bytes of an answer that is read as a whole, and of one line of a streamed one."""
ERROR_CAP = 64 << 10
"""Bytes that are read of an error."""
_PART = 64 << 10
_LEFT_CAP = 256 << 10
"""Bytes that are read and thrown away to keep a connection; more costs more than a new one."""


@dataclass(frozen=True)
class Target:
    """Where an endpoint is and who asks, as `connection` of a workspace says."""

    scheme: str
    host: str
    port: int
    path: str
    """Without a slash at its end."""
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must not change between two requests."""
        return self.scheme, self.host, self.port

    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold."""
        basic = base64.b64encode(f"{self.user}:{self.password}".encode()).decode() if self.password else ""
        return tuple(text for text in (self.password, self.token, basic) if text)

    def authorization(self) -> dict[str, str]:
        """The header of RFC 6750 for a token, of RFC 7617 for user and password, none without them."""
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        if self.password:
            plain = f"{self.user}:{self.password}".encode()
            return {"Authorization": f"Basic {base64.b64encode(plain).decode()}"}
        return {}


def target_of(url: str, options: Mapping[str, str]) -> Target:
    """The target that a resolved connection describes. Raises Fault WORKSPACE_BROKEN, without the URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        raise _broken("connection.url is no address") from error
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host:
        raise _broken("connection.url of the rest transport must be http://HOST/.. or https://HOST/..")
    if parts.query or parts.fragment:
        raise _broken("connection.url must not hold ? or #; a secret belongs in connection.token")
    user = options.get("user") or unquote(parts.username or "")
    password = options.get("password") or unquote(parts.password or "")
    token = options.get("token", "")
    for name, text in (("user", user), ("password", password), ("token", token)):
        if not text.isprintable() or not text.isascii():
            raise _broken(f"connection.{name} holds a character that a header cannot carry")
    if not parts.path.isascii() or not parts.path.isprintable() or " " in parts.path:
        raise _broken("connection.url holds a character that must be percent-encoded")
    default = 443 if scheme == "https" else 80
    return Target(scheme, host, port or default, parts.path.rstrip("/"), user, password, token)


class Answer:
    """A response whose body is still to be read."""

    def __init__(self, client: "HttpClient", response: http.client.HTTPResponse) -> None:
        self._client = client
        self._response = response
        self._left = response.length
        """Bytes of the body that are still to come, None when only its end tells."""
        self.status = response.status
        self.kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        """Media type in small letters."""

    def header(self, name: str) -> str:
        """A header, empty when it is not there."""
        return self._response.getheader(name) or ""

    def parts(self) -> Iterator[bytes]:
        """The body as it comes. Raises http.client.IncompleteRead when the connection ends before it."""
        while self._left != 0:
            part = self._response.read1(_PART if self._left is None else min(_PART, self._left))
            if not part:
                break
            if self._left is not None:
                self._left -= len(part)
            yield part
        if self._left:
            raise http.client.IncompleteRead(b"", self._left)
        self._response.close()

    def whole(self) -> bytes:
        """The body. Raises Fault OVER_CAP when it is longer than BODY_CAP."""
        found = bytearray()
        for part in self.parts():
            found += part
            if len(found) > BODY_CAP:
                raise over_cap(f"the endpoint's answer is larger than {BODY_CAP} bytes; ask for fewer rows")
        return bytes(found)

    def lines(self) -> Iterator[bytes]:
        """The body line by line, without LF; what follows the last LF counts when it is not empty."""
        pending = b""
        for part in self.parts():
            pending += part
            if b"\n" in part:
                *full, pending = pending.split(b"\n")
                yield from full
            elif len(pending) > BODY_CAP:
                raise over_cap(f"one row of the endpoint's answer is larger than {BODY_CAP} bytes")
        if pending:
            yield pending

    def document(self) -> Any:
        """The body as JSON. Raises Fault DATABASE_UNAVAILABLE when it is none."""
        return parsed(self.whole())

    def error_text(self) -> bytes:
        """The beginning of the body of an error."""
        found = bytearray()
        with suppress(http.client.HTTPException):
            for part in self.parts():
                found += part
                if len(found) > ERROR_CAP:
                    self._client.close()
                    break
        return bytes(found[:ERROR_CAP])

    def finish(self) -> None:
        """Makes the connection ready for the next request: what is left is read when it is little."""
        read = 0
        if self._response.isclosed():
            return
        for part in self.parts():
            read += len(part)
            if read > _LEFT_CAP:
                self._client.close()
                return


class HttpClient:
    """One connection that is kept between requests, used by one thread; `break_off` may come from any."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._connection = self._new()
        self._socket: socket.socket | None = None
        """What the last request went out on; an answer may outlive the connection's own hold of it."""
        self._answer: Answer | None = None
        self._broken_off = False

    def _new(self) -> http.client.HTTPConnection:
        target = self.target
        if target.scheme == "http":
            return http.client.HTTPConnection(target.host, target.port, timeout=CONNECT_S)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(target.host, target.port, timeout=CONNECT_S, context=context)

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = CONNECT_S,
    ) -> Answer:
        """The answer to one request; `path` is the whole path with its query, `wait_s` the longest silence.

        Raises Fault DATABASE_UNAVAILABLE for an endpoint that cannot be reached, refuses the account, or
        redirects; OSError and http.client.HTTPException for a connection that was lost.
        """
        self._finish_last()
        sent = {"Accept-Encoding": "identity", "User-Agent": "thothii", **(headers or {})}
        kept = self._connection.sock is not None
        try:
            response = self._exchange(method, path, body, sent, wait_s)
        except (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected):
            if not kept or self._broken_off:
                raise
            # the server closed a kept connection in the meantime
            self.close()
            response = self._exchange(method, path, body, sent, wait_s)
        answer = self._answer = Answer(self, response)
        self._refuse(answer)
        return answer

    def _finish_last(self) -> None:
        if self._answer is not None:
            try:
                self._answer.finish()
            except (OSError, http.client.HTTPException):
                self.close()
            self._answer = None

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], wait_s: float
    ) -> http.client.HTTPResponse:
        connection = self._connection
        if self._broken_off:
            raise ConnectionAbortedError
        if connection.sock is None:
            self._connect(connection)
        self._socket = connection.sock
        if self._socket is not None:
            self._socket.settimeout(wait_s)
        connection.request(method, path, body=body, headers=dict(headers))
        return connection.getresponse()

    def _connect(self, connection: http.client.HTTPConnection) -> None:
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            raise unavailable(
                "the endpoint's certificate is not trusted; give its authority in SSL_CERT_FILE"
            ) from error
        except OSError as error:
            raise unavailable(
                "the endpoint cannot be reached; check host and port in connection.url"
            ) from error

    def _refuse(self, answer: Answer) -> None:
        """Raises the Fault of an answer that means the same whatever kind of endpoint it is."""
        status = answer.status
        reason = None
        if 300 <= status < 400:
            reason = "the endpoint redirects, which is not followed; give the final address in connection.url"
        elif status in (401, 407):
            reason = "the endpoint refused the account; check token, user and password in connection"
        elif answer.header("Content-Encoding") not in ("", "identity"):
            reason = "the endpoint answers in an encoding that was not asked for"
        if reason is not None:
            self.close()
            raise unavailable(reason)

    def begin(self) -> None:
        """Takes requests again; what an earlier `break_off` ended is forgotten."""
        if self._broken_off:
            self.close()
            self._broken_off = False

    def safe(self, text: str, redact: bool = False) -> str:
        """The first line of an endpoint's message, without secrets; see `base.safe_line`."""
        for secret in self.target.secrets():
            text = text.replace(secret, "...")
        return safe_line(text, redact)

    def break_off(self) -> None:
        """Ends the connection under a thread that reads from it, and refuses requests until `begin`. Never
        raises."""
        self._broken_off = True
        found: socket.socket | None = self._connection.sock or self._socket
        if found is not None:
            with suppress(OSError, ValueError):
                # the plain socket's: TLS would want to say goodbye, while the other thread reads
                socket.socket.shutdown(found, socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends the connection; the next request opens another. Idempotent."""
        self._answer = None
        self._connection.close()
        self._connection = self._new()


def parsed(text: bytes) -> Any:
    """JSON as Python values. Raises Fault DATABASE_UNAVAILABLE when it is none."""
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise unavailable("the endpoint's answer is no JSON; check connection.url and adapter") from error


def unavailable(message: str) -> Fault:
    """An endpoint that cannot be used as it is."""
    return Fault(Code.DATABASE_UNAVAILABLE, message)


def _broken(message: str) -> Fault:
    return Fault(Code.WORKSPACE_BROKEN, message)
