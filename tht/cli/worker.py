"""Serves every operation over stdin and stdout, in length-prefixed frames, until stdin ends."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """This group is one command."""
    parser.set_defaults(run=_worker)


def _worker(options: Options) -> int:
    from tht.home import find_home
    from tht.worker import main

    return main(lambda: find_home(options.home))
