"""The statement policy: what a text is allowed to ask for, decided before it reaches a database.

Pure: the text, the dialect and the workspace's allow list go in, a verdict or a refusal comes out. It is the
first of three layers; the engine's locked read-only mode and the database role stand behind it. A parser
cannot see what a view, an operator, a cast or a user's function does, so nothing here is the only thing that
holds.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.errors import Code, Fault
from tht.sql.guard.file_names import looks_like_file, stands_for_table
from tht.sql.guard.lexer import Piece, refused, scan, statements
from tht.sql.guard.listed import check_calls, check_places, check_sources
from tht.sql.guard.nodes import check_nodes
from tht.sql.guard.parsing import (
    FILE_MARK,
    check_nesting,
    match_words,
    parse_one,
    plain_text,
    shortened,
    significant,
)
from tht.sql.guard.policy import Policy, known_functions, policy
from tht.sql.guard.query_words import reads_by_words
from tht.sql.guard.relations import Relation, relations
from tht.sql.guard.restrictions import Restrictions

SQL_CAP = 1 << 20
"""Characters of a statement; more is no question."""

_QUERY_WORDS = ("select", "with", "values", "table", "from", "pivot", "unpivot")
"""What a query begins with, in one dialect or another."""

LEXICAL = {"mysql": "mariadb"}
"""Dialects that share the rules of another."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard found in a statement that may run."""

    statement: str
    """select, explain, describe, show, pragma or summarize."""
    tables: tuple[Relation, ...]
    """The tables and views that it names, CTEs left out."""
    sha256: str
    """Of the UTF-8 bytes of the text as it was given."""
    functions: tuple[str, ...] = ()
    """Names in front of a parenthesis, in small letters."""
    sets_variables: bool = False
    """It assigns a variable of the session, so that the connection must not be used again."""


def sha256_of(sql: str) -> str:
    """The hash by which a text is approved."""
    return hashlib.sha256(sql.encode("utf-8", "surrogatepass")).hexdigest()


def judge(sql: str, dialect: str, restrictions: Restrictions) -> Verdict:
    """The verdict on `sql`, or Fault REFUSED (TOO_LARGE above SQL_CAP) with the reason in one line."""
    if len(sql) > SQL_CAP:
        raise Fault(Code.TOO_LARGE, f"the statement has {len(sql)} characters; at most {SQL_CAP} are read")
    lexical = LEXICAL.get(dialect, dialect)
    rules = policy(lexical)
    found = statements(scan(sql, lexical))
    if not found:
        raise refused("there is no statement")
    if len(found) > 1:
        raise refused("exactly one statement is allowed; take out the second one")
    return _Judge(sql, lexical, rules, restrictions, shortened(significant(found[0]))).verdict()


