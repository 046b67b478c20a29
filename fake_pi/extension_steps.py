"""Steps of an extension: dialogs, widgets, one-way calls, operations, commands."""

import asyncio
from typing import TYPE_CHECKING, Any

from fake_pi import step_kinds as kinds
from fake_pi.endpoint import OperationFailed, call_operation
from fake_pi.gate import NOT_ANSWERED, artifact_text, envelope, read_answer, widget_fields
from fake_pi.messages import custom_message
from fake_pi.processes import run_command
from fake_pi.step_base import Step
from fake_pi.templates import Undefined, expand, expand_text
from fake_pi.tools import ToolError, ToolRefused, ToolRun

if TYPE_CHECKING:
    from fake_pi.machine import Machine


async def perform_extension_step(machine: "Machine", step: Step, tool: ToolRun | None) -> bool:
    """Performs a step of an extension; False when it is none."""
    value: Any = None
    if isinstance(step, kinds.Dialog):
        value = await _dialog(machine, step, tool)
    elif isinstance(step, kinds.Widget):
        value = await _widget(machine, step, tool)
    elif isinstance(step, kinds.Call):
        value = await _call(machine, step)
    elif isinstance(step, kinds.Phase):
        await _phase(machine, step)
        return True
    elif isinstance(step, kinds.Run):
        value = await _run(machine, step, tool)
    elif isinstance(step, kinds.Delay):
        heard = None if step.deaf or tool is None or not tool.in_run else machine.agent.abort_event
        await _sleep(step.delay, heard)
        return True
    elif isinstance(step, kinds.Request) and step.answered:
        fields = expand(step.request, machine.variables)
        value, _ = await machine.dialogs.ask(str(fields.pop("method", "")), fields, None, None, _in_run(tool))
    else:
        return _one_way(machine, step, tool)
    if tool is not None:
        tool.result = value
    _set(machine, step.set_as, value)
    return True


def _set(machine: "Machine", name: str | None, value: Any) -> None:
    if name:
        machine.variables[name] = value


def _in_run(tool: ToolRun | None) -> bool:
    return tool is None or tool.in_run


async def _sleep(milliseconds: float, abort: asyncio.Event | None) -> None:
    if abort is None:
        await asyncio.sleep(milliseconds / 1000)
        return
    waiter = asyncio.ensure_future(abort.wait())
    await asyncio.wait({waiter}, timeout=milliseconds / 1000)
    waiter.cancel()


_DIALOG_FIELDS = {"select": "options", "confirm": "message", "input": "placeholder", "editor": "prefill"}
"""What each native dialog shows beside its title."""


async def _dialog(machine: "Machine", step: kinds.Dialog, tool: ToolRun | None) -> Any:
    name = _DIALOG_FIELDS[step.dialog]
    fields = expand({"title": step.title, name: getattr(step, name)}, machine.variables)
    shown = {key: value for key, value in fields.items() if value is not None}
    abort = machine.agent.abort_event if step.signal and _in_run(tool) else None
    value, _ = await machine.dialogs.ask(step.dialog, shown, step.timeout_ms, abort, _in_run(tool))
    return value


async def _widget(machine: "Machine", step: kinds.Widget, tool: ToolRun | None) -> dict[str, Any]:
    call_id = tool.call_id if tool is not None else ""
    values: dict[str, Any] = expand(widget_fields(step), machine.variables)
    await _look_at_phase(machine)
    values["phase"] = values["phase"] or machine.last_phase
    title = envelope(step, call_id, values)
    machine.gate_says({"ev": "dialog_opened", "call": call_id, "widget": step.widget})
    abort = machine.agent.abort_event if step.signal and _in_run(tool) else None
    value, how = await machine.dialogs.ask("input", {"title": title}, step.timeout_ms, abort, _in_run(tool))
    machine.gate_says({"ev": "dialog_closed", "call": call_id, "how": how})
    try:
        answer = read_answer(value, how)
    except ValueError as error:
        raise ToolError(f"the reviewer's answer cannot be read: {error}") from error
    if answer.get("decision") == "edit":
        artifact: dict[str, Any] = values["artifact"] or {}
        written = {"name": artifact.get("name"), "sha256": answer.get("sha256")}
        machine.gate_says({"ev": "artifact_written", **written})
    if answer.get("cancelled"):
        _set(machine, step.set_as, answer)
        raise ToolError(NOT_ANSWERED)
    await _look_at_phase(machine)
    return answer


