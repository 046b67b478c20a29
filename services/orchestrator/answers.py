"""The way of an answer: checked, recorded, delivered, told; each once."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from contracts.errors import Code, Fault
from contracts.moments import iso
from services.orchestrator.executor_client import Executor
from services.orchestrator.moments import now, steady
from services.orchestrator.questions import OPEN, Question, QuestionTable, answered_already, fingerprint
from services.orchestrator.widgets import (
    Dialog,
    check_answer,
    decision_of,
    encode_answer,
    heard_text,
    parse_answer,
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of an answer. `resolved` and `phase` are None for a repeated request."""

    receipt: dict[str, Any]
    resolved: dict[str, Any] | None = None
    phase: dict[str, Any] | None = None
    refusal: Fault | None = None
    """What to tell whoever sent this answer, when the agent heard another one that was on the ledger."""


@dataclass(frozen=True, slots=True)
class _Decided:
    """What the agent is to hear, and what it rests on."""

    answer: dict[str, Any]
    by: str
    line: dict[str, Any]
    """The line of the ledger; empty for a cancelled question, which is no decision."""
    phase: dict[str, Any] | None = None
    sha256: str | None = None
    """The version that an edit wrote."""
    other: bool = False
    """True when this is not what was sent now: an earlier answer was recorded and its sender never knew."""


class AnswerDesk:
    """Takes answers to one session's questions.

    An answer is on the ledger before Pi hears it; when recording fails the question stays open. Of several
    answers one is recorded and delivered, whoever sends them. The ledger decides which: an answer whose
    sender never heard that it was recorded, because a service was killed, is the answer all the same.
    """

    def __init__(self, session_id: str, executor: Executor, deliver: Callable[[bytes], None]) -> None:
        self._session_id = session_id
        self._executor = executor
        self._deliver = deliver

    async def take(self, table: QuestionTable, body: bytes, author: str, key: str) -> Answered:
        """Answer a question.

        Args:
            table: the session's questions.
            body: the answer, JSON.
            author: who answers; recorded as `by`.
            key: a repeated request with the same key and body gets the same receipt; empty: none.

        Raises Fault MALFORMED, ANSWER_DOES_NOT_FIT, NOT_FOUND, ANSWERED_ALREADY, EXPIRED, GONE, or what
        recording raised.
        """
        answer = parse_answer(body)
        question = table.find(answer["id"])
        repeated = fingerprint(author, key, body) if key else None
        async with question.lock:
            if question.receipt is not None and repeated is not None and question.idempotency == repeated:
                return Answered(question.receipt)
            return await self._decide(table, question, answer, author, repeated)

    async def _decide(
        self,
        table: QuestionTable,
        question: Question,
        answer: dict[str, Any],
        author: str,
        repeated: str | None,
    ) -> Answered:
        try:
            dialog = table.check_open(question, steady())
        except Fault as fault:
            if fault.code in (Code.GONE, Code.EXPIRED):
                line = await self._executor.find_decision(self._session_id, question.id)
                if line is not None:
                    raise _unheard(question, line) from fault
            raise _kept_late(table, question, answer, author, fault) from fault
        given = check_answer(dialog, answer)
        decided = await self._record(question, dialog, given, author)
        if decided.line:
            _check_still_heard(question, decided.line)
        try:
            if not question.by_process:
                self._deliver(
                    encode_answer(dialog, question.rpc_id, decided.answer, decided.by, decided.sha256)
                )
        except Fault as fault:
            if not decided.line:
                raise
            raise _unheard(question, decided.line) from fault
        how = "answered" if decided.line else "cancelled"
        receipt = {
            "id": question.id,
            "how": how,
            "by": decided.by,
            "at": iso(now()),
            "answer": decided.answer,
        }
        if "seq" in decided.line:
            receipt["seq"] = decided.line["seq"]
        question.receipt, question.idempotency = receipt, None if decided.other else repeated
        resolved = table.end(question, how, now(), decided.by, decided.answer)
        refusal = answered_already(question) if decided.other else None
        return Answered(receipt, resolved, decided.phase, refusal)

    async def _record(
        self, question: Question, dialog: Dialog, given: dict[str, Any], author: str
    ) -> _Decided:
        decision = decision_of(dialog, given, author)
        if decision is None:
            return _Decided(given, author, {})
        line, phase = await self._executor.add_decision(
            self._session_id, decision | {"question": question.id}
        )
        edited = line.get("kind") == "edit"
        version = _artifact_of(line).get("sha256") if edited else None
        if _says(line, decision, given):
            return _Decided(given, author, line, phase, version)
        answer = dict(line["answer"])
        if edited:
            answer["text"] = await self._executor.artifact_text(self._session_id, _artifact_of(line)["name"])
        return _Decided(answer, str(line["by"]), line, phase, version, other=True)


def _says(line: dict[str, Any], decision: dict[str, Any], given: dict[str, Any]) -> bool:
    """True when a line of the ledger is the decision that was sent."""
    same = all(line.get(key) == decision[key] for key in ("kind", "answer", "by"))
    if same and "edit" in decision:
        return _artifact_of(line).get("sha256") == hashlib.sha256(str(given["text"]).encode()).hexdigest()
    return same


def _kept_late(
    table: QuestionTable, question: Question, answer: dict[str, Any], author: str, fault: Fault
) -> Fault:
    """The fault to tell; an answer to a process that waits no more is kept for when it asks again."""
    dialog = question.late_dialog
    if fault.code is not Code.EXPIRED or dialog is None:
        return fault
    given = check_answer(dialog, answer)
    if "cancelled" in given:
        return fault
    late = {"title": dialog.envelope.title, "heard": heard_text(dialog, given), "answer": given}
    table.keep_late(question, late | {"by": author, "at": iso(now())})
    return Fault(
        Code.EXPIRED,
        "the time to answer this question is over; your answer is kept, marked late",
        **fault.details,
        late=True,
    )


def _artifact_of(line: dict[str, Any]) -> dict[str, Any]:
    artifact: Any = line.get("artifact")
    return cast("dict[str, Any]", artifact) if isinstance(artifact, dict) else {}


def _check_still_heard(question: Question, line: dict[str, Any]) -> None:
    """Recording took time: the child may have ended, or Pi's own clock run out, and then it hears nothing."""
    expired = question.expires is not None and steady() >= question.expires
    if question.how != OPEN or expired:
        raise _unheard(question, line)


def _unheard(question: Question, line: dict[str, Any]) -> Fault:
    return Fault(
        Code.GONE,
        "the answer was recorded, but the agent that asked no longer hears it; open the session to go on",
        id=question.id,
        how="gone" if question.how == OPEN else question.how,
        superseded_by=question.superseded_by,
        recorded_seq=line.get("seq"),
    )
