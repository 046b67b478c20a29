"""Questions of processes that work for a session (docs/contracts.md 10): a call and its one result."""

import asyncio
import contextlib
import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from contracts.errors import Code, Fault
from contracts.moments import iso
from services.orchestrator.conversation import Conversation
from services.orchestrator.moments import now
from services.orchestrator.questions import Journal, Question
from services.orchestrator.widgets import Dialog, Envelope, Option, Origin, heard_text

CALL_MS = 300_000.0
QUESTION_MS = 180_000.0
LEAST_MS = 100.0
MOST_MS = 24 * 3600 * 1000.0

MOST_QUESTIONS = 50
MOST_OPTIONS = 100
QUESTION_CHARACTERS = 4_000
OPTION_CHARACTERS = 1_000
NAME_CHARACTERS = 80
CALL_CHARACTERS = 200

OPEN_CALLS = 64
"""Calls of one session that wait at the same time."""
KEPT_CALLS = 500
"""Ended calls of a session whose result a repeated call still gets."""


class AskedQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """One question of a call."""

    question: str
    options: list[str] = []
    """Choices; without them the answer is free text."""
    placeholder: str | None = None


class Ask(msgspec.Struct, forbid_unknown_fields=True, rename={"sender": "from"}):
    """A call: who asks what, and for how long."""

    call: str
    questions: list[AskedQuestion]
    sender: str = ""
    timeout_ms: float = CALL_MS
    question_timeout_ms: float = QUESTION_MS

    def checked(self) -> "Ask":
        """Itself, its times within bounds. Raises Fault INVALID_ARGUMENT for what nobody could answer."""
        _fits(0 < len(self.call) <= CALL_CHARACTERS, f"call is an id of 1 to {CALL_CHARACTERS} characters")
        count = len(self.questions)
        _fits(0 < count <= MOST_QUESTIONS, f"a call has 1 to {MOST_QUESTIONS} questions")
        for asked in self.questions:
            told = 0 < len(asked.question) <= QUESTION_CHARACTERS and bool(asked.question.strip())
            _fits(told, f"a question has 1 to {QUESTION_CHARACTERS} characters")
            _fits(len(asked.options) <= MOST_OPTIONS, f"a question has at most {MOST_OPTIONS} options")
            for option in asked.options:
                fits = 0 < len(option) <= OPTION_CHARACTERS
                _fits(fits, f"an option has 1 to {OPTION_CHARACTERS} characters")
        self.timeout_ms = min(MOST_MS, max(LEAST_MS, self.timeout_ms))
        self.question_timeout_ms = min(MOST_MS, max(LEAST_MS, self.question_timeout_ms))
        self.sender = " ".join(self.sender.split())[:NAME_CHARACTERS] or "a process"
        return self

    def fingerprint(self) -> str:
        """Equal for a repeated call, different for another call under the same id."""
        told = [(asked.question, asked.options, asked.placeholder) for asked in self.questions]
        return hashlib.sha256(msgspec.json.encode([self.sender, told])).hexdigest()


def parse_ask(body: bytes) -> Ask:
    """The call in a request body. Raises Fault MALFORMED or INVALID_ARGUMENT."""
    try:
        return msgspec.json.decode(body, type=Ask).checked()
    except msgspec.ValidationError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"the call cannot be asked: {error}") from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Fault(Code.MALFORMED, "the call is no JSON object") from error


