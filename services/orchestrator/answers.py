"""The way of an answer: checked, recorded, delivered, told; each once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from contracts.errors import Code, Fault
from services.orchestrator.executor_client import Executor
from services.orchestrator.moments import iso, now
from services.orchestrator.questions import OPEN, Question, QuestionTable, fingerprint
from services.orchestrator.widgets import (
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


class AnswerDesk:
    """Takes answers to one session's questions.

    An answer is on the ledger before Pi hears it; when recording fails the question stays open. Of several
    answers one is recorded and delivered, whoever sends them.
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
            dialog = table.check_open(question, now())
        except Fault as fault:
            raise _kept_late(table, question, answer, author, fault) from fault
        given = check_answer(dialog, answer)
        decision = decision_of(dialog, given, author)
        line: dict[str, Any] = {}
        phase: dict[str, Any] | None = None
        if decision is not None:
            line, phase = await self._executor.add_decision(self._session_id, decision)
            _check_still_heard(question, line)
        version = _edited_version(line) if "edit" in (decision or {}) else None
        try:
            if not question.by_process:
                self._deliver(encode_answer(dialog, question.rpc_id, given, author, version))
        except Fault as fault:
            if decision is None:
                raise
            raise _unheard(question, line) from fault
        how = "answered" if decision is not None else "cancelled"
        receipt = {"id": question.id, "how": how, "by": author, "at": iso(now()), "answer": given}
        if "seq" in line:
            receipt["seq"] = line["seq"]
        question.receipt, question.idempotency = receipt, repeated
        resolved = table.end(question, how, now(), author, given)
        return Answered(receipt, resolved, phase)


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


def _edited_version(line: dict[str, Any]) -> str | None:
    artifact: Any = line.get("artifact")
    return cast("dict[str, Any]", artifact).get("sha256") if isinstance(artifact, dict) else None


def _check_still_heard(question: Question, line: dict[str, Any]) -> None:
    """Recording took time: the child may have ended, or Pi's own clock run out, and then it hears nothing."""
    expired = question.expires is not None and now() >= question.expires
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
