"""The questions of a session: which are open, how each ended, who may still answer."""

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

import msgspec

from contracts.errors import Code, Fault
from contracts.moments import iso
from services.orchestrator.widgets import Dialog, public_id

ANSWER_MARGIN = 0.1
"""Part of a question's time at whose end no answer is taken any more, at most ANSWER_MARGIN_SECONDS: Pi's
clock started before ours, and Pi drops a late answer without a word."""
ANSWER_MARGIN_SECONDS = 0.1

OPEN = "open"
JOURNAL_TITLE = 400
"""Characters of a question's title in the journal."""
KEPT_ENDED = 500
"""Ended questions of a session that are remembered in memory, the newest."""


class Journal(Protocol):
    """Where questions survive the orchestrator: appends one JSON object."""

    def append(self, line: dict[str, Any]) -> None:
        """Write `line`; it is in the kernel's hands when this returns. Raises OSError."""
        ...

    def note(self, line: dict[str, Any]) -> None:
        """Append a line without which the session goes on; never raises OSError."""
        ...


@dataclass(slots=True)
class Question:
    """One question and how it ended."""

    id: str
    generation: int
    likeness: str
    """Equal for two askings of the same question by different children."""
    asked_at: str
    expires_at: str | None = None
    how: str = OPEN
    by: str | None = None
    resolved_at: str | None = None
    answer: Any = None
    superseded_by: str | None = None
    receipt: dict[str, Any] | None = None
    idempotency: str | None = None
    """sha256 of author, key and body of the request that answered."""
    rpc_id: Any = None
    dialog: Dialog | None = None
    """None once its child has ended."""
    descriptor: dict[str, Any] = field(default_factory=dict[str, Any])
    refuse_from: datetime | None = None
    expires: datetime | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    by_process: bool = False
    """True when a process asked and waits for `ended`; else Pi waits for a line."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    late: dict[str, Any] | None = None
    """`{title, heard, answer, by, at}`: what came after the end of a process's question."""
    late_dialog: Dialog | None = None
    """What a late answer is checked against."""


def likeness(dialog: Dialog) -> str:
    """What makes two askings the same question: kind, widget, phase, and the artifact's name; for a sub-agent
    or process also who asks what."""
    envelope = dialog.envelope
    artifact = envelope.artifact.name if envelope.artifact else ""
    parts = [envelope.kind, envelope.widget, envelope.phase or "", artifact]
    if envelope.origin.kind != "main":
        parts += [envelope.origin.kind, envelope.origin.name, envelope.title]
    return "|".join(parts)


def fingerprint(author: str, key: str, body: bytes) -> str:
    """Identifies a repeated request."""
    return hashlib.sha256(b"\0".join((author.encode(), key.encode(), body))).hexdigest()


