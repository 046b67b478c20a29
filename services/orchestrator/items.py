"""What a piece of Pi's output can mean: events for the reviewers, and effects for the orchestrator."""

from dataclasses import dataclass
from typing import Any

from services.orchestrator.events import EventKind
from services.orchestrator.frames import Frame
from services.orchestrator.records import Reply
from services.orchestrator.widgets import Dialog


@dataclass(slots=True)
class Told:
    """An event and its data."""

    kind: EventKind
    data: dict[str, Any]


@dataclass(slots=True)
class Text:
    """Consecutive deltas of one message, as they stand between the quotes of a JSON string."""

    message_id: str
    parts: list[bytes | memoryview]


@dataclass(frozen=True, slots=True)
class Replied:
    """Pi answered a command."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Asked:
    """Pi waits for an answer."""

    rpc_id: Any
    dialog: Dialog


@dataclass(frozen=True, slots=True)
class DialogUnusable:
    """Pi asked something that nobody could answer: it must hear `cancelled`."""

    rpc_id: Any
    reason: str


@dataclass(frozen=True, slots=True)
class DialogClosed:
    """The gate says that the dialog of a tool call is over."""

    call: str
    how: str


@dataclass(frozen=True, slots=True)
class FrameClosed:
    """No dialog of that call of the checkpoint bridge is open any more."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The agent works."""


@dataclass(frozen=True, slots=True)
class RunSettled:
    """The run is over. `failure` says why it did not end well, None when it did."""

    failure: str | None


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The gate saw the session in another phase."""

    phase: str


@dataclass(frozen=True, slots=True)
class UnknownRecord:
    """A record type this version does not know, at its first appearance."""

    type: str


Effect = (
    Replied
    | Asked
    | DialogUnusable
    | DialogClosed
    | FrameClosed
    | RunStarted
    | RunSettled
    | PhaseChanged
    | UnknownRecord
)


Item = Told | Text | Effect
"""What a piece of Pi's output means, in its order."""
