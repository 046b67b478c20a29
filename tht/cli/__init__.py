"""The `tht` command. Each group of commands is a module that is imported only when it is called.

It stands on argparse: importing click costs four times a bare Python start, typer six times (measured), and
the whole of `tht session list` must cost less.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPS = {
    "workspace": "databases one may ask about: list, show, check",
    "session": "questions: new, list, show",
    "phase": "where a session stands: show",
    "artifact": "what the agent produced: put, get, list",
    "decision": "what the reviewer decided: add, list",
    "schema": "tables and columns: tables, describe, search, sample, all",
    "sql": "read-only statements: check, preview, export",
    "doctor": "look for trouble in the harness folder",
    "worker": "serve all of this over stdin and stdout",
}
"""By name, what a group is for; each is a module of this package."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit code of the error taxonomy; a failure is one line on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read stdout has enough; without this Python complains once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except SystemExit as end:  # argparse, after --help or a usage error
        return end.code if isinstance(end.code, int) else 0
    except BaseException as error:
        from tht.cli.failures import report

        return report(error, as_json="--json" in given)
    return code


def _dispatch(given: list[str]) -> int:
    from importlib import import_module

    from tht.cli.parser import Parser, top

    parser = top(GROUPS)
    options, rest = parser.split(given)
    if options.version:
        from importlib.metadata import version

        sys.stdout.write(f"tht {version('thothii')}\n")
        return 0
    if options.group is None:
        parser.print_help()
        return 0
    if options.group not in GROUPS:
        parser.error(f"there is no command {options.group!r}")
    module = import_module(f"tht.cli.{options.group}")
    group = Parser(prog=f"tht {options.group}", description=module.__doc__, lead=options)
    module.define(group)
    chosen = group.parse_args(rest)
    return int(chosen.run(chosen))
