"""One assistant message, streamed: blocks open as they come and all of them end with the message."""

import json
import time
from collections.abc import Callable
from typing import Any

from fake_pi.messages import Message, full_usage, no_usage
from fake_pi.scenario import Model
from fake_pi.session_file import timestamp_ms

Emit = Callable[[dict[str, Any]], None]

RAW_STOP_REASONS = {"stop": "stop", "toolUse": "tool_calls", "length": "length"}


class Answer:
    """The model's answer to one request. Nothing is written before the first block or the end."""

    def __init__(self, emit: Emit, model: Model, thinking_level: str, request: int) -> None:
        self._emit = emit
        self._model = model
        self._thinking_level = thinking_level
        self._request = request
        self._began = time.monotonic()
        self._timestamp = timestamp_ms()
        self._content: list[dict[str, Any]] = []
        self._ends: list[dict[str, Any]] = []
        self.started = False

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks so far."""
        return self._content

    def text(self, pieces: list[str]) -> None:
        """Streams text; it belongs to the last block when that is text."""
        self._stream("text", "text", pieces)

    def thinking(self, pieces: list[str]) -> None:
        """Streams reasoning."""
        self._stream("thinking", "thinking", pieces)

    def tool_call(
        self, call_id: str, name: str, args: dict[str, Any], raw: str | None, error: str | None
    ) -> None:
        """Streams one tool call; `raw` is what the model wrote when it is not the JSON of `args`."""
        block: dict[str, Any] = {"type": "toolCall", "id": call_id, "name": name, "arguments": args}
        if error is not None:
            written = json.dumps(args, ensure_ascii=False) if raw is None else raw
            block["argumentsError"] = f"{error}\n\nReceived arguments:\n{written}"
        index: int = self._open(block, {"type": "toolcall_start", "id": call_id, "toolName": name})
        delta = json.dumps(args, ensure_ascii=False) if raw is None else raw
        self._update({"type": "toolcall_delta", "contentIndex": index, "delta": delta})
        self._ends.append({"type": "toolcall_end", "contentIndex": index, "toolCall": block})

    def finish(self, reason: str, error: str | None = None, ended: bool = True) -> Message:
        """Ends the message and returns it. `ended` false leaves out the ends of the open blocks."""
        failed_at_once = not self.started and error is not None
        if not self.started and not failed_at_once:
            self._start()
        message = self._message(reason, error)
        if failed_at_once:
            self._emit({"type": "message_start", "message": message})
        elif ended:
            for end in self._ends:
                self._update(self._with_content(end), final=True)
        self._emit({"type": "message_end", "message": message})
        return message

    def _stream(self, kind: str, key: str, pieces: list[str]) -> None:
        last: dict[str, Any] = self._content[-1] if self._content else {"type": None}
        if last["type"] != kind:
            last = {"type": kind, key: ""}
            if kind == "thinking":
                last["thinkingSignature"] = "reasoning_content"
            index = self._open(last, {"type": f"{kind}_start"})
            self._ends.append({"type": f"{kind}_end", "contentIndex": index})
        index = len(self._content) - 1
        for piece in pieces:
            last[key] = str(last[key]) + piece
            self._update({"type": f"{kind}_delta", "contentIndex": index, "delta": piece})

    def _with_content(self, end: dict[str, Any]) -> dict[str, Any]:
        index: int = end["contentIndex"]
        block = self._content[index]
        kind: str = block["type"]
        return {**end, "content": block[kind]} if kind in ("text", "thinking") else end

    def _open(self, block: dict[str, Any], event: dict[str, Any]) -> int:
        if not self.started:
            self._start()
        self._content.append(block)
        index = len(self._content) - 1
        kind = event.pop("type")
        self._update({"type": kind, "contentIndex": index, **event})
        return index

    def _start(self) -> None:
        self.started = True
        message: Message = {**self._head(), "content": [], "usage": no_usage(), "stopReason": "pending"}
        self._emit({"type": "message_start", "message": {**message, "timestamp": self._timestamp}})

    def _update(self, event: dict[str, Any], final: bool = False) -> None:
        usage = full_usage(self._request) if final else no_usage()
        self._emit({"type": "message_update", "usage": usage, "assistantMessageEvent": event})

    def _head(self) -> Message:
        return {
            "role": "assistant",
            "content": self._content,
            "api": "openai-completions",
            "provider": self._model.provider,
            "model": self._model.id,
        }

    def _message(self, reason: str, error: str | None) -> Message:
        message = self._head()
        message["usage"] = no_usage() if error is not None else full_usage(self._request)
        message["stopReason"] = reason
        message["timestamp"] = self._timestamp
        if self.started:
            message["responseId"] = f"c{self._request}"
        if error is not None:
            message["errorMessage"] = error
        else:
            message["rawStopReason"] = RAW_STOP_REASONS[reason]
        message["durationMs"] = int((time.monotonic() - self._began) * 1000)
        message["thinkingLevel"] = self._thinking_level
        return message
