"""The agent endpoint, as far as asking needs it (docs/contracts.md, sections 4 and 10).

Standard library alone: a script that asks should not wait for imports.
"""

import http.client
import json
import socket
from typing import Any, cast
from urllib.parse import urlsplit

PATIENCE_S = 10.0
"""Seconds beyond the call's own time before the endpoint is given up."""

NOBODY = frozenset({"unauthenticated", "session_not_live", "not_found", "unavailable"})
"""Codes of the orchestrator that mean: there is nobody to ask."""

Result = dict[str, Any]
"""`{status, answers: [{question, answer, late?}], note?, error?}`."""


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket's path."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def connection_to(endpoint: str, timeout: float) -> http.client.HTTPConnection:
    """A connection to `unix:/path` or loopback; the token goes nowhere else.

    Raises ValueError for any other place.
    """
    if endpoint.startswith("unix:/"):
        return _UnixConnection(endpoint.removeprefix("unix:"), timeout)
    parts = urlsplit(endpoint)
    if parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost") and parts.port:
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    raise ValueError("THT_AGENT_ENDPOINT is neither unix:/path nor http://127.0.0.1:port")


def ask(endpoint: str, token: str, call: dict[str, Any]) -> Result:
    """The result of `call`, a body of `POST /v1/ask`. Never raises for reasons of the environment.

    Without an endpoint, or one that cannot be reached, the status is `no-host`.
    """
    if not endpoint or not token:
        return _nobody("there is no ThothII session in the environment of this process")
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    try:
        connection = connection_to(endpoint, call["timeout_ms"] / 1000 + PATIENCE_S)
        try:
            connection.request("POST", "/v1/ask", json.dumps(call).encode(), headers)
            response = connection.getresponse()
            return _read(response.status, response.read())
        finally:
            connection.close()
    except TimeoutError:
        return {"status": "timeout", "answers": []}
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return _nobody(f"the ask endpoint cannot be reached ({reason})")
    except ValueError as error:
        return _nobody(str(error))


def _read(status: int, body: bytes) -> Result:
    try:
        document: Any = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        return _nobody(f"the ask endpoint answered {status} and no JSON object")
    told = cast("dict[str, Any]", document)
    if status == 200 and isinstance(told.get("status"), str):
        return told
    error = str(told.get("message", f"the ask endpoint answered {status}"))
    if told.get("code") in NOBODY:
        return _nobody(error)
    return {"status": "error", "answers": [], "error": error}


def _nobody(error: str) -> Result:
    return {"status": "no-host", "answers": [], "error": error}
