"""What this client knows of a session, from its events. Pure."""

from dataclasses import dataclass
from typing import Any

OVER = frozenset({"idle", "closed", "crashed"})
"""States in which the agent does nothing by itself any more."""


@dataclass(frozen=True)
class Event:
    """One event of a session."""

    name: str
    data: dict[str, Any]


class Conversation:
    """The state of one session as told so far."""

    def __init__(self) -> None:
        self.state = ""
        """Empty until the first snapshot has come."""
        self.reason = ""
        self.phase = ""
        self.scripted = False
        self.pending: dict[str, dict[str, Any]] = {}
        self._answered: set[str] = set()

    @property
    def over(self) -> bool:
        """True when the agent has settled or is gone, and asks nothing."""
        return self.state in OVER and not self.pending

    def apply(self, event: Event) -> bool:
        """Take `event`; True when something changed that decides what happens next."""
        before = (self.state, self.phase, tuple(self.pending))
        data = event.data
        if event.name == "snapshot":
            self.state = data["state"]
            self.reason = data.get("state_reason") or data.get("reason") or ""
            self.phase = data.get("phase") or self.phase
            self.scripted = bool(data.get("scripted"))
            self.pending = {}
            pending: list[dict[str, Any]] = data.get("pending") or []
            for descriptor in pending:
                self._asked(descriptor)
        elif event.name == "ui_request":
            self._asked(event.data)
        elif event.name == "ui_resolved":
            self.answered(str(data["id"]))
        elif event.name == "lifecycle":
            self.state = "ready" if data["state"] == "resumed" else data["state"]
            self.reason = data.get("reason") or ""
            if self.state in {"closed", "crashed"}:
                self.pending = {}
        elif event.name == "system_event" and data.get("kind") == "phase":
            self.phase = data.get("phase") or ""
        return before != (self.state, self.phase, tuple(self.pending))

    def answered(self, question_id: str) -> None:
        """The question is over; no repetition of it that is under way brings it back."""
        self._answered.add(question_id)
        self.pending.pop(question_id, None)

    def _asked(self, descriptor: dict[str, Any]) -> None:
        if descriptor["id"] not in self._answered:
            self.pending[descriptor["id"]] = descriptor
