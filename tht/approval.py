"""The final SQL that a reviewer approved: exactly those bytes, for exactly that workspace."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime, timedelta

from contracts.errors import Code, Fault
from tht import artifacts, ledger, manifest, phases, sessions
from tht.files import settled
from tht.shapes import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tht.files import Folder, Stamp
    from tht.home import Home
    from tht.workspaces import Workspace

ARTIFACT = "sql_final.sql"
KNOWN_CAP = 256
"""Sessions whose approval is remembered, so that a page need not read the ledger again."""


class Approved:
    """The final SQL of a session and the workspace it may run on."""

    __slots__ = ("sha256", "sql", "workspace")

    def __init__(self, sql: bytes, sha256: str, workspace: Workspace) -> None:
        self.sql = sql
        """The bytes that were approved."""
        self.sha256 = sha256
        self.workspace = workspace


class _Standing:
    """An approval as the files of a session give it, whatever the workspace is now."""

    __slots__ = ("closing", "sha256", "sql", "workspace")

    def __init__(self, sql: bytes, sha256: str, workspace: str, closing: Mapping[str, Any]) -> None:
        self.sql = sql
        self.sha256 = sha256
        self.workspace = workspace
        self.closing = closing


_known: OrderedDict[tuple[str, str], tuple[list[Stamp | None], _Standing]] = OrderedDict()


def approved_sql(home: Home, session_id: str, now: datetime | None = None) -> Approved:
    """The approved final SQL of a session.

    Raises Fault NOT_APPROVED while a phase is open or when the approval has outlived the workspace's
    `approval_hours`; APPROVAL_MISMATCH, with both hashes as `approved` and `current`, when the text or the
    workspace is another one than at the approval; and what loading the workspace raises.
    """
    with sessions.opened(home, session_id) as session:
        standing = _remembered(home, session, session_id)
    from tht.workspaces import load_workspace

    workspace = load_workspace(home, standing.workspace)
    _check_workspace(standing.closing, workspace)
    _check_age(standing.closing, workspace, now or datetime.now(UTC))
    return Approved(standing.sql, standing.sha256, workspace)


def _remembered(home: Home, session: Folder, session_id: str) -> _Standing:
    """The standing approval; read again whenever a file it rests on has changed."""
    key = (home.root, session_id)
    stamps = [session.stamp(name) for name in _files()]
    known_stamps, standing = _known.get(key, (None, None))
    if standing is not None and known_stamps == stamps:
        return standing
    standing = _examined(session, session_id)
    if settled(*stamps):
        _known[key] = (stamps, standing)
        _known.move_to_end(key)
        if len(_known) > KNOWN_CAP:
            _known.popitem(last=False)
    return standing


def _files() -> list[str]:
    folder = artifacts.FOLDER
    return [manifest.NAME, ledger.NAME, folder, *(f"{folder}/{name}" for name in artifacts.MEDIA_TYPES)]


def _examined(session: Folder, session_id: str) -> _Standing:
    workspace = manifest.read(session, session_id)["workspace"]
    history = ledger.read(session)
    hashes = artifacts.hashes(session)
    content = artifacts.get(session, ARTIFACT) if ARTIFACT in hashes else b""
    if content:
        # The hash of the very bytes that are given out, whatever happens to the file meanwhile.
        hashes[ARTIFACT] = artifacts.sha256(content)
    state = phases.derive(history.lines, hashes, history.changed_at)
    if state.phase != "F5":
        raise _refusal(history, hashes, state)
    return _Standing(content, hashes[ARTIFACT], workspace, state.closings["F4"])


def _refusal(history: ledger.Ledger, hashes: dict[str, str], state: phases.PhaseState) -> Fault:
    approvals = [line for line in history.lines if _is_approval(line)]
    approved = phases.approved_hash(approvals[-1]) if approvals else None
    if approved:
        as_approved = phases.derive(history.lines, {**hashes, ARTIFACT: approved}, history.changed_at)
        if as_approved.phase == "F5":
            return Fault(
                Code.APPROVAL_MISMATCH,
                f"{ARTIFACT} was changed after its approval: approve it again",
                approved=approved,
                current=hashes.get(ARTIFACT),
            )
    return Fault(
        Code.NOT_APPROVED,
        f"the final SQL is not approved: the session is in {state.phase}, {state.reason}",
        phase=state.phase,
        missing=state.missing,
    )


def _is_approval(line: Mapping[str, Any]) -> bool:
    artifact = as_object(line.get("artifact")) or {}
    return line.get("kind") in phases.APPROVALS and artifact.get("name") == ARTIFACT


def _check_workspace(closing: Mapping[str, Any], workspace: Workspace) -> None:
    stamp = as_object(closing.get("workspace")) or {}
    if stamp.get("name") == workspace.name and stamp.get("fingerprint") == workspace.fingerprint:
        return
    raise Fault(
        Code.APPROVAL_MISMATCH,
        f"the workspace {workspace.name} is not what it was at the approval (its database or what may be read"
        " of it was changed): reopen F4 and approve again",
        approved=stamp.get("fingerprint"),
        current=workspace.fingerprint,
    )


def _check_age(closing: Mapping[str, Any], workspace: Workspace, now: datetime) -> None:
    hours = workspace.limits.approval_hours
    if hours is None:
        return
    given = datetime.fromisoformat(closing["ts"])
    if now - given > timedelta(hours=hours):
        raise Fault(
            Code.NOT_APPROVED,
            f"the approval is older than the {hours:g} hours that the workspace allows: reopen F4 and approve"
            " again",
            approved_at=closing["ts"],
        )
