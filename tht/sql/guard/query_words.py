"""A second reading of a query, by its words alone, for what sqlglot cannot parse.

The grammars of PostgreSQL, MariaDB and SQLite make it enough: what begins with SELECT, VALUES, TABLE or WITH
is a query unless one of a few words stands in it as a keyword, and these can be told from names (PostgreSQL
manual appendix C, MariaDB's list of reserved words; in SQLite they are never names). Functions and locks are
refused before, by their names.
"""

from collections.abc import Sequence

from tht.sql.guard.lexer import Piece
from tht.sql.guard.policy import Policy, names

_BEGINNINGS = names("select values table with")
_FUNCTIONS_TOO = names("insert replace truncate")
"""Before a parenthesis these are MariaDB's functions."""


def reads_by_words(words: Sequence[Piece], rules: Policy, default_schema: str) -> bool:
    """True when the significant pieces of one statement are a query that writes nothing, locks nothing and
    reads none of `rules.denied_relations`; names without a schema may stand for tables of `default_schema`.
    False for a dialect without `rules.writing_words`."""
    first = next((piece for piece in words if piece.text != "("), None)
    if not rules.writing_words or first is None or first.kind != "word":
        return False
    if first.text.lower() not in _BEGINNINGS or not _is_closed(words):
        return False
    return not any(
        _writes(words, index, rules) or _is_denied(words, index, rules, default_schema)
        for index in range(len(words))
    )


def _is_closed(words: Sequence[Piece]) -> bool:
    """False where a parenthesis closes what was opened around the statement (COPY's)."""
    depth = 0
    for piece in words:
        depth += (piece.text == "(") - (piece.text == ")")
        if depth < 0:
            return False
    return depth == 0


def _writes(words: Sequence[Piece], index: int, rules: Policy) -> bool:
    word = words[index].text.lower()
    if words[index].kind != "word" or word not in rules.writing_words:
        return False
    before = words[index - 1].text.lower() if index else ""
    after = words[index + 1].text if index + 1 < len(words) else ""
    return before != "." and not (word in _FUNCTIONS_TOO and after == "(")


def _is_denied(words: Sequence[Piece], index: int, rules: Policy, default_schema: str) -> bool:
    """True where a name may mean a table that is never read, its schema before it or not."""
    if words[index].kind not in ("word", "name"):
        return False
    name = words[index].value.lower()
    qualified = index > 1 and words[index - 1].text == "."
    schema = words[index - 2].value if qualified else default_schema
    return name in rules.denied_relations or f"{schema}.{name}".lower() in rules.denied_relations
