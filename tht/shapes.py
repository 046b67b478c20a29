"""JSON values of unknown shape, taken for what they turn out to be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, cast
else:

    def cast(_kind, value):
        return value


def as_object(value: Any) -> dict[str, Any] | None:
    """`value` when it is an object, else None."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_array(value: Any) -> list[Any] | None:
    """`value` when it is an array, else None."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def is_hash(value: Any) -> bool:
    """Whether `value` is a sha256 in small hexadecimal digits."""
    return isinstance(value, str) and len(value) == 64 and not value.strip("0123456789abcdef")
