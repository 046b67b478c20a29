"""Databases that one may ask about: a YAML file each, in workspaces/."""

from __future__ import annotations

from contracts.errors import Code
from tht.cli.calls import call
from tht.cli.output import print_checks, print_entries, print_json, print_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    parser.command("list", _list, "all workspaces; a broken file is listed with what is wrong")
    show = parser.command("show", _show, "one workspace with its rules and limits, never its connection")
    show.add_argument("workspace", metavar="NAME")
    check = parser.command("check", _check, "connect, and see whether the account could write")
    check.add_argument("workspace", metavar="NAME")


def _list(options: Options) -> int:
    columns = ["name", "dialect", "transport", "error"]
    print_entries(call(options, "workspace.list"), "workspaces", columns, as_json=options.json)
    return 0


def _show(options: Options) -> int:
    document = call(options, "workspace.show", workspace=options.workspace)
    if options.json:
        print_json(document)
        return 0
    for key in ("name", "dialect", "transport", "accept_writable_role"):
        print_line(f"{key}:", document[key])
    for section in ("allow", "limits"):
        for key, value in document[section].items():
            print_line(f"{section}.{key}:", value)
    for line in document["notes"].splitlines():
        print_line("note:", line)
    for warning in document["warnings"]:
        print_line("warning:", warning)
    return 0


def _check(options: Options) -> int:
    document = call(options, "workspace.check", workspace=options.workspace)
    if options.json:
        print_json(document)
    else:
        print_checks(document)
    return 0 if document["ok"] else Code.WORKSPACE_BROKEN.kind.exit_code
