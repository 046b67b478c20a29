"""CSV lines from rows, without making columns of them where the rows allow it.

msgspec writes rows as lines of JSON several times faster than anything makes columns of them. Such a line
without its brackets and quotes is the line of CSV, when no text holds what JSON escapes, what CSV quotes, or
what could be taken for a mark of the line, and no float is one of the few that JSON writes otherwise than the
table of values says. Rows that cannot be seen to be so are made columns and written as all others; a property
test holds the two ways together.
"""

import struct
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec
import pyarrow as pa

from tht.sql.engines.row_batch import RowBatch
from tht.sql.files.csv_text import TRIGGERS, CsvOptions, CsvWriter
from tht.sql.values.arrow import compute as pc

CsvBatch = pa.RecordBatch | RowBatch

_AFTER_FAILURE = 8
"""Batches that are not tried after one that was in vain: its neighbours are like it."""

_NULL = type(None)
_CLASSES = frozenset({int, float, str, _NULL})
"""Bytes would be written as base64, like a text."""
_SPECIAL = (' "', "e[-0-9]", r"0\.0000")
"""A space at the end of a text, a float with an exponent or below 0.0001. Each begins with a literal, which
is looked for much faster than a choice of them."""
_encode_lines = msgspec.json.Encoder().encode_lines


class RowsWriter:
    """Turns batches of rows or columns into the bytes of CSV lines."""

    def __init__(self, options: CsvOptions) -> None:
        self._columns = CsvWriter(options)
        self.header = self._columns.header
        self._fits = options.delimiter == "," and not options.decimal_comma and not options.null
        self._special = (f'"[" {TRIGGERS if options.guard else ""}]', *_SPECIAL)
        # an infinite float is written as null
        self._special_or_null = (*self._special, "null")
        self._line_end = bytes.maketrans(b"]", b"\r")
        self._marks = b'["' if options.crlf else b'[]"'
        self._wait = 0
        """Batches that are not to be tried."""

    def lines(self, batch: CsvBatch) -> memoryview | bytes:
        """The lines of a batch."""
        if not isinstance(batch, RowBatch):
            return self._columns.lines(batch)
        if self._wait:
            self._wait -= 1
        elif self._fits:
            encoded = self._encoded(batch)
            if encoded is not None:
                return encoded.translate(self._line_end, self._marks)
            self._wait = _AFTER_FAILURE
        return self._columns.lines(batch.columns())

    def _encoded(self, batch: RowBatch) -> bytes | None:
        """The rows as lines of JSON without their nulls, when the only marks in them are those of the lines;
        else None."""
        classes = set(map(type, chain.from_iterable(batch.rows)))
        if not classes <= _CLASSES:
            return None
        encoded = _encode_lines(batch.rows)
        rows, width = batch.num_rows, len(batch.names)
        if (
            b"\\" in encoded
            or encoded.count(b",") != rows * (width - 1)
            or encoded.count(b"[") != rows
            or encoded.count(b"]") != rows
            or _has_any(encoded, self._special if _NULL in classes else self._special_or_null)
        ):
            return None
        if _NULL not in classes:
            return encoded
        nulls = encoded.count(b",null") + encoded.count(b"[null")
        if float in classes and nulls != Counter(map(type, chain.from_iterable(batch.rows)))[_NULL]:
            return None
        return encoded.replace(b",null", b",").replace(b"[null", b"[")


def _has_any(text: bytes, patterns: Sequence[str]) -> bool:
    """True when a pattern is found in `text`, which is UTF-8."""
    offsets = pa.py_buffer(struct.pack("=qq", 0, len(text)))
    array: Any = pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(text))
    return any(pc.match_substring_regex(array, pattern)[0].as_py() for pattern in patterns)
