"""A compaction of the context, as Pi tells it."""

import asyncio
from typing import TYPE_CHECKING, Any

from fake_pi.messages import no_usage

if TYPE_CHECKING:
    from fake_pi.machine import Machine


async def compact(
    machine: "Machine",
    reason: str,
    summary: str,
    will_retry: bool = False,
    aborted: bool = False,
    error: str | None = None,
) -> dict[str, Any]:
    """Writes the records of a compaction and keeps its entry; returns its result."""
    session = machine.session
    kept = next((entry["id"] for entry in reversed(session.entries) if entry["type"] == "message"), None)
    machine.compacting = True
    machine.emit({"type": "compaction_start", "reason": reason})
    await asyncio.sleep(0)
    result: dict[str, Any] = {
        "summary": summary,
        "firstKeptEntryId": kept,
        "tokensBefore": 111,
        "estimatedTokensAfter": 50,
        "usage": no_usage(),
        "details": {"readFiles": [], "modifiedFiles": []},
    }
    record: dict[str, Any] = {"type": "compaction_end", "reason": reason}
    if not aborted and error is None:
        session.append("compaction", **{key: value for key, value in result.items() if key != "usage"})
        record["result"] = result
    record |= {"aborted": aborted, "willRetry": will_retry}
    machine.emit(record if error is None else {**record, "errorMessage": error})
    machine.compacting = False
    return result
