"""CSV lines from rows, without making columns of them where the rows allow it.

msgspec writes rows as lines of JSON several times faster than anything makes columns of them. Such a line
without its brackets and quotes is the line of CSV, when no text holds what JSON escapes, what CSV quotes, or
what could be taken for a mark of the line, and no float is one of the few that JSON writes otherwise than the
table of values says. Rows that cannot be seen to be so are made columns and written as all others; a property
test holds the two ways together.
"""

import struct
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec
import pyarrow as pa

from tht.sql.arrow import compute as pc
from tht.sql.csv_text import TRIGGERS, CsvOptions, CsvWriter
from tht.sql.engines.base import Source
from tht.sql.engines.row_batch import RowBatch

CsvBatch = pa.RecordBatch | RowBatch

_AFTER_FAILURE = 8
"""Batches that are not tried after one that was in vain: its neighbours are like it."""

_NULL = type(None)
_CLASSES = frozenset({int, float, str, _NULL})
"""Bytes would be written as base64, like a text."""
_SPECIAL = r'"[" ]| "|[0-9]e|0\.0000'
"""An empty text, a space at the beginning or end of a text, a float with an exponent or below 0.0001."""
_BARE_NULL = r"[\[,]null"
_encode_lines = msgspec.json.Encoder().encode_lines


class RowsWriter:
    """Turns batches of rows or columns into the bytes of CSV lines."""

    def __init__(self, options: CsvOptions) -> None:
        self._columns = CsvWriter(options)
        self.header = self._columns.header
        self._fits = options.delimiter == "," and not options.decimal_comma and not options.null
        special = _SPECIAL + (f'|"[{TRIGGERS}]' if options.guard else "")
        self._special = {True: special, False: f"{special}|{_BARE_NULL}"}
        self._line_end = bytes.maketrans(b"]", b"\r")
        self._marks = b'["' if options.crlf else b'[]"'
        self._wait = 0
        """Batches that are not to be tried; two threads change it, and at worst one more is tried."""

    def prepared(self, source: Source, size: int) -> Iterator[CsvBatch]:
        """The batches of `source`, with the part of the work done that needs the interpreter to itself."""
        for batch in source.csv_batches(size):
            if isinstance(batch, RowBatch) and self._fits:
                self._prepare(batch)
            yield batch

    def _prepare(self, batch: RowBatch) -> None:
        if self._wait:
            self._wait -= 1
            return
        batch.classes = frozenset(map(type, chain.from_iterable(batch.rows)))
        if batch.classes <= _CLASSES:
            batch.encoded = _encode_lines(batch.rows)

    def lines(self, batch: CsvBatch) -> memoryview | bytes:
        """The lines of a batch."""
        if not isinstance(batch, RowBatch):
            return self._columns.lines(batch)
        if batch.encoded is not None:
            encoded = self._plain(batch, batch.encoded)
            if encoded is not None:
                return encoded.translate(self._line_end, self._marks)
            self._wait = _AFTER_FAILURE
        return self._columns.lines(batch.columns())

    def _plain(self, batch: RowBatch, encoded: bytes) -> bytes | None:
        """`encoded` with nothing in place of its nulls, when its marks are those of the lines alone."""
        rows, width = batch.num_rows, len(batch.names)
        if (
            b"\\" in encoded
            or encoded.count(b",") != rows * (width - 1)
            or encoded.count(b"[") != rows
            or encoded.count(b"]") != rows
            or _matches(encoded, self._special[_NULL in batch.classes])
        ):
            return None
        return _without_nulls(batch, encoded) if _NULL in batch.classes else encoded


def _matches(text: bytes, pattern: str) -> bool:
    """True when `pattern` is found in `text`, which is UTF-8; other threads run meanwhile."""
    offsets = pa.py_buffer(struct.pack("=qq", 0, len(text)))
    array: Any = pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(text))
    return bool(pc.match_substring_regex(array, pattern)[0].as_py())


def _without_nulls(batch: RowBatch, encoded: bytes) -> bytes | None:
    """None when not every null is a NULL: an infinite float is written so too."""
    nulls = encoded.count(b",null") + encoded.count(b"[null")
    if float in batch.classes and nulls != Counter(map(type, chain.from_iterable(batch.rows)))[_NULL]:
        return None
    return encoded.replace(b",null", b",").replace(b"[null", b"[")
