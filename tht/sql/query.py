"""A statement on its way to its rows."""

from dataclasses import dataclass
from pathlib import Path

from tht.sql.cancel import Cancel
from tht.workspaces import Workspace


@dataclass(frozen=True, slots=True)
class Query:
    """A statement that the guard has passed, where its results are kept, and what bounds its run."""

    workspace: Workspace
    sql: str
    sha256: str
    """Of the text."""
    folder: Path
    """Of kept results."""
    timeout_s: float
    cancel: Cancel


@dataclass(frozen=True, slots=True)
class Window:
    """Which rows of which result a page shows."""

    limit: int
    offset: int
    result_id: str | None = None
    """None: the youngest result that is kept, or else that of a new run."""
    fresh: bool = False
    """A new run in any case."""
