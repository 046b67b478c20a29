"""From pieces to a syntax tree: plain text for sqlglot, parsed on a deep stack."""

import logging
import re
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import ClassVar, TypeVar

import sqlglot
from sqlglot import Dialect, TokenType, exp
from sqlglot.errors import SqlglotError

from tht.sql.guard.lexer import Piece, refused
from tht.sql.guard.policy import names

STACK = 256 << 20
"""Bytes of stack of the parsing thread; only what is used is paid for."""
NESTING = 500
"""Parentheses and CASEs inside each other; no question needs more, and deeper ones only burn time."""
WORDS = 100_000
"""Words and signs of a statement; parsing more takes longer than the statement may run."""
LIST = 100
"""Literals in a row after which the others of a list are left out: tens of thousands would take seconds."""
DEPTH = 20_000
"""Python frames the parser may nest. sqlglot fails between 40 and 60 nested parentheses at Python's
default."""

FILE_MARK = "\x01"
"""Begins a DuckDB literal behind a comma: where it turns up as the name of a table, it is a file."""

_LITERALS = ("number", "string")
_ENDS = (",", ")")

T = TypeVar("T")

_PLAIN = re.compile(r"[A-Za-z0-9_ .,:$%/+{}\[\]-]{0,64}")
_KNOWN_OPERATORS = {
    "postgres": names(
        "+ - * / % ^ < > = <= >= <> != || ~ ~* !~ !~* ~~ !~~ ~~* !~~* & | # << >> -> ->> #> #>> @> <@ "
        "? ?| ?& && "
        "@@ => := -|- ^@"
    ),
}
_SYNTAX_NOISE = {
    "postgres": ((("at", "local"), "AT TIME ZONE 'x'"),),
    "mariadb": ((("rows", "examined"), ","), (("\\n",), " NULL ")),
}
"""Words that sqlglot cannot read, and what stands for them in the text it is given."""

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


_TYPES_BEFORE_TEXT = names(
    "point line lseg box polygon circle macaddr macaddr8 pg_lsn tsvector tsquery cidr money bytea regclass "
    "regtype regproc oid int4range int8range numrange tsrange tstzrange daterange int4multirange "
    "int8multirange nummultirange tsmultirange tstzmultirange datemultirange jsonpath pg_snapshot "
    "xid8 hstore citext ltree geometry geography"
)
"""Types that PostgreSQL takes before a literal and sqlglot does not."""


def plain_text(pieces: Sequence[Piece], dialect: str) -> str:
    """The statement as sqlglot is given it: no comments, literals that hold nothing of interest shortened,
    names
    in the quotes of the dialect. It is parsed and thrown away; what runs is always the text as it was
    given."""
    noise = _SYNTAX_NOISE.get(dialect, ())
    words = significant(pieces)
    parts: list[str] = []
    skip = 0
    for index, piece in enumerate(words):
        if skip:
            skip -= 1
            continue
        if dialect == "postgres" and _is_typed_literal(words, index):
            continue
        for sequence, replacement in noise:
            if match_words(words, index, sequence):
                parts.append(replacement)
                skip = len(sequence) - 1
                break
        else:
            before = words[index - 1].text if index else ""
            parts.append(_plain(piece, dialect, marked=dialect in ("duckdb", "clickhouse") and before == ","))
    return "".join(parts)


def _is_typed_literal(words: Sequence[Piece], index: int) -> bool:
    """True for the type in `point '(1,2)'`."""
    piece, after = words[index], words[index + 1] if index + 1 < len(words) else None
    return piece.text.lower() in _TYPES_BEFORE_TEXT and after is not None and after.kind == "string"


def _plain(piece: Piece, dialect: str, marked: bool) -> str:
    if piece.kind == "string":
        value = piece.value if _PLAIN.fullmatch(piece.value) else "x"
        return f"'{FILE_MARK if marked else ''}{value}' "
    if piece.kind == "name":
        return _quoted(piece.value, dialect)
    if piece.kind == "operator":
        known = _KNOWN_OPERATORS.get(dialect)
        if known is None or piece.text in known or piece.text[0] in "(),.[]{}:;":
            return f" {piece.text} ".replace("--", "- -").replace("/*", "/ *")
        return " - "
    return f" {piece.text} "


