"""PostgreSQL's schema, from its catalog."""

import json
from typing import Any

from tht.sql.catalogs import ColumnInfo, ForeignKey, TableInfo
from tht.sql.engines.base import Engine

_RELATIONS = (
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' "
    "AND n.nspname <> 'information_schema' "
    "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')"
)


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views that the account may read."""
    rows = engine.ask(
        "SELECT c.oid, n.nspname, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END, "
        "pg_catalog.obj_description(c.oid, 'pg_class'), CASE WHEN c.reltuples >= 0 AND c.relkind <> 'v' "
        f"THEN c.reltuples::bigint END {_RELATIONS} AND NOT c.relispartition ORDER BY 2, 3"
    )
    tables: dict[str, TableInfo] = {}
    for oid, schema, name, kind, comment, estimate in rows:
        tables[str(oid)] = TableInfo(name, schema, kind, comment, None if estimate is None else int(estimate))
    _columns(engine, tables)
    _keys(engine, tables)
    return list(tables.values())


def _columns(engine: Engine, tables: dict[str, TableInfo]) -> None:
    rows = engine.ask(
        "SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, "
        "pg_catalog.col_description(a.attrelid, a.attnum) FROM pg_catalog.pg_attribute a WHERE a.attnum > 0 "
        f"AND NOT a.attisdropped AND a.attrelid IN (SELECT c.oid {_RELATIONS}) ORDER BY a.attrelid, a.attnum"
    )
    for oid, name, type_, required, comment in rows:
        table = tables.get(str(oid))
        if table is not None:
            table.columns.append(ColumnInfo(name, type_, required not in ("t", True), comment))


def _keys(engine: Engine, tables: dict[str, TableInfo]) -> None:
    names = (
        "(SELECT pg_catalog.json_agg(a.attname ORDER BY k.ord) FROM pg_catalog.unnest({keys}) "
        "WITH ORDINALITY AS k(attnum, ord) JOIN pg_catalog.pg_attribute a ON a.attrelid = {table} "
        "AND a.attnum = k.attnum)"
    )
    rows = engine.ask(
        f"SELECT o.conrelid, o.contype, {names.format(keys='o.conkey', table='o.conrelid')}, f.relname, "
        f"{names.format(keys='o.confkey', table='o.confrelid')} FROM pg_catalog.pg_constraint o "
        "LEFT JOIN pg_catalog.pg_class f ON f.oid = o.confrelid WHERE o.contype IN ('p', 'f') ORDER BY o.oid"
    )
    for oid, kind, columns, target, to in rows:
        table = tables.get(str(oid))
        if table is None:
            continue
        if kind == "p":
            table.primary_key = _list(columns)
        else:
            table.foreign_keys.append(ForeignKey(_list(columns), str(target), _list(to)))


def _list(text: Any) -> list[str]:
    return [str(name) for name in json.loads(text)] if text else []
