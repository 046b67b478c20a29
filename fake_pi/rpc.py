"""The commands of Pi's RPC mode on stdin and their responses."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from fake_pi.input_lines import parse_json
from fake_pi.machine import Machine
from fake_pi.prompts import Prompts
from fake_pi.queries import QUERIES, CommandFailed
from fake_pi.tasks import start_task
from fake_pi.templates import compact_json


class NullLine(Exception):
    """The line `null`: it kills Pi."""


class Commands:
    """Reads lines, answers commands. Those that take time run side by side, so responses are not in order."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._prompts = Prompts(machine)
        self._busy: set[asyncio.Task[None]] = set()
        self._handlers: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "prompt": self._prompts.prompt,
            "steer": self._prompts.steer,
            "follow_up": self._prompts.follow_up,
            "abort": self._prompts.abort,
            "abort_retry": self._prompts.abort_retry,
            "clear_queue": self._prompts.clear_queue,
            "compact": self._prompts.compact,
            "bash": self._prompts.bash,
        }

    def handle_line(self, line: str) -> None:
        """Takes one line. Raises NullLine for `null`."""
        try:
            value = parse_json(line)
        except ValueError as error:
            self._respond_error(None, {"command": "parse"}, f"Failed to parse command: {error}")
            return
        if value is None:
            raise NullLine
        if not isinstance(value, dict) or "type" not in value:
            record: dict[str, Any] = value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]
            self._respond_error(record, {}, "Unknown command: undefined")
            return
        self._handle(value)  # pyright: ignore[reportUnknownArgumentType]

    def _handle(self, record: dict[str, Any]) -> None:
        kind = record["type"]
        if kind == "extension_ui_response":
            self._machine.dialogs.answer(record)
            return
        known = isinstance(kind, str) and (kind in QUERIES or kind in self._handlers)
        changed = self._machine.scenario.responses.get(kind) if isinstance(kind, str) else None
        if not known:
            self._respond_error(record, {"command": kind}, f"Unknown command: {_js_text(kind)}")
        elif changed is not None and changed.ignore:
            return
        elif kind in QUERIES and changed is None:
            self._query(record)
        else:
            task = start_task(self._command(record))
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)

    def _query(self, record: dict[str, Any]) -> None:
        try:
            data = QUERIES[record["type"]](self._machine, record)
        except CommandFailed as error:
            self._respond_error(record, {"command": record["type"]}, str(error))
        else:
            self._respond(record, data)

    async def _command(self, record: dict[str, Any]) -> None:
        kind = record["type"]
        changed = self._machine.scenario.responses.get(kind)
        if changed is not None and changed.delay_ms:
            await asyncio.sleep(changed.delay_ms / 1000)
        try:
            if changed is not None and changed.error is not None:
                raise CommandFailed(changed.error)
            data: Any = (
                QUERIES[kind](self._machine, record)
                if kind in QUERIES
                else await self._handlers[kind](record)
            )
        except CommandFailed as error:
            self._respond_error(record, {"command": kind}, str(error))
            return
        if changed is not None and changed.data is not None:
            usual: dict[str, Any] = data or {}
            data = {**usual, **changed.data}
        self._respond(record, data)
        await self._prompts.after_response(record)

    def _respond(self, record: dict[str, Any], data: Any) -> None:
        answer: dict[str, Any] = {"id": record["id"]} if "id" in record else {}
        answer |= {"type": "response", "command": record["type"], "success": True}
        if data is not None:
            answer["data"] = data
        self._machine.output.record(answer)

    def _respond_error(self, record: dict[str, Any] | None, command: dict[str, Any], error: str) -> None:
        answer: dict[str, Any] = {"id": record["id"]} if record is not None and "id" in record else {}
        self._machine.output.record(
            {**answer, "type": "response", **command, "success": False, "error": error}
        )


def _js_text(value: object) -> str:
    """String(value) of JavaScript, for what can be in JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return ",".join("" if item is None else _js_text(item) for item in items)
    if isinstance(value, dict):
        return "[object Object]"
    return compact_json(value)
