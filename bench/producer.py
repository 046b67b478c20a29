"""The child of the bridge benchmark: the same records to whoever reads its stdout.

As `pi` it answers what the orchestrator asks a Pi at its start and treats a steer as an order; as `mcp` any
line with an order in it will do, and each record is a JSON-RPC notification. An order is
`go COUNT SIZE PER_SECOND`; PER_SECOND 0 is a burst. Each record of a paced order carries the time at which it
was written.
"""

import json
import os
import re
import sys
import time
from typing import Any

BURST = 256 * 1024
"""Bytes of one write of a burst."""

STAMP = "@%.6f@"
END = "THE-END"

_ORDER = re.compile(r"go (\d+) (\d+) (\d+)")


def _pi_record(text: str) -> dict[str, Any]:
    return {
        "type": "message_update",
        "usage": {"input": 0, "output": 0},
        "assistantMessageEvent": {"type": "text_delta", "contentIndex": 0, "delta": text},
    }


def _mcp_record(text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": text}}


RECORDS = {"pi": _pi_record, "mcp": _mcp_record}


def line(kind: str, text: str, size: int) -> bytes:
    """One record with `text`, filled up to `size` bytes with its LF."""
    bare = json.dumps(RECORDS[kind](text), separators=(",", ":"))
    return (
        json.dumps(RECORDS[kind](text + "x" * (size - 1 - len(bare))), separators=(",", ":")).encode() + b"\n"
    )


def write(data: bytes) -> None:
    """All of `data` to stdout."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def produce(kind: str, count: int, size: int, per_second: int) -> None:
    """Carry out one order, then say END."""
    if per_second:
        began = time.time()
        for number in range(count):
            time.sleep(max(0.0, began + number / per_second - time.time()))
            write(line(kind, STAMP % time.time(), size))
    else:
        one = line(kind, "", size)
        whole, rest = divmod(count, max(1, BURST // size))
        batch = one * max(1, BURST // size)
        for _ in range(whole):
            write(batch)
        write(one * rest)
    write(line(kind, END, size))


def _reply(request: dict[str, Any], data: dict[str, Any]) -> None:
    answer = {
        "id": request.get("id"),
        "type": "response",
        "command": request["type"],
        "success": True,
        "data": data,
    }
    write(json.dumps(answer).encode() + b"\n")


def _record(**fields: Any) -> None:
    write(json.dumps(fields).encode() + b"\n")


def serve_pi(session_id: str) -> None:
    """Answer as Pi does at its start, then wait for orders."""
    model = {"provider": "bench", "id": "bench", "name": "bench", "contextWindow": 1, "maxTokens": 1}
    commands = [
        {"name": name, "description": "(tht-gate/1)", "source": "extension"}
        for name in ("nuova-domanda", "riprendi-sessione")
    ]
    answers: dict[str, dict[str, Any]] = {
        "get_state": {"sessionId": session_id, "model": model, "messageCount": 0},
        "get_commands": {"commands": commands},
        "get_available_models": {"models": [model]},
    }
    ready = {"ev": "ready", "version": "1", "session": session_id}
    _record(
        type="entry_appended", entry={"type": "custom", "customType": "tht-gate", "data": ready, "id": "0"}
    )
    message: dict[str, Any] = {"role": "assistant", "content": [], "stopReason": "pending"}
    for raw in sys.stdin:
        request = json.loads(raw)
        if request["type"] != "prompt":
            _reply(request, answers.get(request["type"], {}))
            continue
        order = _ORDER.search(request["message"])
        _reply(request, {"disposition": "started" if order else "handled"})
        if order:
            _record(type="agent_start")
            _record(type="message_start", message=message)
            produce("pi", *map(int, order.groups()))
            _record(type="message_end", message={**message, "stopReason": "stop"})
            _record(type="agent_settled", aborted=False)


def serve_mcp() -> None:
    """Wait for orders."""
    for raw in sys.stdin:
        if order := _ORDER.search(raw):
            produce("mcp", *map(int, order.groups()))


def main() -> None:
    """`producer.py pi [Pi's arguments]` or `producer.py mcp`."""
    if "--version" in sys.argv:
        write(b"1.6.0\n")
    elif sys.argv[1] == "mcp":
        serve_mcp()
    else:
        serve_pi(sys.argv[sys.argv.index("--session-id") + 1])


if __name__ == "__main__":
    main()
