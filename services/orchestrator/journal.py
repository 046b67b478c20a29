"""The file in which a session's questions survive the orchestrator."""

import os
from pathlib import Path
from typing import Any

import msgspec

from services.orchestrator.questions import read_journal

NAME = "questions.jsonl"


class QuestionJournal:
    """Appends to `questions.jsonl`. A torn last line is closed off by the next append."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / NAME
        self._handle = -1

    def past(self) -> list[dict[str, Any]]:
        """What was written so far."""
        try:
            return read_journal(self._path.read_bytes())
        except FileNotFoundError:
            return []

    def append(self, line: dict[str, Any]) -> None:
        """Write one line in one call, so that a killed process leaves it whole or not at all."""
        if self._handle < 0:
            self._open()
        os.write(self._handle, msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._handle = os.open(self._path, flags, 0o600)
        size = os.fstat(self._handle).st_size
        if size and os.pread(self._handle, 1, size - 1) != b"\n":
            os.write(self._handle, b"\n")
