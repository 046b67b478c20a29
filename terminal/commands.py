"""What the commands do, once their arguments are known."""

import io
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import msgspec
from rich.table import Table
from rich.text import Text

from contracts.errors import Code, Fault
from contracts.identifiers import check_session_id
from terminal.api import Api, connect
from terminal.clean import one_line
from terminal.display import Display
from terminal.follow import LAST_PHASE, Follower
from terminal.reviewers import Agreement, LineReviewer, Lines, Reviewer


@dataclass(frozen=True)
class Options:
    """What all commands take."""

    url: str
    as_json: bool = False


@dataclass(frozen=True)
class Following:
    """How a session is followed."""

    yes: bool = False
    out: Path | None = None


def print_json(document: Any) -> None:
    """`document` as one line of JSON on stdout."""
    sys.stdout.write(msgspec.json.encode(document).decode() + "\n")


async def ask(options: Options, following: Following, question: dict[str, Any]) -> None:
    """Create a session for `question` and follow it to its rows. Raises Fault, Detached."""
    _check_target(following.out)
    async with connect(options.url) as api:
        if not question.get("workspace"):
            question = {**question, "workspace": await _only_workspace(api)}
        runner = await api.get("/runner")
        display = _display(options)
        _say_runner(display, runner)
        session = await api.post(
            "/sessions", {name: value for name, value in question.items() if value is not None}
        )
        display.notice(f"session {session['id']}")
        await _follow(api, session, options, following, display)


async def resume(options: Options, following: Following, session_id: str) -> None:
    """Take a session up where it stands. Raises Fault, Detached."""
    _check_target(following.out)
    async with connect(options.url) as api:
        path = f"/sessions/{check_session_id(session_id)}"
        session = await api.get(path)
        display = _display(options)
        _say_runner(display, await api.get("/runner"))
        display.notice(f"session {session['id']}: {one_line(session['question'])}")
        for line in (await api.get(f"{path}/decisions"))["decisions"]:
            display.notice(f"decided in {line['phase']}: {one_line(line['title'])} {_said(line['answer'])}")
        live: dict[str, Any] = session["live"] or {}
        phase: str = session["phase"]["phase"]
        if phase != LAST_PHASE and live.get("state") in {None, "closed", "crashed"}:
            live = (await api.post(f"{path}/open"))["live"]
        known = {"id": session["id"], "live": {**live, "phase": phase}}
        await _follow(api, known, options, following, display)


def _said(answer: dict[str, Any]) -> str:
    """The members of an answer as one line."""
    said: list[str] = []
    for member in answer.values():
        said += cast("list[str]", member) if isinstance(member, list) else [str(member)]
    return f"({one_line(', '.join(said))})"


async def list_sessions(options: Options, **parameters: Any) -> None:
    """Show sessions, newest first. Raises Fault."""
    document = await _get(options, "/sessions", **parameters)

    def row(session: dict[str, Any]) -> list[str]:
        live: dict[str, Any] = session["live"] or {}
        state = str(live.get("state", "not known"))
        waiting = len(live.get("pending") or [])
        asks = f" ({waiting} to answer)" if waiting else ""
        return [
            session["id"],
            session["workspace"],
            session["phase"]["phase"],
            state + asks,
            session["question"],
        ]

    _table(options, document, "sessions", ["session", "workspace", "phase", "agent", "question"], row)


async def list_workspaces(options: Options) -> None:
    """Show the workspaces. Raises Fault."""

    def row(workspace: dict[str, Any]) -> list[str]:
        about = workspace.get("error") or workspace["notes"] or ""
        return [workspace["name"], workspace["dialect"] or "?", about]

    _table(options, await _get(options, "/workspaces"), "workspaces", ["workspace", "dialect", "notes"], row)


async def list_models(options: Options) -> None:
    """Show the models. Raises Fault."""
    document = await _get(options, "/models")

    def row(model: dict[str, Any]) -> list[str]:
        levels = ", ".join(model["thinking_levels"])
        return [model["provider"], model["id"], model["name"], str(model["context_window"]), levels]

    _table(options, document, "models", ["provider", "model", "name", "context", "thinking"], row)
    if document["scripted"] and not options.as_json:
        Display().notice("scripted model: no real model answers", "yellow")


def _table(
    options: Options,
    document: dict[str, Any],
    member: str,
    columns: list[str],
    row: Callable[[dict[str, Any]], list[str]],
) -> None:
    if options.as_json:
        print_json(document)
        return
    table = Table(*columns, header_style="bold")
    for item in document[member]:
        table.add_row(*(Text(one_line(text)) for text in row(item)))
    Display().console.print(table, soft_wrap=False)


async def _get(options: Options, path: str, **parameters: Any) -> dict[str, Any]:
    async with connect(options.url) as api:
        return await api.get(path, **parameters)


async def _follow(
    api: Api, session: dict[str, Any], options: Options, following: Following, display: Display
) -> None:
    session_id: str = session["id"]

    async def artifact(name: str) -> str:
        return (await api.artifact(session_id, name))[0]

    target = following.out or Path(f"{session_id}.csv")
    reviewer = _reviewer(following, display, artifact, options)
    follower = Follower(api, session_id, session["live"] or {}, display, reviewer, target)
    outcome = await follower.run()
    if options.as_json:
        print_json(outcome.document())
    outcome.check()


def _reviewer(
    following: Following, display: Display, artifact: Callable[[str], Awaitable[str]], options: Options
) -> Reviewer:
    if following.yes:
        return Agreement(display)
    if _is_terminal(sys.stdin) and _is_terminal(sys.stdout) and not options.as_json:
        # Menus take long to import and only a terminal shows them.
        from terminal.prompting import PromptReviewer

        return PromptReviewer(display, artifact)
    return LineReviewer(Lines(_piped()), display)


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()


def _piped() -> IO[str]:
    """Stdin, where bytes that are no text end nothing; empty when there is none."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    # Python has no stdin at all when its descriptor was closed before it began.
    return cast("IO[str] | None", sys.stdin) or io.StringIO()


def _display(options: Options) -> Display:
    return Display(sys.stderr if options.as_json else sys.stdout)


def _say_runner(display: Display, runner: dict[str, Any]) -> None:
    if runner["scripted"]:
        display.notice(f"scripted model: no real model answers ({one_line(runner['reason'])})", "yellow")


async def _only_workspace(api: Api) -> str:
    document = await api.get("/workspaces")
    names = [workspace["name"] for workspace in document["workspaces"] if not workspace.get("error")]
    if len(names) != 1:
        there = ", ".join(names) or "none"
        raise Fault(Code.INVALID_ARGUMENT, f"name a workspace with --workspace; there are: {there}")
    return names[0]


def _check_target(target: Path | None) -> None:
    if target is not None and (target.is_dir() or not target.absolute().parent.is_dir()):
        raise Fault(Code.INVALID_ARGUMENT, f"{target} cannot be written: name a file in a folder that exists")
