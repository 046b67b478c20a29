"""The ledger of a session: append only, each line holding the hash of the line before."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from contextlib import contextmanager
from datetime import UTC, datetime

from contracts.errors import Code, Fault
from contracts.moments import iso
from tht.files import Folder, read_all, write_all
from tht.shapes import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

NAME = "review_decisions.jsonl"
CAP = 256 << 20
"""Bytes of a ledger that are read at all."""
LINE_CAP = 4 << 20
"""Bytes of one line."""
LOCK_SECONDS = 10.0
"""How long an append waits for another one."""


class Ledger:
    """What a ledger holds."""

    __slots__ = ("changed_at", "lines", "size", "tip", "torn")

    def __init__(self, content: bytes) -> None:
        whole, newline, rest = content.rpartition(b"\n")
        self.size = len(whole) + len(newline)
        """Bytes up to the end of the last whole line."""
        self.torn = len(rest)
        """Bytes after it: a line whose writing was cut short. It was never acknowledged."""
        self.lines: list[dict[str, Any]] = []
        """The decisions, oldest first; lines that cannot be read are left out."""
        self.changed_at: int | None = None
        """Number of the first line that does not follow from the line before; None while history is whole."""
        self.tip: str | None = None
        """sha256 of the last whole line, without its line end; None for an empty ledger."""
        for number, raw in enumerate(whole.split(b"\n") if newline else [], start=1):
            self._take(number, raw)

    def _take(self, number: int, raw: bytes) -> None:
        line = _decode(raw)
        follows = line is not None and line.get("seq") == number and line.get("prev") == self.tip
        if not follows and self.changed_at is None:
            self.changed_at = number
        if line is not None:
            self.lines.append(line)
        self.tip = hashlib.sha256(raw).hexdigest()


class Writer:
    """A ledger under its lock. Made by `locked`."""

    __slots__ = ("_descriptor", "ledger")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.ledger = Ledger(read_all(descriptor, NAME, CAP))
        """What it held when the lock was taken, and what was appended since."""

    def append(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Appends one line made of `fields` plus `seq`, `ts` and `prev`, and gives it back; on the disk when
        this returns. A torn last line is cut first.

        Raises Fault CONFLICT when history was changed, TOO_LARGE, INVALID_ARGUMENT for what JSON cannot hold.
        """
        ledger = self.ledger
        if ledger.changed_at is not None:
            raise Fault(
                Code.CONFLICT,
                f"the ledger was changed at line {ledger.changed_at}: restore it, or start a new session",
                line=ledger.changed_at,
            )
        line = {"seq": len(ledger.lines) + 1, "ts": iso(datetime.now(UTC)), **fields, "prev": ledger.tip}
        raw = _encode(line)
        os.ftruncate(self._descriptor, ledger.size)
        os.lseek(self._descriptor, ledger.size, os.SEEK_SET)
        try:
            write_all(self._descriptor, raw + b"\n")
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, ledger.size)
            raise
        ledger.lines.append(line)
        ledger.size += len(raw) + 1
        ledger.tip = hashlib.sha256(raw).hexdigest()
        return line


def read(session: Folder) -> Ledger:
    """The ledger in a session's folder; an empty one when none was written."""
    try:
        ledger = Ledger(session.read(NAME, CAP))
    except FileNotFoundError:
        return Ledger(b"")
    if ledger.changed_at is None:
        return ledger
    # An append that cut a torn line in the middle of the reading looks like a change: look again in quiet.
    with _descriptor(session, os.O_RDONLY, fcntl.LOCK_SH) as descriptor:
        return Ledger(read_all(descriptor, NAME, CAP))


@contextmanager
def locked(session: Folder) -> Generator[Writer]:
    """The ledger for appending, with every other writer kept out.

    Raises Fault SESSION_BUSY when another writer holds it for longer than LOCK_SECONDS.
    """
    with _descriptor(session, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX) as descriptor:
        os.fsync(session.descriptor)
        yield Writer(descriptor)


@contextmanager
def _descriptor(session: Folder, flags: int, lock: int) -> Generator[int]:
    descriptor = session.open_file(NAME, flags)
    try:
        lock_file(descriptor, lock, "the ledger of this session")
        yield descriptor
    finally:
        os.close(descriptor)


def lock_file(descriptor: int, lock: int, what: str) -> None:
    """Takes the `flock` on an open file. Raises Fault SESSION_BUSY after LOCK_SECONDS."""
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, lock | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Fault(Code.SESSION_BUSY, f"{what} is held by another process; try again") from None
            time.sleep(0.005)
        else:
            return


def _decode(raw: bytes) -> dict[str, Any] | None:
    try:
        return as_object(json.loads(raw))
    except (ValueError, RecursionError):
        return None


def _encode(line: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        raw = text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise Fault(Code.INVALID_ARGUMENT, "a decision holds a value that JSON cannot hold") from error
    if len(raw) > LINE_CAP:
        raise Fault(Code.TOO_LARGE, f"a decision is larger than {LINE_CAP} bytes")
    return raw
