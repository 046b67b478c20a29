"""The commands that look after results: list, show, diff, adopt, discard, prune."""

import sys
from pathlib import Path
from typing import Any

from session_executor.arguments import Arguments, UsageError
from session_executor.canonical import readable_json
from session_executor.results import (
    Execution,
    adopt,
    branches_with,
    difference,
    discard,
    find_execution,
    list_executions,
    prunable,
)


def print_json(document: Any) -> None:
    """One indented JSON document on stdout."""
    sys.stdout.buffer.write(readable_json(document))
    sys.stdout.buffer.flush()


def run_list(arguments: Arguments) -> int:
    """All executions, one a line, or as JSON."""
    _print_executions(list_executions(_workspace(arguments)), arguments)
    return 0


def run_show(arguments: Arguments) -> int:
    """One execution with its receipt and the branches that hold its result."""
    execution = _execution(arguments)
    document = {
        **execution.document(),
        "branches": branches_with(execution),
        "receipt": execution.receipt,
    }
    print_json(document)
    return 0


def run_diff(arguments: Arguments) -> int:
    """The change of one execution as a patch, or with `--stat` as a summary."""
    patch = difference(
        _execution(arguments), summary="--stat" in arguments.switches, color=sys.stdout.isatty()
    )
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()
    return 0


def run_adopt(arguments: Arguments) -> int:
    """Make a new branch at the result of one execution."""
    _confirm(arguments, "adopt requires --yes because it makes a branch")
    branch = arguments.required("--branch")
    execution = _execution(arguments)
    ref = adopt(execution, branch)
    print_json({"planId": execution.plan_id, "branch": branch, "ref": ref, "commit": execution.commit})
    return 0


def run_discard(arguments: Arguments) -> int:
    """Remove ref and artifacts of one execution."""
    _confirm(arguments, "discard requires --yes because it removes a result")
    execution = _execution(arguments)
    discard(execution)
    print_json({"planId": execution.plan_id, "ref": execution.ref, "commit": execution.commit})
    return 0


def run_prune(arguments: Arguments) -> int:
    """Remove what crashed runs left, and old results; without `--yes` only say which."""
    found = prunable(_workspace(arguments), _days(arguments))
    if "--yes" in arguments.switches:
        for execution in found:
            discard(execution)
    _print_executions(found, arguments)
    return 0


def _workspace(arguments: Arguments) -> str:
    return arguments.values.get("--workspace") or str(Path.cwd())


def _execution(arguments: Arguments) -> Execution:
    return find_execution(_workspace(arguments), str(arguments.operand))


def _confirm(arguments: Arguments, message: str) -> None:
    if "--yes" not in arguments.switches:
        raise UsageError(message)


def _days(arguments: Arguments) -> float | None:
    text = arguments.values.get("--older-than")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 5:
        raise UsageError("--older-than takes a whole number of days")
    return float(text)


def _print_executions(executions: list[Execution], arguments: Arguments) -> None:
    documents = [execution.document() for execution in executions]
    if "--json" in arguments.switches:
        print_json({"executions": documents})
        return
    for document in documents:
        changed: list[str] | None = document["changedPaths"]
        words = (
            str(document["planId"])[:16],
            f"{document['status']:<9}",
            str(document["commit"] or "-")[:12].ljust(12),
            str(document["createdAt"] or "-"),
            f"{len(changed)} files" if changed is not None else "-",
            str(document["subject"] or "-"),
        )
        sys.stdout.write("  ".join(words) + "\n")
