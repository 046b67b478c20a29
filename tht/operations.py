"""The one table of operations: what the CLI, the worker and the executor can ask of `tht`.

An operation takes the home folder, its declared arguments and a context, and gives a JSON object, the bytes
of one (`msgspec.Raw`, so that a page is not decoded on its way), a `Stream`, or an answer that comes `Early`.
Failures are Faults.
Database drivers and the SQL parser are imported by the operations that need them, when they run.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import msgspec

from contracts.errors import Code, Fault
from tht import arguments as take
from tht import artifacts, decisions, sessions
from tht.home import Home
from tht.sql.cancel import Cancel
from tht.sql.results.view_request import ViewRequest, view_request
from tht.workspaces import Workspace, load_workspace, workspace_names

LIMIT_CAP = 10_000
"""Rows of one page."""


@dataclass(frozen=True, slots=True)
class Context:
    """What one call brings beside its arguments."""

    cancel: Cancel = field(default_factory=Cancel)
    """Set when the caller no longer wants the answer."""
    guard: Callable[[float, int], AbstractContextManager[None]] = lambda _seconds, _memory: nullcontext()
    """Ends the process when what is inside takes more seconds or bytes (see `tht.watchdog`)."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer that comes in pieces."""

    head: dict[str, Any]
    """What follows: `{media_type, filename, result_id, row_count, sha256, warnings}`; null where unknown."""
    chunks: Generator[bytes]
    """A failure on the way is raised here; what came before it is then no complete answer."""
    tail: Callable[[], dict[str, Any]]
    """After the last piece: `{row_count, sha256}`."""


@dataclass(frozen=True, slots=True)
class Early:
    """An answer that is given while what it is about still goes on."""

    answer: msgspec.Raw
    rest: Callable[[], object]
    """Waits for the end; to be called once. A failure after the answer is raised here."""


Result = dict[str, Any] | msgspec.Raw | Stream | Early


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table."""

    arguments: type[take.Arguments]
    run: Callable[[Home, Any, Context], Result]
    agent: bool = False
    """A session's agent may call it, for its own session."""


def call(home: Home, name: str, arguments: Mapping[str, Any], context: Context | None = None) -> Result:
    """Runs one operation.

    Raises Fault NOT_FOUND for an unknown one, INVALID_ARGUMENT for arguments that do not fit their
    declaration, UNAVAILABLE when the system does not let it read or write a file (a full disk, a missing
    permission), and whatever the operation raises.
    """
    operation = _operation(name)
    try:
        declared = msgspec.convert(dict(arguments), operation.arguments, strict=True)
    except msgspec.ValidationError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{name}: {error}") from error
    try:
        return operation.run(home, declared, context or Context())
    except OSError as error:
        reason = error.strerror or "input/output error"
        raise Fault(
            Code.UNAVAILABLE,
            f"a file of the session or workspace cannot be used ({reason}): mend that, then try again",
        ) from error


def for_agent(name: str, arguments: Mapping[str, Any], session: str) -> dict[str, Any]:
    """The arguments of an agent's call with its own session forced on them.

    Raises Fault NOT_FOUND for an unknown operation, REFUSED for one that is not an agent's to call.
    """
    if not _operation(name).agent:
        raise Fault(Code.REFUSED, f"{name} is not for the agent of a session to call")
    return {key: value for key, value in arguments.items() if key != "workspace"} | {"session": session}


def _operation(name: str) -> Operation:
    operation = TABLE.get(name)
    if operation is None:
        raise Fault(Code.NOT_FOUND, f"there is no operation {name[:64]!r}")
    return operation


def _list_workspaces(home: Home, _: take.Arguments, __: Context) -> Result:
    listed: list[dict[str, Any]] = []
    for name in workspace_names(home):
        try:
            workspace = load_workspace(home, name)
        except Fault as fault:
            listed.append(
                {"name": name, "dialect": None, "transport": None, "notes": "", "error": fault.message}
            )
        else:
            listed.append(_summary(workspace))
    return {"workspaces": listed}


def _summary(workspace: Workspace) -> dict[str, Any]:
    return {
        "name": workspace.name,
        "dialect": workspace.dialect,
        "transport": workspace.transport,
        "notes": workspace.notes,
    }


def _show_workspace(home: Home, arguments: take.OfDatabase, _: Context) -> Result:
    workspace = _database(home, arguments)
    return {
        **_summary(workspace),
        "allow": msgspec.to_builtins(workspace.allow),
        "limits": msgspec.to_builtins(workspace.limits),
        "accept_writable_role": workspace.accept_writable_role,
        "subagents": workspace.subagents,
        "warnings": list(workspace.warnings),
    }


def _check_workspace(home: Home, arguments: take.OfWorkspace, _: Context) -> Result:
    from tht import workspace_check

    return workspace_check.check(home, arguments.workspace)


