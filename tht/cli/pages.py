"""A page of rows for people."""

from __future__ import annotations

from tht.cli.output import print_json, print_line, print_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tht.cli.parser import Options


def print_page(options: Options, page: dict[str, Any]) -> None:
    """A page as JSON or as a table, with what a reader must know about it below."""
    if options.json:
        print_json(page)
        return
    print_table([column["name"] for column in page["columns"]], page["rows"])
    shown = f"{len(page['rows'])} rows"
    if page.get("row_count") is not None:
        shown += f" of {page['row_count']}"
    if page.get("truncated"):
        shown += ", there are more"
    print_line(f"({shown})", "DRAFT, not approved" if page.get("draft") else "")
    if page.get("result_id"):
        print_line("result:", page["result_id"])
    warnings: list[str] = page.get("warnings") or []
    for warning in warnings:
        print_line("note:", warning)
