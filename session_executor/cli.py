"""`harness-session-executor`: plan, run and look after continuations of Pi session checkpoints."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from session_executor import display
from session_executor.arguments import Arguments, Command, UsageError, parse
from session_executor.check import CheckCommand
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.pi.runner import PiRunner
from session_executor.pi.session_file import inspect_session
from session_executor.plan import create_plan, read_plan, write_plan
from session_executor.result_commands import (
    print_json,
    run_adopt,
    run_diff,
    run_discard,
    run_list,
    run_prune,
    run_show,
)

USAGE_STATUS = 64
FAILURE_STATUS = 1

HELP = """\
Harness Session Executor

Continue an exact entry of a Pi session against an exact Git commit in an isolated worktree, and record the
file changes as one new commit on a namespaced ref. Nothing of yours is switched, staged or changed.

Usage:
  harness-session-executor plan [--workspace DIR] --base REV --session FILE --entry ID
                                (--prompt TEXT | --prompt-file FILE) --commit-message TEXT --out FILE
                                [--allow-delete] [--json]
  harness-session-executor run --plan FILE --yes [--provider NAME --model ID] [--check COMMAND]
                                [--keep-ignored] [--progress] [--json]
  harness-session-executor list [--workspace DIR] [--json]
  harness-session-executor show ID [--workspace DIR]
  harness-session-executor diff ID [--workspace DIR] [--stat]
  harness-session-executor adopt ID --branch NAME --yes [--workspace DIR]
  harness-session-executor discard ID --yes [--workspace DIR]
  harness-session-executor prune [--older-than DAYS] [--yes] [--workspace DIR] [--json]

Commands:
  plan                    Resolve and freeze the inputs; writes the plan file and nothing else
  run                     Check everything again and execute a saved plan
  list                    Executions in the repository, the latest first
  show                    One execution with its receipt
  diff                    What an execution changed
  adopt                   Make a new branch at a result; never moves or checks out anything
  discard                 Remove the ref and the artifacts of an execution
  prune                   Remove what killed runs left; without --yes only list it

Options:
  --workspace DIR         Git work tree (default: the current directory)
  --base REV              Commit to build on
  --session FILE          Pi session file (JSONL, version 3)
  --entry ID              Entry of the session to continue from
  --prompt TEXT           What to tell the model next; kept in the plan
  --prompt-file FILE      The same from a UTF-8 file
  --commit-message TEXT   Subject and body of the commit, before the provenance trailers
  --out FILE              New plan file; an existing one is never overwritten
  --allow-delete          Let the model delete and rename files as well
  --plan FILE             Plan to execute
  --yes                   Confirm: run lets a model edit files and makes Git objects and a ref
  --provider, --model     Use this model instead of the session's
  --check COMMAND         Run COMMAND on the result, without network where the system offers a sandbox;
                          how it ends stands in the receipt
  --keep-ignored          Keep files that were written but are ignored by git beside the receipt
  --progress              Print a JSON line for every step, the receipt as the last line
  --branch NAME           New branch for adopt
  --older-than DAYS       prune: also results that were complete before that
  --stat                  diff: a summary instead of the patch
  --json                  Machine-readable output (always so for plan, run and show)
  -h, --help              This text

