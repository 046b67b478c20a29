"""What every engine offers: a connection, locked down, that runs one statement at a time and streams its
rows."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from contracts.errors import Code, Fault
from tht.sql import timer
from tht.sql.cancel import Cancel
from tht.workspaces import Workspace

if TYPE_CHECKING:
    from tht.sql.engines.row_batch import RowBatch

CONNECT_S = 10.0
"""Seconds in which a server has to take a connection, and fewer where the statement has fewer."""
AGAIN_S = 0.25
"""Seconds between two interrupts of a statement that does not end."""


class Source(ABC):
    """The open result of a statement. Batches have the schema of `columns.field`; engines without column
    types
    (SQLite) may widen it from batch to batch."""

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The columns, as far as they are known."""

    @abstractmethod
    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        """The rows, in batches of about `size`; the first one is small where that makes it come sooner.
        Called once."""

    def csv_batches(self, size: int) -> "Iterator[pa.RecordBatch | RowBatch]":
        """The rows for a CSV file, as `batches` or in a form with the same text that is sooner written.
        Called once, instead of it."""
        return self.batches(size)

    @property
    def cut(self) -> bool:
        """True when the server left out rows that follow the last one; asked after the reading."""
        return False

    def warnings(self) -> list[str]:
        """What the database remarked, without values of rows. Asked once, after the reading."""
        return []


class Engine(ABC):
    """A connection to one workspace's database."""

    def __init__(self, workspace: Workspace, within_s: float = CONNECT_S) -> None:
        self.workspace = workspace
        self.within_s = max(2.0, min(within_s, CONNECT_S))
        """Seconds in which a server has to take the connection; a driver counts no fewer than 2."""
        self.doubtful = False
        """True when an answer may still come or state was left: the connection must not be used again."""

    @abstractmethod
    def execute(
        self, sql: str, *, timeout_s: float, cancel: Cancel, bulk: bool = False
    ) -> AbstractContextManager[Source]:
        """Runs `sql`, which the guard has passed; the rows are read inside the block, and leaving it ends
        the statement.

        `bulk`: all rows are wanted, so the fastest way is the best one; the values are the same.

        Raises Fault: TIMEOUT after `timeout_s` seconds, CANCELLED, DATABASE_ERROR, DATABASE_UNAVAILABLE,
        OVER_CAP.
        """

    @abstractmethod
    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of one of ThothII's own questions, never of a user's text; servers answer in text."""

    @abstractmethod
    def close(self) -> None:
        """Ends the connection. Idempotent."""

    def end(self, connection: int) -> None:  # noqa: B027 - nothing to do where the server sees it
        """Ends another connection of the same account, whose client died, and the statement on it."""

    @property
    def current(self) -> bool:
        """False when the connection shows something else than a new one would."""
        return not self.doubtful

    @abstractmethod
    def checks(self) -> list[tuple[str, bool, str]]:
        """What speaks for or against trusting this account or file: (name, ok, message)."""

    def view_definition(self, schema: str, name: str) -> str | None:  # noqa: ARG002 - one engine needs neither
        """The SELECT behind a view, None for anything else."""
        return None


class Limit:
    """The deadline and the cancel token of one statement, and which of them came first."""

    def __init__(self, timeout_s: float, cancel: Cancel) -> None:
        self.timeout_s = timeout_s
        self.cancel = cancel
        self.timed_out = False

    @contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Generator[None]:
        """While inside, `interrupt` is called once the time is over or the caller cancels, and then again and
        again: one that comes a moment before the statement begins has no effect."""
        over = threading.Event()

        def stop() -> None:
            if not over.is_set():
                interrupt()
                timer.after(AGAIN_S, stop)

        def expire() -> None:
            self.timed_out = True
            stop()

        self.cancel.raise_if_set()
        try:
            with timer.calling(self.timeout_s, expire), self.cancel.interrupting(stop):
                yield
        finally:
            over.set()

    def raise_if_over(self) -> None:
        """Raises the fault of a statement that was interrupted: rows that are still in a buffer are not
        worth reading."""
        fault = self.fault()
        if fault is not None:
            raise fault

    def fault(self) -> Fault | None:
        """Why the statement was interrupted, None when it was not."""
        if self.cancel.is_set:
            return Fault(Code.CANCELLED, "the statement was cancelled")
        if self.timed_out:
            return Fault(Code.TIMEOUT, f"the statement took longer than {self.timeout_s:g} s and was stopped")
        return None


def behind_as(definition: str, dialect: str) -> str:
    """The SELECT in the text of a CREATE VIEW."""
    from tht.sql.guard.lexer import scan

    pieces = scan(definition, dialect)
    at = next((i for i, p in enumerate(pieces) if p.kind == "word" and p.text.lower() == "as"), -1)
    return "".join(piece.text for piece in pieces[at + 1 :] if piece.kind != "end")