class _Judge:
    def __init__(
        self, sql: str, dialect: str, rules: Policy, restrictions: Restrictions, words: list[Piece]
    ) -> None:
        self.sql = sql
        self.dialect = dialect
        self.rules = rules
        self.restrictions = restrictions
        self.words = words

    def verdict(self) -> Verdict:
        check_nesting(self.words)
        self._check_words()
        if self.rules.listed:
            check_calls(self.words, self.rules, self.dialect)
            return self._query(self.words, "select")
        first = self.words[0].text.lower() if self.words[0].kind == "word" else ""
        if first == "explain" or (first == "analyze" and self.dialect == "mariadb"):
            return self._explain()
        if first in ("describe", "desc") and self.dialect == "duckdb":
            return self._describe(self.words[1:], "describe")
        if first in ("describe", "desc") and self.dialect == "mariadb":
            return self._describe(_without_explain(self.words, self.dialect), "describe")
        if first == "summarize" and self.dialect == "duckdb":
            return self._describe(self.words[1:], "summarize")
        if first == "show" and self.dialect != "sqlite":
            return self._show()
        if first == "pragma" and self.dialect == "sqlite":
            return self._pragma()
        return self._query(self.words, "select")

    # -- what stands anywhere

    def _check_words(self) -> None:
        for index, piece in enumerate(self.words):
            for sequence in self.rules.words_denied:
                if match_words(self.words, index, sequence):
                    raise refused(f"{' '.join(sequence).upper()} is not allowed")
            if piece.kind in ("word", "name"):
                self._check_name(index, piece.value.lower())
            if self.dialect == "duckdb" and piece.kind == "string" and stands_for_table(self.words, index):
                raise _reads_a_file()
            if self.rules.in_names_tables and match_words(self.words, index, ("in",)):
                self._check_in(self.words[index + 1 : index + 4])

    def _check_in(self, words: list[Piece]) -> None:
        """`x IN name` and `x IN 'name'` read a table, which the parser takes for a column or a text."""
        at = 2 if len(words) == 3 and words[1].text == "." else 0
        if not words or words[at].kind not in ("word", "name", "string"):
            return
        if self.restrictions.restricted or words[at].value.lower() in self.rules.denied_relations:
            raise refused("a table behind IN is not understood; write IN (SELECT ..)")

    def _check_name(self, index: int, name: str) -> None:
        after = self.words[index + 1] if index + 1 < len(self.words) else None
        before = self.words[index - 1] if index else None
        called = after is not None and after.text == "(" and not self._is_alias(before)
        behind_dot = before is not None and before.text == "."
        dotted = behind_dot and "_" in name
        # PostgreSQL calls f in (x).f and x[1].f
        applied = behind_dot and index > 1 and self.words[index - 2].text in (")", "]")
        if name in self.rules.denied and (called or dotted or applied or name == "nextval"):
            raise refused(f"the function {name} is not allowed", function=name)
        known = name in known_functions(self.dialect) or name in (self.rules.table_functions or ())
        if (called or applied) and not known and name.startswith(self.rules.denied_prefixes):
            raise refused(f"the function {name} is not allowed", function=name)
        if (called or applied) and self.restrictions.restricted and self._tells_of_the_catalog(name):
            raise refused(f"{name} tells of more than the workspace allows", function=name)

    def _tells_of_the_catalog(self, name: str) -> bool:
        computing = self.rules.computing
        return bool(computing) and name.startswith(self.rules.catalog_prefixes) and name not in computing

    def _is_alias(self, before: Piece | None) -> bool:
        """True for the name in `AS name (columns)` and `WITH name (columns) AS`."""
        word = before.text.lower() if before is not None and before.kind == "word" else ""
        return word in ("as", "with", "recursive") and not self.rules.listed

    def _called(self) -> tuple[str, ...]:
        pairs = zip(self.words, self.words[1:], strict=False)
        names = {a.value.lower() for a, b in pairs if a.kind in ("word", "name") and b.text == "("}
        return tuple(sorted(names))

    # -- statements around a query

    def _explain(self) -> Verdict:
        rest = _without_explain(self.words, self.dialect)
        if not rest:
            raise refused("EXPLAIN needs a statement")
        first = rest[0].text.lower()
        if self.dialect == "mariadb":
            if words_of(self.words[:2]) == ["analyze", "table"]:
                raise refused("ANALYZE TABLE writes statistics")
            analyzes = any(piece.text.lower() == "analyze" for piece in self.words[: -len(rest)])
            if first not in ("select", "with", "(", "table", "values") and not analyzes:
                return self._describe(rest, "describe")
        if self.dialect == "duckdb" and first in ("describe", "summarize", "show"):
            return self._describe(rest[1:], "explain")
        return self._query(rest, "explain")

    def _describe(self, rest: list[Piece], kind: str) -> Verdict:
        if not rest:
            if self.dialect == "duckdb" and not self.restrictions.restricted:
                return self._done(kind)
            raise refused(f"{kind.upper()} needs a table or a query")
        first = rest[0].text.lower() if rest[0].kind == "word" else ""
        if first in _QUERY_WORDS or rest[0].text == "(":
            return self._query(rest, kind)
        names = _dotted_name(rest)
        if names is None or len(names[1]) > (1 if self.dialect == "mariadb" else 0):
            raise refused(f"{kind.upper()} is understood with one table or one query")
        table = self._relation(names[0])
        self._check_files((table,))
        self.restrictions.check_tables([table], self.rules)
        if kind == "summarize":
            self.restrictions.check_whole_table(table)
        return self._done(kind, (table,))

    def _relation(self, parts: Sequence[Piece]) -> Relation:
        names = [self._folded(part) for part in parts]
        return Relation(name=names[-1], schema=names[-2] if len(names) > 1 else "", catalog="")

    def _folded(self, piece: Piece) -> str:
        folds = self.rules.fold or (self.rules.fold_unquoted and piece.kind == "word")
        return piece.value.lower() if folds else piece.value

    def _show(self) -> Verdict:
        rest = [piece.value.lower() for piece in self.words[1:]]
        if self.dialect == "postgres":
            plain = all(piece.kind in ("word", "name") or piece.text == "." for piece in self.words[1:])
            if not rest or not plain or len(rest) > 4:
                raise refused("this SHOW is not understood")
            return self._done("show")
        if self.dialect == "duckdb":
            of_all = rest in (["tables"], ["all", "tables"], ["variables"]) or (
                rest[:2] == ["tables", "from"] and (_dotted_name(self.words[3:]) or ((), (0,)))[1] == []
            )
            if of_all and not self.restrictions.restricted:
                return self._done("show")
            return self._describe(self.words[1:], "describe")
        return self._show_mariadb(rest)

    def _show_mariadb(self, rest: list[str]) -> Verdict:
        words = [word for word in rest if word not in ("full", "extended", "global", "session", "local")]
        if not words or words[0] not in self.rules.show or any(piece.text == ";" for piece in self.words):
            raise refused("this SHOW is not allowed")
        created = ("table", "view", "database", "schema", "function", "procedure", "sequence", "trigger")
        if words[0] == "create" and (len(words) < 2 or words[1] not in created):
            raise refused("this SHOW is not allowed")
        if "into" in words or ("select" in words and "(" in words):
            raise refused("a SHOW holds no query")
        if self.restrictions.restricted:
            self._check_show_target(words)
        return self._done("show")

    def _check_show_target(self, words: list[str]) -> None:
        """With an allow list only the columns, indexes and definition of a table that is on it are shown."""
        at = {"columns": 2, "fields": 2, "index": 2, "indexes": 2, "keys": 2, "create": 2}.get(words[0])
        if at is None or len(words) <= at or (words[0] == "create" and words[1] not in ("table", "view")):
            raise refused("this SHOW tells of more than the workspace allows")
        place = next(i for i, piece in enumerate(self.words) if piece.value.lower() == words[at - 1]) + 1
        names = _dotted_name(self.words[place:])
        if names is None:
            raise refused("this SHOW is not understood")
        parts, rest = names
        if len(rest) > 1 and rest[0].text.lower() in ("from", "in"):
            parts = [rest[1], parts[-1]]
        self.restrictions.check_tables([self._relation(parts)], self.rules)

    def _pragma(self) -> Verdict:
        names = [piece for piece in self.words[1:] if piece.text not in (".",)]
        if len(self.words) > 3 and self.words[2].text == ".":
            names = names[1:]
        name = names[0].value.lower() if names else ""
        takes = self.rules.pragmas.get(name)
        if takes is None or (len(names) > 1 and not takes):
            raise refused("this PRAGMA is not allowed; those that only read are")
        if self.restrictions.restricted:
            raise refused("PRAGMA tells of more than the workspace allows; ask for the schema instead")
        return self._done("pragma")

    # -- queries

    def _query(self, words: list[Piece], kind: str) -> Verdict:
        tree = self._parse(words)
        if tree is None:
            return self._done(kind)
        check_nodes(tree, self.dialect)
        found = relations(tree, self.rules)
        if self.rules.listed:
            check_sources(self.words, tree, self.rules, self.restrictions)
        self._check_table_functions(tree)
        self.restrictions.check(tree, found, self.rules, known_functions(self.dialect))
        tables = tuple(dict.fromkeys(found.values()))
        self._check_files(tables)
        check_places(tables, self.rules, self.restrictions)
        for table in tables:
            denied = self.rules.denied_relations
            schema = table.schema or self.restrictions.default_schema
            if table.name.lower() in denied or f"{schema}.{table.name}".lower() in denied:
                raise refused(f"{table.name} may not be read")
        return self._done(kind, tables)

    def _parse(self, words: list[Piece]) -> exp.Expr | None:
        first = words[0].text.lower() if words[0].kind == "word" else ""
        parser = "sqlite" if first == "values" and self.dialect == "mariadb" else self.rules.parser
        try:
            return parse_one(plain_text(words, self.dialect), parser)
        except Fault:
            if not self.restrictions.restricted and self._reads_otherwise(words, first):
                return None
            raise

    def _reads_otherwise(self, words: list[Piece], first: str) -> bool:
        if self.dialect == "duckdb":
            return self._duckdb_reads(first)
        return reads_by_words(words, self.rules, self.restrictions.default_schema)

    def _duckdb_reads(self, first: str) -> bool:
        """DuckDB's own parser reads what sqlglot cannot, such as PIVOT with ORDER BY; it must find one
        SELECT."""
        named = {piece.value.lower() for piece in self.words if piece.kind in ("word", "name")}
        if (first not in _QUERY_WORDS and self.words[0].text != "(") or named & self.rules.denied_relations:
            return False
        from tht.sql.guard.duckdb_parser import reads_only

        called = set(self._called())
        files = any(
            piece.kind == "name" and looks_like_file(piece.value) and stands_for_table(self.words, index)
            for index, piece in enumerate(self.words)
        )
        refusable = self.rules.engine_tables - (self.rules.table_functions or set())
        try:
            return reads_only(self.sql) and not files and not called & refusable
        except Fault as fault:
            raise refused(f"the statement cannot be understood: {fault.message}") from fault

    def _check_files(self, tables: Sequence[Relation]) -> None:
        for table in tables:
            marked = table.name.startswith(FILE_MARK)
            if marked or (self.dialect == "duckdb" and looks_like_file(table.name)):
                raise _reads_a_file()

    def _check_table_functions(self, tree: exp.Expr) -> None:
        if self.rules.table_functions is None:
            return
        for table in tree.find_all(exp.Table):
            called = table.this if isinstance(table.this, exp.Func) else None
            if called is None:
                continue
            name = (called.name if isinstance(called, exp.Anonymous) else called.sql_name()).lower()
            refusable = name in self.rules.engine_tables or not isinstance(called, exp.Anonymous)
            builtin = isinstance(called, exp.GenerateSeries | exp.Unnest | exp.Explode | exp.RegexpSplit)
            if refusable and not builtin and name not in self.rules.table_functions:
                raise refused(f"the table function {name} is not allowed", function=name)

    def _done(self, kind: str, tables: tuple[Relation, ...] = ()) -> Verdict:
        assigns = any(piece.text == ":=" for piece in self.words) and self.dialect == "mariadb"
        return Verdict(kind, tables, sha256_of(self.sql), self._called(), assigns)