async def _call(machine: "Machine", step: kinds.Call) -> Any:
    given = expand(step.args, machine.variables)
    arguments = {key: value for key, value in given.items() if not isinstance(value, Undefined)}
    if step.call == "artifact.put":
        await _look_at_phase(machine)
        arguments["text"] = artifact_text(str(arguments.get("name")), str(arguments.get("text", "")))
    try:
        result = await call_operation(step.call, arguments)
    except OperationFailed as error:
        failure = {"error": {"code": error.code, "message": str(error)}}
        if step.may_fail:
            return failure
        _set(machine, step.set_as, failure)
        raise ToolError(f"{step.call}: {error.code}: {error}") from error
    if step.call == "artifact.put":
        machine.gate_says({"ev": "artifact_written", "name": result["name"], "sha256": result["sha256"]})
    return result


async def _phase(machine: "Machine", step: kinds.Phase) -> None:
    try:
        result = await _see_phase(machine)
    except OperationFailed as error:
        result = {"phase": "", "reason": str(error), "error": error.code}
    machine.variables[step.phase] = result


async def _look_at_phase(machine: "Machine") -> None:
    """The gate looks before and after what can change the phase; without an endpoint there is none to see."""
    if not machine.has_endpoint:
        return
    try:
        await _see_phase(machine)
    except OperationFailed as error:
        raise ToolError(f"phase.show: {error.code}: {error}") from error


async def _see_phase(machine: "Machine") -> dict[str, Any]:
    """`phase.show`; another phase than the last one is told on the one-way channel."""
    result: dict[str, Any] = await call_operation("phase.show", {})
    phase, before = result["phase"], machine.last_phase
    machine.last_phase = phase
    if before is not None and phase != before:
        reason = result.get("reason")
        machine.gate_says({"ev": "phase_changed", "phase": phase, "from": before, "reason": reason})
    return result


async def _run(machine: "Machine", step: kinds.Run, tool: ToolRun | None) -> dict[str, Any]:
    words = [expand_text(word, machine.variables) for word in step.run]
    stdin = None if step.stdin is None else expand_text(step.stdin, machine.variables)
    abort = machine.agent.abort_event if step.signal and _in_run(tool) else None
    try:
        ended = await run_command(words, stdin, abort)
    except OSError as error:
        raise ToolError(f"{words[0]}: {error.strerror}") from error
    if ended.code is None:
        raise ToolError("The operation was aborted")
    if ended.code and not step.may_fail:
        raise ToolError(f"{' '.join(words)}: exit {ended.code}: {ended.errors.strip()}")
    return {"code": ended.code, "output": ended.output, "errors": ended.errors}


def _one_way(machine: "Machine", step: Step, tool: ToolRun | None) -> bool:
    variables = machine.variables
    if isinstance(step, kinds.Notify):
        fields: dict[str, Any] = {"method": "notify", "message": expand(step.notify, variables)}
        if step.level is not None:
            fields["notifyType"] = step.level
        _request(machine, fields)
    elif isinstance(step, kinds.Request):
        _request(machine, expand(step.request, variables))
    elif isinstance(step, kinds.Entry):
        machine.append_entry(expand_text(step.entry, variables), expand(step.data, variables))
    elif isinstance(step, kinds.Send):
        content, details = expand(step.content, variables), expand(step.details, variables)
        machine.agent.record(custom_message(step.send, content, step.display, details))
    elif isinstance(step, kinds.Refuse):
        raise ToolRefused(expand_text(step.refuse, variables))
    elif isinstance(step, kinds.GateEvent):
        machine.gate_says(expand(step.gate_event, variables))
    elif isinstance(step, kinds.ExtensionError):
        path = step.path or (machine.options.extensions or [".pi/extensions/tht-gate.js"])[0]
        error = {"extensionPath": path, "event": step.event, "error": step.extension_error}
        machine.emit({"type": "extension_error", **error})
    elif isinstance(step, kinds.Update) and tool is not None:
        partial: dict[str, Any] = {"content": [{"type": "text", "text": expand_text(step.update, variables)}]}
        if step.details is not None:
            partial["details"] = expand(step.details, variables)
        head = {"toolCallId": tool.call_id, "toolName": tool.name, "args": tool.args}
        machine.emit({"type": "tool_execution_update", **head, "partialResult": partial})
    else:
        return False
    return True


def _request(machine: "Machine", fields: dict[str, Any]) -> None:
    import uuid

    machine.emit({"type": "extension_ui_request", "id": str(uuid.uuid4()), **fields})
