"""Writing to stdout as Pi does: one JSON object a line, LF only, raw UTF-8, blocking."""

import json
import os
import re
import select
from collections.abc import Mapping
from typing import Any

import msgspec

_SURROGATE = re.compile("[\ud800-\udfff]")


class BrokenOutput(Exception):
    """Nobody holds the other end of stdout; Pi exits 1 then."""


def encode_record(record: Mapping[str, Any]) -> bytes:
    """The bytes of one record without LF. Lone surrogates are written as escapes, as JSON.stringify does."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


class Output:
    """The process's stdout and stderr, without buffers. A full pipe stops the whole process, as with Pi."""

    def __init__(self, stdout: int = 1, stderr: int = 2) -> None:
        self._stdout = stdout
        self._stderr = stderr

    def record(self, record: Mapping[str, Any]) -> None:
        """Writes one record. Raises BrokenOutput when the reader is gone."""
        self.write(encode_record(record) + b"\n")

    def write(self, data: bytes) -> None:
        """Writes bytes as they are. Raises BrokenOutput when the reader is gone."""
        _write_all(self._stdout, data)

    def error_line(self, text: str) -> None:
        """Writes one line on stderr; a closed stderr does not matter to Pi."""
        try:
            _write_all(self._stderr, text.encode(errors="backslashreplace") + b"\n")
        except BrokenOutput:
            return

    def close(self) -> None:
        """Closes stdout."""
        os.close(self._stdout)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])
        except OSError as error:
            raise BrokenOutput(str(error)) from error
