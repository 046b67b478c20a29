"""Types as ClickHouse and Trino write them: a name, arguments in parentheses, names of fields before
types."""

import re
from dataclasses import dataclass

from contracts.errors import Fault
from tht.sql.messages import database_error

_QUOTES = "'\"`"
_LONG_NAMES = re.compile(
    r"time(stamp)? with(out)? time zone|interval .+ to .+|double precision", re.IGNORECASE
)
"""Types of several words, where the first one is no name of a field."""


@dataclass(frozen=True)
class TypeText:
    """One type."""

    name: str
    """In small letters, with what follows the parenthesis: `timestamp with time zone`."""
    arguments: tuple[str, ...] = ()
    """As they are written."""

    def inner(self, index: int = 0) -> "TypeText":
        """Argument `index` as a type."""
        return parse_type(self.arguments[index])

    def number(self, index: int) -> int | None:
        """Argument `index` as a number, None when it is none."""
        if index < len(self.arguments) and self.arguments[index].isdigit():
            return int(self.arguments[index])
        return None

    def fields(self) -> list[tuple[str, "TypeText"]]:
        """The fields of a row or tuple; a name is empty where there is none."""
        return [_field(argument) for argument in self.arguments]


def parse_type(text: str) -> TypeText:
    """The type that `text` describes. Raises Fault DATABASE_ERROR for one that does not end."""
    opened = text.find("(")
    if opened < 0:
        return TypeText(" ".join(text.lower().split()))
    arguments: list[str] = []
    depth, start, quote = 0, opened + 1, ""
    for at in range(opened, len(text)):
        character = text[at]
        if quote:
            quote = "" if character == quote and text[at - 1] != "\\" else quote
        elif character in _QUOTES:
            quote = character
        elif character == "(":
            depth += 1
        elif character in ",)" and depth == 1:
            arguments.append(text[start:at].strip())
            start = at + 1
            if character == ")":
                name = f"{text[:opened]} {text[at + 1 :]}"
                return TypeText(" ".join(name.lower().split()), tuple(filter(None, arguments)))
        elif character == ")":
            depth -= 1
    raise unreadable()


def _field(text: str) -> tuple[str, TypeText]:
    if text[:1] in _QUOTES:
        end = text.find(text[0], 1)
        if end < 0:
            raise unreadable()
        return text[1:end], parse_type(text[end + 1 :].strip())
    name, space, rest = text.partition(" ")
    if not space or "(" in name or _LONG_NAMES.fullmatch(text):
        return "", parse_type(text)
    return name, parse_type(rest.strip())


def unreadable() -> Fault:
    """A type whose text is broken."""
    return database_error("the endpoint names a column type that cannot be read")
