"""The phase of a session, derived from what the reviewer decided."""

from __future__ import annotations

from tht import sessions
from tht.cli.output import print_json, print_line
from tht.home import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    show = parser.command("show", _show, "which phase is open, and what would close it")
    show.add_argument("session", metavar="ID")


def _show(options: Options) -> int:
    with sessions.opened(find_home(options.home), options.session) as session:
        state = sessions.phase_of(session)
    if options.json:
        print_json(state.document())
        return 0
    print_line(state.phase, f"({state.reason})")
    for missing in state.missing:
        print_line("missing:", missing)
    return 0
