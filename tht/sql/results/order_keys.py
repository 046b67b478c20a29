"""Values as keys that Arrow orders as their kind is ordered, also where the values are kept as text.

Every function takes an array and gives one of the same length, NULL where it was NULL. The keys of numbers
and times are texts whose order by bytes is that of the values, at any number of digits.
"""

import base64
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import reduce

import pyarrow as pa

from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import untag

NAN = "5"
"""The key of a decimal that is NaN: above every number."""
_WORDS = {"-Infinity": "0", "Infinity": "4", "NaN": NAN}
_ZERO, _NEGATIVE, _POSITIVE, _NO_NUMBER = "2", "1", "3", "6"
_LENGTH = 6
"""Digits that tell how many digits stand before the point; PostgreSQL's numeric has at most 131,072."""
_NUMBER = r"^(?P<sign>-?)0*(?P<whole>\d*)(?:\.(?P<part>\d*))?$"
_YEAR = 9
"""Digits of a year; PostgreSQL's and DuckDB's latest is 294,276, their latest date 5,881,580."""
_DATE = r"^(?P<minus>-?)(?P<year>\d+)(?P<rest>-\d\d-\d\d[^ ]*)(?P<era> BC)?$"
_ZONED_TIME = re.compile(r"(\d+):(\d\d):(\d\d)(?:\.(\d+))?([+-])(\d\d):(\d\d)(?::(\d\d))?")
_COMPLEMENTS = tuple(zip("0123456789", "jihgfedcba", strict=True))


def number_keys(texts: Array) -> Array:
    """Keys of numbers in plain digits, `NaN` and the infinities; what is no number comes after them."""
    parsed = pc.extract_regex(texts, pattern=_NUMBER)
    sign, whole, part = (pc.struct_field(parsed, name) for name in ("sign", "whole", "part"))
    part = pc.ascii_rtrim(part, characters="0")
    length = pc.utf8_lpad(pc.binary_length(whole).cast(pa.string()), _LENGTH, "0")
    digits = pc.binary_join_element_wise(length, whole, part, "")
    keys = pc.binary_join_element_wise(_POSITIVE, digits, "")
    negative = pc.equal(sign, "-")
    if pc.any(negative).as_py():
        below = pc.binary_join_element_wise(_NEGATIVE, _complement(digits), "~", "")
        keys = pc.if_else(negative, below, keys)
    keys = pc.if_else(pc.equal(pc.binary_join_element_wise(whole, part, ""), ""), _ZERO, keys)
    return _with_others(keys, texts, _odd_number)


def _odd_number(text: str) -> str:
    """The key of a word, or of a number with an exponent."""
    word = _WORDS.get(text)
    if word is not None:
        return word
    try:
        plain = format(Decimal(text), "f")
    except (InvalidOperation, ValueError):
        return _NO_NUMBER + text
    if not re.fullmatch(r"-?\d+(\.\d+)?", plain):
        return _NO_NUMBER + text
    return number_keys(pa.array([plain], pa.string()))[0].as_py()


def _complement(digits: Array) -> Array:
    """Digits as letters in the opposite order."""
    return reduce(lambda found, pair: pc.replace_substring(found, *pair), _COMPLEMENTS, digits)


def _with_others(keys: Array, texts: Array, other: Callable[[str], str]) -> Array:
    """`keys`, and `other` of the texts that have no key."""
    missing = pc.and_(pc.is_null(keys), pc.is_valid(texts))
    if not pc.any(missing).as_py():
        return keys
    found = [other(text) for text in texts.filter(missing).to_pylist()]
    return pc.replace_with_mask(keys, missing, pa.array(found, pa.string()))


def date_keys(texts: Array) -> Array:
    """Keys of dates and timestamps in ISO 8601; those before our era have `BC` or a minus."""
    parsed = pc.extract_regex(texts, pattern=_DATE)
    minus, year, rest, era = (pc.struct_field(parsed, name) for name in ("minus", "year", "rest", "era"))
    year = pc.utf8_lpad(year, _YEAR, "0")
    keys = pc.binary_join_element_wise("2", year, rest, "")
    before = pc.not_equal(pc.binary_join_element_wise(minus, era, ""), "")
    if pc.any(before).as_py():
        keys = pc.if_else(before, pc.binary_join_element_wise("1", _complement(year), rest, ""), keys)
    words = {"-infinity": "0", "infinity": "3"}
    return _with_others(keys, texts, lambda text: words.get(text, f"4{text}"))


def time_keys(texts: Array) -> Array:
    """Keys of times of a day and of MariaDB's times, which may be negative and have three digits of hours."""
    return number_keys(pc.replace_substring(texts, ":", ""))


def zoned_time_keys(texts: Array) -> Array:
    """Keys of times with an offset: by the moment in UTC, then the one farther west last, as PostgreSQL has
    it."""
    return pa.array([None if text is None else _zoned_time(text) for text in texts.to_pylist()], pa.string())


def _zoned_time(text: str) -> str:
    match = _ZONED_TIME.fullmatch(text)
    if match is None:
        return f"~{text}"
    hours, minutes, seconds, fraction, sign, *zone = match.groups()
    west = sum(int(part or 0) * unit for part, unit in zip(zone, (3600, 60, 1), strict=True))
    west = -west if sign == "+" else west
    # a day in front, so that no moment is negative
    moment = 86_400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds) + west
    return f"{moment:06d}.{(fraction or '').rstrip('0'):<012}{86_400 + west:06d}"


def any_keys(tagged: Array) -> Array:
    """Keys of a column of several storage classes: numbers, then text, then bytes (SQLite, "Datatypes In
    SQLite", 4.1)."""
    if pa.types.is_null(tagged.type):
        return tagged.cast(pa.string())
    values = tagged.to_pylist()
    numbers = number_keys(pa.array([_plain_number(value) for value in values], pa.string()))
    keys: list[str | None] = []
    for value, number in zip(values, numbers.to_pylist(), strict=True):
        if value is None or number is not None:
            keys.append(None if value is None else f"1{number}")
        elif value[0] == "s":
            keys.append(f"2{value[1:]}")
        else:
            keys.append(f"3{base64.b64decode(value[1:]).hex()}")
    return pa.array(keys, pa.string())


def _plain_number(value: str | None) -> str | None:
    """The digits of a tagged number, all that a float has; None for what is no number."""
    if value is None or value[0] not in "ir":
        return None
    if value[0] == "i":
        return value[1:]
    number = untag(value)[1]
    return number if isinstance(number, str) else format(Decimal(number), "f")