def _new_session(home: Home, arguments: take.NewSession, _: Context) -> Result:
    return sessions.create(home, **msgspec.structs.asdict(arguments))


def _show_session(home: Home, arguments: take.OfSession, _: Context) -> Result:
    return sessions.show(home, arguments.session)


def _list_sessions(home: Home, arguments: take.ListSessions, _: Context) -> Result:
    return sessions.listing(home, **msgspec.structs.asdict(arguments))


def _show_phase(home: Home, arguments: take.OfSession, _: Context) -> Result:
    with sessions.opened(home, arguments.session) as session:
        return sessions.phase_of(session).document()


def _put_artifact(home: Home, arguments: take.PutArtifact, _: Context) -> Result:
    with sessions.opened(home, arguments.session) as session:
        return artifacts.put(session, arguments.name, arguments.text)


def _get_artifact(home: Home, arguments: take.OfArtifact, _: Context) -> Result:
    with sessions.opened(home, arguments.session) as session:
        return artifacts.show(session, arguments.name)


def _list_artifacts(home: Home, arguments: take.OfSession, _: Context) -> Result:
    with sessions.opened(home, arguments.session) as session:
        return {"artifacts": artifacts.listing(session)}


def _add_decision(home: Home, arguments: take.AddDecision, _: Context) -> Result:
    fields = msgspec.structs.asdict(arguments)
    return decisions.add(home, fields.pop("session"), **fields)


def _list_decisions(home: Home, arguments: take.OfSession, _: Context) -> Result:
    return decisions.listing(home, arguments.session)


def _schema_tables(home: Home, arguments: take.OfDatabase, context: Context) -> Result:
    with _reading(home, arguments, context) as workspace:
        from tht import schema

        return schema.tables(workspace, cancel=context.cancel)


def _schema_describe(home: Home, arguments: take.OfTable, context: Context) -> Result:
    with _reading(home, arguments, context) as workspace:
        from tht import schema

        return schema.describe(workspace, arguments.table, cancel=context.cancel)


def _schema_search(home: Home, arguments: take.SearchSchema, context: Context) -> Result:
    with _reading(home, arguments, context) as workspace:
        from tht import schema

        return schema.search(workspace, arguments.text, cancel=context.cancel)


def _schema_sample(home: Home, arguments: take.SampleTable, context: Context) -> Result:
    columns, limit = arguments.columns, arguments.limit
    with _reading(home, arguments, context) as workspace:
        from tht import schema

        return schema.sample(workspace, arguments.table, columns=columns, limit=limit, cancel=context.cancel)


def _schema_all(home: Home, arguments: take.OfWorkspace, context: Context) -> Result:
    with _reading(home, take.OfDatabase(workspace=arguments.workspace), context) as workspace:
        from tht import schema

        return schema.all(workspace, cancel=context.cancel)


@contextmanager
def _reading(home: Home, arguments: take.OfDatabase, context: Context) -> Generator[Workspace]:
    workspace = _database(home, arguments)
    with context.guard(workspace.limits.timeout_s, workspace.limits.memory):
        yield workspace


def _check_sql(home: Home, arguments: take.CheckSql, _: Context) -> Result:
    from tht import sql

    return sql.check(_database(home, arguments), arguments.sql)


def _preview_sql(home: Home, arguments: take.PreviewSql, context: Context) -> Result:
    if not 1 <= arguments.limit <= LIMIT_CAP:
        raise Fault(Code.INVALID_ARGUMENT, f"limit must be from 1 to {LIMIT_CAP}")
    if not 0 <= arguments.offset < 1 << 53:
        raise Fault(Code.INVALID_ARGUMENT, "offset must be 0 or more")
    from tht import sql

    workspace, statement = _statement(home, arguments)
    timeout_s = _timeout(workspace, arguments)
    with ExitStack() as stack:
        stack.enter_context(context.guard(timeout_s, workspace.limits.memory))
        begun = sql.begin_preview(
            workspace,
            statement,
            home_results=home.results,
            limit=arguments.limit,
            offset=arguments.offset,
            timeout_s=timeout_s,
            result_id=arguments.result_id,
            fresh=arguments.fresh,
            draft=arguments.sql is not None,
            view=_view(arguments),
            cancel=context.cancel,
        )
        page = msgspec.Raw(begun.page)
        if begun.rest is None:
            return page
        guarded = stack.pop_all()
    return Early(page, _inside(guarded, begun.rest))


def _inside(guarded: ExitStack, rest: Callable[[], object]) -> Callable[[], None]:
    """`rest`, after which what is guarded ends."""

    def run() -> None:
        with guarded:
            rest()

    return run


