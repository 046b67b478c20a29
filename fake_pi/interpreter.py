"""Performs the steps of a scenario: control flow here, the rest in the modules named after who does it."""

import re
from typing import TYPE_CHECKING

from fake_pi import step_kinds as kinds
from fake_pi.step_base import Step, Steps
from fake_pi.templates import UNDEFINED, expand, expand_text

if TYPE_CHECKING:
    from fake_pi.machine import Machine
    from fake_pi.tools import ToolRun


class StopRun(Exception):
    """`done: run`."""


class StopRepeat(Exception):
    """`done: repeat`."""


async def perform_all(machine: "Machine", steps: Steps, tool: "ToolRun | None" = None) -> None:
    """Performs steps in order. `tool` is the tool or command that performs them; None means the model."""
    for step in steps.items:
        await perform(machine, step, tool)


async def perform(machine: "Machine", step: Step, tool: "ToolRun | None") -> None:
    """Performs one step."""
    # Imported here because those modules perform steps themselves.
    from fake_pi.extension_steps import perform_extension_step
    from fake_pi.fault_steps import perform_fault_step
    from fake_pi.model_steps import perform_model_step

    if await _perform_control(machine, step, tool):
        return
    if tool is None and await perform_model_step(machine, step):
        return
    if await perform_extension_step(machine, step, tool):
        return
    await perform_fault_step(machine, step, tool)


async def _perform_control(machine: "Machine", step: Step, tool: "ToolRun | None") -> bool:
    if isinstance(step, kinds.Set):
        machine.variables.update(expand(step.set, machine.variables))
    elif isinstance(step, kinds.Use):
        await perform_all(machine, machine.scenario.parts[step.use], tool)
    elif isinstance(step, kinds.Switch):
        case = _case(step, expand_text(step.switch, machine.variables))
        if case is not None:
            await perform_all(machine, case, tool)
    elif isinstance(step, kinds.Repeat):
        await _repeat(machine, step, tool)
    elif isinstance(step, kinds.Done):
        raise StopRun if step.done == "run" else StopRepeat
    else:
        return False
    return True


def _case(step: kinds.Switch, value: str) -> Steps | None:
    if step.patterns:
        found = next((name for name in step.cases if name != "default" and re.search(name, value)), "default")
        return step.cases.get(found)
    return step.cases[value] if value in step.cases else step.cases.get("default")


async def _repeat(machine: "Machine", step: kinds.Repeat, tool: "ToolRun | None") -> None:
    for _ in range(step.at_most):
        try:
            await perform_all(machine, step.repeat, tool)
        except StopRepeat:
            return
        value = expand(step.until, machine.variables)
        if step.until is not None and value is not UNDEFINED and _word(value) in step.values:
            return


def _word(value: object) -> str:
    return {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else str(value)
