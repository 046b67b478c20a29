"""One continuation over RPC: check what Pi made of the fork, send the prompt, watch it to the end."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.pi.process import PiProcess, Record
from session_executor.runner import Progress, ToolCall

STATUS_KEY = "session-executor-tools"
_START_PATIENCE_S = 120.0
_ABORT_PATIENCE_S = 10.0
_HARMLESS_ENTRIES = {"model_change", "thinking_level_change"}
_DIALOGS = {"select", "confirm", "input", "editor"}


@dataclass(frozen=True, slots=True)
class Expected:
    """What Pi must report before the prompt is sent."""

    session_id: str
    session_file: str
    root: str
    tools: Sequence[str]
    branch: Sequence[str]
    models: Sequence[tuple[str, str]]
    """Acceptable models, the wanted one last; empty when any will do."""


@dataclass(slots=True)
class Outcome:
    """What was seen of the run."""

    model: tuple[str, str] | None = None
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    written: set[str] = field(default_factory=set[str])
    output: str = ""
    stop_reason: str = ""
    error_message: str = ""
    aborted: bool = False


class Conversation:
    """Drives one Pi child from its start to `agent_settled`."""

    def __init__(self, pi: PiProcess, expected: Expected, progress: Progress, stop: threading.Event) -> None:
        self._pi = pi
        self._expected = expected
        self._progress = progress
        self._stop = stop
        self._tools_status: dict[str, Any] | None = None
        self.outcome = Outcome()
        self._observers: dict[str, Callable[[Record], None]] = {
            "tool_execution_start": self._tool_started,
            "tool_execution_end": self._tool_ended,
            "message_end": self._message_ended,
            "auto_retry_start": self._retrying,
            "extension_ui_request": self._extension_spoke,
            "extension_error": self._extension_failed,
        }

    def verify(self) -> None:
        """Check session, branch, tools and model. Raises ExecutorError PI_TOOL_BOUNDARY_FAILED."""
        deadline = time.monotonic() + _START_PATIENCE_S
        state = self._ask("get_state", deadline)
        if state.get("sessionId") != self._expected.session_id:
            raise _boundary("Pi opened another session")
        if state.get("sessionFile") != self._expected.session_file:
            raise _boundary("Pi opened another session file")
        self._verify_tools()
        self._choose_model(_model_of(state), deadline)
        self._verify_branch(self._ask("get_entries", deadline))

    def _verify_tools(self) -> None:
        status, wanted = self._tools_status, sorted(self._expected.tools)
        if status is None:
            raise _boundary("the contained tools did not load")
        if status.get("root") != self._expected.root:
            raise _boundary("the contained tools guard another directory")
        if status.get("active") != wanted or not set(wanted) <= set(status.get("own") or ()):
            raise _boundary(f"Pi activated other tools than {', '.join(wanted)}")

    def _choose_model(self, current: tuple[str, str] | None, deadline: float) -> None:
        """Never go on with a model that Pi picked because the session's is not available."""
        models = self._expected.models
        if models and current not in models:
            provider, model = models[-1]
            response = self._call("set_model", deadline, provider=provider, modelId=model)
            if not response.get("success"):
                raise _boundary(
                    f"the model {provider}/{model} is not available; choose --provider and --model"
                )
            current = _model_of(self._ask("get_state", deadline))
            if current != models[-1]:
                raise _boundary(f"Pi did not switch to the model {provider}/{model}")
        if current is None:
            raise _boundary("Pi has no model; choose --provider and --model")
        self.outcome.model = current

    def _verify_branch(self, data: dict[str, Any]) -> None:
        entries = {entry["id"]: entry for entry in data.get("entries", ())}
        chain: list[str] = []
        current = data.get("leafId")
        while current is not None and current in entries and len(chain) <= len(entries):
            chain.append(current)
            current = entries[current].get("parentId")
        chain.reverse()
        branch = list(self._expected.branch)
        added = [entries[identifier].get("type") for identifier in chain[len(branch) :]]
        if chain[: len(branch)] != branch or not set(added) <= _HARMLESS_ENTRIES:
            raise _boundary("Pi did not select the entry of the plan")

    def prompt(self, text: str, maximum_calls: int, seconds: float) -> None:
        """Send the prompt and follow the run until it has settled.

        Raises ExecutorError PI_CONTINUATION_FAILED, PI_TOOL_CALL_LIMIT, PI_EXECUTION_TIMEOUT, and
        EXECUTION_FAILED when the run was interrupted.
        """
        deadline = time.monotonic() + seconds
        identifier = self._pi.send("prompt", message=text)
        self._progress("prompted", "")
        while True:
            if time.monotonic() >= deadline:
                self._abort()
                raise ExecutorError(
                    ErrorCode.PI_EXECUTION_TIMEOUT, f"the model worked for more than {seconds:.0f} seconds"
                )
            if self._stop.is_set():
                self._abort()
                raise ExecutorError(ErrorCode.EXECUTION_FAILED, "the run was interrupted")
            if len(self.outcome.tool_calls) > maximum_calls:
                self._abort()
                raise _limit(maximum_calls)
            record = self._pi.next(deadline)
            if record is None:
                continue
            if record.get("id") == identifier and record.get("type") == "response":
                _require_started(record)
            self._observe(record)
            if record.get("type") == "agent_settled":
                self.outcome.aborted = bool(record.get("aborted"))
                break
        if len(self.outcome.tool_calls) > maximum_calls:
            raise _limit(maximum_calls)

    def _abort(self) -> None:
        """Stop the run and give it a moment to settle; whatever it does then, Pi is closed next."""
        self._progress("aborting", "")
        deadline = time.monotonic() + _ABORT_PATIENCE_S
        try:
            self._await(self._pi.send("abort"), deadline)
        except ExecutorError:
            return

    def _ask(self, command: str, deadline: float) -> dict[str, Any]:
        response = self._call(command, deadline)
        data = response.get("data")
        if not response.get("success") or not isinstance(data, dict):
            raise _boundary(f"Pi refused {command}")
        return cast(dict[str, Any], data)

    def _call(self, command: str, deadline: float, **fields: Any) -> Record:
        return self._await(self._pi.send(command, **fields), deadline)

    def _await(self, identifier: str, deadline: float) -> Record:
        while time.monotonic() < deadline:
            record = self._pi.next(deadline)
            if record is None:
                continue
            if record.get("type") == "response" and record.get("id") == identifier:
                return record
            self._observe(record)
        raise ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, "Pi did not answer in time")

    def _observe(self, record: Record) -> None:
        observer = self._observers.get(str(record.get("type")))
        if observer is not None:
            observer(record)

    def _tool_started(self, record: Record) -> None:
        name = str(record.get("toolName"))
        self.outcome.tool_calls.append(ToolCall(_token(record.get("toolCallId")), _token(name)))
        self._progress("tool", name)

    def _tool_ended(self, record: Record) -> None:
        result = record.get("result")
        if record.get("isError") or not isinstance(result, dict):
            return
        details = cast(dict[str, Any], result).get("details")
        if isinstance(details, dict):
            self.outcome.written.update(cast(dict[str, Any], details).get("written") or ())

    def _message_ended(self, record: Record) -> None:
        message = record.get("message")
        if not isinstance(message, dict):
            return
        document = cast(dict[str, Any], message)
        if document.get("role") != "assistant":
            return
        self.outcome.stop_reason = str(document.get("stopReason"))
        self.outcome.error_message = str(document.get("errorMessage") or "")
        if self.outcome.stop_reason != "error":
            self.outcome.output += _text_of(document)

    def _retrying(self, record: Record) -> None:
        self._progress("retrying", f"attempt {record.get('attempt')} of {record.get('maxAttempts')}")

    def _extension_spoke(self, record: Record) -> None:
        method = record.get("method")
        if method in _DIALOGS:
            self._pi.cancel_dialog(str(record.get("id")))
        elif method == "setStatus" and record.get("statusKey") == STATUS_KEY:
            self._tools_status = dict(json.loads(str(record.get("statusText"))))

    def _extension_failed(self, record: Record) -> None:
        raise _boundary(f"the contained tools failed: {record.get('error')}")


