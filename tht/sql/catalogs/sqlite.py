"""SQLite's schema, from its table-valued PRAGMA functions."""

import json

from contracts.errors import Fault
from tht.sql.catalogs import ColumnInfo, ForeignKey, TableInfo
from tht.sql.engines.base import Engine

_LISTED = (
    "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
)
_NO_SHADOW = (
    "AND name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' "
    "AND type IN ('table', 'view', 'virtual')) "
)
_SHADOW_ENDS = (
    "data",
    "idx",
    "content",
    "docsize",
    "config",
    "segments",
    "segdir",
    "stat",
    "node",
    "rowid",
    "parent",
)
"""What SQLite's own virtual tables (FTS3 to FTS5, R-tree) add to their name for the tables behind them."""
_NO_SHADOW_BY_NAME = (
    "AND name NOT IN (SELECT v.name || '_' || e.value FROM sqlite_master v, "
    f"json_each('{json.dumps(_SHADOW_ENDS)}') e WHERE v.sql LIKE 'create virtual%') "
)


def read(engine: Engine) -> list[TableInfo]:
    """All tables and views but SQLite's own and the shadow tables of virtual ones."""
    try:
        found = engine.ask(f"{_LISTED}{_NO_SHADOW}ORDER BY name")
    except Fault:
        # Datasette does not let pragma_table_list be asked
        found = engine.ask(f"{_LISTED}{_NO_SHADOW_BY_NAME}ORDER BY name")
    tables = {str(name): TableInfo(str(name), "main", str(kind)) for name, kind in found}
    for table in tables.values():
        _columns(engine, table)
        _foreign_keys(engine, table)
        if table.kind == "table":
            table.row_estimate = _estimate(engine, table.name)
    return list(tables.values())


def _columns(engine: Engine, table: TableInfo) -> None:
    keys: list[tuple[int, str]] = []
    try:
        rows = engine.ask(
            'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1', (table.name,)
        )
    except Fault:
        # a view over something that is gone
        return
    for name, type_, required, position in rows:
        table.columns.append(ColumnInfo(str(name), str(type_), not required and not position))
        if position:
            keys.append((int(position), str(name)))
    table.primary_key = [name for _, name in sorted(keys)]


def _foreign_keys(engine: Engine, table: TableInfo) -> None:
    rows = engine.ask(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', (table.name,)
    )
    found: dict[int, ForeignKey] = {}
    for number, target, column, to in rows:
        key = found.setdefault(int(number), ForeignKey([], str(target), []))
        key.columns.append(str(column))
        if to is not None:
            key.to.append(str(to))
    table.foreign_keys = list(found.values())


def _estimate(engine: Engine, name: str) -> int | None:
    """The largest rowid: found at once, and the number of rows where none were deleted."""
    quoted = name.replace('"', '""')
    try:
        largest = engine.ask(f'SELECT max(rowid) FROM "{quoted}"')[0][0]
    except Fault:
        return None
    return largest if isinstance(largest, int) and largest >= 0 else 0 if largest is None else None
