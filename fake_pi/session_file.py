"""Pi's session: entries in a JSONL file that is created with the first message of a conversation."""

import contextlib
import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def timestamp_text() -> str:
    """Now, as JavaScript's toISOString writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def timestamp_ms() -> int:
    """Now, in milliseconds since 1970."""
    return int(datetime.now(UTC).timestamp() * 1000)


class SessionFile:
    """Entries of one session. `path` is None with --no-session."""

    def __init__(self, directory: Path | None, session_id: str, cwd: str) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.created = timestamp_text()
        self.entries: list[Entry] = []
        self.path: Path | None = None
        self._written = False
        self._torn = False
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
            stamp = self.created.replace(":", "-").replace(".", "-")
            self.path = directory / f"{stamp}_{session_id}.jsonl"

    @property
    def leaf(self) -> str | None:
        """Id of the last entry."""
        return self.entries[-1]["id"] if self.entries else None

    def resume(self, path: Path, header: Entry, entries: list[Entry], torn: bool) -> None:
        """Continues in an existing file."""
        self.path, self.created, self.entries = path, str(header.get("timestamp", "")), entries
        self._written, self._torn = True, torn

    def append(self, kind: str, **fields: Any) -> Entry:
        """Adds an entry and writes it. Raises OSError when it cannot be written; then nothing is added."""
        head = {"type": kind}
        tail = {"id": secrets.token_hex(4), "parentId": self.leaf, "timestamp": timestamp_text()}
        # Pi's own order: custom entries carry their fields before id, all others behind.
        entry: Entry = (
            {**head, **fields, **tail} if kind in ("custom", "custom_message") else {**head, **tail, **fields}
        )
        self.entries.append(entry)
        try:
            self._write(entry)
        except OSError:
            self.entries.pop()
            raise
        return entry

    def messages(self) -> list[dict[str, Any]]:
        """The messages of the model's context, the hidden ones of extensions among them."""
        edited = {entry.get("targetId") for entry in self.entries if entry["type"] == "context_edit"}
        found: list[dict[str, Any]] = []
        for entry in self.entries:
            if entry["id"] in edited:
                continue
            if entry["type"] == "message":
                found.append(entry["message"])
            elif entry["type"] == "custom_message":
                found.append(custom_message(entry))
        return found

    def last(self, kind: str, field: str) -> Any:
        """The field of the youngest entry of a kind, or None."""
        return next((entry[field] for entry in reversed(self.entries) if entry["type"] == kind), None)

    def _write(self, entry: Entry) -> None:
        if self.path is None:
            return
        if self._written:
            with self.path.open("ab") as file:
                if self._torn:
                    file.write(b"\n")
                    self._torn = False
                file.write(_line(entry))
            return
        if not any(
            e["type"] == "message" and e["message"]["role"] in ("user", "assistant") for e in self.entries
        ):
            return
        header = {
            "type": "session",
            "version": 3,
            "id": self.session_id,
            "timestamp": self.created,
            "cwd": self.cwd,
        }
        with self.path.open("xb") as file:
            file.write(b"".join(_line(item) for item in [header, *self.entries]))
        self._written = True


def custom_message(entry: Entry) -> dict[str, Any]:
    """The message of a custom_message entry."""
    fields = {key: entry[key] for key in ("customType", "content", "display", "details") if key in entry}
    return {"role": "custom", **fields, "timestamp": timestamp_ms()}


def _line(value: Entry) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace") + b"\n"


def find_session(directory: Path, session_id: str, cwd: str) -> tuple[Path, Entry, list[Entry], bool] | None:
    """The file whose header has this id and this cwd (symlinks resolved).

    Gives path, header, entries, and whether the last line is torn; that one is left out, as by Pi 1.6.0.
    """
    for path in sorted(directory.glob("*.jsonl"), reverse=True):
        lines = path.read_bytes().split(b"\n")
        header = _entry(lines[0])
        if header is None or header.get("type") != "session" or header.get("id") != session_id:
            continue
        if os.path.realpath(str(header.get("cwd"))) != os.path.realpath(cwd):
            continue
        entries = [entry for line in lines[1:] if (entry := _entry(line)) is not None and "id" in entry]
        return path, header, entries, bool(lines[-1])
    return None


def _entry(line: bytes) -> Entry | None:
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict):
            return value  # pyright: ignore[reportUnknownVariableType]
    return None
