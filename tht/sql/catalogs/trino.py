"""Trino's schema: the information_schema of the connection's catalog."""

from tht.sql.catalogs import ColumnInfo, TableInfo
from tht.sql.engines.base import Engine


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views of the catalog that the account may see."""
    found = engine.ask(
        "SELECT table_schema, table_name, table_type FROM information_schema.tables "
        "WHERE table_schema <> 'information_schema' ORDER BY table_schema, table_name"
    )
    tables = {
        (str(schema), str(name)): TableInfo(str(name), str(schema), "view" if kind == "VIEW" else "table")
        for schema, name, kind in found
    }
    rows = engine.ask(
        "SELECT table_schema, table_name, column_name, data_type, is_nullable "
        "FROM information_schema.columns WHERE table_schema <> 'information_schema' "
        "ORDER BY table_schema, table_name, ordinal_position"
    )
    for schema, name, column, type_, nullable in rows:
        table = tables.get((str(schema), str(name)))
        if table is not None:
            table.columns.append(ColumnInfo(str(column), str(type_), nullable != "NO"))
    return list(tables.values())
