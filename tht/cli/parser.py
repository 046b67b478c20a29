"""Options every command takes, and usage errors in one line."""

from __future__ import annotations

import argparse
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

Options = argparse.Namespace


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, without importing shutil to ask for it."""

    def __init__(self, prog: str) -> None:
        try:
            width = os.get_terminal_size().columns
        except OSError:
            width = 100
        super().__init__(prog, max_help_position=28, width=min(width, 120) - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose commands take `--home` and `--json` too; `lead` holds those given before the group."""

    def __init__(self, *, lead: Options | None = None, common: bool = True, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **settings)
        self._lead = lead or Options(home=None, json=False)
        self._subcommands: Any = None
        if common:
            self.add_argument("--home", metavar="DIR", default=self._lead.home, help="harness folder")
            self.add_argument("--json", action="store_true", default=self._lead.json, help="print JSON")

    def command(self, name: str, run: Callable[[Options], int], help: str) -> Parser:  # noqa: A002
        """A subcommand `name` that `run` carries out."""
        if self._subcommands is None:
            self._subcommands = self.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
        parser: Parser = self._subcommands.add_parser(name, help=help, description=help, lead=self._lead)
        parser.set_defaults(run=run)
        return parser

    def error(self, message: str) -> NoReturn:
        """One line on stderr and exit code 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


class TopParser(Parser):
    """What stands before the name of a group."""

    def split(self, given: list[str]) -> tuple[Options, list[str]]:
        """The options before the group and its name, and all that stands after it."""
        options = self.parse_args(given)
        return options, options.rest


def top(groups: Mapping[str, str]) -> TopParser:
    """The parser of `tht` itself, with the groups and what each is for in its help."""
    listing = "\n".join(f"  {name:<12}{purpose}" for name, purpose in groups.items())
    parser = TopParser(
        prog="tht",
        usage="tht [--home DIR] [--json] GROUP COMMAND ...",
        description="Sessions, approved read-only SQL and schema of the databases in a harness folder.",
        epilog=f"groups:\n{listing}\n\n`tht GROUP --help` says more.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("group", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser
