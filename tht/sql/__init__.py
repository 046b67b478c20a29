"""SQL, read-only for certain: `check`, `preview`, `export`, `role_checks`.

Three layers: the guard's policy on the parsed text, the engine's own locked read-only mode, the database
role. Drivers and the parser are imported by the function that needs them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tht.sql.cancel import Cancel
from tht.sql.results.view_request import WHOLE, ViewRequest
from tht.workspaces import Workspace

if TYPE_CHECKING:
    from tht.sql.files.export_file import Export
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


def preview(
    workspace: Workspace,
    sql: str,
    *,
    home_results: Path,
    limit: int = 100,
    offset: int = 0,
    timeout_s: float | None = None,
    result_id: str | None = None,
    fresh: bool = False,
    draft: bool = False,
    view: ViewRequest = WHOLE,
    cancel: Cancel | None = None,
) -> bytes:
    """A page as JSON: `{columns, rows, truncated, row_count, result_id, elapsed_ms, warnings}`, `draft:
    true` on a draft.

    `truncated` says that there are rows after these; `row_count` is exact or null. A draft is read as far as
    the page reaches and nothing is kept of it; `view` sorts and filters what is kept. Raises Fault: REFUSED,
    TIMEOUT, CANCELLED, DATABASE_ERROR, DATABASE_UNAVAILABLE, OVER_CAP, RESULT_EXPIRED, INVALID_ARGUMENT.
    """
    begun = begin_preview(
        workspace,
        sql,
        home_results=home_results,
        limit=limit,
        offset=offset,
        timeout_s=timeout_s,
        result_id=result_id,
        fresh=fresh,
        draft=draft,
        view=view,
        cancel=cancel,
    )
    return begun.finish()


def begin_preview(
    workspace: Workspace,
    sql: str,
    *,
    home_results: Path,
    limit: int = 100,
    offset: int = 0,
    timeout_s: float | None = None,
    result_id: str | None = None,
    fresh: bool = False,
    draft: bool = False,
    view: ViewRequest = WHOLE,
    cancel: Cancel | None = None,
) -> "Begun":
    """`preview` as soon as the rows of the page are there; the statement may still run behind it. A page of a
    view needs them all."""
    from tht.sql.results import page
    from tht.sql.verdicts import verdict_of

    verdict = verdict_of(workspace, sql)
    seconds = workspace.limits.timeout_s if timeout_s is None else timeout_s
    token = cancel or Cancel()
    if draft:
        return page.Begun(
            page.draft_page(workspace, sql, limit=limit, offset=offset, timeout_s=seconds, cancel=token)
        )
    if view:
        from tht.sql.results.view_page import view_page

        rows = view_page(
            workspace,
            sql,
            verdict.sha256,
            view,
            folder=home_results,
            limit=limit,
            offset=offset,
            timeout_s=seconds,
            result_id=result_id,
            fresh=fresh,
            cancel=token,
        )
        return page.Begun(rows)
    return page.begin_page(
        workspace,
        sql,
        verdict.sha256,
        folder=home_results,
        limit=limit,
        offset=offset,
        timeout_s=seconds,
        result_id=result_id,
        fresh=fresh,
        cancel=token,
    )


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
    from tht.sql.verdicts import verdict_of

    verdict = verdict_of(workspace, sql)
    seconds = workspace.limits.timeout_s if timeout_s is None else timeout_s
    return run(
        workspace,
        sql,
        verdict.sha256,
        folder=home_results,
        format_=format,
        raw=raw,
        options=options or {},
        timeout_s=seconds,
        result_id=result_id,
        view=view,
        cancel=cancel or Cancel(),
    )


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
