"""PostgreSQL's COPY, by far its fastest way out, for exports. Its CSV is read into Arrow columns of the same
texts that
a query gives, so that the file does not depend on the way.

The statement is put into COPY as it stands, on lines of its own. That cannot change its meaning: before, the
server itself has read it as exactly one statement (a prepared one cannot be two), and the guard as a query.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa

from tht.sql.engines import server_rows as rows
from tht.sql.engines.base import Limit, Source
from tht.sql.engines.server_rows import Kind
from tht.sql.guard.lexer import scan
from tht.sql.values.arrow import Array, csv, fields_of
from tht.sql.values.columns import name_of

BLOCK = 1 << 20
"""Bytes of whole rows that are parsed at a time."""


def can_copy(sql: str) -> bool:
    """True for a query; SHOW and EXPLAIN cannot be copied, nor a text with a semicolon."""
    pieces = [piece for piece in scan(sql, "postgres") if piece.kind != "space"]
    first = pieces[0].text.lower() if pieces else ""
    return first in ("select", "with", "values", "table", "(") and all(
        piece.kind != "end" for piece in pieces
    )


class CopySource(Source):
    """A running COPY."""

    def __init__(
        self, connection: Any, copy: Any, schema: pa.Schema, kinds: Sequence[Kind], limit: Limit
    ) -> None:
        self._connection = connection.pgconn
        self._copy = copy
        self._schema = schema
        self._kinds = kinds
        self._limit = limit

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 - a block is the measure
        return self._batches(self._kinds, self._schema)

    def csv_batches(self, size: int) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        kinds = [_as_text(kind) for kind in self._kinds]
        return self._batches(kinds, rows.schema_of(list(map(name_of, fields_of(self._schema))), kinds))

    def _batches(self, kinds: Sequence[Kind], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        for block in self._blocks():
            self._limit.raise_if_over()
            columns = self._columns(block)
            arrays = [kind.read(column) for kind, column in zip(kinds, columns, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _blocks(self) -> Iterator[bytes]:
        """Bytes of whole rows: libpq hands over one row at a time. What it has received is taken from it; the
        driver's own reading, at twice the cost, is for waiting."""
        received = self._connection.get_copy_data
        block = bytearray()
        size = 1
        while size >= 0 and (row := self._copy.read()):
            block += row
            size, row = received(1)
            while size > 0:
                block += row
                size, row = received(1)
            if len(block) >= BLOCK:
                yield bytes(block)
                block.clear()
        if size < 0:
            self._end()
        if block:
            yield bytes(block)

    def _end(self) -> None:
        """Takes what the server says at the end. Raises psycopg.Error when it is no success."""
        while (result := self._connection.get_result()) is not None:
            raise_for(result)

    def _columns(self, block: bytes) -> list[Array]:
        names = [f"c{index}" for index in range(len(self._kinds))]
        table: Any = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        return [
            column.combine_chunks() if column.num_chunks != 1 else column.chunk(0) for column in table.columns
        ]


def _as_text(kind: Kind) -> Kind:
    return kind if kind.text is None else Kind(kind.type, pa.string(), kind.text)


def raise_for(result: Any) -> None:
    """Raises the psycopg.Error that a result of libpq tells of."""
    if result.error_message:
        raise psycopg.errors.error_from_result(result)


def copy_statement(sql: str) -> str:
    """The COPY of a query."""
    return f"COPY (\n{sql}\n) TO STDOUT (FORMAT csv)"