ID is a plan id or an unambiguous beginning of one.
"""

_COMMANDS: dict[str, Command] = {
    "plan": Command(
        values=frozenset(
            {
                "--workspace",
                "--base",
                "--session",
                "--entry",
                "--prompt",
                "--prompt-file",
                "--commit-message",
                "--out",
            }
        ),
        switches=frozenset({"--json", "--allow-delete"}),
    ),
    "run": Command(
        values=frozenset({"--plan", "--provider", "--model", "--check"}),
        switches=frozenset({"--json", "--yes", "--progress", "--keep-ignored"}),
    ),
    "list": Command(values=frozenset({"--workspace"})),
    "show": Command(values=frozenset({"--workspace"}), operand="ID"),
    "diff": Command(values=frozenset({"--workspace"}), switches=frozenset({"--stat"}), operand="ID"),
    "adopt": Command(
        values=frozenset({"--workspace", "--branch"}), switches=frozenset({"--json", "--yes"}), operand="ID"
    ),
    "discard": Command(
        values=frozenset({"--workspace"}), switches=frozenset({"--json", "--yes"}), operand="ID"
    ),
    "prune": Command(
        values=frozenset({"--workspace", "--older-than"}), switches=frozenset({"--json", "--yes"})
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0, 64 for a wrong command line and 1 for everything else."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(HELP)
        return 0
    name, *rest = words
    handler = _HANDLERS.get(name)
    if handler is None:
        sys.stderr.write(f"unknown command; expected one of {', '.join(_COMMANDS)}\n")
        return USAGE_STATUS
    try:
        return handler(parse(name, _COMMANDS[name], _known_flags(), rest))
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return USAGE_STATUS
    except ExecutorError as error:
        sys.stderr.write(f"{error.code}: {error.message}\n")
        for warning in error.cleanup_warnings:
            sys.stderr.write(f"cleanup: {warning}\n")
        return FAILURE_STATUS
    except OSError as error:
        sys.stderr.write(f"{ErrorCode.EXECUTION_FAILED}: {type(error).__name__}: {error.strerror}\n")
        return FAILURE_STATUS


def _known_flags() -> frozenset[str]:
    return frozenset(flag for command in _COMMANDS.values() for flag in command.values | command.switches)


def _plan(arguments: Arguments) -> int:
    target = arguments.required("--out")
    plan = create_plan(
        workspace=arguments.values.get("--workspace") or str(Path.cwd()),
        base=arguments.required("--base"),
        session_file=arguments.required("--session"),
        entry_id=arguments.required("--entry"),
        prompt=_prompt(arguments),
        commit_message=arguments.required("--commit-message"),
        inspect=inspect_session,
        allow_delete="--allow-delete" in arguments.switches,
    )
    print_json(
        {
            "schemaVersion": plan.schema_version,
            "planId": plan.plan_id,
            "planFile": write_plan(target, plan),
            "provider": plan.provider,
            "baseCommit": plan.workspace.base_commit,
            "checkpoint": {
                "sessionId": plan.checkpoint.session_id,
                "entryId": plan.checkpoint.entry_id,
                "sessionSha256": plan.checkpoint.session_sha256,
            },
            "output": {"ref": plan.output.ref, "artifactDir": plan.output.artifact_dir},
        }
    )
    return 0


def _run(arguments: Arguments) -> int:
    if "--yes" not in arguments.switches:
        raise UsageError(
            "run requires --yes because it lets a model edit files and makes Git objects and a ref"
        )
    plan_file = arguments.required("--plan")
    runner = PiRunner(model=_model(arguments))
    plan = read_plan(plan_file)
    stop = threading.Event()
    lines = "--progress" in arguments.switches
    check = arguments.values.get("--check")
    options = ExecutionOptions(
        progress=display.choose(lines=lines),
        stop=stop,
        after_commit=CheckCommand(check, stop) if check else None,
        keep_ignored="--keep-ignored" in arguments.switches,
    )
    with _interruptible(stop):
        receipt = execute_plan(plan, runner, inspect_session, options)
    if lines:
        sys.stdout.write(json.dumps({"event": "receipt", "receipt": receipt}, ensure_ascii=True) + "\n")
    else:
        print_json(receipt)
    return 0


def _model(arguments: Arguments) -> tuple[str, str] | None:
    provider, model = arguments.values.get("--provider"), arguments.values.get("--model")
    if (provider is None) != (model is None):
        raise UsageError("--provider and --model go together")
    return (provider, model) if provider and model else None


@contextmanager
def _interruptible(stop: threading.Event) -> Generator[None]:
    """Let SIGINT, SIGTERM and SIGHUP end the run at its next step, so that it cleans up after itself."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    previous = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _prompt(arguments: Arguments) -> str:
    inline, file = arguments.values.get("--prompt"), arguments.values.get("--prompt-file")
    if inline is not None and file is None:
        return inline
    if inline is not None or file is None:
        raise UsageError("plan requires exactly one of --prompt or --prompt-file")
    try:
        return Path(file).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ExecutorError(ErrorCode.INVALID_UTF8, "the prompt file is not valid UTF-8") from error
    except OSError as error:
        raise ExecutorError(ErrorCode.INVALID_INPUT, "the prompt file cannot be read") from error


_HANDLERS: dict[str, Callable[[Arguments], int]] = {
    "plan": _plan,
    "run": _run,
    "list": run_list,
    "show": run_show,
    "diff": run_diff,
    "adopt": run_adopt,
    "discard": run_discard,
    "prune": run_prune,
}
