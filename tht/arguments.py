"""What each operation takes. An argument that is not declared here is refused."""

from typing import Any, Literal

import msgspec

from tht.sql.results.view_request import Condition, SortKey


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of an operation that takes none, and the base of the others."""


class OfWorkspace(Arguments):
    workspace: str


class OfSession(Arguments):
    session: str


class OfDatabase(Arguments):
    """A database, named by its workspace or by a session, which then means its workspace."""

    session: str | None = None
    workspace: str | None = None


class NewSession(Arguments):
    workspace: str
    question: str
    author: str
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    thinking: str | None = None
    temperature: float | None = None


class ListSessions(Arguments):
    workspace: str | None = None
    author: str | None = None
    phase: str | None = None
    limit: int | None = None
    after: str | None = None


class PutArtifact(Arguments):
    session: str
    name: str
    text: str


class OfArtifact(Arguments):
    session: str
    name: str


class AddDecision(Arguments):
    session: str
    kind: str
    widget: str
    title: str
    answer: Any
    by: str
    options: list[Any] | None = None
    artifact: dict[str, str] | None = None
    phase: str | None = None
    edit: str | None = None
    question: str | None = None


class OfTable(OfDatabase, kw_only=True):
    table: str


class SearchSchema(OfDatabase, kw_only=True):
    text: str


class SampleTable(OfTable):
    columns: list[str] | None = None
    limit: int | None = None


class EndConnection(OfWorkspace):
    connection: int
    """As the server numbers it."""


class CheckSql(OfDatabase, kw_only=True):
    sql: str


class RunSql(OfDatabase):
    """A statement to run: `sql` is a draft; without it the session's approved SQL runs."""

    sql: str | None = None
    result_id: str | None = None
    timeout_s: float | None = None
    """Seconds; the workspace's own limit is the most."""
    sort: list[SortKey] | None = None
    filter: list[Condition] | None = None
    """With `sort` a view of the kept result; see `tht.sql.results.view_request`."""


class PreviewSql(RunSql):
    limit: int = 100
    offset: int = 0
    fresh: bool = False
    """Runs the statement again though its result was kept."""


class ExportSql(RunSql):
    format: Literal["csv", "parquet", "arrow"] = "csv"
    raw: bool = False
    """Leaves text that a spreadsheet would run as it is."""
    options: dict[str, Any] | None = None
    """How CSV is written; see the export of `tht.sql`."""
