"""MariaDB's and MySQL's schema, from information_schema."""

from tht.sql.catalogs import ColumnInfo, ForeignKey, TableInfo
from tht.sql.engines.base import Engine


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views of the connection's database."""
    rows = engine.ask(
        "SELECT TABLE_NAME, TABLE_SCHEMA, TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS "
        "FROM information_schema.TABLES "
        "WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') "
        "ORDER BY TABLE_NAME"
    )
    tables: dict[str, TableInfo] = {}
    for name, schema, kind, comment, estimate in rows:
        view = kind == "VIEW"
        shown = comment if comment and not view else None
        count = None if view or estimate is None else int(estimate)
        tables[name] = TableInfo(name, schema, "view" if view else "table", shown, count)
    _columns(engine, tables)
    _foreign_keys(engine, tables)
    return list(tables.values())


def _columns(engine: Engine, tables: dict[str, TableInfo]) -> None:
    rows = engine.ask(
        "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, COLUMN_KEY "
        "FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
        "ORDER BY TABLE_NAME, ORDINAL_POSITION"
    )
    for name, column, type_, nullable, comment, key in rows:
        table = tables.get(name)
        if table is None:
            continue
        table.columns.append(ColumnInfo(column, type_, nullable == "YES", comment or None))
        if key == "PRI":
            table.primary_key.append(column)


def _foreign_keys(engine: Engine, tables: dict[str, TableInfo]) -> None:
    rows = engine.ask(
        "SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME "
        "FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() "
        "AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION"
    )
    found: dict[tuple[str, str], ForeignKey] = {}
    for name, constraint, column, target, to in rows:
        if name not in tables:
            continue
        if (name, constraint) not in found:
            found[name, constraint] = ForeignKey([], target, [])
            tables[name].foreign_keys.append(found[name, constraint])
        found[name, constraint].columns.append(column)
        found[name, constraint].to.append(to)
