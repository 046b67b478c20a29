"""Pages of a view, and the whole kept result that a view needs."""

import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.results import keeping, store
from tht.sql.results.page import Page
from tht.sql.results.view import View, view_of
from tht.sql.results.view_request import ViewRequest
from tht.workspaces import Workspace


def view_page(
    workspace: Workspace,
    sql: str,
    sha256: str,
    request: ViewRequest,
    *,
    folder: Path,
    limit: int,
    offset: int,
    timeout_s: float,
    result_id: str | None,
    fresh: bool,
    cancel: Cancel,
) -> bytes:
    """A page of a view of the statement's kept result, as JSON; the statement runs when there is none yet.

    Of a result that was cut the view has the rows that were kept, and a warning says so. Raises as
    `whole_result` and `tht.sql.results.view.view_of`.
    """
    began = time.monotonic()
    kept = whole_result(
        workspace,
        sql,
        sha256,
        folder=folder,
        timeout_s=timeout_s,
        result_id=result_id,
        fresh=fresh,
        cancel=cancel,
    )
    facts = kept.facts
    view = view_of(folder, facts.result_id, kept, request, cancel)
    page = Page(view.schema(), _within(view, offset, limit, workspace.limits.bytes), workspace.limits)
    page.more = not facts.complete or offset + page.taken < view.rows
    page.warnings += facts.warnings
    if not facts.complete:
        page.warnings.append(
            f"the result was cut at {kept.rows} rows; sort and filter see only these ({view.rows} match)"
        )
    page.row_count = view.rows if facts.complete else None
    page.result_id = facts.result_id
    return page.encode(began)


def _within(view: View, offset: int, limit: int, size: int) -> Iterator[pa.RecordBatch]:
    """The rows of a page, and of what is more than `size` bytes no more than shows that it is more."""
    for batch in view.read(offset, limit):
        yield batch
        size -= batch.nbytes
        if size < 0:
            return


def whole_result(
    workspace: Workspace,
    sql: str,
    sha256: str,
    *,
    folder: Path,
    timeout_s: float,
    result_id: str | None,
    fresh: bool = False,
    cancel: Cancel,
) -> store.Kept:
    """The kept result, once nothing more will come: `result_id`, else the youngest, else that of a new run.

    Raises Fault RESULT_EXPIRED, TIMEOUT, CANCELLED, and what the statement raised.
    """
    if result_id is not None and not fresh:
        kept = store.find(folder, workspace, sha256, result_id).whole(timeout_s, cancel)
        kept.raise_if_failed()
        return kept
    run = keeping.Run(sql, timeout_s, cancel, rows=workspace.limits.rows + 1)
    while True:
        found = keeping.begin(folder, workspace, sha256, run, fresh=fresh)
        if isinstance(found, keeping.Keeping):
            return _run_to_its_end(found)
        try:
            kept = found.whole(timeout_s, cancel)
        except Fault as fault:
            # who ran it gave it up
            if fault.code is Code.RESULT_EXPIRED:
                continue
            raise
        kept.raise_if_failed()
        return kept


def _run_to_its_end(run: keeping.Keeping) -> store.Kept:
    try:
        return run.shown()
    except BaseException:
        run.stop()
        raise
