"""Tables and columns of a workspace, or of a session's workspace, within what may be read."""

from __future__ import annotations

import argparse

from tht.cli.calls import call
from tht.cli.output import print_entries, print_json, print_line, print_table
from tht.cli.pages import print_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    tables = parser.command("tables", _tables, "the tables and views")
    describe = parser.command("describe", _describe, "columns, types, keys and comments of a table")
    search = parser.command("search", _search, "tables and columns whose name or comment holds a text")
    sample = parser.command("sample", _sample, "some rows of a table")
    everything = parser.command("all", _all, "every table with its columns, as JSON")
    for command in (describe, sample):
        command.add_argument("table", metavar="TABLE")
    search.add_argument("text", metavar="TEXT")
    sample.add_argument("--columns", metavar="A,B", help="only these columns")
    sample.add_argument("--limit", type=int, help="rows")
    for command in (tables, describe, search, sample):
        place_options(command)
    everything.add_argument("--workspace", metavar="NAME", required=True)


def place_options(command: argparse.ArgumentParser) -> None:
    """The two ways to name a database."""
    place = command.add_mutually_exclusive_group(required=True)
    place.add_argument("--workspace", metavar="NAME")
    place.add_argument("--session", metavar="ID", help="the workspace of this session")


def _tables(options: Options) -> int:
    columns = ["schema", "name", "kind", "row_estimate", "comment"]
    print_entries(_call(options, "schema.tables"), "tables", columns, as_json=options.json)
    return 0


def _describe(options: Options) -> int:
    document = _call(options, "schema.describe", table=options.table)
    if options.json:
        print_json(document)
        return 0
    print_line(f"{document['schema']}.{document['name']}", document["comment"])
    columns = ["name", "type", "nullable", "comment"]
    print_table(columns, [[column.get(key) for key in columns] for column in document["columns"]])
    if document["primary_key"]:
        print_line("primary key:", ", ".join(document["primary_key"]))
    for key in document["foreign_keys"]:
        print_line("foreign key:", ", ".join(key["columns"]), "->", key["table"], f"({', '.join(key['to'])})")
    return 0


def _search(options: Options) -> int:
    document = _call(options, "schema.search", text=options.text)
    print_entries(document, "matches", ["table", "column", "type", "comment"], as_json=options.json)
    return 0


def _sample(options: Options) -> int:
    columns = options.columns.split(",") if options.columns else None
    print_page(
        options, _call(options, "schema.sample", table=options.table, columns=columns, limit=options.limit)
    )
    return 0


def _all(options: Options) -> int:
    print_json(call(options, "schema.all", workspace=options.workspace))
    return 0


def _call(options: Options, operation: str, **arguments: Any) -> dict[str, Any]:
    return call(options, operation, workspace=options.workspace, session=options.session, **arguments)
