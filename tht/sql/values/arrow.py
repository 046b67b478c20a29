"""Names for what the published stubs of pyarrow do not describe: arrays of a type known only when they
come."""

import importlib
from typing import Any, TypeAlias

Array: TypeAlias = Any
"""A pyarrow.Array of any type."""
Field: TypeAlias = Any
"""A pyarrow.Field of any type."""

ipc: Any = importlib.import_module("pyarrow.ipc")
"""Arrow's file and stream formats."""
csv: Any = importlib.import_module("pyarrow.csv")
"""Arrow's reader of CSV."""
compute: Any = importlib.import_module("pyarrow.compute")
"""Arrow's kernels; they take and give arrays and scalars alike."""


def fields_of(schema: Any) -> list[Field]:
    """The fields of a pyarrow.Schema."""
    return list(schema)


def nulls(count: int, kind: Any) -> Array:
    """`count` NULLs of a pyarrow.DataType."""
    make: Any = importlib.import_module("pyarrow").nulls
    return make(count, kind)
