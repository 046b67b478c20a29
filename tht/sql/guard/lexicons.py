"""The lexical rules of each dialect, as data for the lexer."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lexical rules of one dialect."""

    line_end: str
    """Characters that end a `--` comment."""
    nested: bool
    """`/* */` nests."""
    open_comment: bool
    """A `/*` that is never closed ends with the text instead of being an error."""
    hash_comment: bool
    dash_needs_space: bool
    """`--` begins a comment only before white space or the end."""
    executable: bool
    """`/*!` and `/*M!` hold code."""
    double: Literal["name", "string"]
    """What stands between double quotes."""
    backslash: bool
    """A backslash escapes inside every string."""
    estring: bool
    """E'..' is a string with backslash escapes."""
    dollar: bool
    """$tag$..$tag$ is a string."""
    unicode: bool
    """U&'..' and U&".." hold escapes."""
    backtick: bool
    bracket: bool
    """[x] is a name."""
    continued: bool = False
    """E'..' goes on in a string on the next line, still with backslash escapes."""
    spaces: str | None = None
    """Spaces beyond ASCII that the server takes for one; None: all. Others (U+00A0) are letters to it."""
    parameters: bool = False
    """$x, @x, #x and :x are parameters: refused, because none has a value."""
    unread: tuple[str, ...] = ()
    """Signs that this lexer reads otherwise than the server: refused outside quotes and comments."""
    unread_in_names: str = ""
    """The same inside quoted names."""


_HIDDEN_SPACES = ("\u180e", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
"""Spaces to DuckDB or ClickHouse, letters to Unicode."""

LEXICONS: dict[str, Lexicon] = {
    "sqlite": Lexicon(
        *("\n", False, True, False, False, False, "name", False, False, False, False, True, True),
        spaces="\ufeff",
        parameters=True,
    ),
    # measured on DuckDB 2.0: control characters are letters, and a space beyond ASCII is a letter too where
    # its search for such spaces takes what stands in a comment for a quote
    "duckdb": Lexicon(
        *("\n\r", True, False, False, False, False, "name", False, True, True, False, True, False),
        spaces="",
        unread=("`", *_HIDDEN_SPACES),
    ),
    "postgres": Lexicon(
        *("\n\r", True, False, False, False, False, "name", False, True, True, True, False, False),
        continued=True,
        spaces="",
    ),
    "mariadb": Lexicon(
        *("\n", False, True, True, True, True, "string", True, False, False, False, True, False),
        spaces="",
    ),
    # measured on ClickHouse 26.5: // and # begin comments, curly quotes are quotes
    "clickhouse": Lexicon(
        *("\n", False, False, False, False, False, "name", True, False, False, False, True, False),
        unread=("//", "#", "$", "@", "\u2018", "\u2019", "\u201c", "\u201d", "\u2212", *_HIDDEN_SPACES),
        unread_in_names="\\",
    ),
    "trino": Lexicon(
        *("\n\r", False, False, False, False, False, "name", False, False, False, True, False, False),
        unread=("`", "\\", "#", "$", "@", "{", "}"),
        unread_in_names="$",
    ),
}
