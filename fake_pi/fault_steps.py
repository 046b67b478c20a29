"""Steps that a healthy Pi would not take: floods, garbage, huge records, crashes."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fake_pi import fault_kinds as kinds
from fake_pi.output import encode_record
from fake_pi.processes import spawn_sleeper
from fake_pi.step_base import Step
from fake_pi.templates import expand, expand_text

if TYPE_CHECKING:
    from fake_pi.machine import Machine
    from fake_pi.tools import ToolRun

_BATCH_S = 0.01


async def perform_fault_step(machine: "Machine", step: Step, tool: "ToolRun | None") -> None:
    """Performs a step of misbehaviour; nothing else is left here."""
    if isinstance(step, kinds.Record):
        await _record(machine, step)
    elif isinstance(step, kinds.Raw):
        data = bytes.fromhex(step.hex) if step.hex is not None else step.raw.encode(errors="surrogateescape")
        for _ in range(step.times):
            machine.output.write(data)
            await asyncio.sleep(step.pause_ms / 1000)
    elif isinstance(step, kinds.Huge):
        await _send(machine, step.form, int(step.huge * 1_000_000), tool)
    elif isinstance(step, kinds.Flood):
        await _flood(machine, step, tool)
    elif isinstance(step, kinds.Spawn):
        machine.variables["spawned"] = spawn_sleeper(step.spawn, step.detached, step.keep_stdout, step.deaf)
    elif isinstance(step, kinds.Stderr):
        for _ in range(step.times):
            machine.output.error_line(expand_text(step.stderr, machine.variables))
    elif isinstance(step, kinds.Environment):
        _tell_environment(machine, expand_text(step.environment, machine.variables))
    else:
        _end_or_stop(machine, step)


def _end_or_stop(machine: "Machine", step: Step) -> None:
    if isinstance(step, kinds.Exit):
        if not step.after_ms:
            os._exit(step.exit)
        asyncio.get_running_loop().call_later(step.after_ms / 1000, os._exit, step.exit)
    elif isinstance(step, kinds.Kill):
        number = signal.Signals[step.kill]
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    elif isinstance(step, kinds.CloseStdout):
        machine.output.close()
    elif isinstance(step, kinds.StopReading):
        machine.reading = not step.stop_reading
    elif isinstance(step, kinds.Freeze):
        time.sleep(step.freeze / 1000)
    else:
        raise TypeError(f"the step {type(step).__name__} cannot stand inside a tool or a command")


async def _record(machine: "Machine", step: kinds.Record) -> None:
    data = encode_record(expand(step.record, machine.variables)) + step.ending.encode()
    size = max(1, -(-len(data) // step.split))
    for at in range(0, len(data), size):
        machine.output.write(data[at : at + size])
        await asyncio.sleep(step.pause_ms / 1000)


async def _flood(machine: "Machine", step: kinds.Flood, tool: "ToolRun | None") -> None:
    if step.per_second is None:
        for _ in range(step.flood):
            await _send(machine, step.form, step.bytes, tool)
        await asyncio.sleep(0)
        return
    began, sent = time.monotonic(), 0
    while sent < step.flood:
        due = min(step.flood, int((time.monotonic() - began) * step.per_second) + 1)
        for _ in range(due - sent):
            await _send(machine, step.form, step.bytes, tool)
        sent = due
        if tool is None:
            machine.agent.check_abort()
        await asyncio.sleep(_BATCH_S)


async def _send(machine: "Machine", form: str, size: int, tool: "ToolRun | None") -> None:
    """One record of about `size` bytes."""
    if form == "text" and tool is None:
        (await machine.agent.prepare()).text(["x" * max(1, size - 290)])
        return
    record: dict[str, Any]
    if form == "update" and tool is not None:
        head = {"toolCallId": tool.call_id, "toolName": tool.name, "args": tool.args}
        content = [{"type": "text", "text": "x" * max(1, size - 150)}]
        record = {"type": "tool_execution_update", **head, "partialResult": {"content": content}}
    elif form == "status":
        fields = {"method": "setStatus", "statusKey": "flood", "statusText": "x" * max(1, size - 110)}
        record = {"type": "extension_ui_request", "id": "flood", **fields}
    else:
        record = {"type": "unknown_record", "filler": "x" * max(1, size - 40)}
    machine.emit(record)


def _tell_environment(machine: "Machine", where: str) -> None:
    text = json.dumps(dict(os.environ), sort_keys=True)
    if where == "notify":
        machine.emit(
            {"type": "extension_ui_request", "id": "environment", "method": "notify", "message": text}
        )
    else:
        Path(where).write_text(text, encoding="utf-8")
