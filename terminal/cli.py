"""The `thothii` command."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from contracts.errors import Code, Fault

# The commands' own imports wait until one runs: --help needs none of them.
app = typer.Typer(
    name="thothii",
    help="Ask a database in plain words; review every step; see the rows of SQL that you approved.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Url = Annotated[str, typer.Option("--url", envvar="THOTHII_URL", help="The gateway.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, everything else on stderr.")]
Yes = Annotated[bool, typer.Option("--yes", help="Take every recommended option, approve every artifact.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="CSV file for the rows; without it <session>.csv in this folder.")
]
HERE = "http://127.0.0.1:8080"


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question in plain words.")],
    workspace: Annotated[str | None, typer.Option(help="The database; not needed when there is one.")] = None,
    yes: Yes = False,
    out: Out = None,
    provider: Annotated[str | None, typer.Option(help="Provider of the model.")] = None,
    model: Annotated[str | None, typer.Option(help="Model, as `thothii models` lists them.")] = None,
    thinking: Annotated[str | None, typer.Option(help="Thinking level.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    name: Annotated[str | None, typer.Option(help="Short name of the session.")] = None,
    as_json: Json = False,
    url: Url = HERE,
) -> None:
    """Ask a question and follow the agent to the rows.

    While it works, !text goes to the agent. Ctrl-C leaves; the session lives on.
    """
    from terminal import commands

    asked = {
        "workspace": workspace,
        "question": question,
        "provider": provider,
        "model": model,
        "thinking": thinking,
        "temperature": temperature,
        "name": name,
    }
    _run(commands.ask(commands.Options(url, as_json), commands.Following(yes, out), asked))


@app.command()
def resume(
    session: Annotated[str, typer.Argument(help="The session's id, as `thothii sessions` lists them.")],
    yes: Yes = False,
    out: Out = None,
    as_json: Json = False,
    url: Url = HERE,
) -> None:
    """Take a session up where it stands."""
    from terminal import commands

    _run(commands.resume(commands.Options(url, as_json), commands.Following(yes, out), session))


@app.command()
def sessions(
    workspace: Annotated[str | None, typer.Option(help="Only of this workspace.")] = None,
    phase: Annotated[str | None, typer.Option(help="Only in this phase, F1 to F5.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="At most so many.")] = 20,
    as_json: Json = False,
    url: Url = HERE,
) -> None:
    """List sessions, newest first."""
    from terminal import commands

    options = commands.Options(url, as_json)
    _run(commands.list_sessions(options, workspace=workspace, phase=phase, limit=limit))


@app.command()
def workspaces(as_json: Json = False, url: Url = HERE) -> None:
    """List the databases that can be asked about."""
    from terminal import commands

    _run(commands.list_workspaces(commands.Options(url, as_json)))


@app.command()
def models(as_json: Json = False, url: Url = HERE) -> None:
    """List the models that can work a question out."""
    from terminal import commands

    _run(commands.list_models(commands.Options(url, as_json)))


def _run(work: Coroutine[Any, Any, None]) -> None:
    from terminal.follow import Detached

    try:
        asyncio.run(work)
    except BrokenPipeError:
        # Whoever read our output has gone; what Python still flushes at its end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Code.CANCELLED.kind.exit_code) from None
    except Fault as fault:
        from terminal.clean import one_line

        sys.stderr.write(f"thothii: {one_line(fault.message, 1000)}\n")
        raise typer.Exit(fault.code.kind.exit_code) from None
    except KeyboardInterrupt:
        sys.stderr.write("thothii: left; `thothii sessions` shows what was begun\n")
        raise typer.Exit(Code.CANCELLED.kind.exit_code) from None
    except Detached:
        raise typer.Exit(Code.CANCELLED.kind.exit_code) from None


def main() -> None:
    """Entry point. Exit codes are those of the error taxonomy; leaving a session by Ctrl-C is 6."""
    app()
