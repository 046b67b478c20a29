"""The messages of a session, from Pi's own session file."""

from pathlib import Path
from typing import Any, cast

from services.orchestrator.bridge import KICKOFF_COMMANDS, TOOL_TEXT
from services.orchestrator.records import NotARecord, read_record, text_of


def history_file(pi_directory: Path, session_id: str) -> Path | None:
    """Pi's file of the session, the newest when there are several; None before the first message."""
    found = sorted(pi_directory.glob(f"*_{session_id}.jsonl"))
    return found[-1] if found else None


def read_transcript(pi_directory: Path, session_id: str) -> list[dict[str, Any]]:
    """Messages `{id, role, at, text, tools?, stop_reason?, error?}`, oldest first.

    Without system prompts, hidden messages and kickoffs. Follows the branch that ends in the last entry. A
    torn or foreign line is left out.
    """
    path = history_file(pi_directory, session_id)
    if path is None:
        return []
    entries: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for line in file:
            try:
                entries.append(read_record(line))
            except NotARecord:
                continue
    return _messages(_branch(entries))


def _branch(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_id = {
        entry["id"]: entry for entry in entries if isinstance(entry.get("id"), str) and "parentId" in entry
    }
    branch: list[dict[str, Any]] = []
    entry = next(reversed(by_id.values()), None)
    while entry is not None and len(branch) <= len(by_id):
        branch.append(entry)
        entry = by_id.get(entry.get("parentId") or "")
    branch.reverse()
    return branch


def _messages(branch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for entry in branch:
        raw: Any = entry.get("message") if entry.get("type") == "message" else None
        if entry.get("type") == "custom_message":
            raw = {"role": "custom", "content": entry.get("content"), "display": entry.get("display", True)}
        if not isinstance(raw, dict):
            continue
        message = cast("dict[str, Any]", raw)
        match message.get("role"):
            case "assistant":
                shown.append(_assistant(entry, message, calls))
            case "toolResult":
                _add_result(message, calls)
            case "user":
                text = text_of(message.get("content"))
                if not text.startswith(tuple(f"/{command} " for command in KICKOFF_COMMANDS)):
                    shown.append(_plain(entry, "user", text))
            case "custom" if message.get("display", True):
                shown.append(_plain(entry, "custom", text_of(message.get("content"))))
            case _:
                continue
    return shown


def _plain(entry: dict[str, Any], role: str, text: str) -> dict[str, Any]:
    return {"id": entry["id"], "role": role, "at": entry.get("timestamp"), "text": text}


def _assistant(
    entry: dict[str, Any], message: dict[str, Any], calls: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    shown = _plain(entry, "assistant", text_of(message.get("content")))
    shown |= {"stop_reason": message.get("stopReason"), "error": message.get("errorMessage")}
    tools: list[dict[str, Any]] = []
    blocks: Any = message.get("content")
    for block in cast("list[Any]", blocks) if isinstance(blocks, list) else []:
        if isinstance(block, dict) and cast("dict[str, Any]", block).get("type") == "toolCall":
            call = cast("dict[str, Any]", block)
            tool = {"id": call.get("id"), "tool": call.get("name"), "args": call.get("arguments")}
            tools.append(tool | {"is_error": None, "text": None})
            calls[str(call.get("id"))] = tools[-1]
    if tools:
        shown["tools"] = tools
    return shown


def _add_result(message: dict[str, Any], calls: dict[str, dict[str, Any]]) -> None:
    tool = calls.get(str(message.get("toolCallId")))
    if tool is not None:
        tool["is_error"] = bool(message.get("isError"))
        tool["text"] = text_of(message.get("content"))[:TOOL_TEXT]
