"""The reviewer's decisions: checked, then appended to the ledger of the session."""

from __future__ import annotations

from contracts.errors import Code, Fault
from contracts.limits import TITLE_CHARACTERS
from tht import artifacts, ledger, manifest, phases, sessions
from tht.shapes import as_array, as_object, is_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tht.files import Folder
    from tht.home import Home

KINDS = (
    "reading",
    "clarification",
    "selection",
    "answer",
    "approval",
    "edit",
    "rejection",
    "verdict",
    "reopen",
    "plain",
)
WIDGETS = ("select", "multiselect", "confirm", "input", "editor", "artifact_gate")
QUESTION_CAP = 256
"""Characters of a question's id."""


def add(
    home: Home,
    session_id: str,
    *,
    kind: str,
    widget: str,
    title: str,
    answer: Any,
    by: str,
    options: Any = None,
    artifact: Any = None,
    phase: str | None = None,
    edit: str | None = None,
    question: str | None = None,
) -> dict[str, Any]:
    """Appends a decision and gives `{line, phase}`; it is on the disk when this returns.

    An approval or edit must be of the artifact as it is now: `artifact.sha256` is what the reviewer saw. An
    edit writes the reviewer's text as the newest version first, and the line holds that version's hash.
    `question` is the id of the question that is answered: it has one decision at most. When it has one
    already, that line is given and nothing is appended, so that whoever does not know whether an answer was
    recorded can send it again.

    Raises Fault NOT_FOUND, INVALID_ARGUMENT, TOO_LARGE; CONFLICT when the artifact or the ledger was changed,
    with both hashes as `approved` and `current`; SESSION_BUSY while another process appends.
    """
    _check(kind, widget, title, by, phase, question)
    if options is not None and as_array(options) is None:
        raise _invalid("options must be a list")
    shown = _artifact(kind, artifact)
    if (edit is not None) != (kind == "edit"):
        raise _invalid("a decision of kind edit, and no other, has the reviewer's text in edit")
    with sessions.opened(home, session_id) as session:
        workspace = manifest.read(session, session_id)["workspace"]
        with ledger.locked(session) as writer:
            if question is not None and (recorded := _of_question(writer.ledger, question)) is not None:
                state = phases.derive(
                    writer.ledger.lines, artifacts.hashes(session), writer.ledger.changed_at
                )
                return {"line": recorded, "phase": state.document()}
            if kind in phases.APPROVALS and shown:
                shown = _current(session, shown, edit)
            fields: dict[str, Any] = {
                "phase": _phase(session, writer.ledger, "F1" if kind == "reading" else phase, shown),
                "kind": kind,
                "widget": widget,
                "title": title,
                **({"options": options} if options is not None else {}),
                "answer": answer,
                "by": by,
                **({"question": question} if question is not None else {}),
                **({"artifact": shown} if shown else {}),
                **({"workspace": _stamp(home, workspace)} if kind in phases.APPROVALS else {}),
            }
            line = writer.append(fields)
            state = phases.derive(writer.ledger.lines, artifacts.hashes(session))
    return {"line": line, "phase": state.document()}


def listing(home: Home, session_id: str) -> dict[str, Any]:
    """`{decisions, changed_at}`: the ledger, oldest first; `changed_at` is null while its chain holds."""
    with sessions.opened(home, session_id) as session:
        history = ledger.read(session)
    return {"decisions": history.lines, "changed_at": history.changed_at}


def _of_question(history: ledger.Ledger, question: str) -> dict[str, Any] | None:
    return next((line for line in history.lines if line.get("question") == question), None)


def _check(kind: str, widget: str, title: str, by: str, phase: str | None, question: str | None) -> None:
    if kind not in KINDS:
        raise _invalid(f"kind must be one of {', '.join(KINDS)}")
    if widget not in WIDGETS:
        raise _invalid(f"widget must be one of {', '.join(WIDGETS)}")
    if len(title) > TITLE_CHARACTERS:
        raise Fault(Code.TOO_LARGE, f"the title is longer than {TITLE_CHARACTERS} characters")
    if not by.strip() or len(by) > 256:
        raise _invalid("by must say who decided, in at most 256 characters")
    if question is not None and not 0 < len(question) <= QUESTION_CAP:
        raise _invalid(f"question must be an id of 1 to {QUESTION_CAP} characters")
    if phase is not None and phase not in phases.PHASES:
        raise _invalid(f"phase must be one of {', '.join(phases.PHASES)}")
    if kind == "reopen" and phase is None:
        raise _invalid("a decision of kind reopen needs the phase to open again")


def _artifact(kind: str, artifact: Any) -> dict[str, str] | None:
    given = as_object(artifact)
    if artifact is None and kind not in (*phases.APPROVALS, "rejection"):
        return None
    if given is None or set(given) != {"name", "sha256"} or not is_hash(given["sha256"]):
        raise _invalid("artifact must hold name and sha256 of what the reviewer saw")
    artifacts.check_name(given["name"])
    return {"name": given["name"], "sha256": given["sha256"]}


def _current(session: Folder, shown: dict[str, str], edit: str | None) -> dict[str, str]:
    current = artifacts.sha256(artifacts.get(session, shown["name"]))
    # The text of an edit may be there already: written by a call that was cut short before its line.
    wanted = None if edit is None else artifacts.sha256(artifacts.encode(shown["name"], edit))
    if current not in (shown["sha256"], wanted):
        raise Fault(
            Code.CONFLICT,
            f"{shown['name']} was changed after it was shown: reject it with a comment to see it again",
            approved=shown["sha256"],
            current=current,
        )
    if edit is None:
        return shown
    return {"name": shown["name"], "sha256": artifacts.put(session, shown["name"], edit)["sha256"]}


def _phase(session: Folder, history: ledger.Ledger, phase: str | None, shown: dict[str, str] | None) -> str:
    if shown:
        return phases.PHASE_OF[shown["name"]]
    return phase or phases.derive(history.lines, artifacts.hashes(session), history.changed_at).phase


def _stamp(home: Home, workspace: str) -> dict[str, str | None]:
    """The workspace that is approved for, with the fingerprint of its definition; None when it is broken now,
    which keeps the reviewer's answer and lets nothing run on it."""
    from tht.workspaces import load_workspace

    try:
        fingerprint = load_workspace(home, workspace).fingerprint
    except Fault:
        fingerprint = None
    return {"name": workspace, "fingerprint": fingerprint}


def _invalid(message: str) -> Fault:
    return Fault(Code.INVALID_ARGUMENT, message)
