"""The SELECT behind a view, asked through an endpoint."""

from tht.sql.engines.base import Engine, behind_as
from tht.sql.guard.lexer import refused

_QUESTIONS = {
    "sqlite": "SELECT sql FROM sqlite_master WHERE type = 'view' AND lower(name) = lower({name})",
    "duckdb": "SELECT sql FROM duckdb_views() WHERE lower(view_name) = lower({name}) "
    "AND ({schema} IN ('', schema_name))",
    "postgres": "SELECT pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('v', 'm') "
    "AND c.relname = {name} AND ({schema} = '' OR n.nspname = {schema})",
    "mysql": "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME = {name} "
    "AND ({schema} = '' OR TABLE_SCHEMA = {schema})",
    "clickhouse": "SELECT as_select FROM system.tables WHERE name = {name} AND as_select <> '' "
    "AND database = if({schema} = '', currentDatabase(), {schema})",
    "trino": "SELECT view_definition FROM information_schema.views WHERE table_name = lower({name}) "
    "AND ({schema} = '' OR table_schema = lower({schema}))",
}
_WHOLE = ("sqlite", "duckdb")
"""Dialects that keep the CREATE VIEW."""


def view_text(engine: Engine, dialect: str, schema: str, name: str) -> str | None:
    """The SELECT behind view `name`, None for a table. Raises Fault REFUSED when it cannot be known which
    view is meant or what is behind it."""
    question = _QUESTIONS["mysql" if dialect == "mariadb" else dialect]
    found = engine.ask(question.format(name=_literal(name, dialect), schema=_literal(schema, dialect)))
    if not found:
        return None
    text = found[0][0]
    if len(found) > 1 or not text:
        raise refused(f"what the view {name} shows cannot be known; name its schema")
    return behind_as(str(text), dialect) if dialect in _WHOLE else str(text)


def _literal(text: str, dialect: str) -> str:
    """A string literal; names with a backslash are not asked for where it would escape."""
    if "\\" in text and dialect in ("mysql", "mariadb", "clickhouse"):
        raise refused("a name with a backslash is not understood here")
    return "'" + text.replace("'", "''") + "'"