def _quoted(name: str, dialect: str) -> str:
    mark = "`" if dialect == "mariadb" else '"'
    return f" {mark}{name.replace(mark, mark + mark)}{mark} "


def significant(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without white space and comments."""
    return [piece for piece in pieces if piece.kind != "space"]


def shortened(words: Sequence[Piece]) -> list[Piece]:
    """`words` with at most LIST literals of each list of them, which is all that a verdict depends on."""
    kept: list[Piece] = []
    count = at = 0
    while at < len(words):
        item = words[at + 1 : at + 3]
        if words[at].text == "," and len(item) == 2 and item[0].kind in _LITERALS and item[1].text in _ENDS:
            count += 1
            if count < LIST:
                kept += words[at : at + 2]
            at += 2
        else:
            count = 0
            kept.append(words[at])
            at += 1
    return kept


def match_words(pieces: Sequence[Piece], at: int, words: Sequence[str]) -> bool:
    """True when the bare words `words` stand at index `at` of significant pieces."""
    found = pieces[at : at + len(words)]
    return len(found) == len(words) and all(
        piece.kind == "word" and piece.text.lower() == word for piece, word in zip(found, words, strict=True)
    )


def check_nesting(pieces: Sequence[Piece]) -> None:
    """Raises Fault REFUSED for a text that is nested deeper than NESTING, before anything recurses into
    it."""
    if len(pieces) > WORDS:
        raise refused(f"the statement has more than {WORDS} words")
    depth = cases = run = 0
    for piece in pieces:
        word = piece.text.lower() if piece.kind == "word" else piece.text
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        cases += (word == "case") - (word == "end")
        run = run + 1 if word in ("not", "+", "-", "~", "!") else 0
        if max(depth, cases, run) > NESTING:
            raise refused(f"the statement is nested more than {NESTING} levels deep")


def parse_one(text: str, parser: str) -> exp.Expr:
    """The tree of one statement. Raises Fault REFUSED when sqlglot cannot read it or reads no or several."""

    def parse() -> list[exp.Expr | None]:
        return list(sqlglot.parse(text, dialect=_mysql() if parser == "mysql" else parser))

    try:
        trees = on_deep_stack(parse)
    except SqlglotError as error:
        raise refused(f"the statement cannot be understood: {_first_line(error)}") from error
    except (RecursionError, MemoryError) as error:
        raise refused("the statement is nested too deeply") from error
    except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise refused("the statement cannot be understood") from error
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(found) != 1 or len(trees) != 1:
        raise refused("exactly one statement is allowed")
    return found[0]


@cache
def _mysql() -> type[Dialect]:
    """MySQL with the types of MariaDB that sqlglot does not know in a CAST. Made when it is first needed:
    a dialect costs its import."""
    from sqlglot.dialects.mysql import MySQL

    class Mariadb(MySQL):
        class Tokenizer(MySQL.Tokenizer):
            KEYWORDS: ClassVar[dict[str, TokenType]] = {
                **MySQL.Tokenizer.KEYWORDS,
                "INET4": TokenType.INET,
                "INET6": TokenType.INET,
            }

    return Mariadb


_deep = threading.Lock()
"""Held by who has changed the limits of the process."""


def on_deep_stack(work: Callable[[], T]) -> T:
    """The result of `work`, run in a thread with a large stack and a high recursion limit."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # handed to the caller below
            failure.append(error)

    # one after the other: who met the limit of another would leave it behind
    with _deep:
        limit, size = sys.getrecursionlimit(), threading.stack_size(STACK)
        sys.setrecursionlimit(DEPTH)
        try:
            thread = threading.Thread(target=run, name="sql-parser")
            thread.start()
            thread.join()
        finally:
            threading.stack_size(size)
            sys.setrecursionlimit(limit)
    if failure:
        raise failure[0].with_traceback(None)
    return outcome[0]


def _first_line(error: Exception) -> str:
    """What sqlglot says, without the excerpt of the statement that follows it."""
    line = str(error).split("\n", 1)[0].strip()
    return re.sub(r"\x1b\[[0-9;]*m", "", line.split(". Line ", 1)[0])[:160]
