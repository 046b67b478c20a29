"""SessionBridge: Pi's records in, ThothII's events and effects out. Pure: no I/O, no clock."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

from services.orchestrator import records
from services.orchestrator.events import EventKind
from services.orchestrator.frames import FRAME_KEY, OpenFrames
from services.orchestrator.items import (
    Asked,
    DialogClosed,
    DialogUnusable,
    FrameClosed,
    Item,
    PhaseChanged,
    Replied,
    RunSettled,
    RunStarted,
    Text,
    Told,
    UnknownRecord,
)
from services.orchestrator.line_splitter import LineProblem, Problem, lines_of
from services.orchestrator.records import NotARecord, decode, text_of
from services.orchestrator.text_runs import TextEnd, TextRuns, escaped
from services.orchestrator.widgets import DIALOGS, DialogRefused, read_dialog

TOOL_TEXT = 4000
"""Characters of a tool's result in an event."""
TOOL_ARGUMENTS = 8 * 1024
"""Bytes of JSON of a tool's arguments in an event; beyond it the event has none."""

MESSAGE_KEPT = 1024 * 1024
"""Characters of the message being written that a snapshot has, the last ones: a model may never stop."""

GATE_CHANNEL = "tht-gate"
KICKOFF_COMMANDS = ("nuova-domanda", "riprendi-sessione")


