"""Records of Pi 1.6.0 on stdout: a small head is decoded once, the rest only where it is needed."""

import json
import re
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")


NOTHING = msgspec.Raw(b"null")
"""A part that is absent."""


class Loose(msgspec.Struct, rename="camel"):
    """Base: names as Pi writes them, unknown fields are skipped without being built."""


class AssistantEvent(Loose):
    """The streaming part of a message_update."""

    type: str = ""
    delta: str = ""


class Head(Loose):
    """What decides where a record goes."""

    type: str
    assistant_message_event: AssistantEvent | None = None


class Reply(Loose):
    """Pi's response to a command."""

    id: Any = None
    command: Any = None
    success: bool = False
    data: msgspec.Raw = NOTHING
    error: Any = None


class Message(Loose):
    """One message of the conversation."""

    role: str = ""
    content: Any = None
    display: bool = True
    stop_reason: str | None = None
    error_message: str | None = None
    usage: dict[str, Any] | None = None


class MessageHead(Loose):
    """The role of a message, its content unread."""

    role: str = ""


class MessageHeadRecord(Loose):
    """message_start or message_end, as far as the role."""

    message: MessageHead


class MessageRecord(Loose):
    """message_start or message_end, whole."""

    message: Message


class ToolStart(Loose):
    """tool_execution_start."""

    tool_call_id: str = ""
    tool_name: str = ""
    args: msgspec.Raw = NOTHING


class ToolResult(Loose):
    """The `result` of a tool."""

    content: Any = None


class ToolEnd(Loose):
    """tool_execution_end: the one of the five copies of a result that is used."""

    tool_call_id: str = ""
    tool_name: str = ""
    result: ToolResult | None = None
    is_error: bool = False
    duration_ms: float | None = None


class Settled(Loose):
    """agent_settled: the run is over."""

    aborted: bool = False


class DialogRequest(Loose):
    """extension_ui_request. Pi passes any JSON value in most fields."""

    id: Any = None
    method: Any = None
    title: Any = None
    message: Any = None
    options: Any = None
    placeholder: Any = None
    prefill: Any = None
    timeout: float | None = None
    notify_type: Any = None
    status_key: Any = None
    status_text: Any = None
    widget_key: Any = None
    widget_lines: Any = None
    text: Any = None


class Entry(Loose):
    """An entry of Pi's session, as far as the gate's channel needs it."""

    type: str = ""
    custom_type: str = ""
    data: Any = None


class EntryAppended(Loose):
    """entry_appended."""

    entry: Entry


class QueueUpdate(Loose):
    """queue_update: both queues in full."""

    steering: list[str] = []
    follow_up: list[str] = []


class RetryStart(Loose):
    """auto_retry_start."""

    attempt: int = 0
    max_attempts: int = 0
    delay_ms: float = 0
    error_message: str | None = None


class RetryEnd(Loose):
    """auto_retry_end."""

    success: bool = False
    attempt: int = 0
    final_error: str | None = None


class Compaction(Loose):
    """compaction_start and compaction_end."""

    reason: str | None = None
    aborted: bool = False
    error_message: str | None = None


class ExtensionError(Loose):
    """extension_error: a hook or command of an extension threw."""

    extension_path: Any = None
    event: Any = None
    error: Any = None


class NameChanged(Loose):
    """session_info_changed."""

    name: str | None = None


class ThinkingChanged(Loose):
    """thinking_level_changed."""

    level: str | None = None


_HEAD = msgspec.json.Decoder(Head)
_SURROGATE = re.compile("[\ud800-\udfff]")


class NotARecord(Exception):
    """The line is no JSON object with a `type`."""


def read_head(line: bytes) -> tuple[Head, bytes]:
    """The head of a record and the line to decode the rest from. Raises NotARecord.

    The line differs from the one given where that had lone surrogates, which Pi escapes and most parsers
    refuse: they become U+FFFD.
    """
    try:
        return _HEAD.decode(line), line
    except (msgspec.DecodeError, RecursionError):
        repaired = _repair(line)
        try:
            return _HEAD.decode(repaired), repaired
        except (msgspec.DecodeError, RecursionError) as error:
            raise NotARecord(str(error)) from error


def decode(line: bytes, kind: type[T]) -> T:
    """The record in `line` as `kind`. Raises NotARecord when its fields have other types."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotARecord(str(error)) from error


def read_record(line: bytes) -> dict[str, Any]:
    """A whole record, lone surrogates replaced. Raises NotARecord."""
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return decode(_repair(line), dict[str, Any])


def without_surrogates(value: Any) -> Any:
    """`value` (JSON) with every lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {without_surrogates(key): without_surrogates(item) for key, item in pairs}
    return value


def has_surrogate(text: str) -> bool:
    """True when `text` cannot be written as UTF-8."""
    return _SURROGATE.search(text) is not None


def _repair(line: bytes) -> bytes:
    if b"\\u" not in line:
        raise NotARecord("not JSON")
    try:
        return msgspec.json.encode(without_surrogates(json.loads(line)))
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise NotARecord(str(error)) from error


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    for block in cast("list[Any]", content):
        if isinstance(block, dict):
            part = cast("dict[str, Any]", block)
            if part.get("type") == "text" and isinstance(part.get("text"), str):
                texts.append(part["text"])
    return "\n".join(texts)