class QuestionTable:
    """All questions of one session, over all its children.

    Open questions are those of the present child. When the child ends they are `gone`; when a later child
    asks the same again they are `superseded` by its new id.
    """

    def __init__(self, session_id: str, journal: Journal, past: list[dict[str, Any]]) -> None:
        self._session_id = session_id
        self._journal = journal
        self._questions: dict[str, Question] = {}
        self._asked = 0
        self.generation = 0
        for line in past:
            self._replay(line)
        # The child of whoever wrote these lines has ended: this table belongs to the owner of the session.
        for question in self._questions.values():
            if question.how == OPEN:
                question.how = "gone"

    def start_generation(self, at: datetime) -> int:
        """Count a new child; returns its generation. Raises OSError when it cannot be written down: the next
        child would ask under the same ids."""
        self.generation += 1
        self._journal.append({"generation": self.generation, "at": iso(at)})
        return self.generation

    def open_questions(self) -> list[Question]:
        """The open ones, oldest first."""
        return [question for question in self._questions.values() if question.how == OPEN]

    def ask(
        self,
        rpc_id: Any,
        dialog: Dialog,
        at: datetime,
        *,
        steady_at: datetime | None = None,
        by_process: bool = False,
    ) -> tuple[Question, Question | None]:
        """A new question, and the earlier child's question that it supersedes, if any.

        `at` is what people are shown; the deadline runs from `steady_at`, which is `at` by default.
        """
        self._asked += 1
        identity = public_id(self._session_id, self.generation, rpc_id, self._asked)
        if identity in self._questions:
            identity = public_id(self._session_id, self.generation, None, self._asked)
        descriptor = dialog.descriptor(identity, at)
        question = Question(
            id=identity,
            generation=self.generation,
            likeness=likeness(dialog),
            asked_at=descriptor["asked_at"],
            expires_at=descriptor["expires_at"],
            rpc_id=rpc_id,
            dialog=dialog,
            descriptor=descriptor,
            by_process=by_process,
        )
        timeout = dialog.envelope.timeout_ms
        if timeout is not None:
            seconds = timeout / 1000
            question.expires = (steady_at or at) + timedelta(seconds=seconds)
            # Only Pi has a clock of its own.
            margin = 0.0 if by_process else min(seconds * ANSWER_MARGIN, ANSWER_MARGIN_SECONDS)
            question.refuse_from = question.expires - timedelta(seconds=margin)
        self._questions[identity] = question
        self._journal.note(
            {"asked": identity, "generation": self.generation, "likeness": question.likeness}
            | {"at": question.asked_at, "expires_at": question.expires_at}
            | {"from": descriptor["from"], "title": str(descriptor["title"])[:JOURNAL_TITLE]}
        )
        superseded = self._supersede(question)
        self._forget_oldest()
        return question, superseded

    def find_call(self, call: str) -> Question | None:
        """The open question of a tool call."""
        for question in self.open_questions():
            if question.dialog is not None and question.dialog.envelope.call == call:
                return question
        return None

    def end(
        self, question: Question, how: str, at: datetime, by: str | None = None, answer: Any = None
    ) -> dict[str, Any]:
        """Close an open question; returns the data of `ui_resolved`."""
        question.how, question.by, question.answer = how, by, answer
        question.resolved_at = iso(at)
        if question.by_process and how == "expired":
            question.late_dialog = question.dialog
        question.dialog = None
        question.descriptor = {}
        line = {"ended": question.id, "how": how, "by": by, "at": question.resolved_at, "answer": answer}
        if question.receipt is not None:
            line |= {"receipt": question.receipt, "idempotency": question.idempotency}
        self._journal.note(line)
        question.ended.set()
        return {"id": question.id, "how": how, "by": by, "at": question.resolved_at, "answer": answer}

    def keep_late(self, question: Question, late: dict[str, Any]) -> None:
        """Keep an answer that came too late; see `Question.late`."""
        question.late, question.late_dialog = late, None
        self._journal.note({"late": question.id, **late})

    def find(self, identity: str) -> Question:
        """The question of a public id. Raises Fault NOT_FOUND."""
        question = self._questions.get(identity)
        if question is None:
            raise Fault(Code.NOT_FOUND, "this session has asked no question with that id")
        return question

    def check_open(self, question: Question, now: datetime) -> Dialog:
        """The dialog of a question that may be answered now, by the clock of `ask`'s `steady_at`.

        Raises Fault ANSWERED_ALREADY, EXPIRED or GONE with the details of contract 8.
        """
        if question.how == OPEN and question.dialog is not None:
            if question.refuse_from is not None and now >= question.refuse_from:
                raise _expired(question)
            return question.dialog
        if question.how == "answered":
            raise answered_already(question)
        if question.how == "expired":
            raise _expired(question)
        how = "superseded" if question.superseded_by else question.how
        raise Fault(Code.GONE, _GONE[how], id=question.id, how=how, superseded_by=question.superseded_by)

    def _supersede(self, newer: Question) -> Question | None:
        for question in reversed(self._questions.values()):
            same = question.likeness == newer.likeness and question.generation < newer.generation
            if same and question.how in ("gone", "cancelled") and question.superseded_by is None:
                question.superseded_by = newer.id
                self._journal.note({"superseded": question.id, "by": newer.id})
                return question
        return None

    def _forget_oldest(self) -> None:
        if len(self._questions) > KEPT_ENDED:
            for identity, question in list(self._questions.items()):
                if len(self._questions) <= KEPT_ENDED:
                    return
                if question.how != OPEN:
                    del self._questions[identity]

    def _replay(self, line: dict[str, Any]) -> None:
        match line:
            case {
                "asked": str(identity),
                "generation": int(generation),
                "likeness": str(like),
                "at": str(at),
            }:
                question = Question(identity, generation, like, at, line.get("expires_at"))
                self._questions[identity] = question
            case {"ended": str(identity), "how": str(how)} if identity in self._questions:
                question = self._questions[identity]
                question.how, question.by, question.answer = how, line.get("by"), line.get("answer")
                question.resolved_at = line.get("at")
                question.receipt, question.idempotency = line.get("receipt"), line.get("idempotency")
            case {"late": str(identity)} if identity in self._questions:
                self._questions[identity].late = {key: line[key] for key in line if key != "late"}
            case {"superseded": str(identity), "by": str(newer)} if identity in self._questions:
                self._questions[identity].superseded_by = newer
            case {"generation": int(generation)}:
                self.generation = max(self.generation, generation)
            case _:
                return


_GONE = {
    "gone": "the agent that asked this has ended; open the session and it will be asked again",
    "cancelled": "this question was cancelled",
    "superseded": "this question was asked again under a new id",
}


def answered_already(question: Question) -> Fault:
    """What whoever answers an answered question hears: whose answer it was, and what."""
    return Fault(
        Code.ANSWERED_ALREADY,
        f"{question.by} has answered this question already",
        id=question.id,
        how=question.how,
        resolved_by=question.by,
        resolved_at=question.resolved_at,
        answer=question.answer,
    )


def _expired(question: Question) -> Fault:
    return Fault(
        Code.EXPIRED,
        "the time to answer this question is over",
        id=question.id,
        expires_at=question.expires_at,
    )


def read_journal(content: bytes) -> list[dict[str, Any]]:
    """The lines of a journal; a torn or foreign line is left out."""
    found: list[dict[str, Any]] = []
    for line in content.split(b"\n"):
        try:
            found.append(msgspec.json.decode(line, type=dict[str, Any]))
        except (msgspec.DecodeError, RecursionError):
            continue
    return found
