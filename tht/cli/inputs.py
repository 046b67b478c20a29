"""Text and JSON that a command is given in files or on its command line."""

from __future__ import annotations

import json
import os
import sys

from contracts.errors import Code, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CAP = 16 << 20
"""Bytes of a file that is read at all."""


def read_text(path: str, code: Code = Code.INVALID_ARGUMENT) -> str:
    """The text of the file `path`, or of stdin for `-`, every character as it is there.

    Raises Fault NOT_FOUND, TOO_LARGE above CAP, and `code` for what is not UTF-8.
    """
    try:
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise Fault(code, f"{path} is not UTF-8 (byte {error.start})") from error


def parse_json(text: str, option: str) -> Any:
    """The JSON given for an option. Raises Fault INVALID_ARGUMENT."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(Code.INVALID_ARGUMENT, f'{option} must be JSON; quote a text: "..."') from error


def local_person() -> str:
    """Who decides or asks at this machine when nobody is named."""
    return f"{os.environ.get('USER') or 'somebody'}@local"


def _read(path: str) -> bytes:
    if path == "-":
        content = sys.stdin.buffer.read(CAP + 1)
    else:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, ValueError) as error:
            raise Fault(Code.NOT_FOUND, f"there is no file {path!r}") from error
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(CAP + 1)
    if len(content) > CAP:
        raise Fault(Code.TOO_LARGE, f"{path} is larger than {CAP} bytes")
    return content