def require_success(outcome: Outcome) -> None:
    """Only a last answer that stopped by itself counts. Raises ExecutorError PI_CONTINUATION_FAILED.

    Measured on Pi 1.6.0: a full disk, a cut stream and a spent retry all end with exit code 0.
    """
    if outcome.aborted:
        raise ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, "the run was aborted")
    if outcome.stop_reason != "stop":
        reason = outcome.error_message or f"the last answer ended with {outcome.stop_reason or 'nothing'}"
        raise ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, reason)


def _require_started(record: Record) -> None:
    data = record.get("data")
    disposition = cast(dict[str, Any], data).get("disposition") if isinstance(data, dict) else None
    if not record.get("success"):
        message = f"Pi refused the prompt: {record.get('error')}"
        raise ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, message)
    if disposition != "started":
        raise _boundary("the prompt did not go to the model")


def _model_of(state: dict[str, Any]) -> tuple[str, str] | None:
    model = state.get("model")
    if not isinstance(model, dict):
        return None
    named = cast(dict[str, Any], model)
    provider, identifier = named.get("provider"), named.get("id")
    if not isinstance(provider, str) or not isinstance(identifier, str) or identifier == "unknown":
        return None
    return provider, identifier


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    blocks = cast(list[Any], content) if isinstance(content, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _token(value: object) -> str:
    """An id or name that a model may have made up, fit for the receipt."""
    return "".join("_" if character <= " " or character.isspace() else character for character in str(value))


def _boundary(message: str) -> ExecutorError:
    return ExecutorError(ErrorCode.PI_TOOL_BOUNDARY_FAILED, message)


def _limit(maximum: int) -> ExecutorError:
    return ExecutorError(ErrorCode.PI_TOOL_CALL_LIMIT, f"the model started more than {maximum} tool calls")
