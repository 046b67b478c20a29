"""Read-only statements: the approved SQL of a session, or a draft in a file."""

from __future__ import annotations

import os
import sys

import msgspec

from contracts.errors import Code, Fault
from tht import operations
from tht.cli.calls import call, decoded, finished, run, unfinished
from tht.cli.inputs import read_text
from tht.cli.output import print_json, print_line
from tht.cli.pages import print_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    check = _command(parser, "check", _check, "would this statement be allowed to run?", "what to check")
    draft = "a draft to run; without it the session's approved SQL runs"
    preview = _command(parser, "preview", _preview, "a page of rows", draft)
    export = _command(parser, "export", _export, "the whole result as a file", draft)
    preview.add_argument("--limit", type=int, default=100, metavar="N", help="rows (default 100)")
    preview.add_argument("--offset", type=int, default=0, metavar="N", help="rows to leave out first")
    preview.add_argument("--fresh", action="store_true", help="run again though a result is kept")
    for command in (preview, export):
        command.add_argument("--timeout", type=float, metavar="SECONDS", help="at most the workspace's limit")
        command.add_argument("--result-id", metavar="ID", help="this kept result and no other")
        _view_options(command)
    export.add_argument("--format", choices=("csv", "parquet", "arrow"), default="csv")
    export.add_argument("--out", metavar="FILE", default="-", help="where to (default: stdout)")
    _csv_options(export)
    check.add_argument("--artifact", action="store_true", help="check the session's sql_final.sql")


def _command(parser: Parser, name: str, run_it: Callable[[Options], int], purpose: str, draft: str) -> Parser:
    command = parser.command(name, run_it, purpose)
    command.add_argument("--session", metavar="ID", help="a session, in its workspace")
    command.add_argument("--workspace", metavar="NAME", help="a workspace, for a draft without a session")
    command.add_argument("--sql-file", metavar="FILE", help=f"{draft}; - for stdin")
    return command


def _view_options(command: Parser) -> None:
    command.add_argument(
        "--sort",
        metavar="KEY[:desc]",
        action="append",
        help="sort by the column of this key; again: then by that",
    )
    command.add_argument(
        "--filter",
        metavar="KEY:OP[:VALUE]",
        action="append",
        help="rows where this holds, and every other --filter; eq, ne, lt, le, gt, ge, contains, starts, in, "
        "null, not_null; VALUE as JSON or text",
    )


def _csv_options(export: Parser) -> None:
    guard = export.add_mutually_exclusive_group()
    guard.add_argument("--raw", action="store_true", default=True, help="CSV: cells as they are (default)")
    guard.add_argument("--guard", action="store_true", help="CSV: disarm text a spreadsheet would run")
    export.add_argument("--delimiter", metavar="C", help="CSV: between fields (default ,)")
    export.add_argument("--decimal-comma", action="store_true", help="CSV: numbers as 1,5")
    export.add_argument("--bom", action="store_true", help="CSV: a byte order mark, for Excel")
    export.add_argument("--null", metavar="TEXT", help="CSV: what stands for NULL")
    export.add_argument("--lf", action="store_true", help="CSV: lines end in LF, not CR LF")
    export.add_argument("--no-header", action="store_true", help="CSV: no line of column names")


def _check(options: Options) -> int:
    text = _draft(options)
    if options.artifact and options.session and text is None:
        text = call(options, "artifact.get", session=options.session, name="sql_final.sql")["text"]
    if text is None:
        raise Fault(Code.INVALID_ARGUMENT, "give --sql-file FILE, or --session ID --artifact")
    document = call(options, "sql.check", session=options.session, workspace=options.workspace, sql=text)
    if options.json:
        print_json(document)
    else:
        print_line("may run:", document["statement"], "of", ", ".join(document["tables"]) or "no table")
    return 0


