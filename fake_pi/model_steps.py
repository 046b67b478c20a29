"""Steps of the model: text, reasoning, failures, tool calls. A question at the top is a tool call too."""

from typing import TYPE_CHECKING

from fake_pi import step_kinds as kinds
from fake_pi.compaction import compact
from fake_pi.gate import (
    QUIET_OPERATIONS,
    WIDGET_TOOLS,
    tool_arguments,
    tool_of_operation,
    widget_arguments,
    widget_fields,
)
from fake_pi.step_base import Step
from fake_pi.templates import expand, expand_text
from fake_pi.tools import ToolCall, call_tools

if TYPE_CHECKING:
    from fake_pi.machine import Machine


async def perform_model_step(machine: "Machine", step: Step) -> bool:
    """Performs a step of the model; False when it is none."""
    if isinstance(step, (kinds.Text, kinds.Thinking)):
        await _stream(machine, step)
    elif isinstance(step, (kinds.Fail, kinds.Stop, kinds.Stall, kinds.Empty)):
        await _end(machine, step)
    elif isinstance(step, kinds.Tools):
        tools = [item for item in step.tools.items if isinstance(item, kinds.Tool)]
        await call_tools(machine, [_of_tool(machine, item) for item in tools])
    elif isinstance(step, kinds.CutTool):
        answer = await machine.agent.prepare()
        answer.tool_call(step.id, step.cut_tool, {}, step.raw_args, step.args_error)
    elif isinstance(step, kinds.Compaction):
        await compact(machine, step.compaction, step.summary, aborted=step.aborted, error=step.error)
    elif isinstance(step, kinds.Delay) and not step.deaf:
        await machine.agent.pause(step.delay)
    else:
        call = _tool_call(machine, step)
        if call is None:
            return False
        await call_tools(machine, [call])
    return True


async def _stream(machine: "Machine", step: kinds.Text | kinds.Thinking) -> None:
    whole = expand_text(step.text if isinstance(step, kinds.Text) else step.thinking, machine.variables)
    size = step.chunk or machine.scenario.chunk
    pieces = step.chunks or [whole[at : at + size] for at in range(0, len(whole), size)] or [""]
    for piece in pieces:
        answer = await machine.agent.prepare()
        if isinstance(step, kinds.Text):
            answer.text([piece])
        else:
            answer.thinking([piece])
        await machine.agent.pause(machine.scenario.pause_ms if step.pause_ms is None else step.pause_ms)


async def _end(machine: "Machine", step: kinds.Fail | kinds.Stop | kinds.Stall | kinds.Empty) -> None:
    agent = machine.agent
    if isinstance(step, kinds.Fail):
        for _ in range(step.times):
            await agent.prepare()
            for line in step.stderr:
                machine.output.error_line(line)
            await agent.fail(expand_text(step.fail, machine.variables), step.retry, step.ended, step.overflow)
        return
    await agent.prepare()
    if isinstance(step, kinds.Stall):
        await agent.pause(None)
    elif isinstance(step, kinds.Stop) and step.stop == "length":
        await agent.stop_at_length()
    else:
        await agent.finish("stop")


def _tool_call(machine: "Machine", step: Step) -> ToolCall | None:
    """The tool call that a step is when the model makes it."""
    variables = machine.variables
    if isinstance(step, kinds.Tool):
        return _of_tool(machine, step)
    if isinstance(step, kinds.Bash):
        return ToolCall(
            "bash", {"command": expand_text(step.bash, variables)}, call_id=step.id, do=step.do, bash=True
        )
    if isinstance(step, kinds.Widget):
        args = widget_arguments(step, expand(widget_fields(step), variables))
        return ToolCall(step.tool or WIDGET_TOOLS[step.widget], args, inner=step)
    if isinstance(step, kinds.Dialog):
        fields = {"kind": step.dialog, "title": step.title, "options": step.options}
        args = {key: value for key, value in expand(fields, variables).items() if value is not None}
        return ToolCall("ask", args, inner=step)
    if isinstance(step, kinds.Call):
        quiet = step.call in QUIET_OPERATIONS if step.quiet is None else step.quiet
        if quiet:
            return None
        args = tool_arguments(step.call, expand(step.args, variables))
        return ToolCall(step.tool or tool_of_operation(step.call), args, inner=step)
    if isinstance(step, kinds.Run):
        words = [expand_text(word, variables) for word in step.run]
        return ToolCall(step.tool, {"cmd": words[0], "args": words[1:]}, inner=step)
    return None


def _of_tool(machine: "Machine", step: kinds.Tool) -> ToolCall:
    return ToolCall(
        step.tool,
        expand(step.args, machine.variables),
        call_id=step.id,
        do=step.do,
        step=step,
        sequential=step.sequential,
    )
