"""CSV by RFC 4180, from Arrow batches, with options for people's spreadsheets.

A field is quoted when it holds the delimiter, a quote, CR, LF, or begins or ends with a space; the empty
string is `""` and NULL is an empty field (or the NULL token), so that the two stay apart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.columns import type_of
from tht.sql.values.texts import NUMERIC, texts

_NOTHING, _QUOTE, _APOSTROPHE = pa.scalar(""), pa.scalar('"'), pa.scalar("'")
TRIGGERS = "=+\\-@\t\r\n|\uff1d\uff0b\uff0d\uff20"
"""What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection), full-width forms
included."""


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How a CSV file is written."""

    delimiter: str = ","
    decimal_comma: bool = False
    """Numbers with a decimal comma, for spreadsheets that expect one."""
    bom: bool = False
    """A byte order mark in front, by which Excel knows UTF-8."""
    null: str = ""
    """What stands for NULL; never quoted."""
    crlf: bool = True
    """Line ends by RFC 4180; false: LF."""
    header: bool = True
    guard: bool = False
    """An apostrophe before text that a spreadsheet would run. Numbers are never touched."""

    @property
    def newline(self) -> str:
        """The end of a line."""
        return "\r\n" if self.crlf else "\n"


def csv_options(given: Mapping[str, Any], raw: bool) -> CsvOptions:
    """The options of a request. Raises Fault INVALID_ARGUMENT for one that is unknown or does not fit."""
    known = {"delimiter": str, "decimal_comma": bool, "bom": bool, "null": str, "crlf": bool, "header": bool}
    for key, value in given.items():
        if key not in known:
            raise _invalid(f"unknown option {str(key)[:40]!r}; known are {', '.join(sorted(known))}")
        if not isinstance(value, known[key]):
            raise _invalid(f"option {key} must be {'text' if known[key] is str else 'true or false'}")
    options = CsvOptions(**given, guard=not raw)
    if len(options.delimiter) != 1 or options.delimiter in '"\r\n\0 ':
        raise _invalid("option delimiter must be one character, not a quote, space or line end")
    if set(options.null) & set('"\r\n\0' + options.delimiter) or len(options.null) > 20:
        raise _invalid("option null must be a short text without quotes, delimiters and line ends")
    if options.decimal_comma and options.delimiter == ",":
        raise _invalid("with decimal_comma the delimiter must be another character, such as ;")
    return options


def _invalid(message: str) -> Fault:
    return Fault(Code.INVALID_ARGUMENT, message)


class CsvWriter:
    """Turns batches into the bytes of CSV lines."""

    def __init__(self, options: CsvOptions) -> None:
        self.options = options
        delimiter = re.escape(options.delimiter)
        alone = f"|^{re.escape(options.null)}$" if options.null else ""
        self._special = f'^$|["\\r\\n{delimiter}]|^ | ${alone}'
        self._marks = [mark.encode() for mark in ('"', "\r", "\n", options.delimiter, options.null) if mark]
        self._delimiter, self._newline = pa.scalar(options.delimiter), pa.scalar(options.newline)
        self._risky = f"^[ ]*[{TRIGGERS}]"
        self._plain_kinds = not _in_plain_kinds(options.delimiter) and not _in_plain_kinds(options.null)

    def header(self, names: list[str]) -> bytes:
        """The first line (and the byte order mark, when it is asked for)."""
        mark = "\ufeff" if self.options.bom else ""
        if not self.options.header:
            return mark.encode()
        row = [self._fields(pa.array([name], pa.string()), "text")[0].as_py() for name in names]
        return (mark + self.options.delimiter.join(row) + self.options.newline).encode()

    def lines(self, batch: pa.RecordBatch) -> memoryview | bytes:
        """The lines of a batch."""
        if not batch.num_rows:
            return b""
        columns: list[Array] = cast("Any", batch).columns
        fields = [self._fields(column, type_of(batch.schema.field(i))) for i, column in enumerate(columns)]
        fields[-1] = pc.binary_join_element_wise(fields[-1], _NOTHING, self._newline)
        lines = pc.binary_join_element_wise(*fields, self._delimiter) if len(fields) > 1 else fields[0]
        return _content(lines)

    def _fields(self, array: Array, type_: str) -> Array:
        found = texts(array, type_)
        if type_ in NUMERIC and self.options.decimal_comma:
            found = pc.replace_substring(found, ".", ",")
        if type_ not in _PLAIN or not self._plain_kinds:
            found = self._quoted(
                found, guarded=type_ in ("text", "json", "array", "struct", "map", "any"), type_=type_
            )
        if found.null_count:
            found = pc.fill_null(found, self.options.null)
        return found

    def _all_plain(self, found: Array) -> bool:
        """True when no value can need quotes, seen from all their bytes at once: most columns are so, and
        this costs a third of looking at each value."""
        if pc.min(pc.binary_length(found)).as_py() == 0:
            return False
        content = bytes(_content(found))
        if any(mark in content for mark in self._marks):
            return False
        return b" " not in content or not (
            pc.any(pc.starts_with(found, " ")).as_py() or pc.any(pc.ends_with(found, " ")).as_py()
        )

    def _quoted(self, found: Array, *, guarded: bool, type_: str) -> Array:
        if self.options.guard and guarded:
            risky = pc.match_substring_regex(found, self._risky)
            if type_ == "any":
                risky = pc.and_(risky, pc.invert(pc.match_substring_regex(found, _NUMBER)))
            if pc.any(risky).as_py():
                found = pc.if_else(risky, pc.binary_join_element_wise(_APOSTROPHE, found, _NOTHING), found)
        if self._all_plain(found):
            return found
        special = pc.match_substring_regex(found, self._special)
        if not pc.any(special).as_py():
            return found
        quoted = pc.binary_join_element_wise(_QUOTE, pc.replace_substring(found, '"', '""'), _QUOTE, _NOTHING)
        return pc.if_else(special, quoted, found)


_PLAIN = NUMERIC | {"boolean", "date", "uuid"}
"""Kinds whose texts are letters, digits and `+-.` (a comma for the point), so that nobody looks at each."""


def _in_plain_kinds(text: str) -> bool:
    """True when a value of these kinds could hold a character of `text`, a delimiter or the NULL token."""
    return any((character.isascii() and character.isalnum()) or character in "+-." for character in text)


_NUMBER = r"^[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|Infinity)$"


def _content(lines: Array) -> memoryview | bytes:
    """The bytes of a string array without null, one value after the other."""
    offsets, data = lines.buffers()[1], lines.buffers()[2]
    if data is None or offsets is None:
        return b""
    wide = pa.types.is_large_string(lines.type)
    view = memoryview(offsets).cast("q" if wide else "i")
    return memoryview(data)[view[lines.offset] : view[lines.offset + len(lines)]]
