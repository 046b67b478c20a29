"""What clients send and receive under /checkpoints, as models."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from services.gateway.bodies import Name

RepositoryName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="Absolute path of an allowed repository, or the folder name of one.",
    ),
]


class PlanCheckpoint(Struct, forbid_unknown_fields=True, kw_only=True):
    """What to continue, and where; either `session_id` or `session_file`."""

    repository: RepositoryName
    base: Annotated[
        str, Meta(min_length=1, max_length=1000, description="Any revision that git understands.")
    ]
    entry_id: Annotated[
        str, Meta(min_length=1, max_length=250, description="Entry of the session to continue from.")
    ]
    prompt: Annotated[str, Meta(min_length=1, max_length=100_000)]
    commit_message: Annotated[str, Meta(min_length=1, max_length=20_000)]
    session_id: Annotated[str, Meta(max_length=64, description="A session of ThothII.")] | None = None
    session_file: Annotated[str, Meta(max_length=4096, description="An allowed Pi session file.")] | None = (
        None
    )
    allow_delete: bool = False


class RunCheckpoint(Struct, forbid_unknown_fields=True, kw_only=True):
    """A plan to execute, unchanged; `provider` and `model` go together."""

    repository: RepositoryName
    plan: dict[str, Any]
    provider: Name | None = None
    model: Name | None = None
    keep_ignored: bool = False


class AdoptCheckpoint(Struct, forbid_unknown_fields=True, kw_only=True):
    """The branch to make at a result."""

    repository: RepositoryName
    branch: Annotated[str, Meta(min_length=1, max_length=250)]


class DiscardCheckpoint(Struct, forbid_unknown_fields=True, kw_only=True):
    """Where the execution is."""

    repository: RepositoryName


class CheckpointsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Where to look."""

    repository: RepositoryName


class CheckpointPlan(Struct, kw_only=True):
    """A plan (session-execution-plan-v1)."""

    plan_id: str
    plan: dict[str, Any]


class Execution(Struct, kw_only=True):
    """One execution of a plan: `running`, `complete`, `prepared`, `crashed` or `unknown`.

    What there is none of is an empty string.
    """

    plan_id: str
    status: str
    ref: str
    commit: str
    base_commit: str
    session_id: str
    entry_id: str
    created_at: str
    completed_at: str
    changed_paths: list[str]
    subject: str


class Executions(Struct, kw_only=True):
    """The executions in a repository, the latest first."""

    executions: list[Execution]


class ShownExecution(Struct, kw_only=True):
    """An execution with its receipt (session-execution-receipt-v1).

    `patch` is empty without a result and when it is longer than 4 MiB; `patch_bytes` is its whole length.
    """

    execution: Execution
    receipt: dict[str, Any] | None
    branches: list[str]
    patch: str
    patch_bytes: int


class AdoptedExecution(Struct, kw_only=True):
    """The branch that was made and the commit it holds."""

    ref: str
    commit: str


class DiscardedExecution(Struct, kw_only=True):
    """The plan, which can run again, and the commit that its ref held (empty when there was none)."""

    plan_id: str
    commit: str
