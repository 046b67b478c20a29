"""Which statements a superuser may run as itself.

`information_schema` shows an account the constraints, defaults and definitions of what it owns, so that most
of them would silently be missing for pg_read_all_data. A statement that reads nothing else, with names looked
up in pg_catalog alone, reaches no code of a user: no function, operator, type or view of one is in sight.
"""

from contracts.errors import Fault
from tht.sql.guard.judge import judge
from tht.sql.guard.lexer import scan
from tht.sql.guard.parsing import significant
from tht.sql.guard.policy import known_functions, names
from tht.sql.guard.restrictions import Restrictions

OWN_RIGHTS = "SET LOCAL search_path = pg_catalog"
"""What such a statement runs behind."""

_SYNTAX = names(
    "in and or not using on where over filter as from select exists any all some values when then else by "
    "having union except intersect lateral join distinct within group limit offset array row"
)
"""Words before a parenthesis that call nothing."""


def asks_information_schema_alone(sql: str, schemas: frozenset[str]) -> bool:
    """True when every table of `sql` is one of `information_schema`, every function one of PostgreSQL's, and
    no name is looked up in one of the users' `schemas`, nor a table in a text ('orders'::regclass)."""
    try:
        verdict = judge(sql, "postgres", Restrictions())
    except Fault:
        return False
    tables = verdict.tables
    words = [piece for piece in significant(scan(sql, "postgres")) if piece.kind != "end"]
    spelled = [piece.value.lower() if piece.kind in ("word", "name") else "" for piece in words]
    qualifiers = {name for name, after in zip(spelled, words[1:], strict=False) if after.text == "."}
    return (
        bool(tables)
        and all(table.schema == "information_schema" for table in tables)
        and not qualifiers & schemas
        and _SYNTAX | known_functions("postgres") >= set(verdict.functions)
        and not any(name.startswith(("reg", "to_reg")) for name in spelled)
    )
