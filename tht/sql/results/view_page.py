"""Pages of a view, and the whole kept result that a view needs."""

import time
from collections.abc import Iterator

import pyarrow as pa

from tht.sql.query import Query, Window
from tht.sql.results import keeping, store
from tht.sql.results.page import Page
from tht.sql.results.view import View, view_of
from tht.sql.results.view_request import ViewRequest


def view_page(query: Query, window: Window, request: ViewRequest) -> bytes:
    """A page of a view of the statement's kept result, as JSON; the statement runs when there is none yet.

    Of a result that was cut the view has the rows that were kept, and a warning says so. Raises as
    `whole_result` and `tht.sql.results.view.view_of`.
    """
    began = time.monotonic()
    limits, limit, offset = query.workspace.limits, window.limit, window.offset
    kept = whole_result(query, window.result_id, fresh=window.fresh)
    facts = kept.facts
    view = view_of(query.folder, facts.result_id, kept, request, query.cancel)
    page = Page(view.schema(), _within(view, offset, limit, limits.bytes), limits)
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


def whole_result(query: Query, result_id: str | None, *, fresh: bool = False) -> store.Kept:
    """The kept result, once nothing more will come: `result_id`, else the youngest, else that of a new run.

    Raises Fault RESULT_EXPIRED, TIMEOUT, CANCELLED, and what the statement raised.
    """
    kept, run = keeping.having(query, query.workspace.limits.rows + 1, result_id=result_id, fresh=fresh)
    if run is not None:
        kept = run.finish()
    kept.raise_if_failed()
    return kept
