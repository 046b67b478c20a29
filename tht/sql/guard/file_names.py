"""What DuckDB reads as a file where a table is expected: `FROM 'x.csv'`, `FROM "x.parquet"`."""

from collections.abc import Sequence

from tht.sql.guard.lexer import Piece

_SUFFIXES = (
    *(".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".gz", ".zst"),
    *(".db", ".duckdb", ".xlsx", ".arrow"),
)
_BEFORE_TABLE = ("from", "join", "pivot", "unpivot", "describe", "desc", "summarize", "show", "table")
_TAKE_FROM = ("trim", "extract", "substring", "overlay")
"""Functions whose arguments are parted by FROM."""


def looks_like_file(name: str) -> bool:
    """True for the name of a table that DuckDB would look for among files."""
    return "/" in name or name.lower().endswith(_SUFFIXES)


def stands_for_table(words: Sequence[Piece], index: int) -> bool:
    """True when what stands at `index`, a string or a quoted name, follows a word that a table follows."""
    before = words[index - 1].text.lower() if index else ""
    return before in _BEFORE_TABLE and not (before == "from" and _is_operator(words, index - 1))


def _is_operator(words: Sequence[Piece], index: int) -> bool:
    """True for the FROM of `a IS DISTINCT FROM b` and of `trim('x' FROM a)`."""
    before = [piece.text.lower() for piece in words[max(index - 2, 0) : index]]
    if len(before) == 2 and before[1] == "distinct" and before[0] in ("is", "not"):
        return True
    depth = 0
    for at in range(index - 1, 0, -1):
        depth += (words[at].text == ")") - (words[at].text == "(")
        if depth < 0:
            return words[at - 1].text.lower() in _TAKE_FROM
        if depth == 0 and words[at].text.lower() == "from" and words[at - 1].text.lower() != "distinct":
            # such a function has one FROM, and looking further for each of many would take minutes
            return False
    return False
