"""What commands print: JSON on one line, or text for people with nothing in it that a terminal would obey."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

CELL = 64
"""Characters of a cell in a table for people."""

# Control characters, and the marks that turn the direction of text: data must not move the cursor or hide.
_HIDDEN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F)
_VISIBLE = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _HIDDEN} | {
    ord("\n"): "\\n",
    ord("\t"): "\\t",
    ord("\r"): "\\r",
}


def printable(text: str) -> str:
    """`text` on one line, with control characters written as escapes."""
    return text.translate(_VISIBLE)


def print_json(document: Any) -> None:
    """`document` as one line of JSON."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")


def print_line(*parts: Any) -> None:
    """One line of text."""
    sys.stdout.write(printable(" ".join(str(part) for part in parts if part not in (None, ""))) + "\n")


def print_table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Aligned columns under `names`; NULL is an empty cell, a long cell is cut."""
    cells = [[_cell(value) for value in row] for row in rows]
    heads = [_cell(name) for name in names]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    for row in (heads, ["-" * width for width in widths], *cells):
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")


def print_entries(document: dict[str, Any], key: str, columns: Sequence[str], *, as_json: bool) -> None:
    """`document` as JSON, or its list of objects under `key` as a table."""
    if as_json:
        print_json(document)
    else:
        print_table(columns, [[entry.get(column) for column in columns] for entry in document[key]])


def _cell(value: Any) -> str:
    text = "" if value is None else printable(value if isinstance(value, str) else json.dumps(value))
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


def print_checks(document: dict[str, Any]) -> None:
    """`{checks: [{name, ok, message}]}`, one line each."""
    for entry in document["checks"]:
        print_line("ok  " if entry["ok"] else "FAIL", f"{entry['name']}:", entry["message"])