def _export_sql(home: Home, arguments: take.ExportSql, context: Context) -> Result:
    from tht import sql

    workspace, statement = _statement(home, arguments)
    timeout_s = _timeout(workspace, arguments)
    with context.guard(timeout_s, workspace.limits.memory):
        export = sql.export(
            workspace,
            statement,
            home_results=home.results,
            format=arguments.format,
            raw=arguments.raw,
            options=arguments.options,
            timeout_s=timeout_s,
            result_id=arguments.result_id,
            view=_view(arguments),
            cancel=context.cancel,
        )
    head = {
        "media_type": export.media_type,
        "filename": export.filename,
        "result_id": export.result_id,
        "row_count": export.expected_rows,
        "sha256": export.expected_sha256,
        "warnings": export.warnings,
    }
    chunks = _guarded(export, lambda: context.guard(timeout_s, workspace.limits.memory))
    return Stream(head, chunks, lambda: {"row_count": export.row_count, "sha256": export.sha256})


def _guarded(chunks: Iterable[bytes], guard: Callable[[], AbstractContextManager[None]]) -> Generator[bytes]:
    """The chunks, the making of each one guarded; the time a slow reader takes is not the statement's."""
    pieces = iter(chunks)
    while True:
        with guard():
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _end_connection(home: Home, arguments: take.EndConnection, _: Context) -> Result:
    from tht import sql

    sql.end_connection(load_workspace(home, arguments.workspace), arguments.connection)
    return {}


def _doctor(home: Home, _: take.Arguments, __: Context) -> Result:
    from tht import doctor

    return doctor.examine(home)


def _database(home: Home, arguments: take.OfDatabase) -> Workspace:
    if arguments.session is not None:
        return load_workspace(home, sessions.show(home, arguments.session)["workspace"])
    if arguments.workspace is not None:
        return load_workspace(home, arguments.workspace)
    raise Fault(Code.INVALID_ARGUMENT, "name a session or a workspace")


def _statement(home: Home, arguments: take.RunSql) -> tuple[Workspace, str]:
    """The draft, or the text that was approved, and the workspace it runs on."""
    if arguments.sql is not None:
        return _database(home, arguments), arguments.sql
    if arguments.session is None:
        raise Fault(Code.INVALID_ARGUMENT, "give sql, or a session whose final SQL is approved")
    from tht.approval import approved_sql

    approved = approved_sql(home, arguments.session)
    return approved.workspace, approved.sql.decode()


def _view(arguments: take.RunSql) -> ViewRequest:
    view = view_request(arguments.sort, arguments.filter)
    if view and arguments.sql is not None:
        raise Fault(Code.INVALID_ARGUMENT, "a draft is not kept, so that it has no sort and no filter")
    return view


def _timeout(workspace: Workspace, arguments: take.RunSql) -> float:
    asked = arguments.timeout_s
    if asked is None:
        return workspace.limits.timeout_s
    if not 0 < asked < 1e9:
        raise Fault(Code.INVALID_ARGUMENT, "the timeout must be a number of seconds above 0")
    return min(asked, workspace.limits.timeout_s)


TABLE: Mapping[str, Operation] = {
    "workspace.list": Operation(take.Arguments, _list_workspaces),
    "workspace.show": Operation(take.OfDatabase, _show_workspace, agent=True),
    "workspace.check": Operation(take.OfWorkspace, _check_workspace),
    "session.new": Operation(take.NewSession, _new_session),
    "session.show": Operation(take.OfSession, _show_session, agent=True),
    "session.list": Operation(take.ListSessions, _list_sessions),
    "phase.show": Operation(take.OfSession, _show_phase, agent=True),
    "artifact.put": Operation(take.PutArtifact, _put_artifact, agent=True),
    "artifact.get": Operation(take.OfArtifact, _get_artifact, agent=True),
    "artifact.list": Operation(take.OfSession, _list_artifacts, agent=True),
    "decision.add": Operation(take.AddDecision, _add_decision),
    "decision.list": Operation(take.OfSession, _list_decisions, agent=True),
    "schema.tables": Operation(take.OfDatabase, _schema_tables, agent=True),
    "schema.describe": Operation(take.OfTable, _schema_describe, agent=True),
    "schema.search": Operation(take.SearchSchema, _schema_search, agent=True),
    "schema.sample": Operation(take.SampleTable, _schema_sample, agent=True),
    "schema.all": Operation(take.OfWorkspace, _schema_all),
    "sql.check": Operation(take.CheckSql, _check_sql, agent=True),
    "sql.preview": Operation(take.PreviewSql, _preview_sql, agent=True),
    "sql.export": Operation(take.ExportSql, _export_sql),
    "sql.end": Operation(take.EndConnection, _end_connection),
    "doctor": Operation(take.Arguments, _doctor),
}
