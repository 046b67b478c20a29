"""What an adapter for one kind of endpoint offers to the engine."""

import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tht.sql.engines.rest.http_client import HttpClient
from tht.sql.engines.server_rows import Kind
from tht.workspaces import Workspace

Check = tuple[str, bool, str]


@dataclass
class Statement:
    """One statement on its way to an endpoint."""

    sql: str
    timeout_s: float
    rows: int | None
    """The most rows that will be read, None for all."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    place: str = ""
    """Where a running statement is asked for more and ended, for endpoints that have such a place."""


@dataclass
class Result:
    """The rows of a statement, as cells of JSON."""

    names: Sequence[str]
    kinds: Sequence[Kind] | None
    """None: the columns have no types; cells are int, float, str, bytes or None."""
    rows: Iterator[Sequence[Any]]
    cut: bool = False
    """Set at the latest after the last row: the endpoint left out rows that follow."""
    remarks: list[str] = field(default_factory=list[str])


class Adapter(ABC):
    """Speaks with one kind of endpoint."""

    def __init__(self, workspace: Workspace, client: HttpClient, options: Mapping[str, str]) -> None:
        self.workspace = workspace
        self.client = client
        self.options = options

    @abstractmethod
    def run(self, statement: Statement) -> Result:
        """Sends the text as it is and reads as far as the names of the columns.

        Raises Fault for what the endpoint says; OSError and http.client.HTTPException for a lost connection.
        """

    @abstractmethod
    def checks(self) -> list[Check]:
        """See `Engine.checks`; asks the endpoint."""

    def stop(self, statement: Statement) -> None:  # noqa: B027 - most endpoints notice that the client left
        """Tells the endpoint to end a statement, over a connection of its own. Called from another thread."""

    @property
    def stops(self) -> bool:
        """True when `stop` does something."""
        return type(self).stop is not Adapter.stop


class Stopper:
    """Calls a function once, in a thread of its own: an interrupt must not wait for a network."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """From any thread. Idempotent."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._call, name="rest-stop", daemon=True)
                self._thread.start()

    def wait(self, seconds: float) -> None:
        """Until the call is over, when it was started."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(seconds)
