"""What may be told of a database's failure: one line, without values of rows. Pure."""

import re

from contracts.errors import Code, Fault

_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_FIRST_TO_LAST_QUOTE = re.compile(r"['\"](?:.*['\"]|.*)", re.S)


def safe_line(text: str, redact: bool, statement: str | None = None) -> str:
    """The first line of a database's message, at most 300 characters.

    With `redact` what stands in quotes, which may be a value of a row, is left out, from the first quote to
    the last: a value may hold quotes and lines itself. With `statement` that is done where something in
    quotes is no name of the statement's."""
    if redact or (statement is not None and _quotes_more(text, statement.lower())):
        text = _FIRST_TO_LAST_QUOTE.sub("'...'", text)
    return " ".join(text.strip().split("\n", 1)[0].split())[:300]


def _quotes_more(text: str, statement: str) -> bool:
    parts = [part for quoted in _QUOTED.findall(text) for part in quoted[1:-1].lower().split(".")]
    return any(part not in statement for part in parts)


def database_error(message: str, **details: object) -> Fault:
    """A failure that the statement or its data caused."""
    return Fault(Code.DATABASE_ERROR, message or "the database gave no reason", **details)


def over_cap(message: str) -> Fault:
    """A limit of the workspace or the engine that the statement exceeded."""
    return Fault(Code.OVER_CAP, message)
