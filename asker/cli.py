"""The command line of thothii-ask."""

import argparse
import json
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import Any, NoReturn, cast

from asker.endpoint import Result, ask

EXIT_CODES = {
    "ok": 0,
    "timeout-or-cancelled": 3,
    "timeout": 4,
    "cancelled": 5,
    "no-host": 6,
    "error": 7,
}
"""Exit code of each status. 1: `--confirm` was answered with no. 2: wrong usage."""
NO = 1

DEFAULT_SECONDS = 300.0
QUESTION_SECONDS = 180.0
INTERPRETERS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "python", "node", "perl", "ruby")

DESCRIPTION = """\
Ask the reviewer of the ThothII session that this process works for, and wait for the answer.

The answers are printed one a line; nothing else goes to standard output. A process belongs to a session when
it has THT_AGENT_ENDPOINT and THT_AGENT_TOKEN in its environment, as everything has that Pi starts for one.
"""
EPILOG = """\
exit codes:
  0  ok: every question was answered; with --confirm: yes
  1  with --confirm: no
  2  wrong usage
  3  timeout-or-cancelled: dismissed, or the question's own time ran out; answers before it are printed
  4  timeout: the time of the call ran out; answers so far are printed
  5  cancelled: the command was interrupted
  6  no-host: there is nobody to ask
  7  error: the question could not be put

example:
  thothii-ask --confirm "Approve the migration of table orders?" && ./migrate.sh
"""


def main() -> NoReturn:
    """The command; its exit codes are in the help text."""
    arguments = _parse(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        # Leaving closes the connection, by which the orchestrator knows that nobody waits any more.
        signal.signal(number, _interrupted)
    environment = os.environ
    result = ask(
        environment.get("THT_AGENT_ENDPOINT", ""),
        environment.get("THT_AGENT_TOKEN", ""),
        _call(arguments),
    )
    sys.exit(_tell(result, arguments))


def _parse(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="thothii-ask",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", nargs="*", help="a question; several are asked one after the other")
    parser.add_argument("-o", "--option", action="append", default=[], help="something to choose; repeatable")
    parser.add_argument("-y", "--confirm", action="store_true", help="ask for yes or no")
    parser.add_argument("--placeholder", help="example of an answer, for free text")
    parser.add_argument(
        "--questions", metavar="FILE", help="questions as JSON, as ask_user_via_host takes them; - is stdin"
    )
    parser.add_argument(
        "--from", dest="name", help="who asks, as the reviewer is told; default: the calling script"
    )
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="time for the answer; default: 300, 180 a question"
    )
    parser.add_argument("--call", metavar="ID", help="id of this call: repeating it asks nothing again")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    arguments = parser.parse_args(given)
    if bool(arguments.question) == bool(arguments.questions):
        parser.error("give a question, or --questions FILE")
    if arguments.confirm and (arguments.option or arguments.questions or len(arguments.question) != 1):
        parser.error("--confirm takes one question and no options")
    if arguments.timeout is not None and not arguments.timeout > 0:
        parser.error("--timeout is a number of seconds above 0")
    if any(not text.strip() for text in [*arguments.question, *arguments.option]):
        parser.error("a question or option is empty")
    if arguments.questions:
        arguments.questions = _read_questions(parser, arguments.questions)
    return arguments


def _read_questions(parser: argparse.ArgumentParser, name: str) -> list[Any]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        read: Any = json.loads(text)
    except (OSError, ValueError) as error:
        parser.error(f"--questions: {error}")
    if isinstance(read, dict):
        read = cast("dict[str, Any]", read).get("questions")
    if not isinstance(read, list) or not read:
        parser.error('--questions: a list of {"question", "options"?, "placeholder"?}')
    return cast("list[Any]", read)


def _call(arguments: argparse.Namespace) -> dict[str, Any]:
    options = ["yes", "no"] if arguments.confirm else arguments.option
    questions: list[Any] = arguments.questions or [
        {"question": text, "options": options, "placeholder": arguments.placeholder}
        for text in arguments.question
    ]
    seconds = arguments.timeout or DEFAULT_SECONDS
    return {
        "call": arguments.call or uuid.uuid4().hex,
        "from": arguments.name or caller(),
        "questions": questions,
        "timeout_ms": round(seconds * 1000),
        "question_timeout_ms": round((arguments.timeout or QUESTION_SECONDS) * 1000),
    }


def _tell(result: Result, arguments: argparse.Namespace) -> int:
    answers: list[dict[str, Any]] = result.get("answers") or []
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False))
    elif not arguments.confirm:
        for answer in answers:
            print(answer["answer"])
    status = str(result["status"])
    if status != "ok":
        reason = f": {result['error']}" if result.get("error") else ""
        print(f"thothii-ask: {status}{reason}", file=sys.stderr)
        return EXIT_CODES.get(status, EXIT_CODES["error"])
    return NO if arguments.confirm and answers[0]["answer"] != "yes" else EXIT_CODES["ok"]


def _interrupted(_number: int, _frame: object) -> NoReturn:
    print("thothii-ask: cancelled", file=sys.stderr)
    sys.exit(EXIT_CODES["cancelled"])


def caller() -> str:
    """Name of the script that runs this command, else of the program; "a script" where neither is seen."""
    try:
        words = Path(f"/proc/{os.getppid()}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "a script"
    program = words[0].rpartition("/")[2].lstrip("-")
    script = words[1] if len(words) > 1 else ""
    if program.rstrip("0123456789.") in INTERPRETERS and script and not script.startswith("-"):
        return script.rpartition("/")[2]
    return program or "a script"
