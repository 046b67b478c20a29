"""JSON and digests that come out the same here and in the public (JavaScript) session executor."""

import hashlib
import json
from typing import Any

JAVASCRIPT_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript's `trim()` removes and its `\\s` matches; `str.strip()` differs in six characters."""


def sha256(data: bytes) -> str:
    """Hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """Hexadecimal SHA-256 of the UTF-8 form of `text`."""
    return sha256(text.encode("utf-8"))


def canonical_json(value: Any) -> bytes:
    """`value` with keys sorted at every level, compact separators and non-ASCII kept, as UTF-8.

    Lone surrogates become `\\udXXX` escapes, as ECMAScript's `JSON.stringify` writes them.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


def readable_json(value: Any) -> bytes:
    """`value` indented by two, keys in their own order, ending in a newline; the form of plan and receipt."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def parse_json(text: str) -> Any:
    """The value of one JSON text, as strict as ECMAScript's `JSON.parse`; whole floats become ints.

    Raises ValueError for anything that is not JSON, NaN and Infinity and too deep nesting included.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_number, parse_int=_integer)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _integer(text: str) -> int | float:
    return int(text) if len(text) < 400 else float(text)
