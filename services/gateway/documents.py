"""What clients receive, as models: they describe the answers in /openapi.json.

Most answers are JSON that a service sent as bytes and that is passed on undecoded; a test holds real answers
against these models.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

State = Literal["closed", "starting", "ready", "running", "waiting", "idle", "closing", "crashed"]


class Workspace(Struct, kw_only=True):
    """One database that can be asked about; a broken one is listed with its error."""

    name: str
    dialect: str | None
    transport: str | None
    notes: str | None
    error: str | UnsetType | None = UNSET


class Workspaces(Struct):
    """All workspaces."""

    workspaces: list[Workspace]


class Column(Struct, kw_only=True):
    """A column of a table."""

    name: str
    type: str
    nullable: bool | None
    comment: str | None


class ForeignKey(Struct, kw_only=True):
    """Columns that point to another table."""

    columns: list[str]
    table: str
    to: list[str]


class Table(Struct, kw_only=True):
    """A table or view within the workspace's allow list."""

    name: str
    schema: str | None
    kind: str
    comment: str | None
    row_estimate: int | None
    columns: list[Column]
    primary_key: list[str]
    foreign_keys: list[ForeignKey]


class Schema(Struct, kw_only=True):
    """Tables and columns of a workspace."""

    workspace: str
    dialect: str
    as_of: str
    tables: list[Table]


class Model(Struct, kw_only=True):
    """A model for which Pi has credentials."""

    provider: str
    id: str
    name: str
    context_window: int
    max_tokens: int
    thinking_levels: list[str]


class Models(Struct, kw_only=True):
    """Models that a session can be started with."""

    models: list[Model]
    scripted: bool


class Runner(Struct, kw_only=True):
    """The Pi that runs the sessions; `scripted` when a script answers in place of a model."""

    runner: str
    version: str
    scripted: bool
    reason: str


class Message(Struct, kw_only=True):
    """The message that is being written."""

    message_id: str
    text: str


class Live(Struct, kw_only=True):
    """What a session's agent is doing now. `cursor` is the event id from which its stream continues."""

    state: State
    reason: str
    cursor: str
    pending: list[dict[str, Any]]
    message: Message | None
    scripted: bool
    provider: str
    model: str
    started_at: str | None


class Phase(Struct, kw_only=True):
    """How far the review has come."""

    phase: Literal["F1", "F2", "F3", "F4", "F5"]
    closed: list[str]
    missing: list[str]
    reason: str | None


class Session(Struct, kw_only=True):
    """A session: its manifest, its phase, its live state (null while the orchestrator cannot be asked)."""

    id: str
    workspace: str
    question: str
    author: str
    created_at: str
    name: str | None
    provider: str | None
    model: str | None
    thinking: str | None
    temperature: float | None
    phase: Phase
    live: Live | None


class Sessions(Struct, kw_only=True):
    """A page of sessions, newest first; `next` is null on the last one, `broken` has the ids of those on the
    way whose files cannot be read."""

    sessions: list[Session]
    next: str | None
    broken: list[str]


class SessionLive(Struct, kw_only=True):
    """A session and its live state."""

    id: str
    live: Live


class Artifact(Struct, kw_only=True):
    """A file that the agent produced."""

    name: str
    sha256: str
    bytes: int
    modified_at: str
    media_type: str


class Artifacts(Struct):
    """The artifacts of a session."""

    artifacts: list[Artifact]


class Decisions(Struct):
    """The ledger: every answered question, oldest first."""

    decisions: list[dict[str, Any]]


class Transcript(Struct):
    """The conversation so far."""

    messages: list[dict[str, Any]]


class Receipt(Struct, kw_only=True):
    """The answer was recorded and the agent has it."""

    id: str
    how: str
    by: str
    at: str


class Steered(Struct):
    """What Pi did with the text: started, queued or handled."""

    disposition: str


class ResultColumn(Struct, kw_only=True):
    """A column: `name` as the database gives it, `key` unique, the logical type of its values."""

    name: str
    key: str
    type: str


class Page(Struct, kw_only=True):
    """Rows of the approved SQL's result; `row_count` is null while it is not known."""

    columns: list[ResultColumn]
    rows: list[list[Any]]
    truncated: bool
    row_count: int | None
    result_id: str | None
    elapsed_ms: float
    warnings: list[str]


class Health(Struct):
    """The gateway runs."""

    status: Literal["ok"]


class Readiness(Struct, kw_only=True):
    """Both services behind the gateway answer."""

    ready: Literal[True]
    orchestrator: bool
    executor: bool


class ProblemKind(Struct, kw_only=True):
    """What a problem's type means."""

    code: str
    title: str
    status: int
    exit_code: int
    retry: bool


class Problem(Struct, kw_only=True):
    """A failure (RFC 9457). `code` is stable; further members depend on it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
