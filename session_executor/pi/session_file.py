"""Pi's session files (JSONL, version 3): check one strictly and write the fork that ends at an entry.

Measured on Pi 1.6.0: the active leaf is the last entry of the file, versions 1 and 2 are rewritten in place,
a byte order mark makes the file unreadable, malformed lines and missing parents are dropped silently and a
parent cycle never ends. So only files are accepted that mean the same to everybody.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from session_executor import fields
from session_executor.canonical import canonical_json, parse_json, sha256
from session_executor.checkpoint import Inspection
from session_executor.errors import ErrorCode, ExecutorError

SESSION_VERSION = 3
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\v\f"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a session: its bytes and what they mean."""

    line: bytes
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """A checked session file."""

    header: dict[str, Any]
    entries: dict[str, Entry]

    def branch(self, entry_id: str) -> list[Entry]:
        """The entries from the root to `entry_id`.

        Raises ExecutorError CHECKPOINT_NOT_FOUND, and INVALID_SESSION for a missing parent or a cycle.
        """
        selected = self.entries.get(entry_id)
        if selected is None:
            raise ExecutorError(ErrorCode.CHECKPOINT_NOT_FOUND, f"the session has no entry {entry_id}")
        branch = [selected]
        visited = {entry_id}
        while (parent_id := branch[-1].document["parentId"]) is not None:
            if parent_id in visited:
                raise _invalid(f"the parents of the entry form a cycle at {parent_id}")
            parent = self.entries.get(parent_id)
            if parent is None:
                raise _invalid(f"the parent {parent_id} of an entry is missing")
            visited.add(parent_id)
            branch.append(parent)
        branch.reverse()
        return branch


def inspect_session(data: bytes, entry_id: str) -> Inspection:
    """Check the session in `data` and resolve `entry_id`; see `session_executor.checkpoint.Inspect`."""
    fields.token(entry_id, "the entry id", ErrorCode.INVALID_INPUT)
    session = parse_session(data)
    branch = session.branch(entry_id)
    identifiers = tuple(str(entry.document["id"]) for entry in branch)
    kind = branch[-1].document.get("type")
    return Inspection(
        session_id=session.header["id"],
        version=SESSION_VERSION,
        source_cwd=session.header["cwd"],
        entry_count=len(session.entries),
        entry_id=entry_id,
        entry_type=kind if isinstance(kind, str) and kind else "unknown",
        branch_entry_ids=identifiers,
        branch_digest=branch_digest(identifiers),
    )


def branch_digest(identifiers: tuple[str, ...] | list[str]) -> str:
    """SHA-256 of the canonical JSON array of the ids from the root to the entry."""
    return sha256(canonical_json(list(identifiers)))


def fork_session(
    session: Session, entry_id: str, *, session_id: str, timestamp: str, cwd: str, parent_session: str
) -> bytes:
    """A session file whose only and therefore active branch ends at `entry_id`.

    The entries are the original bytes of their lines in path order, so that what the model sees cannot
    differ; only the header is new. Raises like `Session.branch`.
    """
    header = {
        "type": "session",
        "version": SESSION_VERSION,
        "id": session_id,
        "timestamp": timestamp,
        "cwd": cwd,
        "parentSession": parent_session,
    }
    lines = [json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")]
    lines += [entry.line for entry in session.branch(entry_id)]
    return b"\n".join(lines) + b"\n"


def session_models(session: Session, entry_id: str) -> list[tuple[str, str]]:
    """Provider and model id that the branch of `entry_id` used last, the wanted one last.

    A virtual model is only named by `model_change`, the physical one that answered by the assistant message;
    Pi may report either.
    """
    chosen: tuple[str, str] | None = None
    answered: tuple[str, str] | None = None
    for entry in session.branch(entry_id):
        document = entry.document
        message = document.get("message")
        if document.get("type") == "model_change":
            chosen, answered = _model(document.get("provider"), document.get("modelId")), None
        elif document.get("type") == "message" and isinstance(message, dict):
            fields_of = cast(dict[str, Any], message)
            if fields_of.get("role") == "assistant":
                answered = _model(fields_of.get("provider"), fields_of.get("model")) or answered
    return [model for model in (answered, chosen) if model is not None]


def _model(provider: Any, model: Any) -> tuple[str, str] | None:
    named = isinstance(provider, str) and isinstance(model, str) and provider and model
    return (provider, model) if named else None


def parse_session(data: bytes) -> Session:
    """Check every line of a session file. Raises ExecutorError INVALID_SESSION or INVALID_UTF8."""
    if data.startswith(_BYTE_ORDER_MARK):
        raise _invalid("the session must not start with a byte order mark")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ExecutorError(ErrorCode.INVALID_UTF8, "the session is not valid UTF-8") from error
    lines = _objects(data)
    first = next(lines, None)
    if first is None or first.document.get("type") != "session":
        raise _invalid("the first line of the session is not a session header")
    header = first.document
    _check_header(header)
    entries: dict[str, Entry] = {}
    for entry in lines:
        identifier = _check_entry(entry.document)
        if identifier in entries:
            raise _invalid(f"the entry id {identifier} is there twice")
        entries[identifier] = entry
    if not entries:
        raise _invalid("the session has no entry")
    return Session(header, entries)


def _objects(data: bytes) -> Iterator[Entry]:
    """Lines end at LF bytes only: U+2028 and U+0085 are legal inside a JSON string."""
    for number, line in enumerate(data.split(b"\n"), 1):
        content = line.rstrip(b"\r")
        if not content.strip(_BLANKS):
            continue
        try:
            document = parse_json(content.decode("utf-8"))
        except ValueError as error:
            raise _invalid(f"line {number} of the session is not JSON") from error
        if not isinstance(document, dict):
            raise _invalid(f"line {number} of the session is not an object")
        yield Entry(content, cast(dict[str, Any], document))


def _check_header(header: dict[str, Any]) -> None:
    fields.token(header.get("id"), "the id of the session", ErrorCode.INVALID_SESSION)
    version = header.get("version")
    if isinstance(version, bool) or version != SESSION_VERSION:
        raise _invalid(f"the session must have version {SESSION_VERSION}; open it in Pi once to migrate it")
    if not isinstance(header.get("cwd"), str):
        raise _invalid("the session header has no cwd")


def _check_entry(document: dict[str, Any]) -> str:
    if document.get("type") == "session":
        raise _invalid("the session has more than one header")
    identifier = fields.token(document.get("id"), "the id of an entry", ErrorCode.INVALID_SESSION)
    if "parentId" not in document or not isinstance(document["parentId"], str | None):
        raise _invalid(f"the entry {identifier} has no valid parentId")
    return identifier


def _invalid(message: str) -> ExecutorError:
    return ExecutorError(ErrorCode.INVALID_SESSION, message)