def _preview(options: Options) -> int:
    arguments = {
        **_statement(options),
        "limit": options.limit,
        "offset": options.offset,
        "fresh": options.fresh,
    }
    result = run(options, "sql.preview", arguments)
    if isinstance(result, operations.Early):
        _print_rows(options, result.answer)
        # The rows that follow are kept for the pages that follow.
        result.rest()
    elif isinstance(result, msgspec.Raw):
        _print_rows(options, result)
    else:
        raise TypeError("sql.preview gave no page")
    return 0


def _print_rows(options: Options, page: msgspec.Raw) -> None:
    if options.json:
        # As it came, so that no digit changes on the way.
        sys.stdout.buffer.write(bytes(page) + b"\n")
    else:
        print_page(options, decoded(page))
    sys.stdout.flush()


def _export(options: Options) -> int:
    if options.out == "-" and options.format != "csv" and sys.stdout.isatty():
        raise Fault(Code.INVALID_ARGUMENT, f"{options.format} is not for a terminal: give --out FILE")
    arguments = {**_statement(options), "format": options.format, "raw": not options.guard}
    arguments["options"] = _chosen(options) or None
    stream = run(options, "sql.export", arguments)
    if not isinstance(stream, operations.Stream):
        raise TypeError("sql.export gave no stream")
    if options.out == "-":
        for chunk in stream.chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        return 0
    _write(options.out, stream)
    tail = {**stream.tail(), "out": options.out, "warnings": stream.head["warnings"]}
    if options.json:
        print_json(tail)
        return 0
    print_line(f"{tail['row_count']} rows in", options.out)
    for warning in tail["warnings"]:
        print_line("note:", warning)
    return 0


def _write(path: str, stream: operations.Stream) -> None:
    """Writes beside `path` and renames at the end, so that a short file never has the name."""
    partial = f"{path}.{os.urandom(4).hex()}.partial"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{path} cannot be written: {error.strerror}") from error
    unfinished(partial)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in stream.chunks:
                file.write(chunk)
        os.rename(partial, path)  # noqa: PTH104
    except BaseException:
        os.unlink(partial)  # noqa: PTH108
        raise
    finally:
        finished(partial)


def _statement(options: Options) -> dict[str, Any]:
    return {
        "session": options.session,
        "workspace": options.workspace,
        "sql": _draft(options),
        "timeout_s": options.timeout,
        "result_id": options.result_id,
        "sort": [_sort_key(text) for text in options.sort or ()],
        "filter": [_condition(text) for text in options.filter or ()],
    }


def _sort_key(text: str) -> dict[str, Any]:
    key, _, direction = text.partition(":")
    if direction not in ("", "asc", "desc"):
        raise Fault(Code.INVALID_ARGUMENT, f"--sort {text[:60]!r}: write KEY or KEY:desc")
    return {"key": key, "descending": direction == "desc"}


def _condition(text: str) -> dict[str, Any]:
    key, _, rest = text.partition(":")
    op, given, value = rest.partition(":")
    if not op:
        raise Fault(Code.INVALID_ARGUMENT, f"--filter {text[:60]!r}: write KEY:OP:VALUE, such as c0:ge:10")
    condition: dict[str, Any] = {"key": key, "op": op}
    if given:
        try:
            condition["value"] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            condition["value"] = value
    return condition


def _draft(options: Options) -> str | None:
    if options.session and options.workspace:
        raise Fault(Code.INVALID_ARGUMENT, "give --session or --workspace, not both")
    if options.sql_file is None:
        return None
    # the mark of an encoding is no part of the text
    return read_text(options.sql_file, Code.REFUSED).removeprefix("\ufeff")


def _chosen(options: Options) -> dict[str, Any]:
    """The options of CSV that were given."""
    given = {
        "delimiter": options.delimiter,
        "decimal_comma": options.decimal_comma or None,
        "bom": options.bom or None,
        "null": options.null,
        "crlf": False if options.lf else None,
        "header": False if options.no_header else None,
    }
    return {name: value for name, value in given.items() if value is not None}
