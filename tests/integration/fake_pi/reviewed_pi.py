"""A Pi, fake or real, with what an orchestrator gives it: an endpoint on `tht` and a reviewer who answers."""

import http.server
import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import msgspec

from contracts.errors import Fault
from tht.home import Home
from tht.operations import call, for_agent

ENVELOPE_MARK = "thothii-widget/1 "
KINDS = {"approve": "approval", "edit": "edit", "reject": "rejection"}
Answer = Callable[[dict[str, Any]], dict[str, Any] | None]
"""From a widget's envelope to the reviewer's answer; None leaves it open."""


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, home: Home, session: str) -> None:
        self.home, self.session = home, session
        super().__init__(path, _Handler)


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast(_Server, self.server)
        length = int(self.headers["Content-Length"])
        arguments = json.loads(self.rfile.read(length))
        name = self.path.removeprefix("/v1/operations/")
        try:
            if self.headers["Authorization"] != "Bearer secret":
                raise AssertionError("the token is wrong")
            result = call(server.home, name, for_agent(name, arguments, server.session))
            status, body = 200, msgspec.json.encode(result)
        except Fault as fault:
            status = fault.code.kind.http_status
            body = json.dumps({"code": fault.code.value, "message": str(fault), "details": {}}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_args: Any) -> None:
        return


class ReviewedPi:
    """One Pi on one session of a harness folder. Use it as a context manager."""

    def __init__(
        self,
        home: Path,
        session: str,
        socket: Path,
        command: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path | None = None,
    ) -> None:
        self.home, self.session = Home(home), session
        self.records: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self._server = _Server(str(socket), self.home, session)
        self._serving = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._serving.start()
        given = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "THT_AGENT_ENDPOINT": f"unix:{socket}",
            "THT_AGENT_TOKEN": "secret",
            "THT_SESSION": session,
            **environment,
        }
        options = ["--mode", "rpc", "--approve", "--session-id", session, "-nc"]
        options += ["--session-dir", str(home / "sessions" / session / "pi")]
        self.process = subprocess.Popen(
            [*command, *options],
            cwd=cwd or home,
            env=given,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> "ReviewedPi":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self._server.shutdown()
        self._serving.join()
        self._server.server_close()

    def send(self, record: dict[str, Any]) -> None:
        """Writes one line to Pi."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(record).encode() + b"\n")
        self.process.stdin.flush()

    def run(self, prompt: str, answer: Answer) -> str:
        """Prompts, has the reviewer answer every widget until the run settles; returns the agent's text."""
        self.send({"id": "p", "type": "prompt", "message": prompt})
        text: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            record = json.loads(line)
            self.records.append(record)
            event = record.get("assistantMessageEvent", {})
            if event.get("type") == "text_delta":
                text.append(event["delta"])
            if record["type"] == "extension_ui_request" and record["method"] == "input":
                self._review(record, answer)
            if record["type"] == "agent_settled":
                return "".join(text)
        raise AssertionError(f"Pi ended: {self.records[-3:]}")

    def _review(self, request: dict[str, Any], answer: Answer) -> None:
        widget = json.loads(request["title"].removeprefix(ENVELOPE_MARK))
        self.asked.append(widget)
        given = answer(widget)
        if given is None:
            return
        reply: dict[str, Any] = {"type": "extension_ui_response", "id": request["id"]}
        if given.get("cancelled"):
            self.send({**reply, "cancelled": True})
            return
        kind = KINDS[given["decision"]] if widget["widget"] == "artifact_gate" else widget["kind"]
        decision: dict[str, Any] = {
            "session": self.session,
            "kind": kind,
            "widget": widget["widget"],
            "title": widget["title"],
            "answer": given,
            "by": "dev@local",
        }
        if widget["artifact"]:
            decision["artifact"] = {key: widget["artifact"][key] for key in ("name", "sha256")}
        if kind == "edit":
            decision["edit"] = given["text"]
        call(self.home, "decision.add", decision)
        self.send({**reply, "value": json.dumps({**given, "by": "dev@local"})})


def fake_pi(home: Path, session: str, scenario: Path) -> ReviewedPi:
    """The fake Pi on a scenario. Its socket's path is kept short, as a Unix socket's must be."""
    environment = {"FAKE_PI_SCENARIO": str(scenario)}
    return ReviewedPi(home, session, new_socket(home), [sys.executable, "-m", "fake_pi"], environment)


def new_socket(home: Path) -> Path:
    """A path that no socket of this test has yet."""
    return home.parent / f"{len(list(home.parent.glob('*.sock')))}.sock"


def recommended(widget: dict[str, Any]) -> dict[str, Any]:
    """The answer of a reviewer who takes every recommendation and approves everything."""
    chosen = [option["id"] for option in widget["options"] if option.get("recommended")]
    answers: dict[str, dict[str, Any]] = {
        "select": {"value": chosen[0] if chosen else None},
        "multiselect": {"values": chosen},
        "confirm": {"confirmed": True},
        "input": {"text": ""},
        "editor": {"text": widget["prefill"] or ""},
        "artifact_gate": {"decision": "approve"},
    }
    return answers[widget["widget"]]
