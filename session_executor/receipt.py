"""The receipt: what ran, on what, and what came of it. It never holds the prompt."""

from collections.abc import Sequence
from typing import Any, cast

from session_executor.commit import LostFile
from session_executor.plan import Plan
from session_executor.runner import CheckedContinuation

RECEIPT_VERSION = "session-execution-receipt-v1"
PREPARED = "prepared"
COMPLETE = "complete"


def section(document: dict[str, Any], name: str) -> dict[str, Any]:
    """The object `name` in a receipt or plan that was read from a file; empty when there is none."""
    value = document.get(name)
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def prepared_receipt(
    plan: Plan,
    continuation: CheckedContinuation,
    *,
    started_at: str,
    frozen_session: str,
    commit: str,
    tree: str,
    changed_paths: Sequence[str],
    lost_files: Sequence[LostFile],
) -> dict[str, Any]:
    """The receipt before the ref exists. `result.ignoredPaths` are files that were written but not committed;
    `result.ignoredFiles` tells their sizes in bytes and the reasons.
    """
    checkpoint = plan.checkpoint
    model = continuation.model
    return {
        "schemaVersion": RECEIPT_VERSION,
        "status": PREPARED,
        "planId": plan.plan_id,
        "provider": plan.provider,
        "startedAt": started_at,
        "completedAt": None,
        "workspace": {
            "root": plan.workspace.root,
            "baseCommit": plan.workspace.base_commit,
            "baseTree": plan.workspace.base_tree,
        },
        "checkpoint": {
            "sourceSessionFile": checkpoint.session_file,
            "frozenSessionFile": frozen_session,
            "sourceSessionSha256": checkpoint.session_sha256,
            "sourceSessionId": checkpoint.session_id,
            "sourceSessionVersion": checkpoint.session_version,
            "entryId": checkpoint.entry_id,
            "entryType": checkpoint.entry_type,
            "branchDigest": checkpoint.branch_digest,
        },
        "execution": {
            "sessionId": continuation.session_id,
            "sessionFile": continuation.session_file,
            "sessionSha256": continuation.session_sha256,
            "model": {"provider": model[0], "id": model[1]} if model else None,
            "toolCalls": [{"id": call.id, "name": call.name} for call in continuation.tool_calls],
            "outputSha256": continuation.output_sha256,
        },
        "result": {
            "commit": commit,
            "tree": tree,
            "parent": plan.workspace.base_commit,
            "ref": plan.output.ref,
            "changedPaths": list(changed_paths),
            "ignoredPaths": [file.path for file in lost_files],
            "ignoredFiles": [file.document() for file in lost_files],
        },
        "constraints": plan.constraints,
        "cleanup": {"worktreeRemoved": False, "warnings": []},
    }


def complete_receipt(
    receipt: dict[str, Any], *, completed_at: str, warnings: Sequence[str], check: dict[str, Any] | None
) -> dict[str, Any]:
    """The receipt of a finished run; `check` is the result of the check command when one was asked for."""
    completed: dict[str, Any] = {
        **receipt,
        "status": COMPLETE,
        "completedAt": completed_at,
        "cleanup": {"worktreeRemoved": not warnings, "warnings": list(warnings)},
    }
    if check is not None:
        completed["check"] = check
    return completed
