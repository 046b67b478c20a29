"""The file in which a session's questions survive the orchestrator."""

import errno
import os
from pathlib import Path
from typing import Any

import msgspec
import structlog

from services.orchestrator.questions import read_journal

NAME = "questions.jsonl"

_log = structlog.get_logger(__name__)


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
        """Write one line in one call, so that a killed process leaves it whole or not at all.

        Raises OSError. What was written of the line then is closed off by the next append.
        """
        raw = msgspec.json.encode(line) + b"\n"
        try:
            if self._handle < 0:
                self._open()
            if os.write(self._handle, raw) < len(raw):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self.close()
            raise

    def note(self, line: dict[str, Any]) -> None:
        """Append a line the session can go on without: decisions are on the ledger. A failure is logged."""
        try:
            self.append(line)
        except OSError as error:
            _log.error("the journal of questions cannot be written", reason=error.strerror)

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
