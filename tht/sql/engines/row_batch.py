"""Rows of a database whose columns have no types (SQLite), before they are made columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tht.sql.engines import untyped_rows


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows, at least one, whose cells are int, float, str, bytes or None."""

    names: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def num_rows(self) -> int:
        """As a record batch says it."""
        return len(self.rows)

    @property
    def schema(self) -> pa.Schema:
        """The names alone."""
        return untyped_rows.empty_schema(self.names)

    def columns(self) -> pa.RecordBatch:
        """The same rows as columns."""
        return untyped_rows.batch(self.rows, self.names)
