"""The conversation with one child: its records become events, questions and the state of the agent."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from contracts.errors import Fault
from services.orchestrator import items as seen
from services.orchestrator.bridge import SessionBridge
from services.orchestrator.child import Lines
from services.orchestrator.events import EventKind, encode
from services.orchestrator.hub import EventHub
from services.orchestrator.moments import now, steady
from services.orchestrator.questions import OPEN, Question, QuestionTable
from services.orchestrator.records import Reply
from services.orchestrator.widgets import Dialog, encode_cancel

_CLOSED_BY_GATE = {"timeout": "expired", "cancelled": "cancelled", "aborted": "cancelled"}

_log = structlog.get_logger(__name__)


class Conversation:
    """What goes on between one child and the reviewers.

    Args:
        bridge: translates the child's records.
        table: the session's questions.
        hub: gets the events.
        write: sends a line to the child. Raises Fault when it has ended.
        resolve: gets the child's responses.
        changed: called when `state` may have changed, with a reason or None.
    """

    def __init__(
        self,
        bridge: SessionBridge,
        table: QuestionTable,
        hub: EventHub,
        *,
        write: Callable[[bytes], None],
        resolve: Callable[[Reply], None],
        changed: Callable[[str | None], None],
    ) -> None:
        self.bridge = bridge
        self.table = table
        self._hub = hub
        self._write = write
        self._resolve = resolve
        self._changed = changed
        self._active = False
        self._worked = False
        self._asked_in_run: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    @property
    def state(self) -> str:
        """ready, running, waiting or idle."""
        if self.table.open_questions():
            return "waiting"
        if self._active:
            return "running"
        return "idle" if self._worked else "ready"

    def receive(self, lines: Lines) -> None:
        """Take in the next records of the child."""
        for item in self.bridge.read(lines):
            match item:
                case seen.Text(message_id, parts):
                    self._hub.publish_text(message_id, parts)
                case seen.Told(kind, data):
                    self._hub.publish(kind, encode(data))
                case seen.Replied(reply):
                    self._resolve(reply)
                case seen.Asked(rpc_id, dialog):
                    self._ask(rpc_id, dialog)
                case seen.DialogUnusable(rpc_id, reason):
                    _log.warning("a dialog was cancelled", reason=reason)
                    self._tell_pi(encode_cancel(rpc_id))
                case seen.DialogClosed(call, how):
                    self._closed_by_gate(call, how)
                case seen.FrameClosed(frame):
                    self._frame_closed(frame.id, frame.ended)
                case seen.RunStarted():
                    self._active = self._worked = True
                    self._changed(None)
                case seen.RunSettled(failure):
                    self._settle(failure)
                case seen.PhaseChanged():
                    self._changed(None)
                case seen.UnknownRecord(kind):
                    _log.info("a record of an unknown type was passed over", type=kind)

    def end(self, question: Question, how: str, by: str | None = None) -> None:
        """Close an open question that nobody answered, and tell everybody."""
        self.tell_resolved(self.table.end(question, how, now(), by))

    def tell_resolved(self, resolved: dict[str, Any]) -> None:
        """Publish `ui_resolved` for a question that is closed in the table already."""
        timer = self._timers.pop(resolved["id"], None)
        if timer is not None:
            timer.cancel()
        self._hub.publish(EventKind.UI_RESOLVED, encode(resolved))
        self._changed(None)

    def cancel_open(self, how: str, by: str | None, *, run_only: bool = False) -> None:
        """Close open questions; Pi hears that they are cancelled, so that it can end what it does.

        `run_only` leaves those that do not hold up the present run: of processes, and of the checkpoint
        bridge, whose dialogs end with their own asker.
        """
        for question in self.table.open_questions():
            if run_only and (question.by_process or _frame_of(question) is not None):
                continue
            if not question.by_process:
                self._tell_pi(encode_cancel(question.rpc_id))
            self.end(question, how, by)

    def ask_for_process(self, dialog: Dialog) -> Question:
        """Ask what a process wants to know; its `ended` says when there is an answer or none will come."""
        return self._put(None, dialog, by_process=True)

    def phase_after_decision(self, phase: dict[str, Any]) -> None:
        """The phase as it is now that a decision was recorded."""
        name = str(phase.get("phase"))
        before = self.bridge.phase
        if name != before:
            self.bridge.phase = name
            data = {"kind": "phase", "phase": name, "from": before, "reason": phase.get("reason")}
            self._hub.publish(EventKind.SYSTEM_EVENT, encode(data))

    def _ask(self, rpc_id: Any, dialog: Dialog) -> None:
        question = self._put(rpc_id, dialog)
        # A sub-agent in the background asks beyond the run that started it; its frame says when it is over.
        if self._active and dialog.frame is None:
            self._asked_in_run.add(question.id)

    def _put(self, rpc_id: Any, dialog: Dialog, *, by_process: bool = False) -> Question:
        question, superseded = self.table.ask(
            rpc_id, dialog, now(), steady_at=steady(), by_process=by_process
        )
        if superseded is not None:
            resolved = {
                "id": superseded.id,
                "how": "superseded",
                "by": None,
                "at": question.asked_at,
                "answer": None,
                "superseded_by": question.id,
            }
            self._hub.publish(EventKind.UI_RESOLVED, encode(resolved))
        self._hub.publish(EventKind.UI_REQUEST, encode(question.descriptor))
        if question.expires is not None:
            seconds = max(0.0, (question.expires - steady()).total_seconds())
            loop = asyncio.get_running_loop()
            self._timers[question.id] = loop.call_later(seconds, self._expire, question)
        self._changed(None)
        return question

    def _expire(self, question: Question) -> None:
        # Also while an answer is being recorded: Pi's clock started earlier, so it hears nothing any more.
        if question.how == OPEN:
            self.end(question, "expired")

    def _closed_by_gate(self, call: str, how: str) -> None:
        question = self.table.find_call(call)
        if question is not None:
            self.end(question, _CLOSED_BY_GATE.get(how, "gone"))

    def _frame_closed(self, frame: str, how: str) -> None:
        for question in self.table.open_questions():
            if _frame_of(question) == frame:
                self.end(question, how)

    def _settle(self, failure: str | None) -> None:
        self._active = False
        # Pi says nothing of dialogs that end with their run. Cancelling is for one that did not.
        for question in self.table.open_questions():
            if question.id in self._asked_in_run:
                self._tell_pi(encode_cancel(question.rpc_id))
                self.end(question, "gone")
        self._asked_in_run.clear()
        self._changed(failure)

    def _tell_pi(self, line: bytes) -> None:
        try:
            self._write(line)
        except Fault as fault:
            _log.info("the child could not be told", reason=fault.message)


def _frame_of(question: Question) -> str | None:
    return question.dialog.frame if question.dialog is not None else None
