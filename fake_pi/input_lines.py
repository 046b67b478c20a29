"""Reading stdin as Pi does: LF framing, lenient UTF-8, JSON.parse and the messages of its failures."""

import codecs
import json
from typing import Any


class LineBuffer:
    """Cuts bytes into lines at LF only; what is after the last LF is a line of its own at EOF."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._pieces: list[str] = []

    def feed(self, data: bytes, final: bool = False) -> list[str]:
        """The lines that `data` completes, without LF and without a CR before it."""
        text = self._decoder.decode(data, final)
        first, *rest = text.split("\n")
        self._pieces.append(first)
        lines: list[str] = []
        for piece in rest:
            lines.append("".join(self._pieces))
            self._pieces = [piece]
        if final and (last := "".join(self._pieces)):
            lines.append(last)
            self._pieces = []
        return [line.removesuffix("\r") for line in lines]


def parse_json(text: str) -> Any:
    """The value of a line. Raises ValueError with the message that JSON.parse of Node 24 would give."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(_node_message(text, error)) from error
    except RecursionError as error:
        raise ValueError("Maximum call stack size exceeded") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"Unexpected token '{name[0]}', \"{name}\" is not valid JSON")


def _node_message(text: str, error: json.JSONDecodeError) -> str:
    at = error.pos
    place = f"in JSON at position {at} (line {error.lineno} column {error.colno})"
    if error.msg.startswith("Unterminated string"):
        end = len(text)
        return f"Unterminated string in JSON at position {end} (line {error.lineno} column {end + 1})"
    if error.msg.startswith("Invalid control character"):
        return f"Bad control character in string literal {place}"
    if error.msg.startswith(("Invalid \\", "Invalid \\u")):
        return f"Bad escaped character {place}"
    if text[at : at + 1] in ("", "\n") or not text[at:].strip(" \t\r\n"):
        return "Unexpected end of JSON input"
    if error.msg.startswith("Extra data"):
        return f"Unexpected non-whitespace character after {place.removeprefix('in ')}"
    if error.msg.startswith("Expecting property name"):
        return f"Expected property name or '}}' {place}"
    start, end = max(0, at - 10), at + 10
    before, after = ("..." if start else ""), ("..." if end < len(text) else "")
    excerpt = text if len(text) <= 40 else text[start:end]
    if len(text) <= 40:
        before = after = ""
    return f"Unexpected token '{text[at]}', {before}\"{excerpt}\"{after} is not valid JSON"
