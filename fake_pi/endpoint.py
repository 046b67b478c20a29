"""The agent endpoint, called as tht-gate calls it (docs/contracts.md 4)."""

import asyncio
import json
import os
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit


class OperationFailed(Exception):
    """The endpoint refused, or is not there. `code` is the taxonomy's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


async def call_operation(
    operation: str,
    arguments: dict[str, Any],
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 120,
) -> Any:
    """The result of an operation. Raises OperationFailed with the fault's code and message."""
    values = os.environ if environment is None else environment
    endpoint, token = values.get("THT_AGENT_ENDPOINT", ""), values.get("THT_AGENT_TOKEN", "")
    if not endpoint:
        raise OperationFailed("unavailable", "THT_AGENT_ENDPOINT is not set: there is no agent endpoint")
    return await asyncio.to_thread(_post, endpoint, token, operation, arguments, timeout_s)


def _post(endpoint: str, token: str, operation: str, arguments: dict[str, Any], timeout_s: float) -> Any:
    import http.client

    path = f"/v1/operations/{operation}"
    try:
        if endpoint.startswith("unix:"):
            connection = http.client.HTTPConnection("localhost", timeout=timeout_s)
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(timeout_s)
            connection.sock.connect(endpoint.removeprefix("unix:"))
        else:
            address = urlsplit(endpoint)
            connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=timeout_s)
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Connection": "close",
        }
        try:
            connection.request("POST", path, json.dumps(arguments).encode(), headers)
            response = connection.getresponse()
            status, body = response.status, response.read()
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise OperationFailed("unavailable", f"the agent endpoint cannot be reached: {error}") from error
    return _result(operation, status, body)


def _result(operation: str, status: int, body: bytes) -> Any:
    try:
        value: Any = json.loads(body)
    except ValueError as error:
        raise OperationFailed("internal", f"{operation}: the answer is not JSON (HTTP {status})") from error
    if status == 200:
        return value
    fault: dict[str, Any] = value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    raise OperationFailed(str(fault.get("code", "internal")), str(fault.get("message", f"HTTP {status}")))
