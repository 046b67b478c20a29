"""VARIANT of DuckDB, which comes in the Variant Binary Encoding of Parquet: its values as JSON.

Pure. The encoding is that of the Apache Parquet specification (VariantEncoding.md).
"""

import base64
import json
import struct
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tht.sql.values import cells


def variant_text(metadata: bytes, value: bytes) -> str:
    """The value as JSON text, its parts by the rules of `tht.sql.values.cells`."""
    return json.dumps(_Reader(_names(metadata)).at(value, 0), ensure_ascii=False)


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _names(metadata: bytes) -> list[str]:
    size = (metadata[0] >> 6) + 1
    count = _number(metadata, 1, size)
    ends = [_number(metadata, 1 + size * (1 + i), size) for i in range(count + 1)]
    first = 1 + size * (count + 2)
    return [metadata[first + a : first + b].decode() for a, b in pairwise(ends)]


class _Reader:
    """Values that share the names of one metadata block."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def at(self, data: bytes, at: int) -> Any:
        """The value whose header byte stands at `at`."""
        basic, header = data[at] & 3, data[at] >> 2
        if basic == 0:
            return _primitive(header, data, at + 1)
        if basic == 1:
            return data[at + 1 : at + 1 + header].decode()
        return self._object(data, at + 1, header) if basic == 2 else self._array(data, at + 1, header)

    def _object(self, data: bytes, at: int, header: int) -> dict[str, Any]:
        offset_size, id_size = (header & 3) + 1, (header >> 2 & 3) + 1
        count_size = 4 if header >> 4 & 1 else 1
        count = _number(data, at, count_size)
        ids = at + count_size
        offsets = ids + count * id_size
        values = offsets + (count + 1) * offset_size
        return {
            self._names[_number(data, ids + i * id_size, id_size)]: self.at(
                data, values + _number(data, offsets + i * offset_size, offset_size)
            )
            for i in range(count)
        }

    def _array(self, data: bytes, at: int, header: int) -> list[Any]:
        offset_size, count_size = (header & 3) + 1, 4 if header >> 2 & 1 else 1
        count = _number(data, at, count_size)
        offsets = at + count_size
        values = offsets + (count + 1) * offset_size
        return [
            self.at(data, values + _number(data, offsets + i * offset_size, offset_size))
            for i in range(count)
        ]


def _primitive(kind: int, data: bytes, at: int) -> Any:
    if kind in (0, 1, 2):
        return (None, True, False)[kind]
    if kind in _FIXED:
        size, read = _FIXED[kind]
        return read(data[at : at + size])
    if kind in (15, 16):
        content = data[at + 4 : at + 4 + _number(data, at, 4)]
        return base64.b64encode(content).decode() if kind == 15 else content.decode()
    raise ValueError(f"a VARIANT holds a value of the unknown kind {kind}")


def _signed(content: bytes) -> int:
    return int.from_bytes(content, "little", signed=True)


def _decimal(content: bytes) -> str:
    # from text: arithmetic would round to the digits of the context
    return cells.plain_decimal(Decimal(f"{_signed(content[1:])}E-{content[0]}"))


def _float32(content: bytes) -> float | str:
    return cells.json_cells(pa.array([struct.unpack("<f", content)[0]], pa.float32()))[0]


def _timestamp(per_second: int, *, zone: bool) -> Callable[[bytes], str]:
    return lambda content: cells.timestamp_text(_signed(content), per_second, zone)


_FIXED: dict[int, tuple[int, Callable[[bytes], Any]]] = {
    3: (1, _signed),
    4: (2, _signed),
    5: (4, _signed),
    6: (8, lambda content: str(_signed(content))),
    7: (8, lambda content: cells.json_float(struct.unpack("<d", content)[0])),
    8: (5, _decimal),
    9: (9, _decimal),
    10: (17, _decimal),
    11: (4, lambda content: cells.date_text(_signed(content))),
    12: (8, _timestamp(10**6, zone=True)),
    13: (8, _timestamp(10**6, zone=False)),
    14: (4, _float32),
    17: (8, lambda content: cells.clock_text(_signed(content), 10**6)),
    18: (8, _timestamp(10**9, zone=True)),
    19: (8, _timestamp(10**9, zone=False)),
    20: (16, cells.uuid_text),
}
"""Bytes and reader of the kinds of a fixed size, by their number in the specification."""
