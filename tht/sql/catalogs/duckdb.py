"""DuckDB's schema, from its duckdb_*() functions."""

from tht.sql.catalogs import ColumnInfo, ForeignKey, TableInfo
from tht.sql.engines.base import Engine


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views of the file that are not DuckDB's own."""
    rows = engine.ask(
        "SELECT schema_name, table_name, 'table', comment, estimated_size FROM duckdb_tables() "
        "WHERE NOT internal AND NOT temporary AND database_name = current_database() UNION ALL "
        "SELECT schema_name, view_name, 'view', comment, NULL FROM duckdb_views() "
        "WHERE NOT internal AND NOT temporary AND database_name = current_database() ORDER BY 1, 2"
    )
    tables = {
        (str(schema), str(name)): TableInfo(str(name), str(schema), str(kind), comment, estimate)
        for schema, name, kind, comment, estimate in rows
    }
    _columns(engine, tables)
    _keys(engine, tables)
    return list(tables.values())


def _columns(engine: Engine, tables: dict[tuple[str, str], TableInfo]) -> None:
    rows = engine.ask(
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns() "
        "WHERE NOT internal AND database_name = current_database() "
        "ORDER BY schema_name, table_name, column_index"
    )
    for schema, name, column, type_, nullable, comment in rows:
        table = tables.get((str(schema), str(name)))
        if table is not None:
            table.columns.append(ColumnInfo(str(column), str(type_), bool(nullable), comment))


def _keys(engine: Engine, tables: dict[tuple[str, str], TableInfo]) -> None:
    rows = engine.ask(
        "SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, "
        "referenced_column_names FROM duckdb_constraints() WHERE database_name = current_database() "
        "AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY constraint_index"
    )
    for schema, name, kind, columns, target, to in rows:
        table = tables.get((str(schema), str(name)))
        if table is None:
            continue
        if kind == "PRIMARY KEY":
            table.primary_key = [str(column) for column in columns]
        else:
            table.foreign_keys.append(
                ForeignKey([str(c) for c in columns], str(target), [str(c) for c in to or ()])
            )
