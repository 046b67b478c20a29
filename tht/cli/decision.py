"""What the reviewer decided in a session."""

from __future__ import annotations

from tht import decisions, phases
from tht.cli.inputs import local_person, parse_json, read_text
from tht.cli.output import print_json, print_line, print_table
from tht.home import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tht.cli.parser import Options, Parser


def define(parser: Parser) -> None:
    """The commands of this group."""
    add = parser.command("add", _add, "record a decision; it is on the disk when this ends")
    add.add_argument("session", metavar="ID")
    add.add_argument("--kind", required=True, help=", ".join(decisions.KINDS))
    add.add_argument("--widget", default="input", help=f"what was asked with: {', '.join(decisions.WIDGETS)}")
    add.add_argument("--title", default="", help="the question that was asked")
    add.add_argument("--answer", default="null", metavar="JSON", help="the answer")
    add.add_argument("--options", metavar="JSON", help="what there was to choose from: a list")
    add.add_argument("--by", metavar="WHO", help="who decided (default: you, @local)")
    add.add_argument("--phase", help=f"{', '.join(phases.PHASES)} (for reopen: the one to open again)")
    add.add_argument("--artifact", metavar="NAME", help="what an approval, edit or rejection is about")
    add.add_argument("--sha256", metavar="HASH", help="the artifact's hash as the reviewer saw it")
    add.add_argument("--edit", metavar="FILE", help="the reviewer's own text for kind edit; - for stdin")

    listing = parser.command("list", _list, "the ledger, oldest first")
    listing.add_argument("session", metavar="ID")


def _add(options: Options) -> int:
    artifact = None
    if options.artifact is not None or options.sha256 is not None:
        artifact = {"name": options.artifact or "", "sha256": options.sha256 or ""}
    added = decisions.add(
        find_home(options.home),
        options.session,
        kind=options.kind,
        widget=options.widget,
        title=options.title,
        answer=parse_json(options.answer, "--answer"),
        by=options.by or local_person(),
        options=None if options.options is None else parse_json(options.options, "--options"),
        artifact=artifact,
        phase=options.phase,
        edit=None if options.edit is None else read_text(options.edit),
    )
    if options.json:
        print_json(added)
    else:
        print_line(f"recorded as {added['line']['seq']};", added["phase"]["phase"], added["phase"]["reason"])
    return 0


def _list(options: Options) -> int:
    ledger = decisions.listing(find_home(options.home), options.session)
    if options.json:
        print_json(ledger)
        return 0
    columns = ["seq", "ts", "phase", "kind", "by", "title"]
    rows = [[line.get(column) for column in columns] for line in ledger["decisions"]]
    print_table(columns, rows)
    if ledger["changed_at"] is not None:
        print_line(f"line {ledger['changed_at']} does not follow from the one before: no decision counts")
    return 0