class SessionBridge:
    """Translates one child's records.

    System messages and hidden custom messages never come out of it; of the five copies Pi 1.6.0 writes of
    a tool result only tool_execution_end is read; a run is over at agent_settled and only there.
    """

    def __init__(self, generation: int, phase: str | None = None) -> None:
        self._generation = generation
        self._messages = 0
        self._message_id: str | None = None
        self._text = TextEnd(MESSAGE_KEPT)
        self._runs = TextRuns()
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._problems: Counter[Problem] = Counter()
        self._unknown: set[str] = set()
        self._frames = OpenFrames()
        self._out: list[Item] = []
        self.phase = phase
        self.gate_ready: dict[str, Any] | None = None
        self._readers: dict[str, Callable[[bytes], None]] = {
            "response": self._response,
            "message_start": self._message_start,
            "message_end": self._message_end,
            "tool_execution_start": self._tool_start,
            "tool_execution_end": self._tool_end,
            "agent_start": self._agent_start,
            "agent_settled": self._agent_settled,
            "extension_ui_request": self._extension_request,
            "entry_appended": self._entry,
            "queue_update": self._queue,
            "auto_retry_start": self._retry_start,
            "auto_retry_end": self._retry_end,
            "compaction_start": self._compaction_start,
            "compaction_end": self._compaction_end,
            "extension_error": self._extension_error,
            "session_info_changed": self._name,
            "thinking_level_changed": self._thinking,
        }

    def current_message(self) -> dict[str, str] | None:
        """The message being written so far, for a snapshot."""
        if self._message_id is None:
            return None
        return {"message_id": self._message_id, "text": str(self._text)}

    def read(self, items: Iterable[bytes | LineProblem]) -> list[Item]:
        """The meaning of the next lines of stdout, which come in blocks parted by LF."""
        out: list[Item] = []
        self._out = out
        for item in items:
            if isinstance(item, LineProblem):
                self._problem(item.problem, item.length)
            else:
                self._block(item)
        return out

    def _block(self, block: bytes) -> None:
        start = 0
        while start < len(block):
            run, end = self._runs.take(block, start)
            if run is not None:
                self._say(*run)
            else:
                if end == start:
                    end = block.find(b"\n", start) + 1 or len(block)
                for line in lines_of(block, start, end):
                    self._line(line)
            start = end

    def _line(self, line: bytes) -> None:
        try:
            self._record(line)
        except NotARecord:
            self._problem(Problem.GARBAGE, len(line))

    def _record(self, line: bytes) -> None:
        head, line = records.read_head(line)
        update = head.assistant_message_event
        if update is not None and head.type == "message_update":
            if update.type == "text_delta":
                said = escaped(update.delta)
                self._runs.learn(line, said)
                self._say(said, update.delta)
            return
        reader = self._readers.get(head.type)
        if reader is not None:
            reader(line)
        elif head.type not in _IGNORED and head.type not in self._unknown:
            self._unknown.add(head.type)
            self._out.append(UnknownRecord(head.type))

    def _say(self, said: bytes | memoryview, text: str) -> None:
        """Text of the message being written: as it stands in JSON, and as it is."""
        if self._message_id is None:
            self._begin_message()
        message_id = cast(str, self._message_id)
        self._text.add(text)
        events = self._out
        last = events[-1] if events else None
        if isinstance(last, Text) and last.message_id == message_id:
            last.parts.append(said)
        else:
            events.append(Text(message_id, [said]))

    def _begin_message(self) -> None:
        self._messages += 1
        self._message_id = f"{self._generation}-{self._messages}"
        self._text = TextEnd(MESSAGE_KEPT)

    def _end_message(self) -> str:
        if self._message_id is None:
            self._begin_message()
        message_id = cast(str, self._message_id)
        self._message_id = None
        self._text = TextEnd(MESSAGE_KEPT)
        return message_id

    def _tell(self, kind: str, **data: Any) -> None:
        self._out.append(Told(EventKind.SYSTEM_EVENT, {"kind": kind, **data}))

    def _info(self, level: str, text: str, source: str, **more: Any) -> None:
        data = {"level": level, "text": text, "source": source, **more}
        self._out.append(Told(EventKind.INFO, data))

    def _problem(self, problem: Problem, length: int) -> None:
        self._problems[problem] += 1
        self._tell("protocol", problem=problem.value, bytes=length, count=self._problems[problem])

    def _response(self, line: bytes) -> None:
        self._out.append(Replied(decode(line, records.Reply)))

    def _message_start(self, line: bytes) -> None:
        if decode(line, records.MessageHeadRecord).message.role == "assistant":
            self._begin_message()
            self._tell("message_start", message_id=self._message_id, role="assistant")

    def _message_end(self, line: bytes) -> None:
        role = decode(line, records.MessageHeadRecord).message.role
        if role not in ("assistant", "user", "custom"):
            return
        message = decode(line, records.MessageRecord).message
        if role == "assistant":
            self._assistant_end(message)
            return
        text = text_of(message.content)
        if role == "custom" and not message.display:
            return
        if role == "user" and text.startswith(tuple(f"/{command} " for command in KICKOFF_COMMANDS)):
            return
        self._messages += 1
        message_id = f"{self._generation}-{self._messages}"
        self._tell("message_end", message_id=message_id, role=role, text=text, stop_reason=None, error=None)

    def _assistant_end(self, message: records.Message) -> None:
        message_id = self._end_message()
        self._stop_reason, self._error = message.stop_reason, message.error_message
        self._tell(
            "message_end",
            message_id=message_id,
            role="assistant",
            stop_reason=message.stop_reason,
            error=message.error_message,
        )
        usage = message.usage
        if usage:
            cost: Any = usage.get("cost")
            self._tell(
                "usage",
                message_id=message_id,
                input=usage.get("input"),
                output=usage.get("output"),
                cache_read=usage.get("cacheRead"),
                cache_write=usage.get("cacheWrite"),
                cost=cast("dict[str, Any]", cost).get("total") if isinstance(cost, dict) else None,
            )

    def _tool_start(self, line: bytes) -> None:
        start = decode(line, records.ToolStart)
        arguments = None
        if len(bytes(start.args)) <= TOOL_ARGUMENTS:
            arguments = msgspec.json.decode(start.args)
        self._tell("tool_start", tool_call_id=start.tool_call_id, tool=start.tool_name, args=arguments)

    def _tool_end(self, line: bytes) -> None:
        end = decode(line, records.ToolEnd)
        text = text_of(end.result.content) if end.result else ""
        self._tell(
            "tool_end",
            tool_call_id=end.tool_call_id,
            tool=end.tool_name,
            is_error=end.is_error,
            duration_ms=end.duration_ms,
            text=text[:TOOL_TEXT],
            truncated=len(text) > TOOL_TEXT,
        )

    def _agent_start(self, _line: bytes) -> None:
        self._stop_reason = self._error = None
        self._out.append(RunStarted())

    def _agent_settled(self, line: bytes) -> None:
        failure = None
        if decode(line, records.Settled).aborted:
            failure = "aborted"
        elif self._stop_reason == "error":
            failure = f"the model failed: {self._error or 'no reason given'}"
        elif self._stop_reason == "aborted":
            failure = "aborted"
        elif self._stop_reason == "length":
            failure = "the answer was cut at the model's output limit"
        self._message_id = None
        self._text = TextEnd(MESSAGE_KEPT)
        self._out.append(RunSettled(failure))

    def _extension_request(self, line: bytes) -> None:
        request = decode(line, records.DialogRequest)
        match request.method:
            case "notify":
                kind = request.notify_type
                level = kind if kind in ("warning", "error") else "info"
                self._info(level, _plain(request.message), "notify")
            case "setStatus" if request.status_key == FRAME_KEY and self._frame(request.status_text):
                return
            case "setStatus":
                self._info("info", _plain(request.status_text), "status", key=_plain(request.status_key))
            case "setWidget":
                self._info("info", _lines(request.widget_lines), "widget", key=_plain(request.widget_key))
            case "setTitle":
                self._info("info", _plain(request.title), "title")
            case "set_editor_text":
                self._info("info", _plain(request.text), "editor_text")
            case _:
                self._dialog(request)

    def _frame(self, status: Any) -> bool:
        """Take a frame of an asker; False when the text is none."""
        frame = self._frames.take(status)
        if frame is not None and frame.ev == "closed":
            self._out.append(FrameClosed(frame))
        return frame is not None

    def _dialog(self, request: records.DialogRequest) -> None:
        try:
            owner = self._frames.owner(request.title)
            asker = owner.origin if owner else None
            dialog = read_dialog(request, self.phase, asker, owner.id if owner else None)
        except DialogRefused as refusal:
            asked = "an extension asked" if request.method in DIALOGS else "an extension called"
            self._info("warning", f"{asked} something that was cancelled: {refusal}", "orchestrator")
            self._out.append(DialogUnusable(request.id, str(refusal)))
        else:
            self._out.append(Asked(request.id, dialog))

    def _entry(self, line: bytes) -> None:
        entry = decode(line, records.EntryAppended).entry
        if entry.type != "custom" or entry.custom_type != GATE_CHANNEL or not isinstance(entry.data, dict):
            return
        said = cast("dict[str, Any]", entry.data)
        match said.get("ev"):
            case "ready":
                self.gate_ready = said
            case "dialog_closed":
                self._out.append(DialogClosed(_plain(said.get("call")), _plain(said.get("how"))))
            case "phase_changed":
                self._phase_changed(_plain(said.get("phase")), said)
            case "artifact_written":
                self._tell("artifact", name=said.get("name"), sha256=said.get("sha256"))
            case _:
                return

    def _phase_changed(self, phase: str, said: dict[str, Any]) -> None:
        # The orchestrator knows the phase after a decision before the gate does.
        if phase != self.phase:
            self.phase = phase
            self._out.append(PhaseChanged(phase))
            self._tell("phase", phase=phase, **{"from": said.get("from")}, reason=said.get("reason"))

    def _queue(self, line: bytes) -> None:
        queue = decode(line, records.QueueUpdate)
        self._tell("queue", steering=queue.steering, follow_up=queue.follow_up)

    def _retry_start(self, line: bytes) -> None:
        retry = decode(line, records.RetryStart)
        self._tell(
            "retry",
            active=True,
            attempt=retry.attempt,
            max_attempts=retry.max_attempts,
            delay_ms=retry.delay_ms,
            error=retry.error_message,
        )

    def _retry_end(self, line: bytes) -> None:
        retry = decode(line, records.RetryEnd)
        error = None if retry.success else retry.final_error
        self._tell(
            "retry", active=False, attempt=retry.attempt, max_attempts=None, delay_ms=None, error=error
        )

    def _compaction_start(self, line: bytes) -> None:
        self._tell("compaction", active=True, reason=decode(line, records.Compaction).reason, error=None)

    def _compaction_end(self, line: bytes) -> None:
        end = decode(line, records.Compaction)
        error = end.error_message or ("aborted" if end.aborted else None)
        self._tell("compaction", active=False, reason=end.reason, error=error)

    def _extension_error(self, line: bytes) -> None:
        error = decode(line, records.ExtensionError)
        where = _plain(error.extension_path).rpartition("/")[2]
        self._info("error", f"{where} failed in {_plain(error.event)}: {_plain(error.error)}", "extension")

    def _name(self, line: bytes) -> None:
        self._tell("name", name=decode(line, records.NameChanged).name)

    def _thinking(self, line: bytes) -> None:
        self._tell("thinking", level=decode(line, records.ThinkingChanged).level)


_IGNORED = frozenset(
    {
        "message_update",
        "tool_execution_update",
        "turn_start",
        "turn_end",
        "agent_end",
        "bash_execution_update",
    }
)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _lines(value: Any) -> str:
    return "\n".join(map(_plain, cast("list[Any]", value))) if isinstance(value, list) else _plain(value)
