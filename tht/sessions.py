"""Sessions on disk: one question in one workspace, a folder below `sessions/`."""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime

from contracts.errors import Code, Fault
from contracts.identifiers import SESSION_ID, check_session_id, new_session_id
from contracts.moments import iso
from tht import artifacts, ledger, manifest, phases
from tht.files import Folder
from tht.shapes import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from tht.home import Home

PAGE = 50
PAGE_CAP = 200
UNFINISHED = ".new-"
"""A folder that begins so is a session whose making was cut short."""


def create(
    home: Home,
    *,
    workspace: str,
    question: str,
    author: str,
    name: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    thinking: str | None = None,
    temperature: float | None = None,
) -> dict[str, Any]:
    """Makes a session and gives it as `show` does. Nothing is left on the disk when it fails.

    Raises Fault for an unknown or broken workspace, for a database file that is not there, and for fields
    that cannot be (see `manifest.check_fields`).
    """
    fields = manifest.check_fields(
        {
            "workspace": workspace,
            "question": question,
            "author": author,
            "name": name,
            "provider": provider,
            "model": model,
            "thinking": thinking,
            "temperature": temperature,
        }
    )
    _check_workspace(home, workspace)
    now = datetime.now(UTC)
    fields["created_at"] = iso(now)
    os.makedirs(f"{home.root}/sessions", exist_ok=True)  # noqa: PTH103
    with Folder.open(f"{home.root}/sessions") as sessions:
        fields["id"] = _place(sessions, fields, now)
    return show(home, fields["id"])


@contextmanager
def opened(home: Home, session_id: str) -> Generator[Folder]:
    """The folder of a session. Raises Fault NOT_FOUND for an id that no session has or can have."""
    check_session_id(session_id)
    try:
        sessions = Folder.open(f"{home.root}/sessions")
    except FileNotFoundError:
        raise _unknown(session_id) from None
    with sessions:
        try:
            session = sessions.folder(session_id)
        except (FileNotFoundError, Fault) as error:
            raise _unknown(session_id) from error
    with session:
        yield session


def show(home: Home, session_id: str) -> dict[str, Any]:
    """The manifest's fields and `phase: {phase, closed, missing, reason}`. Raises Fault NOT_FOUND."""
    with opened(home, session_id) as session:
        return _document(session, session_id)


def phase_of(session: Folder) -> phases.PhaseState:
    """The phase that the ledger and the artifacts in a session's folder give."""
    history = ledger.read(session)
    return phases.derive(history.lines, artifacts.hashes(session), history.changed_at)


def listing(
    home: Home,
    *,
    workspace: str | None = None,
    author: str | None = None,
    phase: str | None = None,
    limit: int | None = None,
    after: str | None = None,
) -> dict[str, Any]:
    """`{sessions, next, broken}`: sessions as `show` gives them, newest first, at most `limit` (1 to 200).

    `next` continues as `after`; null on the last page. `broken` holds the ids on the way whose files
    cannot be read. Raises Fault INVALID_ARGUMENT.
    """
    size = PAGE if limit is None else limit
    if not 1 <= size <= PAGE_CAP:
        raise Fault(Code.INVALID_ARGUMENT, f"limit must be from 1 to {PAGE_CAP}")
    if phase is not None and phase not in phases.PHASES:
        raise Fault(Code.INVALID_ARGUMENT, f"phase must be one of {', '.join(phases.PHASES)}")
    found: list[dict[str, Any]] = []
    broken: list[str] = []
    for session_id in ids(home):
        if after is not None and session_id >= after:
            continue
        if len(found) == size:
            return {"sessions": found, "next": found[-1]["id"], "broken": broken}
        try:
            document = show(home, session_id)
        except (Fault, OSError):
            if _has_manifest(home, session_id):
                broken.append(session_id)
            continue
        if (
            (workspace is None or document["workspace"] == workspace)
            and (author is None or document["author"] == author)
            and (phase is None or document["phase"]["phase"] == phase)
        ):
            found.append(document)
    return {"sessions": found, "next": None, "broken": broken}


def ids(home: Home) -> list[str]:
    """Ids of the session folders, newest first. An id sorts by time."""
    try:
        names = os.listdir(f"{home.root}/sessions")  # noqa: PTH208
    except FileNotFoundError:
        return []
    return sorted((name for name in names if SESSION_ID.fullmatch(name)), reverse=True)


def live(session: Folder) -> dict[str, Any] | None:
    """What `live.json` in a session's folder says of the running agent: owner, pid, started_at; None without
    one. Whoever runs the agent writes it, so after a crash it may speak of one that is gone."""
    try:
        return as_object(json.loads(session.read("live.json", manifest.CAP)))
    except (FileNotFoundError, ValueError, RecursionError, Fault):
        return None


def _has_manifest(home: Home, session_id: str) -> bool:
    """Whether the folder is a session's at all. One that the system does not let us look into may be."""
    try:
        with opened(home, session_id) as session:
            return manifest.NAME in session.names()
    except Fault:
        return False
    except OSError:
        return True


def _document(session: Folder, session_id: str) -> dict[str, Any]:
    return {**manifest.read(session, session_id), "phase": phase_of(session).document()}


def _check_workspace(home: Home, name: str) -> None:
    from tht.workspaces import load_workspace

    database = load_workspace(home, name).connection.resolve().path
    if database is not None and not database.is_file():
        raise Fault(
            Code.DATABASE_UNAVAILABLE,
            f"the database file of workspace {name} is not there: correct connection.path, or make the file",
        )


def _place(sessions: Folder, fields: dict[str, Any], now: datetime) -> str:
    """Makes the folder beside the others and renames it into place, so that nobody sees half of it."""
    unfinished = f"{UNFINISHED}{os.urandom(8).hex()}"
    try:
        with sessions.folder(unfinished, create=True) as session:
            for name in (artifacts.FOLDER, "pi"):
                session.folder(name, create=True).close()
            while True:
                session_id = new_session_id(now)
                session.write(manifest.NAME, manifest.dump({**fields, "id": session_id}))
                if _renamed(sessions, unfinished, session_id):
                    os.fsync(sessions.descriptor)
                    return session_id
    except BaseException:
        import shutil

        shutil.rmtree(unfinished, ignore_errors=True, dir_fd=sessions.descriptor)
        raise


def _renamed(sessions: Folder, unfinished: str, session_id: str) -> bool:
    descriptor = sessions.descriptor
    try:
        os.rename(unfinished, session_id, src_dir_fd=descriptor, dst_dir_fd=descriptor)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            return False
        raise
    return True


def _unknown(session_id: str) -> Fault:
    return Fault(Code.NOT_FOUND, f"there is no session {session_id}")
