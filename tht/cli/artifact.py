"""The files that an agent produced in a session."""

from __future__ import annotations

import sys

from tht import artifacts, sessions
from tht.cli.inputs import read_text
from tht.cli.output import print_entries, print_json, print_line
from tht.home import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    names = ", ".join(artifacts.MEDIA_TYPES)
    put = parser.command("put", _put, "write a new version; the one before is kept")
    put.add_argument("session", metavar="ID")
    put.add_argument("name", metavar="NAME", help=names)
    put.add_argument("file", metavar="FILE", nargs="?", default="-", help="what to write (default: stdin)")

    get = parser.command("get", _get, "print an artifact, byte for byte")
    get.add_argument("session", metavar="ID")
    get.add_argument("name", metavar="NAME", help=names)

    listing = parser.command("list", _list, "the artifacts that are there")
    listing.add_argument("session", metavar="ID")


def _put(options: Options) -> int:
    artifacts.check_name(options.name)
    text = read_text(options.file)
    with sessions.opened(find_home(options.home), options.session) as session:
        written = artifacts.put(session, options.name, text)
    if options.json:
        print_json(written)
        return 0
    print_line(written["sha256"], written["name"])
    for warning in written["warnings"]:
        print_line("note:", warning)
    return 0


def _get(options: Options) -> int:
    with sessions.opened(find_home(options.home), options.session) as session:
        if options.json:
            print_json(artifacts.show(session, options.name))
            return 0
        content = artifacts.get(session, options.name)
    sys.stdout.buffer.write(content)
    return 0


def _list(options: Options) -> int:
    with sessions.opened(find_home(options.home), options.session) as session:
        listed = artifacts.listing(session)
    columns = ["name", "bytes", "modified_at", "sha256"]
    print_entries({"artifacts": listed}, "artifacts", columns, as_json=options.json)
    return 0
