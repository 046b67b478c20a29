"""A model server that says what a script tells it: chat completions (OpenAI's API), streaming, on loopback.

It makes the real Pi deterministic and offline. A script is a list of answers, or a function from a request to
an answer; every request body is kept. `write_agent_folder` makes a folder for PI_CODING_AGENT_DIR whose
provider `scripted` is this server.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

PROVIDER = "scripted"
MODEL = "scripted"


@dataclass(frozen=True)
class ToolCall:
    """One tool call of an answer. An empty `id` is filled in; `arguments` may be a string, sent as it is."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    id: str = ""


@dataclass(frozen=True)
class Answer:
    """What the model says to one request: text deltas, then tool calls."""

    text: str | Sequence[str] = ()
    """One text, or the deltas in which it is streamed."""
    tools: Sequence[ToolCall] = ()
    status: int = 200
    """Anything but 200 answers with an error document instead of a stream."""
    error: str = "scripted error"
    stall: bool = False
    """After the text be silent until `ScriptedModel.release()`, then go on."""
    cut: bool = False
    """End the stream after the text, without a finish reason."""


Request = Mapping[str, Any]
Script = Iterable[Answer] | Callable[[Request], Answer]

SCRIPT_IS_OVER = Answer("The script is over.")


class ScriptedModel:
    """The server, as a context manager. Answers beyond the end of a list script say that it is over."""

    def __init__(self, script: Script = ()) -> None:
        self.requests: list[dict[str, Any]] = []
        """The bodies received, in order."""
        self.paths: list[str] = []
        self._released = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.script(script)

    def script(self, script: Script) -> None:
        """Follow another script from the next request on."""
        if callable(script):
            self._next: Callable[[Request], Answer] = script
        else:
            answers = iter(script)
            self._next = lambda _request: next(answers, SCRIPT_IS_OVER)

    @property
    def base_url(self) -> str:
        """The API's base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def release(self) -> None:
        """Let every stalled answer, now and later, go on."""
        self._released.set()

    def answer_to(self, body: dict[str, Any]) -> tuple[int, Answer]:
        """Keep `body`; its number (from 1) and the script's answer."""
        with self._lock:
            self.requests.append(body)
            return len(self.requests), self._next(body)

    def wait_for_release(self) -> None:
        self._released.wait(60)

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    scripted: ScriptedModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that ends in the middle of a request is an ordinary thing; anything else is told."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version: ClassVar[str] = "scripted-model"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing; the requests are kept."""

    def do_POST(self) -> None:
        assert isinstance(self.server, _Server)
        model = self.server.scripted
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model.paths.append(self.path)
        number, answer = model.answer_to(body)
        try:
            if answer.status != 200:
                self._send_error_document(answer)
            else:
                self._stream(model, body, number, answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send_error_document(self, answer: Answer) -> None:
        document = {"error": {"message": answer.error, "type": "scripted", "code": None}}
        data = json.dumps(document).encode()
        self.send_response(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, model: ScriptedModel, body: Request, number: int, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

        def send(delta: dict[str, Any], finish_reason: str | None = None, **extra: Any) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            self._chunk(
                {
                    "id": f"chatcmpl-{number}",
                    "object": "chat.completion.chunk",
                    "created": 0,
                    "model": body.get("model", MODEL),
                    "choices": [choice],
                    **extra,
                }
            )

        send({"role": "assistant", "content": ""})
        for piece in [answer.text] if isinstance(answer.text, str) else answer.text:
            send({"content": piece})
        if answer.stall:
            model.wait_for_release()
        if not answer.cut:
            for index, call in enumerate(answer.tools):
                send({"tool_calls": [_tool_call(call, index, number)]})
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            send({}, "tool_calls" if answer.tools else "stop", usage=usage)
            self._raw(b"data: [DONE]\n\n")
        self._raw(b"")

    def _chunk(self, document: dict[str, Any]) -> None:
        self._raw(b"data: " + json.dumps(document).encode() + b"\n\n")

    def _raw(self, data: bytes) -> None:
        """One HTTP chunk; an empty one ends the body."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _tool_call(call: ToolCall, index: int, number: int) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {
        "index": index,
        "id": call.id or f"call_{number}_{index}",
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def write_agent_folder(folder: Path, base_url: str, *, reasoning: bool = False) -> Path:
    """Make `folder` a PI_CODING_AGENT_DIR whose only configured provider is the server at `base_url`.

    Retries are short, so that a scripted error does not cost a test seconds. The result is `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = {
        "id": MODEL,
        "name": "Scripted",
        "reasoning": reasoning,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 100000,
        "maxTokens": 4000,
    }
    provider = {"baseUrl": base_url, "api": "openai-completions", "apiKey": "none", "models": [model]}
    (folder / "models.json").write_text(json.dumps({"providers": {PROVIDER: provider}}))
    settings = {"retry": {"maxRetries": 1, "baseDelayMs": 50}, "enableInstallTelemetry": False}
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


def text_of(message: Mapping[str, Any]) -> str:
    """The text of one message of a request, whatever the form of its content."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks: list[dict[str, Any]] = content or []
    return "".join(block.get("text", "") for block in blocks)
