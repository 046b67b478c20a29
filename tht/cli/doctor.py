"""Looks for trouble in the harness folder: files, workspaces, ledgers. Reaches no database."""

from __future__ import annotations

from contracts.errors import Code
from tht.cli.output import print_checks, print_json
from tht.home import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """This group is one command."""
    parser.set_defaults(run=_doctor)


def _doctor(options: Options) -> int:
    from tht.doctor import examine

    document = examine(find_home(options.home))
    if options.json:
        print_json(document)
    else:
        print_checks(document)
    return 0 if document["ok"] else Code.WORKSPACE_BROKEN.kind.exit_code
