"""Which view of a kept result is asked for: how its rows are sorted, and which of them."""

from typing import Any, Literal

import msgspec

from contracts.errors import Code, Fault

SORT_KEYS = 16
"""Columns of one sort at most."""
CONDITIONS = 64
"""Conditions of one filter at most."""
LISTED = 1_000
"""Values of one `in` at most."""


class SortKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One column to sort by."""

    key: str
    """The column's key in the page."""
    descending: bool = False


class Condition(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What must hold for one column."""

    key: str
    """The column's key in the page."""
    op: Literal["eq", "ne", "lt", "le", "gt", "ge", "contains", "starts", "in", "null", "not_null"]
    value: Any = msgspec.UNSET
    """A cell as the page has it; a list of them for `in`; absent for `null` and `not_null`."""


class ViewRequest(msgspec.Struct, frozen=True):
    """Rows for which every condition holds, ordered by the first sort key, then the second, then as they
    were."""

    sort: tuple[SortKey, ...] = ()
    filter: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sort or self.filter)

    @property
    def digest(self) -> str:
        """16 hexadecimal digits; the same for the same request."""
        import hashlib

        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]


WHOLE = ViewRequest()
"""The result as it is."""


def view_request(sort: list[SortKey] | None, conditions: list[Condition] | None) -> ViewRequest:
    """The request. Raises Fault INVALID_ARGUMENT when there is too much of it or a value is missing."""
    request = ViewRequest(tuple(sort or ()), tuple(conditions or ()))
    if len(request.sort) > SORT_KEYS or len(request.filter) > CONDITIONS:
        raise invalid(f"a view has at most {SORT_KEYS} sort keys and {CONDITIONS} conditions")
    if len({wanted.key for wanted in request.sort}) < len(request.sort):
        raise invalid("sort names a column twice")
    for condition in request.filter:
        _check(condition)
    return request


def _check(condition: Condition) -> None:
    absent = condition.value is msgspec.UNSET
    if condition.op in ("null", "not_null"):
        if not absent:
            raise invalid(f"{condition.op} takes no value")
        return
    if absent or condition.value is None:
        raise invalid(f"{condition.op} needs a value; for NULL there are null and not_null")
    if condition.op == "in":
        values: Any = condition.value
        if not isinstance(values, list) or not 1 <= len(values) <= LISTED:  # pyright: ignore[reportUnknownArgumentType]
            raise invalid(f"in needs a list of 1 to {LISTED} values")


def invalid(message: str) -> Fault:
    """Fault INVALID_ARGUMENT."""
    return Fault(Code.INVALID_ARGUMENT, message)
