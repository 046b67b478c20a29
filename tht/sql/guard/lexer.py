"""One lexer for all dialects: what is a string, a name, a comment, and where a statement ends.

The guard never trusts a general parser with the question where a comment or a string ends, because each
engine answers it differently (SQLite ends `--` at LF only, PostgreSQL and DuckDB nest `/* */`, MariaDB
escapes with a backslash and runs what stands in `/*! */`). This module answers it by the engine's own rules
and hands the parser a text in which the question does not arise any more: no comments, plain literals, plain
names.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from contracts.errors import Code, Fault
from tht.sql.guard.lexicons import LEXICONS, Lexicon

Kind = Literal["space", "string", "name", "word", "number", "operator", "end"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of SQL: `text` as it stands, `value` what it means (a name or literal without its quotes)."""

    kind: Kind
    text: str
    value: str


_SPACE = re.compile(r"[\s\x00-\x20\ufeff]+")
_WORD = re.compile(r"(?:[^\W\d]|[^\x00-\x7f\s])(?:[\w$]|[^\x00-\x7f\s])*")
"""Every sign beyond ASCII is a letter, emoji and combining marks too."""
_DIGITS = "[0-9](?:_?[0-9])*"
_NUMBER = re.compile(
    rf"0[xX](?:_?[0-9a-fA-F])+|(?:{_DIGITS}(?:\.(?!\.)(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?"
)
_UNFINISHED = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+)[eE](?![+-]?[0-9])")
_SIGN = r"[+\-*/<>=~!@#%^&|`?]"
_SPECIAL_SIGNS = frozenset("~!@#%^&|`?")
_PLAIN = re.compile(
    r"([ \t\r\n]+)|([A-Za-z_][A-Za-z0-9_]*(?![\w$'\"&]|[^\x00-\x7f]))|([0-9]+(?![\w.]|[^\x00-\x7f]))|([(),])"
)
"""What reads the same in every dialect, which is most of a statement."""
_PLAIN_KINDS: tuple[Kind, ...] = ("space", "word", "number", "operator")
_DOLLAR = re.compile(r"\$(?:[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)?\$")
"""PostgreSQL and DuckDB take every byte of a sign beyond ASCII for a letter."""
_USER_VARIABLE = re.compile(r"@@?[\w.$]+")
_SPACE_OR_COMMENT = r"(?:[ \t\f\v]|--[^\n\r]*(?=[\n\r]))"
_NEXT_LINE = re.compile(rf"{_SPACE_OR_COMMENT}*[\n\r](?:{_SPACE_OR_COMMENT}|[\n\r])*(?=')")
"""From a string to the one that continues it (PostgreSQL manual 4.1.2.1)."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
"""No space to any database; a letter to DuckDB."""
_OTHER_SPACE = re.compile(r"[^\S\x00-\x7f]|\ufeff")


def scan(sql: str, dialect: str) -> list[Piece]:
    """The pieces of `sql`; comments come as `space`, a `;` outside everything as `end`.

    Raises Fault REFUSED for what is never read: an executable comment, a string, name or comment without an
    end, a NUL.
    """
    return _Scanner(sql, LEXICONS[dialect], dialect).run()


class _Scanner:
    def __init__(self, sql: str, rules: Lexicon, dialect: str) -> None:
        self.sql = sql
        self.rules = rules
        self.dialect = dialect
        self.at = 0
        self.pieces: list[Piece] = []
        self._places: dict[str, tuple[int, int]] = {}

    def run(self) -> list[Piece]:
        if "\0" in self.sql:
            raise refused("the statement holds a NUL character")
        readers: tuple[Callable[[], bool], ...] = (
            self._space,
            self._comment,
            self._unicode,
            self._prefixed,
            self._quoted,
            self._dollar,
            self._null,
            self._variable,
            self._word,
            self._number,
        )
        while self.at < len(self.sql):
            plain = _PLAIN.match(self.sql, self.at)
            if plain and plain.lastindex:
                self._add(_PLAIN_KINDS[plain.lastindex - 1], plain.end())
            elif not any(reader() for reader in readers):
                self._operator()
        self._refuse_unread()
        return self.pieces

    def _refuse_unread(self) -> None:
        for piece in self.pieces if self.rules.unread else ():
            if piece.kind in ("word", "number", "operator"):
                found = next((sign for sign in self.rules.unread if sign in piece.text), None)
            else:
                found = next(
                    (s for s in self.rules.unread_in_names if piece.kind == "name" and s in piece.text), None
                )
            if found:
                raise refused(f"{found} is not understood here")

    def _add(self, kind: Kind, end: int, value: str | None = None) -> bool:
        text = self.sql[self.at : end]
        self.pieces.append(Piece(kind, text, text if value is None else value))
        self.at = end
        return True

    def _space(self) -> bool:
        match = _SPACE.match(self.sql, self.at)
        if control := _CONTROL.search(match[0] if match else self.sql[self.at]):
            raise refused(f"U+{ord(control[0]):04X} is no space to the database; write an ordinary one")
        if match and self.rules.spaces is not None:
            for other in _OTHER_SPACE.findall(match[0]):
                if other not in self.rules.spaces:
                    raise refused(f"U+{ord(other):04X} is no space to the database; write an ordinary one")
        return bool(match) and self._add("space", match.end())

    def _comment(self) -> bool:
        sql, at = self.sql, self.at
        if sql.startswith("/*", at):
            end = self._block_end()
            if self.rules.executable and sql.startswith("/*+", at) and "set_var" in sql[at:end].lower():
                raise refused("a hint that sets a variable is not allowed")
            return self._add("space", end)
        if not self._is_dash_comment(at) and not (self.rules.hash_comment and sql[at] == "#"):
            return False
        return self._add("space", min(self._find(mark, at) for mark in self.rules.line_end))

    def _find(self, mark: str, at: int) -> int:
        """Where `mark` stands next, the length of the text if nowhere. What was found is kept: a search to
        the end for each of many short pieces would take time that grows with the square of the text."""
        start, place = self._places.get(mark, (0, -1))
        if not start <= at <= place:
            place = self.sql.find(mark, at)
            place = len(self.sql) if place < 0 else place
            self._places[mark] = at, place
        return place

    def _is_dash_comment(self, at: int) -> bool:
        after = self.sql[at + 2 : at + 3]
        ends = not self.rules.dash_needs_space or after <= " " or after == "\x7f"
        return self.sql.startswith("--", at) and ends

    def _block_end(self) -> int:
        sql, at = self.sql, self.at
        if self.rules.executable and (sql.startswith("/*!", at) or sql[at : at + 4].upper() == "/*M!"):
            raise refused("a comment that the server executes (/*! */) is not allowed")
        depth, at = 1, at + 2
        while depth:
            close = self._find("*/", at)
            nested = self._find("/*", at) if self.rules.nested else close
            if close == len(sql):
                if self.rules.open_comment:
                    return close
                raise refused("a comment has no end")
            if nested < close:
                depth, at = depth + 1, nested + 2
            else:
                depth, at = depth - 1, close + 2
        return at

    def _unicode(self) -> bool:
        opening = self.sql[self.at : self.at + 3].upper()
        if not self.rules.unicode or opening not in ("U&'", 'U&"'):
            return False
        end, body = self._body(self.at + 2, opening[2], False)
        escape, end = self._uescape(end)
        kind: Kind = "string" if opening[2] == "'" else "name"
        return self._add(kind, end, _unescape(body, escape))

    def _uescape(self, end: int) -> tuple[str, int]:
        """The escape character of a U& literal that ends at `end`, and where its UESCAPE clause ends.

        Comments may stand before UESCAPE; such a literal is refused rather than half understood."""
        match = re.compile(r"\s*UESCAPE\s*'(.)'", re.I | re.S).match(self.sql, end)
        if match and _NEXT_LINE.match(self.sql, match.end()):
            raise refused("UESCAPE is only understood with a literal on one line")
        if match:
            return match[1], match.end()
        if self._behind_comments(end).upper() == "UESCAPE":
            raise refused("UESCAPE is only understood directly behind its literal")
        return "\\", end

    def _behind_comments(self, end: int) -> str:
        """As much text as UESCAPE has after the white space and comments that stand at `end`."""
        at, count = self.at, len(self.pieces)
        self.at = end
        while self.at < len(self.sql) and (self._space() or self._comment()):
            pass
        text = self.sql[self.at : self.at + len("UESCAPE")]
        self.at = at
        del self.pieces[count:]
        return text

    def _prefixed(self) -> bool:
        """E'..' with its escapes; N'..', X'..' and B'..', which are ordinary strings to a lexer."""
        if self.sql[self.at + 1 : self.at + 2] != "'":
            return False
        prefix = self.sql[self.at].upper()
        escapes = self.rules.estring and prefix == "E"
        if not escapes and prefix not in "NXB":
            return False
        end, body = self._body(self.at + 1, "'", escapes or self.rules.backslash)
        while escapes and self.rules.continued and (gap := _NEXT_LINE.match(self.sql, end)):
            end, more = self._body(gap.end(), "'", True)
            body += more
        return self._add("string", end, body)

    def _quoted(self) -> bool:
        rules, mark = self.rules, self.sql[self.at]
        if mark == "'" or (mark == '"' and rules.double == "string"):
            end, body = self._body(self.at, mark, rules.backslash)
            return self._add("string", end, body)
        if mark == '"' or (mark == "`" and rules.backtick):
            end, body = self._body(self.at, mark, False)
            return self._add("name", end, body)
        if mark == "[" and rules.bracket:
            end = self.sql.find("]", self.at)
            if end < 0:
                raise refused("a name in brackets has no end")
            return self._add("name", end + 1, self.sql[self.at + 1 : end])
        return False

    def _body(self, at: int, mark: str, backslash: bool) -> tuple[int, str]:
        """End and content of the quoted text that begins at `at`; the mark doubled is the mark itself."""
        sql, parts, at = self.sql, list[str](), at + 1
        while True:
            close = self._find(mark, at)
            escape = self._find("\\", at) if backslash else close
            if close == len(sql):
                raise refused("a quoted text has no end")
            if escape < close:
                parts.append(sql[at : escape + 2])
                at = escape + 2
            elif sql.startswith(mark, close + 1):
                parts.append(sql[at : close + 1])
                at = close + 2
            else:
                parts.append(sql[at:close])
                return close + 1, "".join(parts)

    def _dollar(self) -> bool:
        match = _DOLLAR.match(self.sql, self.at) if self.rules.dollar else None
        if not match:
            return False
        unread = self.rules.unread
        if any(sign in match[0] for sign in unread) or (unread and _OTHER_SPACE.search(match[0])):
            raise refused("a dollar-quoted text with a space in its mark is not understood")
        end = self.sql.find(match[0], match.end())
        if end < 0:
            raise refused("a dollar-quoted text has no end")
        return self._add("string", end + len(match[0]), self.sql[match.end() : end])

    def _variable(self) -> bool:
        match = _USER_VARIABLE.match(self.sql, self.at) if self.rules.executable else None
        return bool(match) and self._add("word", match.end())

    def _word(self) -> bool:
        match = _WORD.match(self.sql, self.at)
        return bool(match) and self._add("word", match.end())

    def _number(self) -> bool:
        match = _NUMBER.match(self.sql, self.at)
        if match and self.rules.executable and _UNFINISHED.match(self.sql, self.at):
            # MySQL before 8.0.27 reads over it, also between a function and its parenthesis
            raise refused(f"{match[0]}e is no number")
        before_dollar = match and self.rules.dollar and self.sql.startswith("$", match.end())
        if match and before_dollar and not {"x", "X", "_"}.isdisjoint(match[0]):
            # 1_0$$ and 0x1$$ are 1 and a name to DuckDB and to PostgreSQL before 15, no number and a literal
            raise refused(f"{match[0]}$ is not understood")
        return bool(match) and self._add("number", match.end())

    def _null(self) -> bool:
        """MariaDB's \\N, which ends after the N whatever follows."""
        found = self.rules.executable and self.sql.startswith("\\N", self.at)
        return found and self._add("word", self.at + 2)

    def _operator(self) -> None:
        if self.sql[self.at] == ";":
            self._add("end", self.at + 1)
            return
        match = _operators(self.dialect).match(self.sql, self.at)
        run = match[0] if match else self.sql[self.at]
        if self.rules.parameters and run[-1] in "$@#:":
            # $x(..) is one name, whatever stands between the parentheses
            raise refused(f"a parameter ({run[-1]}) has no value here; write the value itself")
        kept = run if _SPECIAL_SIGNS.intersection(run) else run[0] + run[1:].rstrip("+-")
        self._add("operator", self.at + len(kept))
        for _ in run[len(kept) :]:
            self._add("operator", self.at + 1)


