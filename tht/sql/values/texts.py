"""Cells of a result as text: what stands in a CSV file. One form for each kind, byte for byte the same from
every engine.

The fast ways below (Arrow kernels) and the slow one (`cell_text` of the JSON value) give the same text; a
property test holds them together.
"""

import base64

import pyarrow as pa

from tht.sql.values.arrow import Array
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import INFINITY64, cell_text, json_cells, untag

# A scalar is made once: making one of a Python value costs more than most kernels take for a batch.
_NOTHING, _POINT_ZERO, _UTC = pa.scalar(""), pa.scalar(".0"), pa.scalar("+00:00")
_ZERO, _PLAIN_FROM, _PLAIN_BELOW = pa.scalar(0.0), pa.scalar(1e-4), pa.scalar(1e10)

NUMERIC = frozenset({"integer", "bigint", "decimal", "float"})
"""Logical types whose text is a number, which no formula guard touches."""


def texts(array: Array, type_: str) -> Array:
    """The texts of a column, null where it is NULL; `type_` is its logical type."""
    kind = array.type
    if pa.types.is_string(kind) and type_ == "any":
        return _tagged(array)
    if pa.types.is_string(kind) and type_ in ("array", "struct", "map"):
        return _through_cells(array, type_)
    if pa.types.is_string(kind):
        return array
    if pa.types.is_large_string(kind) or pa.types.is_integer(kind):
        return array.cast(pa.string())
    if pa.types.is_boolean(kind):
        return array.cast(pa.string())
    if pa.types.is_dictionary(kind):
        return texts(array.dictionary_decode(), type_)
    if pa.types.is_float64(kind):
        return float_texts(array)
    if pa.types.is_decimal(kind):
        return _decimal_texts(array)
    if _is_bytes(kind):
        return pa.array([None if v is None else "\\x" + v.hex() for v in array.to_pylist()], pa.string())
    if pa.types.is_date32(kind) or pa.types.is_timestamp(kind):
        return _calendar_texts(array, type_)
    return _through_cells(array, type_)


def _through_cells(array: Array, type_: str) -> Array:
    cells = json_cells(array, type_)
    return pa.array([None if value is None else cell_text(value) for value in cells], pa.string())


def _is_bytes(kind: pa.DataType) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)


def float_texts(array: Array, digits: Array | None = None) -> Array:
    """The texts of 64-bit floats. Arrow's digits where they are Python's: from 1e-4 to 1e10 both write the
    shortest plain notation, Arrow without the `.0` of a whole number. `digits`: the same from elsewhere."""
    size = pc.abs(array)
    found = array.cast(pa.string()) if digits is None else digits
    whole = pc.equal(pc.floor(array), array)
    if pc.any(whole).as_py():
        found = pc.if_else(whole, pc.binary_join_element_wise(found, _POINT_ZERO, _NOTHING), found)
    plain = pc.and_(pc.greater_equal(size, _PLAIN_FROM), pc.less(size, _PLAIN_BELOW))
    if pc.all(plain).as_py():
        return found
    other = pc.fill_null(pc.invert(pc.or_(plain, pc.equal(size, _ZERO))), False)
    rest = [_float_text(value) for value in array.filter(other).to_pylist()]
    return pc.replace_with_mask(found, other, pa.array(rest, pa.string()))


_WORDS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def _float_text(value: float) -> str:
    text = repr(value)
    return text if text[-1].isdigit() else _WORDS.get(text, text)


def _tagged(array: Array) -> Array:
    found: list[str | None] = []
    for text in array.to_pylist():
        if text is None:
            found.append(None)
            continue
        kind, value = untag(text)
        found.append("\\x" + base64.b64decode(value).hex() if kind == "b" else cell_text(value))
    return pa.array(found, pa.string())


def _decimal_texts(array: Array) -> Array:
    found = array.cast(pa.string())
    # Arrow writes very small numbers with an exponent
    if pc.any(pc.match_substring(found, "E")).as_py():
        return _through_cells(array, "decimal")
    return found


# days and, for timestamps, the same in their unit: years 1 to 9999, where Arrow's own text is ISO 8601
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def _calendar_texts(array: Array, type_: str) -> Array:
    date = pa.types.is_date32(array.type)
    storage = array.cast(pa.int32() if date else pa.int64())
    per_day = 1 if date else 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[array.type.unit]
    bounds = pc.min_max(storage).as_py()
    if bounds["min"] is None:
        return pa.nulls(len(array), pa.string())
    # nanoseconds end before the years do, and then infinity is what lies outside
    first, end = max(_FIRST_DAY * per_day, -INFINITY64 + 1), min((_LAST_DAY + 1) * per_day, INFINITY64)
    if bounds["min"] < first or bounds["max"] >= end:
        return _through_cells(array, type_)
    if date:
        return array.cast(pa.string())
    zoned = array.type.tz is not None
    naive = array.cast(pa.timestamp(array.type.unit)) if zoned else array
    found = pc.replace_substring(naive.cast(pa.string()), " ", "T")
    if array.type.unit != "s":
        found = (
            pc.replace_substring_regex(found, r"\.?0+$", "")
            if not _whole(storage, per_day)
            else pc.utf8_slice_codeunits(found, 0, 19)
        )
    return pc.binary_join_element_wise(found, _UTC, _NOTHING) if zoned else found


def _whole(storage: Array, per_day: int) -> bool:
    """True when no value has a fraction of a second."""
    per_second = per_day // 86_400
    back = pc.multiply(pc.divide(storage, per_second), per_second)
    return bool(pc.all(pc.equal(back, storage)).as_py())
