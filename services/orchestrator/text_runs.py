"""Text deltas in bulk: runs of records that differ in their text alone, and the end of a text. Pure."""

from collections import deque

import msgspec

_KEY = b'"delta":"'
_END = b'"}}'
"""What follows the text in the record of a delta."""
_STRING = msgspec.json.Decoder(str)


def escaped(text: str) -> bytes:
    """`text` as it stands between the quotes of a JSON string. It has no lone surrogates."""
    return msgspec.json.encode(text)[1:-1]


class TextRuns:
    """Takes runs of text deltas out of blocks of lines, many at the cost of one.

    The records that Pi 1.6.0 writes while a model writes text are equal up to the text, which is the last
    thing in them. So once one of them was parsed, what stands before its text says what a record is, and
    the texts of a run are checked together as one JSON string.
    """

    def __init__(self) -> None:
        self._before = b""

    def learn(self, line: bytes, text: bytes) -> None:
        """Take the record of a delta, and its text as it stands in JSON, as the model of those to come."""
        before = line[: len(line) - len(text) - len(_END)]
        # The key must be the only one of its name, and no other way to write it may come before it.
        if (
            text
            and line.endswith(text + _END)
            and before.find(_KEY[:-2]) == len(before) - len(_KEY)
            and before.endswith(_KEY)
            and b"\\" not in before
            and b"\n" not in before
        ):
            self._before = before

    def take(self, block: bytes, start: int) -> tuple[tuple[memoryview, str] | None, int]:
        """The run that begins at `start`: its text as it stands in JSON and as a string; and where it ends.

        None and an end after `start` for records that look like a run but must be read one by one.
        """
        before = self._before
        if not before:
            return None, start
        skip, pieces = len(before), [b'"']
        while block.startswith(before, start):
            begin = start + skip
            end = block.find(b"\n", begin)
            if end < 0:
                end = len(block)
            stop = end - len(_END)
            if stop < begin or not block.startswith(_END, stop):
                break
            pieces.append(block[begin:stop])
            start = end + 1
        if len(pieces) == 1:
            return None, start
        pieces.append(b'"')
        token = b"".join(pieces)
        if b"\\" in token and any(piece.endswith(b"\\") or b"\\u" in piece for piece in pieces):
            # Half an escape would be made whole by the text that follows.
            return None, start
        try:
            text = _STRING.decode(token)
        except msgspec.DecodeError:
            return None, start
        return (memoryview(token)[1:-1], text), start


class TextEnd:
    """The last `kept` characters of a text that grows. Each piece is copied once, and joined when asked."""

    PIECES = 256
    LENGTH = 64 * 1024
    """So many pieces, or characters, are joined into one, so that there are few however short they are."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._recent: list[str] = []
        self._recent_length = 0
        self._older: deque[str] = deque()
        self._older_length = 0

    def add(self, piece: str) -> None:
        """Append `piece`."""
        self._recent.append(piece)
        self._recent_length += len(piece)
        if self._recent_length >= self.LENGTH or len(self._recent) >= self.PIECES:
            self._fold()

    def __str__(self) -> str:
        self._fold()
        return "".join(self._older)[-self._kept :]

    def __len__(self) -> int:
        """How many characters are held, which may be some more than are kept."""
        return self._older_length + self._recent_length

    def _fold(self) -> None:
        self._older.append("".join(self._recent))
        self._older_length += self._recent_length
        self._recent.clear()
        self._recent_length = 0
        while self._older_length - len(self._older[0]) >= self._kept:
            self._older_length -= len(self._older.popleft())