@cache
def _operators(dialect: str) -> re.Pattern[str]:
    """A run of signs as PostgreSQL's lexer takes it: a comment or a quote ends it. (A + or - at its end is
    a sign of its own unless a special one stands in the run.)"""
    rules = LEXICONS[dialect]
    ends = [r"/\*", r"--(?:[\x00-\x20\x7f]|\Z)" if rules.dash_needs_space else "--"]
    ends += ["#"] * rules.hash_comment + ["`"] * (rules.backtick and "`" not in rules.unread)
    return re.compile(rf"::|:=|{_SIGN}(?:(?!{'|'.join(ends)}){_SIGN})*")


def refused(message: str, **details: object) -> Fault:
    """A refusal by the guard."""
    return Fault(Code.REFUSED, message, **details)


def _unescape(body: str, escape: str) -> str:
    """A U& literal's text; PostgreSQL manual 4.1.2.3: escape + 4 digits, escape + `+` + 6 digits, escape
    twice."""
    mark = re.escape(escape)

    def character(match: re.Match[str]) -> str:
        digits = match[1] or match[2]
        if not digits:
            return escape
        code = int(digits, 16)
        if code == 0 or code > 0x10FFFF:
            raise refused("an escape in a U& literal is no character")
        return chr(code)

    pattern = rf"{mark}(?:([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}})|{mark})"
    if re.sub(pattern, "", body).count(escape):
        raise refused("an escape in a U& literal is not understood")
    return re.sub(pattern, character, body)


def statements(pieces: list[Piece]) -> list[list[Piece]]:
    """The pieces of each statement that holds more than white space, without the semicolons between them."""
    found: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind == "end":
            found.append([])
        else:
            found[-1].append(piece)
    return [statement for statement in found if any(piece.kind != "space" for piece in statement)]
