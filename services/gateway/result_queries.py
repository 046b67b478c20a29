"""What clients ask of a result: which page, which file, and how the file is written."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from contracts.errors import Code, Fault
from services.gateway.bodies import does_not_fit
from thothii.executor.v1 import executor_service_pb2 as executor


class SortKey(Struct, forbid_unknown_fields=True, kw_only=True):
    """A column to sort by."""

    key: Annotated[str, Meta(min_length=1, max_length=40)]
    descending: bool = False


class Condition(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What must hold for a column."""

    key: Annotated[str, Meta(min_length=1, max_length=40)]
    op: Literal["eq", "ne", "lt", "le", "gt", "ge", "contains", "starts", "in", "null", "not_null"]
    value: Any = UNSET


_OPS = "eq, ne, lt, le, gt, ge, contains, starts, in, null, not_null"
Sort = Annotated[
    str,
    Meta(
        max_length=4_000,
        description="Sort the kept result: a JSON array of {key, descending?}, the keys as in the page's "
        "columns. Rows that are equal keep their order; NULL is last.",
        examples=['[{"key": "c1", "descending": true}]'],
        extra_json_schema={"contentMediaType": "application/json"},
    ),
]
Filter = Annotated[
    str,
    Meta(
        max_length=48_000,
        description="Only rows of the kept result for which all of these hold: a JSON array of {key, op, "
        f"value?}}; op is one of {_OPS}; value is a cell as the page has it, for `in` a list of them.",
        examples=['[{"key": "c0", "op": "contains", "value": "air"}, {"key": "c1", "op": "not_null"}]'],
        extra_json_schema={"contentMediaType": "application/json"},
    ),
]

Item = TypeVar("Item", SortKey, Condition)


def sort_keys(given: str) -> list[executor.SortKey]:
    """The sort of a query. Raises Fault with its parameter when it is none."""
    keys = _listed("sort", given, list[SortKey])
    return [executor.SortKey(key=wanted.key, descending=wanted.descending) for wanted in keys]


def filter_json(given: str) -> bytes:
    """The filter of a query. Raises Fault with its parameter when it is none."""
    conditions = _listed("filter", given, list[Condition])
    return msgspec.json.encode(conditions) if conditions else b""


def _listed(parameter: str, given: str, kind: type[list[Item]]) -> list[Item]:
    if not given:
        return []
    try:
        return msgspec.json.decode(given, type=kind)
    except msgspec.ValidationError as error:
        fault = does_not_fit(str(error))
        message = f"{parameter}: {fault.message}"
        raise Fault(fault.code, message, parameter=parameter, **fault.details) from error
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"{parameter} is not valid JSON"
        raise Fault(Code.INVALID_ARGUMENT, message, parameter=parameter) from error


class PreviewQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which page."""

    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most so many rows.")] = 100
    offset: Annotated[int, Meta(ge=0, le=2**53 - 1, description="Rows to leave out first.")] = 0
    result_id: Annotated[str, Meta(max_length=200, description="A page of this kept result.")] = ""
    fresh: Annotated[bool, Meta(description="Run the statement again.")] = False
    sort: Sort = ""
    filter: Filter = ""


class ExportQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which file, and how a CSV is written."""

    format: Literal["csv", "parquet", "arrow"] = "csv"
    result_id: Annotated[str, Meta(max_length=200, description="This kept result.")] = ""
    sort: Sort = ""
    filter: Filter = ""
    raw: Annotated[bool, Meta(description="Leave text that a spreadsheet would run as it is.")] = False
    delimiter: (
        Annotated[str, Meta(min_length=1, max_length=1, description="CSV: between fields, not , but this.")]
        | UnsetType
    ) = UNSET
    decimal_comma: (
        Annotated[bool, Meta(description="CSV: numbers as 1,5; needs another delimiter.")] | UnsetType
    ) = UNSET
    bom: Annotated[bool, Meta(description="CSV: a byte order mark in front, for Excel.")] | UnsetType = UNSET
    null: (
        Annotated[str, Meta(max_length=20, description="CSV: what stands for NULL; empty unless set.")]
        | UnsetType
    ) = UNSET
    crlf: Annotated[bool, Meta(description="CSV: false ends lines in LF alone.")] | UnsetType = UNSET
    header: (
        Annotated[bool, Meta(description="CSV: false leaves out the line of column names.")] | UnsetType
    ) = UNSET

    def csv(self) -> executor.CsvOptions | None:
        """The options of CSV that were given; None when none was."""
        given = {
            "delimiter": self.delimiter,
            "decimal_comma": self.decimal_comma,
            "bom": self.bom,
            "null_text": self.null,
            "crlf": self.crlf,
            "header": self.header,
        }
        options = {name: value for name, value in given.items() if value is not UNSET}
        return executor.CsvOptions(**options) if options else None  # pyright: ignore[reportArgumentType]
