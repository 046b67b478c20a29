"""`${path}` in the texts of a scenario: values of earlier answers and results."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any


class Undefined:
    """JavaScript's undefined: what a cancelled dialog gives. Not null."""

    def __repr__(self) -> str:
        return "undefined"

    def __bool__(self) -> bool:
        return False


UNDEFINED = Undefined()

_PATTERN = re.compile(r"\$(\$)?\{([^{}]*)\}")


def compact_json(value: object) -> str:
    """JSON as JSON.stringify writes it; undefined is `undefined`."""
    if isinstance(value, Undefined):
        return "undefined"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _typeof(value: object) -> str:
    if isinstance(value, Undefined):
        return "undefined undefined"
    names: dict[type, str] = {str: "string", bool: "boolean", int: "number", float: "number"}
    return f"{names.get(type(value), 'object')} {compact_json(value)}"


def _table(value: object) -> str:
    """A page of rows (docs/contracts.md 1) as a Markdown table, at most 20 rows."""
    if not isinstance(value, Mapping):
        return ""
    page: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    names = [str(column["name"]) for column in page.get("columns", [])]
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    lines += [_table_line(row) for row in page.get("rows", [])[:20]]
    return "\n".join(lines)


def _table_line(row: list[object]) -> str:
    return "| " + " | ".join("NULL" if cell is None else str(cell) for cell in row) + " |"


def _one_line(value: object) -> str:
    return " ".join(_text(value).split())


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def _lines(value: object) -> str:
    return "\n".join(_text(item) for item in _items(value))


def _count(value: object) -> int:
    return len(_items(value))


FILTERS: dict[str, Callable[[object], object]] = {
    "json": compact_json,
    "typeof": _typeof,
    "table": _table,
    "line": _one_line,
    "lines": _lines,
    "count": _count,
}
"""What can stand behind a path: `${page|table}`. Beside these there are `has X` (true when a list holds X),
`last K` (the youngest ledger line of kind K) and `else X`."""


def look_up(variables: Mapping[str, Any], path: str) -> object:
    """The value at a dotted path such as `page.rows.0.1|json`; UNDEFINED when there is none."""
    name, *filters = [piece.strip() for piece in path.split("|")]
    value: Any = variables
    for key in name.split("."):
        value = _member(value, key)
    for item in filters:
        value = _filtered(value, item)
    return value


def _member(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key, UNDEFINED)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(value, list) and key.isdigit():
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return items[int(key)] if int(key) < len(items) else UNDEFINED
    return UNDEFINED


def _last_of_kind(value: Any, kind: str) -> Any:
    """The youngest line of a ledger that has this kind."""
    return next((line for line in reversed(_items(value)) if _member(line, "kind") == kind), UNDEFINED)


def _filtered(value: Any, item: str) -> Any:
    word, _, argument = item.partition(" ")
    if word == "has":
        return argument in _items(value)
    if word == "last":
        return _last_of_kind(value, argument)
    if word == "else":
        return argument if isinstance(value, Undefined) else value
    return FILTERS[word](value) if word in FILTERS else UNDEFINED


def expand(value: Any, variables: Mapping[str, Any]) -> Any:
    """`value` with every `${path}` in its strings filled in; a string that is one path alone gives the value.

    `$${` stands for a literal `${`. What is not defined becomes the empty string inside a text.
    """
    if isinstance(value, str):
        whole = _PATTERN.fullmatch(value)
        if whole and not whole[1]:
            return look_up(variables, whole[2])
        return _PATTERN.sub(
            lambda found: "${" + found[2] + "}" if found[1] else _text(look_up(variables, found[2])), value
        )
    if isinstance(value, list):
        return [expand(item, variables) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {key: expand(item, variables) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value


def expand_text(value: Any, variables: Mapping[str, Any]) -> str:
    """The same, always as a text."""
    return _text(expand(value, variables))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined):
        return ""
    return compact_json(value)
