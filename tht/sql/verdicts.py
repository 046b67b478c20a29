"""The guard asked for a workspace, its answers remembered: parsing costs more than a small query."""

from collections import OrderedDict
from threading import Lock

from contracts.errors import Fault
from tht.sql.guard.judge import Verdict, judge, sha256_of
from tht.sql.guard.relations import Relation
from tht.sql.guard.restrictions import Restrictions
from tht.workspaces import Workspace

REMEMBERED = 512
"""Verdicts kept in one process."""
_LONGEST = 100_000
"""Characters of a text whose verdict is remembered."""

_lock = Lock()
_verdicts: OrderedDict[tuple[str, str], Verdict | Fault] = OrderedDict()


def restrictions_of(workspace: Workspace) -> Restrictions:
    """The allow list of a workspace as the guard takes it."""
    allow = workspace.allow

    def view_definition(relation: Relation) -> str | None:
        from tht.sql import warm

        with warm.engine(workspace) as engine:
            return engine.view_definition(relation.schema, relation.name)

    def known_columns(relation: Relation) -> list[str] | None:
        from tht import schema

        return schema.columns_of(workspace, relation.schema, relation.name)

    return Restrictions(
        schemas=allow.schemas,
        tables=allow.tables,
        deny_columns=allow.deny_columns,
        default_schema=_default_schema(workspace),
        default_catalog=_default_catalog(workspace),
        view_definition=view_definition,
        known_columns=known_columns,
    )


def _default_schema(workspace: Workspace) -> str:
    if workspace.transport == "rest":
        options = workspace.connection.resolve().options
        told = options.get("schema") or options.get("database") or ""
        return told or ("default" if workspace.dialect == "clickhouse" else "")
    if workspace.dialect not in ("mysql", "mariadb"):
        return ""
    from urllib.parse import unquote, urlsplit

    url = workspace.connection.resolve().url or ""
    return unquote(urlsplit(url).path.strip("/"))


def _default_catalog(workspace: Workspace) -> str:
    if workspace.dialect != "trino":
        return ""
    return workspace.connection.resolve().options.get("catalog", "")


def verdict_of(workspace: Workspace, sql: str) -> Verdict:
    """The verdict on `sql`. Raises the same Fault each time for a text that is refused."""
    key = (workspace.fingerprint, sha256_of(sql))
    # what is behind a view can change, so with denied columns the answer is not remembered
    memorable = len(sql) <= _LONGEST and not workspace.allow.deny_columns
    if memorable:
        with _lock:
            known = _verdicts.get(key)
            if known is not None:
                _verdicts.move_to_end(key)
        if isinstance(known, Fault):
            raise Fault(known.code, known.message, **known.details)
        if known is not None:
            return known
    found: Verdict | Fault
    try:
        found = judge(sql, workspace.dialect, restrictions_of(workspace))
    except Fault as fault:
        found = fault
    if memorable:
        with _lock:
            _verdicts[key] = found
            while len(_verdicts) > REMEMBERED:
                _verdicts.popitem(last=False)
    if isinstance(found, Fault):
        raise found
    return found
