"""Questions: one question in one workspace is a session."""

from __future__ import annotations

from tht import sessions
from tht.cli.output import print_json, print_line, print_table
from tht.home import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    new = parser.command("new", _new, "make a session; prints its id")
    new.add_argument("--workspace", required=True, metavar="NAME")
    new.add_argument("--question", required=True, metavar="TEXT", help="- reads it from stdin")
    new.add_argument("--author", metavar="WHO", default=None, help="who asks (default: you, @local)")
    new.add_argument("--name", help="a short name (default: made from the question)")
    for setting in ("provider", "model", "thinking"):
        new.add_argument(f"--{setting}")
    new.add_argument("--temperature", type=float)

    listing = parser.command("list", _list, "sessions, newest first")
    for chosen in ("workspace", "author", "phase"):
        listing.add_argument(f"--{chosen}")
    listing.add_argument("--limit", type=int, default=sessions.PAGE, help=f"1 to {sessions.PAGE_CAP}")
    listing.add_argument("--after", metavar="ID", help="continue after this session")

    show = parser.command("show", _show, "one session with its phase")
    show.add_argument("session", metavar="ID")


def _new(options: Options) -> int:
    from tht.cli.inputs import local_person, read_text

    question = read_text("-") if options.question == "-" else options.question
    made = sessions.create(
        find_home(options.home),
        workspace=options.workspace,
        question=question,
        author=options.author or local_person(),
        name=options.name,
        provider=options.provider,
        model=options.model,
        thinking=options.thinking,
        temperature=options.temperature,
    )
    if options.json:
        print_json(made)
    else:
        print_line(made["id"])
    return 0


def _list(options: Options) -> int:
    page = sessions.listing(
        find_home(options.home),
        workspace=options.workspace,
        author=options.author,
        phase=options.phase,
        limit=options.limit,
        after=options.after,
    )
    if options.json:
        print_json(page)
        return 0
    rows = [
        [entry["id"], entry["workspace"], entry["phase"]["phase"], entry["author"], entry["name"]]
        for entry in page["sessions"]
    ]
    print_table(["id", "workspace", "phase", "author", "name"], rows)
    if page["broken"]:
        print_line(f"{len(page['broken'])} cannot be read; see tht doctor")
    if page["next"]:
        print_line("more: --after", page["next"])
    return 0


def _show(options: Options) -> int:
    home = find_home(options.home)
    document = sessions.show(home, options.session)
    with sessions.opened(home, options.session) as folder:
        live = sessions.live(folder)
    if options.json:
        print_json({**document, "live": live})
        return 0
    phase: dict[str, Any] = document.pop("phase")
    for key, value in document.items():
        print_line(f"{key}:", value)
    print_line("phase:", phase["phase"], f"({phase['reason']})")
    if live:
        print_line("live:", *(f"{key} {value}" for key, value in live.items()))
    return 0
