"""What the guard asks more of a dialect whose functions are held to a list (ClickHouse, Trino): nothing that
is not known may be called, and nothing may be read that does not look like a table."""

from collections.abc import Sequence

from sqlglot import exp

from tht.sql.guard.lexer import Piece, refused
from tht.sql.guard.policy import Policy, known_functions
from tht.sql.guard.relations import Relation
from tht.sql.guard.restrictions import Restrictions


def check_calls(words: Sequence[Piece], rules: Policy, dialect: str) -> None:
    """Raises Fault REFUSED for a name before a parenthesis that is no listed function and no word of a
    query."""
    for index, piece in enumerate(words[:-1]):
        if piece.kind not in ("word", "name") or words[index + 1].text != "(":
            continue
        name = piece.value.lower()
        before = words[index - 1].text.lower() if index else ""
        if rules.aliases_with_columns and before in ("as", "with", "recursive"):
            continue
        if piece.kind == "word" and name in rules.no_calls and before != ".":
            continue
        if before == "." or not _is_listed(name, rules, dialect):
            raise refused(f"the function {name} is not on the list of those that only compute", function=name)


def _is_listed(name: str, rules: Policy, dialect: str) -> bool:
    if name in known_functions(dialect) or name in (rules.table_functions or ()):
        return True
    return any(
        name.endswith(suffix) and len(name) > len(suffix) and _is_listed(name[: -len(suffix)], rules, dialect)
        for suffix in rules.listed_suffixes
    )


def check_sources(words: Sequence[Piece], tree: exp.Expr, rules: Policy, restrictions: Restrictions) -> None:
    """Raises Fault REFUSED for what reads a table without a FROM, for a text where a table should stand, and
    for clauses that change how the server works or answers."""
    for index, piece in enumerate(words):
        before = words[index - 1].text.lower() if index else ""
        if piece.kind == "string" and before in ("from", "join"):
            raise refused("a text in place of a table is not allowed")
    for query in tree.find_all(exp.Query):
        if query.args.get("settings") or query.args.get("format"):
            raise refused("SETTINGS and FORMAT are not allowed")
    if rules.in_names_tables:
        for node in tree.find_all(exp.In):
            _check_in(node)
        if restrictions.restricted:
            _check_named_expressions(tree)


def _check_in(node: exp.In) -> None:
    """ClickHouse takes `x IN name` for the rows of table `name`."""
    items = node.expressions
    bare = items[0].unnest() if len(items) == 1 else None
    if node.args.get("field") is not None or isinstance(bare, exp.Column | exp.Identifier | exp.Dot):
        raise refused("IN is understood with a list of values or a subquery; write IN (SELECT ..)")


def _check_named_expressions(tree: exp.Expr) -> None:
    """`WITH 1 AS name` names a value: a table of the same name would be read where it looks like a CTE."""
    for cte in tree.find_all(exp.CTE):
        if cte.args.get("scalar") or not isinstance(cte.this, exp.Query):
            raise refused("WITH is understood with name AS (SELECT ..) when the workspace has an allow list")


def check_places(tables: Sequence[Relation], rules: Policy, restrictions: Restrictions) -> None:
    """Raises Fault REFUSED for a table of the server's own that is not on the list."""
    for table in tables:
        catalog = (table.catalog or restrictions.default_catalog).lower()
        schema = (table.schema or restrictions.default_schema).lower()
        own = schema in rules.catalog_schemas and rules.catalog_tables is not None
        if catalog in rules.denied_catalogs or (
            own and f"{schema}.{table.name}".lower() not in (rules.catalog_tables or ())
        ):
            raise refused(f"{table} may not be read")
