"""What clients ask of a result: which page, which file, and how the file is written."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from thothii.executor.v1.executor_service_pb2 import CsvOptions


class PreviewQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which page."""

    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most so many rows.")] = 100
    offset: Annotated[int, Meta(ge=0, le=2**53 - 1, description="Rows to leave out first.")] = 0
    result_id: Annotated[str, Meta(max_length=200, description="A page of this kept result.")] = ""
    fresh: Annotated[bool, Meta(description="Run the statement again.")] = False


class ExportQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which file, and how a CSV is written."""

    format: Literal["csv", "parquet", "arrow"] = "csv"
    result_id: Annotated[str, Meta(max_length=200, description="This kept result.")] = ""
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

    def csv(self) -> CsvOptions | None:
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
        return CsvOptions(**options) if options else None  # pyright: ignore[reportArgumentType]
