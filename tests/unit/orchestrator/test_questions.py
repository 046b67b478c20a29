"""Questions: open, ended, remembered."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.journal import NAME, QuestionJournal
from services.orchestrator.questions import KEPT_ENDED, QuestionTable, read_journal
from services.orchestrator.records import DialogRequest
from services.orchestrator.widgets import ENVELOPE_MARK, Dialog, read_dialog

AT = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)


class Memory:
    """A journal in memory."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def append(self, line: dict[str, Any]) -> None:
        self.lines.append(json.loads(json.dumps(line)))

    note = append


def dialog(kind: str = "answer", phase: str = "F1", timeout_ms: float | None = None) -> Dialog:
    envelope = {
        "v": 1,
        "kind": kind,
        "widget": "input",
        "title": "T",
        "phase": phase,
        "timeout_ms": timeout_ms,
    }
    return read_dialog(
        DialogRequest(id="r", method="input", title=ENVELOPE_MARK + json.dumps(envelope)), None
    )


def table(journal: Memory) -> QuestionTable:
    return QuestionTable("s", journal, journal.lines)


def refused(code: Code, act: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        act()
    assert caught.value.code is code
    return caught.value


def test_the_generation_is_counted_up_over_restarts() -> None:
    journal = Memory()
    assert [table(journal).start_generation(AT) for _ in range(3)] == [1, 2, 3]


def test_a15_an_open_question_of_an_earlier_child_is_gone_and_then_superseded() -> None:
    journal = Memory()
    first = table(journal)
    first.start_generation(AT)
    asked, _ = first.ask("r", dialog(), AT)
    assert asked.id == "s.1.r"
    second = table(journal)
    gone = refused(Code.GONE, lambda: second.check_open(second.find("s.1.r"), AT))
    assert gone.details == {"id": "s.1.r", "how": "gone", "superseded_by": None}
    second.start_generation(AT)
    other, none = second.ask("x", dialog(kind="selection"), AT)
    assert none is None
    again, superseded = second.ask("r", dialog(), AT)
    assert again.id == "s.2.r" and superseded is second.find("s.1.r")
    gone = refused(Code.GONE, lambda: second.check_open(second.find("s.1.r"), AT))
    assert gone.details == {"id": "s.1.r", "how": "superseded", "superseded_by": "s.2.r"}
    third = table(journal)
    gone = refused(Code.GONE, lambda: third.check_open(third.find("s.1.r"), AT))
    assert gone.details["superseded_by"] == "s.2.r"
    assert other.id == "s.2.x"


def test_an_id_never_means_two_questions() -> None:
    questions = table(Memory())
    questions.start_generation(AT)
    ids = {questions.ask("r", dialog(), AT)[0].id for _ in range(5)}
    assert len(ids) == 5 and "s.1.r" in ids


def test_an_answered_question_says_who_and_what() -> None:
    journal = Memory()
    questions = table(journal)
    questions.start_generation(AT)
    question, _ = questions.ask("r", dialog(), AT)
    assert questions.check_open(question, AT) is question.dialog
    question.receipt, question.idempotency = {"id": question.id}, "f"
    resolved = questions.end(question, "answered", AT, "anna", {"text": "x"})
    assert resolved == {
        "id": "s.1.r",
        "how": "answered",
        "by": "anna",
        "at": "2026-11-30T16:00:00.000Z",
        "answer": {"text": "x"},
    }
    for present in (questions, table(journal)):
        found = present.find("s.1.r")
        fault = refused(
            Code.ANSWERED_ALREADY, lambda found=found, present=present: present.check_open(found, AT)
        )
        assert fault.details["resolved_by"] == "anna" and fault.details["answer"] == {"text": "x"}
        assert (found.receipt, found.idempotency) == ({"id": "s.1.r"}, "f")
    assert questions.open_questions() == []
    refused(Code.NOT_FOUND, lambda: questions.find("s.9.r"))


@pytest.mark.parametrize(("timeout", "last"), [(500, 450), (60_000, 59_900)])
def test_a19_no_answer_is_taken_in_the_last_moments_of_a_question(timeout: int, last: int) -> None:
    questions = table(Memory())
    questions.start_generation(AT)
    question, _ = questions.ask("r", dialog(timeout_ms=timeout), AT)
    assert question.expires == AT + timedelta(milliseconds=timeout)
    assert questions.check_open(question, AT + timedelta(milliseconds=last - 1))
    fault = refused(Code.EXPIRED, lambda: questions.check_open(question, AT + timedelta(milliseconds=last)))
    assert fault.details["expires_at"] == question.descriptor["expires_at"]
    questions.end(question, "expired", AT)
    refused(Code.EXPIRED, lambda: questions.check_open(question, AT))


def test_memory_is_bounded_and_open_questions_stay() -> None:
    questions = table(Memory())
    questions.start_generation(AT)
    first, _ = questions.ask("first", dialog(), AT)
    for index in range(KEPT_ENDED + 50):
        questions.end(questions.ask(f"r{index}", dialog(), AT)[0], "answered", AT, "anna", {})
    assert len(questions._questions) <= KEPT_ENDED + 1
    assert questions.open_questions() == [first]


def test_b12_a_torn_or_foreign_line_of_the_journal_is_left_out(tmp_path: Any) -> None:
    journal = QuestionJournal(tmp_path)
    assert journal.past() == []
    journal.append({"generation": 1, "at": "x"})
    journal.close()
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"asked": "s.1.r", "gen')
    journal.append({"generation": 2, "at": "y"})
    journal.close()
    assert [line["generation"] for line in journal.past()] == [1, 2]
    assert read_journal(b"\xff\n[]\n5\n{}\n") == [{}]