def _reads_a_file() -> Fault:
    return refused("reading a file is not allowed")


def words_of(pieces: list[Piece]) -> list[str]:
    """The pieces in small letters."""
    return [piece.text.lower() for piece in pieces]


def _without_explain(words: list[Piece], dialect: str) -> list[Piece]:
    """The statement behind EXPLAIN and its options."""
    at, count = 1, len(words)
    bare = {
        "postgres": ("analyze", "analyse", "verbose"),
        "duckdb": ("analyze",),
        "mariadb": ("extended", "partitions", "analyze"),
        "sqlite": ("query", "plan"),
    }[dialect]
    while at < count and words[at].kind == "word" and words[at].text.lower() in bare:
        at += 1
    if dialect == "mariadb" and [piece.text.lower() for piece in words[at : at + 2]] == ["format", "="]:
        return words[at + 3 :]
    if dialect in ("postgres", "duckdb") and at < count and words[at].text == "(":
        close = next((i for i in range(at, count) if words[i].text == ")"), count)
        inside = words[at + 1 : close]
        query = {"select", "with", "values", "table", "from"}
        options = all(piece.kind != "operator" or piece.text == "," for piece in inside)
        if inside and options and inside[0].text.lower() not in query and close + 1 < count:
            return words[close + 1 :]
    return words[at:]


def _dotted_name(words: list[Piece]) -> tuple[list[Piece], list[Piece]] | None:
    """The pieces of `a.b.c` at the start of `words`, and what follows; None when no name stands there."""
    parts: list[Piece] = []
    at = 0
    while at < len(words) and words[at].kind in ("word", "name"):
        parts.append(words[at])
        if at + 1 >= len(words) or words[at + 1].text != ".":
            return parts, words[at + 1 :]
        at += 2
    return None
