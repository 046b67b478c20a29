"""`harness-session-executor`: plan, run and look after continuations of Pi session checkpoints."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from session_executor.arguments import Arguments, Command, UsageError, parse
from session_executor.canonical import readable_json
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.pi.session_file import inspect_session
from session_executor.plan import create_plan, write_plan

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

Commands:
  plan                    Resolve and freeze the inputs; writes the plan file and nothing else

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
  --json                  Machine-readable output (the default for plan and run)
  -h, --help              This text
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
    _print(
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


def _print(document: dict[str, Any]) -> None:
    sys.stdout.buffer.write(readable_json(document))
    sys.stdout.buffer.flush()


_HANDLERS: dict[str, Callable[[Arguments], int]] = {"plan": _plan}
