"""Tool calls: announced in the answer, run, and given back to the model, as Pi does it."""

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fake_pi import step_kinds as kinds
from fake_pi.interpreter import perform, perform_all
from fake_pi.messages import Message, text_block, tool_result
from fake_pi.processes import run_bash
from fake_pi.step_base import Step, Steps, no_steps
from fake_pi.templates import expand, expand_text

if TYPE_CHECKING:
    from fake_pi.machine import Machine


class ToolError(Exception):
    """The tool threw; the model gets the text as an error result."""


class ToolRefused(Exception):
    """A hook blocked the tool; it does not run."""


@dataclass(slots=True)
class ToolRun:
    """A tool that runs, or the handler of a command (then `name` is empty and it is not part of a run)."""

    call_id: str
    name: str
    args: dict[str, Any]
    result: Any = ""
    """What the last step inside gave."""

    @property
    def in_run(self) -> bool:
        """False for the handler of a command: abort does not touch it."""
        return bool(self.name)


@dataclass(slots=True)
class ToolCall:
    """One tool call of the model."""

    name: str
    args: dict[str, Any]
    call_id: str | None = None
    do: Steps = field(default_factory=no_steps)
    step: kinds.Tool | None = None
    inner: Step | None = None
    """The step that the tool performs and whose result it gives."""
    bash: bool = False
    sequential: bool = False


@dataclass(slots=True)
class Outcome:
    """What a tool gave; `duration` is None when it did not run."""

    result: dict[str, Any]
    error: bool = False
    duration: int | None = None


async def call_tools(machine: "Machine", calls: list[ToolCall]) -> None:
    """The model calls these tools in its open answer, and they run."""
    agent = machine.agent
    answer = await agent.prepare()
    for call in calls:
        call.call_id = call.call_id or f"call_{secrets.token_hex(8)}"
        raw, error = (call.step.raw_args, call.step.args_error) if call.step else (None, None)
        answer.tool_call(call.call_id, call.name, call.args, raw, error)
    truncated = any(call.step is not None and call.step.not_run == "length" for call in calls)
    message = await agent.finish("length" if truncated else "toolUse", tools=True)
    if len(calls) == 1 or any(call.sequential for call in calls):
        results = [await _run_and_record(machine, call) for call in calls]
    else:
        for call in calls:
            _tell_start(machine, call)
        outcomes = await asyncio.gather(*(_run_one(machine, call) for call in calls))
        results = [_result_message(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]
        for result in results:
            agent.record(result)
    agent.end_turn(message, results)
    agent.check_abort()
    await asyncio.sleep(0)


async def _run_and_record(machine: "Machine", call: ToolCall) -> Message:
    _tell_start(machine, call)
    result = _result_message(call, await _run_one(machine, call))
    machine.agent.record(result)
    return result


def _result_message(call: ToolCall, outcome: Outcome) -> Message:
    return tool_result(call.call_id or "", call.name, outcome.result, outcome.error, outcome.duration)


def _tell_start(machine: "Machine", call: ToolCall) -> None:
    machine.emit(
        {"type": "tool_execution_start", "toolCallId": call.call_id, "toolName": call.name, "args": call.args}
    )


async def _run_one(machine: "Machine", call: ToolCall) -> Outcome:
    began = time.monotonic()
    outcome = await _outcome(machine, call)
    end: dict[str, Any] = {
        "type": "tool_execution_end",
        "toolCallId": call.call_id,
        "toolName": call.name,
        "result": outcome.result,
        "isError": outcome.error,
    }
    if outcome.duration is not None:
        end["durationMs"] = outcome.duration = int((time.monotonic() - began) * 1000)
    machine.emit(end)
    return outcome


def _error(text: str, ran: bool) -> Outcome:
    return Outcome({"content": [text_block(text)], "details": {}}, True, 0 if ran else None)


async def _outcome(machine: "Machine", call: ToolCall) -> Outcome:
    run = ToolRun(call.call_id or "", call.name, call.args)
    step = call.step
    if not machine.offers(call.name):
        return _error(f"Tool {call.name} not found", ran=False)
    if step is not None and step.not_run is not None:
        return _error(_not_run_text(step, machine), ran=False)
    try:
        await perform_all(machine, call.do, run)
        if call.bash and machine.agent.abort_event.is_set():
            return _error("Operation aborted", ran=False)
        if call.bash:
            return await _bash(machine, call)
        if call.inner is not None:
            await perform(machine, call.inner, run)
            return Outcome({"content": [text_block(_as_text(run.result))], "details": {}}, duration=0)
    except ToolError as error:
        return _error(str(error), ran=True)
    except ToolRefused as error:
        return _error(str(error), ran=False)
    if step is None:
        return Outcome({"content": [text_block(_as_text(run.result))], "details": {}}, duration=0)
    if step.error is not None:
        return _error(expand_text(step.error, machine.variables), ran=True)
    text = expand_text(step.result, machine.variables)
    if step.set_as:
        machine.variables[step.set_as] = expand(step.result, machine.variables)
    return Outcome(
        {"content": [text_block(text)], "details": expand(step.details, machine.variables)}, duration=0
    )


def _not_run_text(step: kinds.Tool, machine: "Machine") -> str:
    if step.not_run == "length":
        return (
            f'Tool call "{step.tool}" was not executed: the response hit the output token limit, so its '
            "arguments may be truncated. Re-issue the tool call with complete arguments."
        )
    return expand_text(step.not_run, machine.variables)


def _as_text(value: Any) -> str:
    return expand_text("${value}", {"value": value})


async def _bash(machine: "Machine", call: ToolCall) -> Outcome:
    """Pi's own bash tool: partial results hold all output so far, the first one is empty."""
    run = {"type": "tool_execution_update", "toolCallId": call.call_id, "toolName": "bash", "args": call.args}
    machine.emit({**run, "partialResult": {"content": []}})
    began = time.monotonic()
    so_far: list[str] = []

    def tell(piece: str) -> None:
        so_far.append(piece)
        content = [text_block("".join(so_far)[-50_000:])]
        machine.emit({**run, "partialResult": {"content": content, "details": {}}})

    ended = await run_bash(call.args["command"], machine.agent.abort_event, tell)
    if ended.code is None:
        return _error("Command aborted", ran=True)
    text = ended.output[-50_000:] or "(no output)"
    result: dict[str, Any] = {
        "content": [
            text_block(text if ended.code == 0 else f"{text}\n\nCommand exited with code {ended.code}")
        ],
        "structuredContent": {
            "output": ended.output[: 1 << 20],
            "truncated": len(ended.output) > 1 << 20,
            "exit_code": ended.code,
            "wall_time_seconds": round(time.monotonic() - began, 1),
        },
    }
    if ended.code:
        result["isError"] = True
    return Outcome(result, ended.code != 0, 0)
