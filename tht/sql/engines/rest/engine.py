"""The rest transport: an endpoint that runs SQL, behind the interface of every engine."""

import http.client
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql.cancel import Cancel
from tht.sql.engines import server_rows, untyped_rows
from tht.sql.engines.base import Engine, Limit, Source
from tht.sql.engines.rest import json_rows
from tht.sql.engines.rest.adapter import Adapter, Result, Statement, Stopper
from tht.sql.engines.rest.http_client import HttpClient, target_of, unavailable
from tht.sql.engines.rest.view_text import view_text
from tht.sql.messages import database_error, over_cap
from tht.sql.values.arrow import Array, fields_of
from tht.sql.values.columns import type_of
from tht.workspaces import Workspace, adapter_of

STOP_S = 2.0
"""Seconds in which an endpoint should have taken a word to stop."""

_ADAPTERS = {
    "thothii": ("own", "OwnAdapter"),
    "datasette": ("datasette", "DatasetteAdapter"),
    "clickhouse": ("clickhouse", "ClickhouseAdapter"),
    "trino": ("trino", "TrinoAdapter"),
}


class RestEngine(Engine):
    """One endpoint, one connection, one statement at a time."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        resolved = workspace.connection.resolve()
        self._client = HttpClient(target_of(resolved.url or "", resolved.options))
        module, name = _ADAPTERS[adapter_of(workspace)]
        factory: type[Adapter] = getattr(import_module(f"tht.sql.engines.rest.{module}"), name)
        self._adapter = factory(workspace, self._client, resolved.options)

    @contextmanager
    def execute(self, sql: str, *, timeout_s: float, cancel: Cancel, bulk: bool = False) -> Generator[Source]:
        limit = Limit(timeout_s, cancel)
        statement = Statement(sql, timeout_s, None if bulk else self.workspace.limits.rows + 1)
        stopper = Stopper(lambda: self._adapter.stop(statement))

        def interrupt() -> None:
            self._client.break_off()
            if self._adapter.stops:
                stopper.start()

        self._client.begin()
        source: RestSource | None = None
        try:
            with limit.interrupting(interrupt):
                with _faults(limit):
                    source = RestSource(self._adapter.run(statement), limit, whole=bulk)
                yield source
        finally:
            if source is None or not source.ended:
                self._client.close()
                if self._adapter.stops:
                    stopper.start()
            stopper.wait(STOP_S)

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        text = _filled_in(sql, parameters)
        found: list[tuple[Any, ...]] = []
        seconds = self.workspace.limits.timeout_s
        with self.execute(text, timeout_s=seconds, cancel=Cancel(), bulk=True) as source:
            for batch in source.batches(server_rows.LARGEST):
                types = [type_of(one) for one in fields_of(batch.schema)]
                arrays: list[Array] = [batch.column(i) for i in range(batch.num_columns)]
                found += zip(*json_rows.columns(arrays, types), strict=True)
        return found

    def checks(self) -> list[tuple[str, bool, str]]:
        self._client.begin()
        with _faults(None):
            return self._adapter.checks()

    def view_definition(self, schema: str, name: str) -> str | None:
        return view_text(self, self.workspace.dialect, schema, name)

    def close(self) -> None:
        self._client.close()


@contextmanager
def _faults(limit: Limit | None) -> Generator[None]:
    """What goes wrong on the way, as the Fault that it is; an interrupted statement explains everything."""
    try:
        yield
    except Fault:
        if limit is not None:
            limit.raise_if_over()
        raise
    except TimeoutError as error:
        fault = Fault(Code.TIMEOUT, "the endpoint gave no answer in time")
        raise (limit and limit.fault()) or fault from error
    except (OSError, http.client.HTTPException) as error:
        fault = unavailable("the connection to the endpoint was lost; try again")
        raise (limit and limit.fault()) or fault from error
    except (pa.ArrowException, TypeError, KeyError, IndexError, ValueError, OverflowError) as error:
        fault = database_error("the endpoint's answer does not fit the columns that it names")
        raise (limit and limit.fault()) or fault from error


def _filled_in(sql: str, parameters: Sequence[Any]) -> str:
    """`sql` with names in place of its question marks; only the questions about SQLite's schema have any."""
    parts = sql.split("?")
    if len(parts) != len(parameters) + 1:
        return sql
    quoted = ["'" + str(value).replace("'", "''") + "'" for value in parameters]
    return "".join(part + text for part, text in zip(parts, [*quoted, ""], strict=True))


class RestSource(Source):
    """The rows of an answer."""

    def __init__(self, result: Result, limit: Limit, whole: bool) -> None:
        self._result = result
        self._limit = limit
        self._whole = whole
        self.ended = False
        kinds = result.kinds
        self._schema = (
            untyped_rows.empty_schema(result.names)
            if kinds is None
            else server_rows.schema_of(result.names, kinds)
        )

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def cut(self) -> bool:
        return self._result.cut

    def _rows(self) -> Iterator[Sequence[Any]]:
        yield from self._result.rows
        self.ended = True
        self._limit.raise_if_over()
        if self._whole and self._result.cut:
            raise over_cap("the endpoint left out rows of this result; aggregate or filter it")

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        with _faults(self._limit):
            if self._result.kinds is not None:
                yield from server_rows.batches(
                    self._rows(), self._schema, self._result.kinds, size, self._limit
                )
                return
            rows, count = self._rows(), min(size, untyped_rows.FIRST)
            while taken := list(islice(rows, count)):
                count = min(size, server_rows.LARGEST)
                batch = untyped_rows.batch(taken, self._result.names)
                self._schema = batch.schema
                yield batch

    def warnings(self) -> list[str]:
        return self._result.remarks
