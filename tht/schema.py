"""What an agent and a person may know of a database: tables, columns, keys, comments, sample values.

Read once and remembered for a while; `as_of` says when. Everything goes through the workspace's allow list:
a table that is not on it does not exist here, a denied column is not named and never sampled.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import msgspec

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.catalogs import ForeignKey, TableInfo
from tht.workspaces import Workspace

AGE_S = 300.0
"""Seconds for which what was read is good enough."""
MATCHES = 200
"""The most that a search gives."""
SAMPLE_CAP = 100
"""Rows of a sample."""


@dataclass(frozen=True, slots=True)
class _Catalog:
    tables: list[TableInfo]
    columns: dict[tuple[str, str], list[str]]
    """Names of all columns by schema and table in small letters, the denied ones among them."""
    as_of: str
    read_at: float


_lock = threading.Lock()
_catalogs: dict[str, _Catalog] = {}


def tables(workspace: Workspace, *, cancel: Cancel | None = None) -> dict[str, Any]:
    """`{tables: [{name, schema, kind, comment, row_estimate}], as_of}`."""
    catalog = _catalog(workspace, cancel)
    listed = [
        {
            "name": table.name,
            "schema": table.schema,
            "kind": table.kind,
            "comment": table.comment,
            "row_estimate": table.row_estimate,
        }
        for table in catalog.tables
    ]
    return {"tables": listed, "as_of": catalog.as_of}


def describe(workspace: Workspace, table: str, *, cancel: Cancel | None = None) -> dict[str, Any]:
    """`{name, schema, kind, comment, row_estimate, columns, primary_key, foreign_keys}` of `table` or
    `schema.table`.

    Raises Fault NOT_FOUND, naming what is similar.
    """
    return asdict(_find(_catalog(workspace, cancel).tables, table))


def search(workspace: Workspace, text: str, *, cancel: Cancel | None = None) -> dict[str, Any]:
    """`{matches: [{table, column?, type?, comment?}]}` where every word of `text` stands in the name or
    comment."""
    words = text.lower().split()
    if not words:
        raise Fault(Code.INVALID_ARGUMENT, "give a word to search for")
    found: list[dict[str, Any]] = []
    for table in _catalog(workspace, cancel).tables:
        if _holds(words, table.name, table.comment):
            found.append({"table": table.name, "comment": table.comment})
        for column in table.columns:
            if _holds(words, column.name, column.comment) or _holds(
                words, f"{table.name} {column.name}", column.comment
            ):
                match = {
                    "table": table.name,
                    "column": column.name,
                    "type": column.type,
                    "comment": column.comment,
                }
                found.append(match)
    return {"matches": found[:MATCHES]}


def sample(
    workspace: Workspace,
    table: str,
    *,
    columns: Sequence[str] | None = None,
    limit: int | None = None,
    cancel: Cancel | None = None,
) -> msgspec.Raw:
    """A page of a few rows of `table`, of all its columns that are not denied or of `columns` alone."""
    from tht import sql

    info = _find(_catalog(workspace, cancel).tables, table)
    known = [column.name for column in info.columns]
    for name in columns or ():
        if name not in known:
            raise Fault(
                Code.NOT_FOUND, f"{info.name} has no column {name[:80]!r}; it has {', '.join(known[:30])}"
            )
    count = 5 if limit is None else limit
    if not 1 <= count <= SAMPLE_CAP:
        raise Fault(Code.INVALID_ARGUMENT, f"limit must be from 1 to {SAMPLE_CAP}")
    mark = "`" if workspace.dialect in ("mysql", "mariadb") else '"'
    chosen = ", ".join(_quoted(name, mark) for name in columns or known)
    place = f"{_quoted(info.schema, mark)}.{_quoted(info.name, mark)}"
    statement = f"SELECT {chosen} FROM {place} LIMIT {count}"
    page = sql.preview(
        workspace, statement, home_results=workspace.connection.folder, limit=count, draft=True, cancel=cancel
    )
    return msgspec.Raw(page)


def all(workspace: Workspace, *, cancel: Cancel | None = None) -> dict[str, Any]:  # noqa: A001 - the operation's word
    """`{workspace, dialect, as_of, tables}`, every table as in `describe`."""
    catalog = _catalog(workspace, cancel)
    return {
        "workspace": workspace.name,
        "dialect": workspace.dialect,
        "as_of": catalog.as_of,
        "tables": [asdict(table) for table in catalog.tables],
    }


def _quoted(name: str, mark: str) -> str:
    return mark + name.replace(mark, mark + mark) + mark


def _holds(words: Sequence[str], name: str, comment: str | None) -> bool:
    text = f"{name} {name.replace('_', ' ')} {comment or ''}".lower()
    return not [word for word in words if word not in text]


def _find(found: Sequence[TableInfo], wanted: str) -> TableInfo:
    for fold in (str, str.lower):
        name = fold(wanted)
        matches = [t for t in found if name in (fold(t.name), fold(f"{t.schema}.{t.name}"))]
        if matches:
            return matches[0]
    near = get_close_matches(wanted, [table.name for table in found], n=3)
    hint = f"; similar: {', '.join(near)}" if near else ""
    raise Fault(Code.NOT_FOUND, f"there is no table {wanted[:80]!r} in this workspace{hint}")


def columns_of(workspace: Workspace, schema: str, table: str) -> list[str] | None:
    """The columns of a table or view, denied ones too, for the guard; None when there is no single such
    table."""
    found = [
        columns
        for (place, name), columns in _catalog(workspace, None).columns.items()
        if name == table.lower() and schema.lower() in ("", place)
    ]
    return found[0] if len(found) == 1 else None


def _catalog(workspace: Workspace, cancel: Cancel | None) -> _Catalog:
    with _lock:
        known = _catalogs.get(workspace.fingerprint)
    if known is not None and time.monotonic() - known.read_at < AGE_S:
        return known
    found = _read(workspace, cancel)
    columns = {(t.schema.lower(), t.name.lower()): [column.name for column in t.columns] for t in found}
    as_of = datetime.now(UTC).isoformat(timespec="seconds")
    read = _Catalog(_allowed(workspace, found), columns, as_of, time.monotonic())
    with _lock:
        _catalogs[workspace.fingerprint] = read
    return read


def _read(workspace: Workspace, cancel: Cancel | None) -> list[TableInfo]:
    from tht.sql import warm

    if cancel is not None:
        cancel.raise_if_set()
    name = {"mysql": "mariadb"}.get(workspace.dialect, workspace.dialect)
    with warm.engine(workspace) as engine:
        found: list[TableInfo] = import_module(f"tht.sql.catalogs.{name}").read(engine)
    return found


def _allowed(workspace: Workspace, found: list[TableInfo]) -> list[TableInfo]:
    """What of the catalog the allow list shows; keys that name a denied column or a hidden table are left
    out."""
    from tht.sql.guard.judge import LEXICAL
    from tht.sql.guard.policy import policy
    from tht.sql.guard.relations import Relation
    from tht.sql.verdicts import restrictions_of

    restrictions = replace(restrictions_of(workspace), known_columns=None)
    rules = policy(LEXICAL.get(workspace.dialect, workspace.dialect))
    shown = (
        [table for table in found if restrictions.may_read(Relation(table.name, table.schema), rules)]
        if (restrictions.restricted)
        else found
    )
    visible = {table.name for table in shown}
    for table in shown:
        relation = Relation(table.name, table.schema)
        hidden = {c.name for c in table.columns if restrictions.denies(relation, c.name)}
        table.columns = [column for column in table.columns if column.name not in hidden]
        table.primary_key = [] if hidden & set(table.primary_key) else table.primary_key
        table.foreign_keys = [key for key in table.foreign_keys if _known(key, hidden, visible)]
    return shown


def _known(key: ForeignKey, hidden: set[str], visible: set[str]) -> bool:
    return key.table in visible and not hidden & set(key.columns)
