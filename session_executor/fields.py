"""Rules for single values of plans, sessions and runner results."""

from typing import Any

from session_executor.canonical import JAVASCRIPT_BLANKS
from session_executor.errors import ErrorCode, ExecutorError


def text(value: Any, field: str, code: ErrorCode) -> str:
    """`value` when it is a string with something in it, without NUL and encodable as UTF-8."""
    if not isinstance(value, str) or not value.strip(JAVASCRIPT_BLANKS) or "\0" in value:
        raise ExecutorError(code, f"{field} must be a non-empty string")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ExecutorError(code, f"{field} must not contain lone surrogates")
    return value


def token(value: Any, field: str, code: ErrorCode) -> str:
    """`value` when it is a `text` without blanks and control characters, fit for a ref or a trailer."""
    checked = text(value, field, code)
    if any(character in JAVASCRIPT_BLANKS or character < " " or character == "\x7f" for character in checked):
        raise ExecutorError(code, f"{field} must not contain blanks or control characters")
    return checked


def positive(value: Any, field: str, code: ErrorCode) -> int:
    """`value` when it is an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ExecutorError(code, f"{field} must be a positive integer")
    return value