@dataclass(slots=True)
class _Call:
    """A call and what became of it."""

    fingerprint: str
    questions: list[str] = field(default_factory=list[str])
    """Public ids of the questions that were shown."""
    answers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    status: str = ""
    """Empty while it goes on."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0
    open: Question | None = None
    driver: "asyncio.Task[None] | None" = None


class AskDesk:
    """The calls of one session.

    A call shows its questions one after the other; calls of different askers stand beside each other in the
    inbox. The same call id never asks twice: while the call goes on the second request waits with the first,
    afterwards it gets the same result. When nobody waits for a call any more its question is cancelled.
    """

    def __init__(self, conversation: Conversation, journal: Journal, past: list[dict[str, Any]]) -> None:
        self._conversation = conversation
        self._journal = journal
        self._calls: dict[str, _Call] = {}
        for line in past:
            self._replay(line)
        # Who waited for these lost its connection with the orchestrator that wrote the lines.
        for call in self._calls.values():
            if not call.status:
                call.status = "no-host"
                call.ended.set()

    async def ask(self, asked: Ask) -> dict[str, Any]:
        """The result of a call: `{status, answers: [{question, answer, late?}]}`.

        Cancelling it means that the asker is gone. Raises Fault CONFLICT when the id is of another call, and
        BUSY.
        """
        call = self._calls.get(asked.call)
        if call is None:
            call = self._begin(asked)
        elif call.fingerprint != asked.fingerprint():
            raise Fault(Code.CONFLICT, "this call id has asked something else; give each call its own id")
        call.listeners += 1
        try:
            await call.ended.wait()
        finally:
            call.listeners -= 1
            if not call.listeners and not call.status:
                self._abandon(call)
        return self._result(call)

    def close(self) -> None:
        """The child has ended: every call that waits has nobody to answer it."""
        for identity, call in self._calls.items():
            self._finish(identity, call, "no-host")

    def _begin(self, asked: Ask) -> _Call:
        if sum(not call.status for call in self._calls.values()) >= OPEN_CALLS:
            raise Fault(Code.BUSY, f"{OPEN_CALLS} calls of this session wait for answers already")
        self._forget_oldest()
        call = self._calls[asked.call] = _Call(asked.fingerprint())
        self._journal.note(
            {"call": asked.call, "fingerprint": call.fingerprint, "from": asked.sender, "at": iso(now())}
        )
        call.driver = asyncio.get_running_loop().create_task(self._drive(asked, call))
        return call

    async def _drive(self, asked: Ask, call: _Call) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + asked.timeout_ms / 1000
        for each in asked.questions:
            if call.status:
                return
            rest = (deadline - loop.time()) * 1000
            if rest <= 0:
                self._finish(asked.call, call, "timeout")
                return
            dialog = _dialog(
                asked, each, min(rest, asked.question_timeout_ms), self._conversation.bridge.phase
            )
            question = call.open = self._conversation.ask_for_process(dialog)
            call.questions.append(question.id)
            await question.ended.wait()
            call.open = None
            if question.how != "answered":
                self._finish(asked.call, call, _status(question.how, rest <= asked.question_timeout_ms))
                return
            call.answers.append({"question": each.question, "answer": heard_text(dialog, question.answer)})
        self._finish(asked.call, call, "ok")

    def _finish(self, identity: str, call: _Call, status: str) -> None:
        if call.status:
            return
        call.status = status
        self._journal.note(
            {"call_ended": identity, "status": status, "answers": call.answers, "questions": call.questions}
        )
        call.ended.set()

    def _abandon(self, call: _Call) -> None:
        identity = next(identity for identity, each in self._calls.items() if each is call)
        self._finish(identity, call, "cancelled")
        if call.open is not None:
            self._conversation.end(call.open, "cancelled")

    def _result(self, call: _Call) -> dict[str, Any]:
        late: list[dict[str, Any]] = []
        for identity in call.questions:
            with contextlib.suppress(Fault):
                question = self._conversation.table.find(identity)
                if question.late is not None:
                    late.append(
                        {"question": question.late["title"], "answer": question.late["heard"], "late": True}
                    )
        return {"status": call.status, "answers": [*call.answers, *late]}

    def _forget_oldest(self) -> None:
        ended = [identity for identity, call in self._calls.items() if call.status]
        for identity in ended[: max(0, len(ended) - KEPT_CALLS)]:
            del self._calls[identity]

    def _replay(self, line: dict[str, Any]) -> None:
        match line:
            case {"call": str(identity), "fingerprint": str(fingerprint)}:
                self._calls[identity] = _Call(fingerprint)
            case {"call_ended": str(identity), "status": str(status)} if identity in self._calls:
                call = self._calls[identity]
                call.status = status
                call.answers, call.questions = line.get("answers") or [], line.get("questions") or []
                call.ended.set()
            case _:
                return


def _status(how: str, call_is_over: bool) -> str:
    """The status of a call whose question ended `how` without an answer."""
    if how == "expired":
        return "timeout" if call_is_over else "timeout-or-cancelled"
    return "timeout-or-cancelled" if how == "cancelled" else "no-host"


def _dialog(asked: Ask, question: AskedQuestion, timeout_ms: float, phase: str | None) -> Dialog:
    envelope = Envelope(
        v=1,
        kind="plain",
        widget="select" if question.options else "input",
        title=question.question,
        options=[Option(id=str(index), label=label) for index, label in enumerate(question.options)],
        max=1 if question.options else 0,
        placeholder=question.placeholder,
        phase=phase,
        origin=Origin("process", asked.sender),
        timeout_ms=timeout_ms,
    )
    native = tuple(question.options) if question.options else None
    return Dialog(envelope, "ask", native, marked=False)


def _fits(fits: bool, rule: str) -> None:
    if not fits:
        raise Fault(Code.INVALID_ARGUMENT, rule)
