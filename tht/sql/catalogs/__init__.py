"""What each engine says of its tables; one `read(engine)` for each."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class ColumnInfo:
    """One column of a table."""

    name: str
    type: str
    """As the database writes it."""
    nullable: bool
    comment: str | None = None


@dataclass(slots=True)
class ForeignKey:
    """Columns that point to another table."""

    columns: list[str]
    table: str
    to: list[str]


@dataclass(slots=True)
class TableInfo:
    """One table or view."""

    name: str
    schema: str
    kind: str
    """table or view."""
    comment: str | None = None
    row_estimate: int | None = None
    columns: list[ColumnInfo] = field(default_factory=list[ColumnInfo])
    primary_key: list[str] = field(default_factory=list[str])
    foreign_keys: list[ForeignKey] = field(default_factory=list[ForeignKey])
