"""Commands that take time: prompts and what belongs to a run."""

import asyncio
from typing import Any

from fake_pi.compaction import compact
from fake_pi.interpreter import StopRun, perform_all
from fake_pi.machine import Machine
from fake_pi.messages import Message, custom_message, user_message
from fake_pi.processes import run_bash
from fake_pi.queries import CommandFailed
from fake_pi.scenario import Command, Input, find_trigger
from fake_pi.step_base import Steps
from fake_pi.tools import ToolError, ToolRun

BUSY = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."
NO_KEY = (
    "No API key found for {provider}.\n\nUse /login to log into a provider via OAuth or API key. See:\n"
    "  docs/providers.md\n  docs/models.md"
)


class Prompts:
    """Handlers of the commands; each returns the response's data or raises CommandFailed."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._to_start: list[tuple[dict[str, Any], list[Message], Steps]] = []

    async def prompt(self, record: dict[str, Any]) -> dict[str, Any]:
        """`prompt`: an extension's command, a hook, a queue or a run."""
        text = _message_of(record)
        await asyncio.sleep(0)
        command = self._find_command(text)
        if command is not None:
            await self._run_command(record, command, text.partition(" ")[2])
            return {"disposition": "handled"}
        text, hook = await self._input_hook(text)
        if hook is not None and hook.handled:
            return {"disposition": "handled"}
        agent = self._machine.agent
        if agent.streaming:
            if not record.get("streamingBehavior"):
                raise CommandFailed(BUSY)
            agent.queue(text, record["streamingBehavior"] == "followUp")
            return {"disposition": "queued"}
        if not self._machine.model.credentials:
            raise CommandFailed(NO_KEY.format(provider=self._machine.model.provider))
        messages = [user_message(text)]
        if hook is not None and hook.message is not None:
            note = hook.message
            content = self._filled(note.content, text)
            messages.append(custom_message(note.type, content, note.display, note.details))
        trigger = find_trigger(self._machine.scenario.prompts, text)
        steps = trigger.steps if trigger is not None else Steps([])
        self._machine.variables["prompt"] = {"text": text}
        self._to_start.append((record, messages, steps))
        await asyncio.sleep(0)
        return {"disposition": "started"}

    async def steer(self, record: dict[str, Any]) -> dict[str, Any]:
        """`steer`: never starts a run."""
        return await self._queue(record, follow_up=False)

    async def follow_up(self, record: dict[str, Any]) -> dict[str, Any]:
        """`follow_up`: never starts a run."""
        return await self._queue(record, follow_up=True)

    async def abort(self, _record: dict[str, Any]) -> None:
        """`abort`: answered when the run has settled."""
        if self._machine.agent.streaming:
            await self._machine.agent.abort()

    async def abort_retry(self, _record: dict[str, Any]) -> None:
        """`abort_retry`: ends the wait."""
        self._machine.agent.cancel_retry()
        await asyncio.sleep(0)

    async def clear_queue(self, _record: dict[str, Any]) -> dict[str, Any]:
        """`clear_queue`: what was removed."""
        return self._machine.agent.clear_queues()

    async def compact(self, _record: dict[str, Any]) -> dict[str, Any]:
        """`compact`."""
        return await compact(self._machine, "manual", "SUMMARY")

    async def bash(self, record: dict[str, Any]) -> dict[str, Any]:
        """`bash`: runs on the spot, no hook of an extension sees it."""

        def tell(piece: str) -> None:
            update: dict[str, Any] = {"type": "bash_execution_update"}
            if "id" in record:
                update["id"] = record["id"]
            self._machine.emit({**update, "delta": piece})

        ended = await run_bash(str(record.get("command", "")), None, tell)
        return {"output": ended.output, "exitCode": ended.code, "cancelled": False, "truncated": False}

    async def after_response(self, record: dict[str, Any]) -> None:
        """Starts the run that a response announced; a run never begins before it."""
        for item in list(self._to_start):
            if item[0] is record:
                self._to_start.remove(item)
                await asyncio.sleep(0)
                self._machine.agent.start(item[1], item[2])

    async def _queue(self, record: dict[str, Any], follow_up: bool) -> dict[str, Any]:
        text = _message_of(record)
        await asyncio.sleep(0)
        if self._find_command(text) is not None:
            name = text.split(" ")[0]
            raise CommandFailed(
                f'Extension command "{name}" cannot be queued. '
                "Use prompt() or execute the command when not streaming."
            )
        text, hook = await self._input_hook(text)
        if hook is not None and hook.handled:
            return {"disposition": "handled"}
        self._machine.agent.queue(text, follow_up)
        await asyncio.sleep(0)
        return {"disposition": "queued"}

    def _find_command(self, text: str) -> Command | None:
        if not text.startswith("/"):
            return None
        return self._machine.commands.get(text[1:].split(" ")[0])

    async def _run_command(self, record: dict[str, Any], command: Command, arguments: str) -> None:
        machine = self._machine
        machine.variables["command"] = {"name": command.name, "args": arguments}
        try:
            await perform_all(machine, command.do, ToolRun("", "", {}))
        except StopRun:
            return
        except ToolError as error:
            self._tell_throw(f"command:{command.name}", "command", str(error))
            return
        if command.throws is not None:
            self._tell_throw(f"command:{command.name}", "command", command.throws)
            return
        if command.as_user is not None:
            messages = [user_message(self._filled(command.as_user, arguments))]
        elif command.steps is not None:
            note = command.message
            kind, content = (
                ("tht-kickoff", f"/{command.name} {arguments}") if note is None else (note.type, note.content)
            )
            details, display = (None, False) if note is None else (note.details, note.display)
            messages = [custom_message(kind, self._filled(content, arguments), display, details)]
        else:
            return
        self._to_start.append((record, messages, command.steps or Steps([])))

    async def _input_hook(self, text: str) -> tuple[str, Input | None]:
        """The text after the hook, and the hook that took it."""
        machine = self._machine
        hooks = machine.scenario.input if machine.gate_loaded else []
        hook = next((item for item in hooks if find_trigger_text(item.match, text)), None)
        if hook is None:
            return text, None
        if hook.throws is not None:
            self._tell_throw(None, "input", hook.throws)
            return text, None
        await perform_all(machine, hook.do, ToolRun("", "", {}))
        return (text if hook.text is None else self._filled(hook.text, text)), hook

    def _tell_throw(self, path: str | None, event: str, error: str) -> None:
        path = path or (self._machine.options.extensions or [".pi/extensions/gate.js"])[0]
        self._machine.emit({"type": "extension_error", "extensionPath": path, "event": event, "error": error})

    def _filled(self, value: Any, text: str) -> Any:
        from fake_pi.templates import expand

        return expand(value, {**self._machine.variables, "text": text, "args": text})


def find_trigger_text(pattern: str, text: str) -> bool:
    """True when the pattern of a hook is found in the text."""
    import re

    return re.search(pattern, text) is not None


def _message_of(record: dict[str, Any]) -> str:
    """The text of a prompt; the errors are JavaScript's."""
    if "message" not in record:
        raise CommandFailed("Cannot read properties of undefined (reading 'startsWith')")
    if record["message"] is None:
        raise CommandFailed("Cannot read properties of null (reading 'startsWith')")
    if not isinstance(record["message"], str):
        raise CommandFailed("text.startsWith is not a function")
    return record["message"]
