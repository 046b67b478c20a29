"""SQL, read-only for certain: `check`, `preview`, `export`, `role_checks`.

Three layers: the guard's policy on the parsed text, the engine's own locked read-only mode, the database
role. Drivers and the parser are imported by the function that needs them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from tht.sql.cancel import Cancel
from tht.sql.results.view_request import WHOLE, ViewRequest
from tht.workspaces import Workspace

if TYPE_CHECKING:
    from tht.sql.files.export_file import Export
    from tht.sql.query import Query
    from tht.sql.results.page import Begun

__all__ = ["Cancel", "begin_preview", "check", "end_connection", "export", "preview", "role_checks"]


def check(workspace: Workspace, sql: str) -> dict[str, Any]:
    """`{ok: true, statement, tables, sha256}` of a statement that may run. Raises Fault REFUSED or
    TOO_LARGE."""
    from tht.sql.verdicts import verdict_of

    verdict = verdict_of(workspace, sql)
    return {
        "ok": True,
        "statement": verdict.statement,
        "tables": [str(table) for table in verdict.tables],
        "sha256": verdict.sha256,
    }


class Asked(TypedDict, total=False):
    """How a page is asked for."""

    limit: int
    """Rows; 100 when it is not said."""
    offset: int
    timeout_s: float | None
    """Seconds; the workspace's own limit when it is not said."""
    result_id: str | None
    """This kept result and no other."""
    fresh: bool
    """Runs the statement though its result is kept."""
    draft: bool
    """Reads as far as the page reaches and keeps nothing."""
    view: ViewRequest
    """Sorts and filters what is kept."""
    cancel: Cancel | None


def preview(workspace: Workspace, sql: str, *, home_results: Path, **asked: Unpack[Asked]) -> bytes:
    """A page as JSON: `{columns, rows, truncated, row_count, result_id, elapsed_ms, warnings}`, `draft:
    true` on a draft.

    `truncated` says that there are rows after these; `row_count` is exact or null. Raises Fault: REFUSED,
    TIMEOUT, CANCELLED, DATABASE_ERROR, DATABASE_UNAVAILABLE, OVER_CAP, RESULT_EXPIRED, INVALID_ARGUMENT.
    """
    return begin_preview(workspace, sql, home_results=home_results, **asked).finish()


def begin_preview(workspace: Workspace, sql: str, *, home_results: Path, **asked: Unpack[Asked]) -> "Begun":
    """`preview` as soon as the rows of the page are there; the statement may still run behind it. A page of a
    view needs them all."""
    from tht.sql.query import Window
    from tht.sql.results import page

    query = _query(workspace, sql, home_results, asked.get("timeout_s"), asked.get("cancel"))
    window = Window(
        asked.get("limit", 100), asked.get("offset", 0), asked.get("result_id"), asked.get("fresh", False)
    )
    if asked.get("draft"):
        return page.Begun(page.draft_page(query, window))
    if view := asked.get("view"):
        from tht.sql.results.view_page import view_page

        return page.Begun(view_page(query, window, view))
    return page.begin_page(query, window)


def _query(
    workspace: Workspace, sql: str, folder: Path, timeout_s: float | None, cancel: Cancel | None
) -> "Query":
    """The statement, which the guard has passed. Raises Fault REFUSED, TOO_LARGE."""
    from tht.sql.query import Query
    from tht.sql.verdicts import verdict_of

    sha256 = verdict_of(workspace, sql).sha256
    seconds = workspace.limits.timeout_s if timeout_s is None else timeout_s
    return Query(workspace, sql, sha256, folder, seconds, cancel or Cancel())


def export(
    workspace: Workspace,
    sql: str,
    *,
    home_results: Path,
    format: str = "csv",  # noqa: A002 - the word of the contract
    raw: bool = False,
    options: Mapping[str, Any] | None = None,
    timeout_s: float | None = None,
    result_id: str | None = None,
    view: ViewRequest = WHOLE,
    cancel: Cancel | None = None,
) -> "Export":
    """The rows as a file, in chunks of at most 256 KiB; see `tht.sql.files.export_file.Export`."""
    from tht.sql.files.export_file import export as run

    query = _query(workspace, sql, home_results, timeout_s, cancel)
    return run(query, format_=format, raw=raw, options=options or {}, result_id=result_id, view=view)


def end_connection(workspace: Workspace, connection: int) -> None:
    """Ends the connection that a dead process had to the workspace's server, and what ran on it. Raises Fault
    when the server cannot be reached."""
    from tht.sql import warm

    engine = warm.connect(workspace, checked=False)
    try:
        engine.end(connection)
    finally:
        engine.close()


def role_checks(workspace: Workspace) -> list[dict[str, Any]]:
    """`[{name, ok, message}]` on the account or file of the workspace. Raises Fault when it cannot be
    reached."""
    from tht.sql import warm

    engine = warm.connect(workspace, checked=False)
    try:
        return [{"name": name, "ok": ok, "message": message} for name, ok, message in engine.checks()]
    finally:
        engine.close()
