"""A stand-in for the orchestrator's agent endpoint: one session, its ledger, a little schema, all in memory.

Its phase follows from the ledger by the rules of docs/contracts.md 2, as far as tests of the gate need them.
"""

import hashlib
import json
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from contracts.errors import Code, Fault

Arguments = dict[str, Any]
Document = dict[str, Any]

ARTIFACT_PHASES = {"schema_linking.json": "F2", "ctes.json": "F3", "sql_final.sql": "F4"}
COLUMNS = [
    ("year", "INTEGER", "year of the flight"),
    ("carrier", "VARCHAR", "code of the carrier"),
    ("arr_delay", "DOUBLE", "minutes late at arrival, negative when early"),
]


def sha256(text: str) -> str:
    """The hash of a text as the ledger has it."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class StubSession:
    """The state behind the endpoint. `decide` is what the orchestrator does when an answer arrives."""

    session_id: str
    question: str = "Which carrier had the worst average arrival delay in 2013?"
    artifacts: dict[str, str] = field(default_factory=dict[str, str])
    decisions: list[Document] = field(default_factory=list[Document])
    calls: list[tuple[str, Arguments]] = field(default_factory=list[tuple[str, Arguments]])
    faults: dict[str, Fault] = field(default_factory=dict[str, Fault])
    """Faults to answer with, by operation."""

    def phase(self) -> str:
        """The first phase whose closing decision is missing, or withdrawn."""
        if not any(line["kind"] == "reading" for line in self.decisions):
            return "F1"
        for name, phase in ARTIFACT_PHASES.items():
            verdicts = [line for line in self.decisions if line.get("artifact", {}).get("name") == name]
            last = verdicts[-1] if verdicts else None
            approved = last and last["kind"] in ("approval", "edit")
            if not (last and approved and last["artifact"]["sha256"] == sha256(self.artifacts[name])):
                return phase
        return "F5"

    def missing(self) -> list[str]:
        """What would close the phase, in the codes of tht."""
        phase = self.phase()
        if phase in ("F1", "F5"):
            return ["reading"] if phase == "F1" else []
        name = next(name for name, closes in ARTIFACT_PHASES.items() if closes == phase)
        selected = any(line["kind"] == "selection" for line in self.decisions)
        return [
            *(["selection"] if phase == "F2" and not selected else []),
            *([f"artifact:{name}"] if name not in self.artifacts else []),
            f"approval:{name}",
        ]

    def decide(self, envelope: Document, answer: Document) -> Document:
        """Record the answer to an envelope; the answer as Pi is to hear it."""
        kind = envelope["kind"]
        artifact = dict(envelope["artifact"]) if envelope["artifact"] else {}
        told = {**answer, "by": "dev@local"}
        if envelope["widget"] == "artifact_gate":
            kind = {"approve": "approval", "reject": "rejection", "edit": "edit"}[answer["decision"]]
        if kind == "edit":
            self.artifacts[artifact["name"]] = answer["text"]
            artifact["sha256"] = told["sha256"] = sha256(answer["text"])
        line = {
            "seq": len(self.decisions) + 1,
            "phase": self.phase(),
            "kind": kind,
            "widget": envelope["widget"],
            "title": envelope["title"],
            "options": envelope["options"],
            "answer": answer,
            "by": "dev@local",
            **({"artifact": artifact} if artifact else {}),
        }
        self.decisions.append(line)
        return told

    def answer(self, operation: str, arguments: Arguments) -> Document:
        """The result of an operation. Raises Fault."""
        self.calls.append((operation, arguments))
        if operation in self.faults:
            raise self.faults[operation]
        if operation not in OPERATIONS:
            raise Fault(Code.REFUSED, f"an agent may not call {operation}")
        if arguments.get("session") != self.session_id:
            raise Fault(Code.NOT_FOUND, "there is no such session")
        return OPERATIONS[operation](self, arguments)


def _page(columns: list[tuple[str, str]], rows: list[list[Any]], limit: int) -> Document:
    return {
        "columns": [{"name": name, "key": name, "type": type_} for name, type_ in columns],
        "rows": rows[:limit],
        "truncated": len(rows) > limit,
        "row_count": None,
        "result_id": None,
        "elapsed_ms": 1,
        "warnings": [],
    }


def _session_show(session: StubSession, _arguments: Arguments) -> Document:
    return {
        "id": session.session_id,
        "workspace": "flights",
        "question": session.question,
        "phase": session.phase(),
    }


def _workspace_show(_session: StubSession, _arguments: Arguments) -> Document:
    limits = {"rows": 10000, "bytes": 16777216, "timeout_s": 30}
    return {
        "name": "flights",
        "dialect": "duckdb",
        "notes": "arr_delay is NULL for cancelled flights.",
        "limits": limits,
    }


def _phase_show(session: StubSession, _arguments: Arguments) -> Document:
    phase = session.phase()
    closed = [f"F{number}" for number in range(1, int(phase[1]))]
    return {"phase": phase, "closed": closed, "missing": session.missing(), "reason": "stub"}


def _artifact_put(session: StubSession, arguments: Arguments) -> Document:
    session.artifacts[arguments["name"]] = arguments["text"]
    text: str = arguments["text"]
    return {"name": arguments["name"], "sha256": sha256(text), "bytes": len(text.encode())}


def _artifact(session: StubSession, name: str) -> Document:
    if name not in session.artifacts:
        raise Fault(Code.NOT_FOUND, f"{name} is not written yet")
    text = session.artifacts[name]
    media_type = "application/json" if name.endswith(".json") else "application/sql"
    return {"name": name, "sha256": sha256(text), "media_type": media_type, "text": text}


def _describe(_session: StubSession, arguments: Arguments) -> Document:
    columns = [
        {"name": name, "type": type_, "nullable": True, "comment": note} for name, type_, note in COLUMNS
    ]
    key = {"columns": ["carrier"], "table": "airlines", "to": ["carrier"]}
    return {
        "name": arguments["table"],
        "schema": "main",
        "comment": "one row a flight",
        "row_estimate": 336776,
        "columns": columns,
        "primary_key": [],
        "foreign_keys": [key],
    }


def _check(_session: StubSession, arguments: Arguments) -> Document:
    sql: str = arguments["sql"]
    if not sql.lstrip().upper().startswith(("SELECT", "WITH")):
        raise Fault(Code.REFUSED, "only one statement that reads is allowed")
    return {"ok": True, "statement": "select", "tables": ["flights"], "sha256": sha256(sql)}


def _preview(session: StubSession, arguments: Arguments) -> Document:
    _check(session, arguments)
    rows: list[list[Any]] = [[f"C{number}", number / 2] for number in range(60)]
    return _page([("carrier", "VARCHAR"), ("mean_delay", "DOUBLE")], rows, arguments["limit"])


def _tables(_session: StubSession, _arguments: Arguments) -> Document:
    names = {"flights": 336776, "airlines": 16, "airports": 1458, "planes": 3322, "weather": 26115}
    tables = [
        {"name": name, "schema": "main", "kind": "table", "comment": None, "row_estimate": rows}
        for name, rows in names.items()
    ]
    return {"tables": tables, "as_of": "2026-11-30T00:00:00Z"}


def _search(_session: StubSession, arguments: Arguments) -> Document:
    found = [
        {"table": "flights", "column": name, "type": type_, "comment": note}
        for name, type_, note in COLUMNS
        if arguments["text"] in name
    ]
    return {"matches": found}


def _sample(_session: StubSession, arguments: Arguments) -> Document:
    return _page(
        [("carrier", "VARCHAR"), ("name", "VARCHAR")], [["F9", "Frontier Airlines Inc."]], arguments["limit"]
    )


OPERATIONS: dict[str, Callable[[StubSession, Arguments], Document]] = {
    "session.show": _session_show,
    "workspace.show": _workspace_show,
    "phase.show": _phase_show,
    "artifact.put": _artifact_put,
    "artifact.get": lambda session, arguments: _artifact(session, arguments["name"]),
    "artifact.list": lambda session, _: {
        "artifacts": [_artifact(session, name) for name in session.artifacts]
    },
    "decision.list": lambda session, _: {"decisions": session.decisions},
    "schema.tables": _tables,
    "schema.describe": _describe,
    "schema.search": _search,
    "schema.sample": _sample,
    "sql.check": _check,
    "sql.preview": _preview,
}


class AgentStub:
    """The endpoint over a Unix socket, as a context manager."""

    TOKEN = "stub-token"

    def __init__(self, socket_path: Path, session: StubSession) -> None:
        self.session = session
        self.endpoint = f"unix:{socket_path}"
        self.unauthenticated = 0
        self._server = _UnixServer(str(socket_path), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def environment(self) -> dict[str, str]:
        """What the orchestrator puts into the environment of a child."""
        return {
            "THT_AGENT_ENDPOINT": self.endpoint,
            "THT_AGENT_TOKEN": self.TOKEN,
            "THT_SESSION": self.session.session_id,
        }

    def __enter__(self) -> "AgentStub":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    stub: AgentStub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing; the calls are kept."""

    def do_POST(self) -> None:
        assert isinstance(self.server, _UnixServer)
        stub = self.server.stub
        arguments = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            if self.headers["authorization"] != f"Bearer {stub.TOKEN}":
                stub.unauthenticated += 1
                raise Fault(Code.UNAUTHENTICATED, "the token is not good for this")
            self._reply(200, stub.session.answer(self.path.removeprefix("/v1/operations/"), arguments))
        except Fault as fault:
            self._reply(fault.code.kind.http_status, fault.document())

    def _reply(self, status: int, document: Document) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
