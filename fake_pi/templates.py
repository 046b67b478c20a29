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
    name = {str: "string", bool: "boolean", int: "number", float: "number"}.get(type(value), "object")
    return f"{name} {compact_json(value)}"


def _table(value: object) -> str:
    """A page of rows (docs/contracts.md 1) as a Markdown table, at most 20 rows."""
    if not isinstance(value, Mapping):
        return ""
    page: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    names = [str(column["name"]) for column in page.get("columns", [])]
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    for row in page.get("rows", [])[:20]:
        lines.append("| " + " | ".join("NULL" if cell is None else str(cell) for cell in row) + " |")
    return "\n".join(lines)


FILTERS: dict[str, Callable[[object], object]] = {
    "json": compact_json,
    "typeof": _typeof,
    "table": _table,
    "lines": lambda value: "\n".join(_text(item) for item in value) if isinstance(value, list) else "",  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    "count": lambda value: len(value) if isinstance(value, (list, dict, str)) else 0,  # pyright: ignore[reportUnknownArgumentType]
}
"""What can stand behind a path: `${page|table}`."""


def look_up(variables: Mapping[str, Any], path: str) -> object:
    """The value at a dotted path such as `page.rows.0.1`, with filters behind `|`; UNDEFINED when there is none."""
    name, *filters = [piece.strip() for piece in path.split("|")]
    value: Any = variables
    for key in name.split("."):
        if isinstance(value, Mapping):
            value = value.get(key, UNDEFINED)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", key):
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            index = int(key)
            value = items[index] if -len(items) <= index < len(items) else UNDEFINED
        else:
            return FILTERS[filters[0]](UNDEFINED) if filters and filters[0] in FILTERS else UNDEFINED
    for item in filters:
        if item in FILTERS:
            value = FILTERS[item](value)
        elif isinstance(value, Undefined):
            value = item.removeprefix("else ") if item.startswith("else ") else value
    return value  # pyright: ignore[reportUnknownVariableType]


def expand(value: Any, variables: Mapping[str, Any]) -> Any:
    """`value` with every `${path}` in its strings filled in. A string that is one path alone gives the value itself.

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
