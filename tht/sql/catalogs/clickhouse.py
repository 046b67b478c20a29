"""ClickHouse's schema, from its system tables."""

from tht.sql.catalogs import ColumnInfo, TableInfo
from tht.sql.engines.base import Engine

_OWN = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')"


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views that the account may see."""
    found = engine.ask(
        f"SELECT database, name, engine FROM system.tables WHERE {_OWN} ORDER BY database, name"
    )
    tables = {
        (str(schema), str(name)): TableInfo(str(name), str(schema), "view" if "View" in kind else "table")
        for schema, name, kind in found
        if not str(name).startswith(".inner")
    }
    rows = engine.ask(
        "SELECT database, table, name, type, comment, is_in_primary_key FROM system.columns "
        f"WHERE {_OWN} ORDER BY database, table"
    )
    for schema, name, column, type_, comment, in_key in rows:
        table = tables.get((str(schema), str(name)))
        if table is None:
            continue
        nullable = str(type_).startswith(("Nullable(", "LowCardinality(Nullable("))
        table.columns.append(ColumnInfo(str(column), str(type_), nullable, str(comment) or None))
        if in_key:
            table.primary_key.append(str(column))
    return list(tables.values())
