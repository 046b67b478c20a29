"""Cutting Pi's stdout into records: bytes, LF only, with a cap on one record."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

RECORD_CAP = 32 * 1024 * 1024
"""Largest record in bytes. Pi 1.6.0 writes a tool result whole and five times: 20 MB lines were measured."""


class Problem(Enum):
    """What can be wrong with a line."""

    OVERSIZED = "oversized"
    TRUNCATED = "truncated"
    GARBAGE = "garbage"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that was not handed on, and its length in bytes (at least, for one that was skipped)."""

    problem: Problem
    length: int


def lines_of(block: bytes, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """The lines of `block[start:stop]` without their LF; blank ones are left out."""
    stop = len(block) if stop is None else stop
    while start < stop:
        end = block.find(b"\n", start, stop)
        if end < 0:
            end = stop
        line = block[start:end]
        if line and not line.isspace():
            yield line
        start = end + 1


class LineSplitter:
    """Cuts a byte stream at 0x0A and nowhere else.

    Text methods such as `splitlines` also cut at U+2028, U+2029 and U+0085, which Pi writes raw inside
    strings. A line longer than `cap` is skipped, told once, and reading goes on after its LF.
    """

    def __init__(self, cap: int = RECORD_CAP) -> None:
        self._cap = cap
        self._pieces: list[bytes] = []
        self._length = 0
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | LineProblem]:
        """The lines that `chunk` completes, in blocks of one or more parted by LF; see `lines_of`."""
        last = chunk.rfind(b"\n")
        if last < 0:
            self._hold(chunk)
            return []
        found: list[bytes | LineProblem] = []
        start = 0
        if self._length:
            start = chunk.index(b"\n") + 1
            self._hold(chunk[: start - 1])
            self._close(found)
        if last - start > self._cap:
            for line in chunk[start:last].split(b"\n"):
                whole = len(line) <= self._cap
                found.append(line if whole else LineProblem(Problem.OVERSIZED, len(line)))
        elif last > start:
            found.append(chunk[start:last])
        self._hold(chunk[last + 1 :])
        return found

    def finish(self) -> list[bytes | LineProblem]:
        """What the end of the stream leaves: a last line without its LF is told, never parsed."""
        length, skipping = self._length, self._skipping
        self._reset()
        if skipping:
            return [LineProblem(Problem.OVERSIZED, length)]
        return [LineProblem(Problem.TRUNCATED, length)] if length else []

    def _hold(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > self._cap:
            self._skipping = True
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _close(self, found: list[bytes | LineProblem]) -> None:
        if self._skipping:
            found.append(LineProblem(Problem.OVERSIZED, self._length))
        elif self._pieces:
            found.append(self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces))
        self._reset()

    def _reset(self) -> None:
        self._pieces.clear()
        self._length = 0
        self._skipping = False
