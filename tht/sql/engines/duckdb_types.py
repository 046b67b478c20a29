"""DuckDB's types: what they mean to a client, and in which plain Arrow types their values are kept.

Extension types, dictionaries and intervals, also inside lists, structs and maps, become the types that every
reader of Arrow and Parquet knows.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from tht.sql.values.arrow import Array, Field, nulls
from tht.sql.values.arrow import compute as pc
from tht.sql.values.cells import json_cells

_LOGICAL = {
    "hugeint": "bigint",
    "uhugeint": "bigint",
    "bignum": "bigint",
    "bigint": "bigint",
    "ubigint": "bigint",
    "integer": "integer",
    "smallint": "integer",
    "tinyint": "integer",
    "uinteger": "integer",
    "usmallint": "integer",
    "utinyint": "integer",
    "decimal": "decimal",
    "float": "float",
    "double": "float",
    "boolean": "boolean",
    "blob": "bytes",
    "geometry": "bytes",
    "date": "date",
    "time": "time",
    "time_ns": "time",
    "time with time zone": "timetz",
    "timestamp with time zone": "timestamptz",
    "timestamptz_ns": "timestamptz",
    "interval": "interval",
    "uuid": "uuid",
    "bit": "bit",
    "list": "array",
    "array": "array",
    "struct": "struct",
    "tuple": "struct",
    "map": "map",
    "union": "any",
    "variant": "json",
}


def logical(type_: Any) -> str:
    """The logical type (`Column.type`) of a type of DuckDB; one that is not known is its text."""
    identifier = str(type_.id)
    if str(type_) == "JSON":
        return "json"
    if identifier.startswith("timestamp") and identifier not in _LOGICAL:
        return "timestamp"
    return _LOGICAL.get(identifier, "text")


def stored_type(found: Field) -> pa.DataType:
    """The plain type in which values of a field of DuckDB's are kept."""
    return stored(nulls(0, found.type), found).type


def stored(array: Array, found: Field) -> Array:
    """The same values in the type that `stored_type` says."""
    kind = array.type
    if _is_variant(found):
        return _variants(array)
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(array, kind)
    if pa.types.is_dictionary(kind):
        return array.dictionary_decode()
    if pa.types.is_interval(kind):
        return pa.array(json_cells(array), pa.string())
    if pa.types.is_nested(kind) and not _is_plain(found):
        for test, rebuild in _NESTED:
            if test(kind):
                return rebuild(array)
    return array


def _is_variant(found: Field) -> bool:
    metadata: dict[bytes, bytes] = found.metadata or {}
    return metadata.get(b"ARROW:extension:name") == b"arrow.parquet.variant"


def _is_plain(found: Field) -> bool:
    kind = found.type
    if isinstance(kind, pa.BaseExtensionType) or _is_variant(found):
        return False
    if pa.types.is_nested(kind):
        return all(_is_plain(kind.field(i)) for i in range(kind.num_fields))
    return not (pa.types.is_dictionary(kind) or pa.types.is_interval(kind) or pa.types.is_null(kind))


def _extension(array: Array, kind: pa.BaseExtensionType) -> Array:
    if kind.extension_name == "arrow.bool8":
        return pc.cast(_storage(array), pa.bool_())
    if kind.extension_name == "arrow.json":
        return _storage(array)
    return pa.array(json_cells(array), pa.string())


def _storage(array: Any) -> Array:
    return array.storage


def _variants(array: Array) -> Array:
    from tht.sql.engines.parquet_variant import variant_text

    texts = [None if v is None else variant_text(v["metadata"], v["value"]) for v in array.to_pylist()]
    return pa.array(texts, pa.string())


def _inner(array: Array, found: Field) -> tuple[Array, Field]:
    """A part of a nested value and its field; a part of no type is text, which Parquet can hold."""
    part = nulls(len(array), pa.string()) if pa.types.is_null(array.type) else stored(array, found)
    return part, pa.field(found.name, part.type, found.nullable)


def _offsets(array: Any) -> Array:
    """Offsets in an array of their own: those of a slice begin in the middle of a buffer."""
    return pc.add(array.offsets, pa.scalar(0, array.offsets.type))


def _list(array: Any) -> Array:
    part, found = _inner(array.values, array.type.value_field)
    large = pa.types.is_large_list(array.type)
    made: Any = pa.LargeListArray if large else pa.ListArray
    type_ = pa.large_list(found) if large else pa.list_(found)
    return made.from_arrays(_offsets(array), part, type=type_, mask=array.is_null())


def _fixed_list(array: Any) -> Array:
    size = array.type.list_size
    values = array.values.slice(array.offset * size, len(array) * size)
    part, found = _inner(values, array.type.value_field)
    made: Any = pa.FixedSizeListArray
    return made.from_arrays(part, type=pa.list_(found, size), mask=array.is_null())


def _struct(array: Any) -> Array:
    parts = [_inner(array.field(i), array.type.field(i)) for i in range(array.type.num_fields)]
    made: Any = pa.StructArray
    return made.from_arrays([p for p, _ in parts], fields=[f for _, f in parts], mask=array.is_null())


def _map(array: Any) -> Array:
    keys, key = _inner(array.keys, array.type.key_field)
    items, item = _inner(array.items, array.type.item_field)
    made: Any = pa.MapArray
    offsets, mask = _offsets(array), array.is_null()
    return made.from_arrays(offsets, keys, items, type=pa.map_(key, item), mask=mask)


def _union(array: Any) -> Array:
    kind = array.type
    parts = [_inner(array.field(i), kind.field(i)) for i in range(kind.num_fields)]
    made: Any = pa.UnionArray
    return made.from_sparse(
        array.type_codes, [p for p, _ in parts], [f.name for _, f in parts], kind.type_codes
    )


_NESTED: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Any], Array]], ...] = (
    (pa.types.is_map, _map),
    (pa.types.is_fixed_size_list, _fixed_list),
    (pa.types.is_struct, _struct),
    (pa.types.is_union, _union),
    (lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind), _list),
)
