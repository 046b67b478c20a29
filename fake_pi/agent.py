"""A run of the agent: turns, the two queues, retries, abort, as Pi 1.6.0 writes them on stdout."""

import asyncio
import contextlib

from fake_pi.answer import Answer
from fake_pi.compaction import compact
from fake_pi.interpreter import StopRun, perform_all
from fake_pi.machine import Machine
from fake_pi.messages import Message, failed_answer, system_message, user_message
from fake_pi.scenario import find_trigger
from fake_pi.step_base import Steps
from fake_pi.tasks import start_task
from fake_pi.tools import ToolError

AFTER_TOOLS = "This operation was aborted"
BEFORE_ANSWER = "Request aborted"
IN_ANSWER = "Request was aborted"


class Aborted(Exception):
    """The run was aborted at a point where Pi notices it."""


class RunFailed(Exception):
    """The model failed for good; its records are written already."""


class Agent:
    """The agent of one process. At most one run at a time."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.steering: list[str] = []
        self.follow_ups: list[str] = []
        self.streaming = False
        self.abort_event = asyncio.Event()
        self.retry_cancelled = asyncio.Event()
        self.settled = asyncio.Event()
        self.settled.set()
        self.answer: Answer | None = None
        self.task: asyncio.Task[None] | None = None
        self._turn_open = False
        self._answered = False
        """The last answer was whole and called no tool."""
        self._messages: list[Message] = []
        self._requests = 0
        self._retries = 0
        self._waiting_for_retry = False

    # The run as a whole.

    def start(self, messages: list[Message], steps: Steps) -> None:
        """Begins a run. While one is active the text is lost and `agent_settled` comes at once, as in Pi."""
        if self.streaming:
            self._machine.emit({"type": "agent_settled", "aborted": False})
            return
        self.streaming = True
        self.abort_event.clear()
        self.retry_cancelled.clear()
        self.settled.clear()
        self._retries = 0
        self._machine.emit({"type": "agent_start"})
        self.task = start_task(self._run(messages, steps))

    async def abort(self) -> None:
        """Aborts the run and waits until it has settled."""
        self.abort_event.set()
        await self.settled.wait()

    def cancel_retry(self) -> None:
        """abort_retry: ends the wait for a retry, if there is one."""
        if self._waiting_for_retry:
            self._end_retry(False, "Retry cancelled")
            self.retry_cancelled.set()

    async def _run(self, messages: list[Message], steps: Steps) -> None:
        aborted = False
        try:
            await asyncio.sleep(0)
            self._messages = []
            self._begin_turn()
            self._record_first(messages)
            self._deliver_steering()
            await self._perform(steps)
            self._machine.emit({"type": "agent_end", "messages": self._messages, "willRetry": False})
        except Aborted:
            aborted = True
            self._close_aborted()
        except RunFailed:
            aborted = self.abort_event.is_set()
        except OSError as error:
            self._fail_to_record(error)
        except ToolError as error:
            await self._fail_in_hook(error)
        self._settle(aborted)

    def _settle(self, aborted: bool) -> None:
        self.streaming = self._turn_open = False
        self.answer = None
        self._machine.emit({"type": "agent_settled", "aborted": aborted})
        self.settled.set()

    async def _perform(self, steps: Steps) -> None:
        """The scenario's steps, then an answer to whatever is still queued."""
        scenario = self._machine.scenario
        await self._steps(steps)
        if self.answer is None and not self._answered:
            await self._steps(scenario.otherwise)
        await self._end_answer()
        while self.steering or self.follow_ups:
            self._begin_turn()
            text = self._deliver(self.steering if self.steering else self.follow_ups)
            trigger = find_trigger(scenario.steer, text)
            await self._steps(trigger.steps if trigger else scenario.otherwise)
            await self._end_answer()

    async def _steps(self, steps: Steps) -> None:
        with contextlib.suppress(StopRun):
            await perform_all(self._machine, steps)

    async def _end_answer(self) -> None:
        """The last answer of a run ends it; after tools the model is always asked once more."""
        if self.answer is not None or not self._answered:
            await self.prepare()
            await self.finish("stop")

    # Turns.

    def _begin_turn(self) -> None:
        self._machine.emit({"type": "turn_start"})
        self._turn_open = True
        self._answered = False

    async def prepare(self) -> Answer:
        """The open answer; without one, the next turn begins and the model is asked."""
        self.check_abort()
        while self.answer is None:
            if not self._turn_open:
                self._begin_turn()
                text = self._deliver_steering()
                trigger = None if text is None else find_trigger(self._machine.scenario.steer, text)
                if trigger is not None:
                    await perform_all(self._machine, trigger.steps)
                    continue
            machine = self._machine
            self.answer = Answer(machine.emit, machine.model, machine.thinking_level, self._requests)
            self._requests += 1
            await self.pause(machine.scenario.latency_ms)
        return self.answer

    def check_abort(self) -> None:
        """Raises Aborted when an abort was asked for."""
        if self.abort_event.is_set():
            raise Aborted

    async def pause(self, milliseconds: float | None) -> None:
        """Waits (None: for ever). Raises Aborted when an abort comes meanwhile."""
        timeout = None if milliseconds is None else milliseconds / 1000
        if milliseconds is not None and milliseconds <= 0:
            await asyncio.sleep(0)
        else:
            await wait_for_event(self.abort_event, timeout)
        self.check_abort()

    async def finish(
        self, reason: str, error: str | None = None, ended: bool = True, tools: bool = False
    ) -> Message:
        """Ends the open answer, and the turn with it when no `tools` follow."""
        message = self._record_answer(reason, error, ended)
        self._answered = not tools
        if reason != "error" and self._retries:
            self._machine.emit({"type": "auto_retry_end", "success": True, "attempt": self._retries})
            self._retries = 0
        if not tools:
            self.end_turn(message, [])
        await asyncio.sleep(0)
        return message

    def end_turn(self, message: Message, results: list[Message]) -> None:
        """`turn_end`."""
        self._machine.emit({"type": "turn_end", "message": message, "toolResults": results})
        self._turn_open = False

    async def stop_at_length(self) -> None:
        """The answer ends because it is too long: Pi takes it out of the context and the run is over."""
        await self.finish("length")
        self._machine.emit({"type": "agent_end", "messages": self._messages, "willRetry": False})
        self._edit_context()
        raise RunFailed

    def _record_answer(self, reason: str, error: str | None, ended: bool) -> Message:
        assert self.answer is not None
        message = self.answer.finish(reason, error, ended)
        self.answer = None
        self._keep(message)
        return message

    def record(self, message: Message) -> None:
        """A whole message: start, end, and into the session."""
        self._machine.emit({"type": "message_start", "message": message})
        self._machine.emit({"type": "message_end", "message": message})
        self._keep(message)

    def _keep(self, message: Message) -> None:
        self._messages.append(message)
        if message["role"] == "custom":
            fields = {
                key: message[key] for key in ("customType", "content", "display", "details") if key in message
            }
            self._machine.session.append("custom_message", **fields)
        else:
            self._machine.session.append("message", message=message)

    def _record_first(self, messages: list[Message]) -> None:
        session = self._machine.session
        if not any(message["role"] == "system" for message in session.messages()):
            self.record(system_message(self._machine.offered_tools(), session.cwd))
        for message in messages:
            self.record(message)

    # The queues.

    def queue(self, text: str, follow_up: bool) -> None:
        """Queues a text and says so."""
        (self.follow_ups if follow_up else self.steering).append(text)
        self._tell_queues()

    def clear_queues(self) -> dict[str, list[str]]:
        """Empties both queues; what was in them."""
        removed = {"steering": self.steering, "followUp": self.follow_ups}
        self.steering, self.follow_ups = [], []
        self._tell_queues()
        return removed

    def _tell_queues(self) -> None:
        self._machine.emit(
            {"type": "queue_update", "steering": list(self.steering), "followUp": list(self.follow_ups)}
        )

    def _deliver_steering(self) -> str | None:
        return self._deliver(self.steering) if self.steering else None

    def _deliver(self, queue: list[str]) -> str:
        text = queue.pop(0)
        self._tell_queues()
        self.record(user_message(text))
        self._machine.variables["steer"] = {"text": text}
        return text

    # What goes wrong.

    async def fail(self, error: str, retry: bool, ended: bool, overflow: bool) -> None:
        """The answer fails. Returns when the model is to be asked again, else raises RunFailed."""
        machine = self._machine
        settings = machine.scenario.retry
        again = retry and not overflow and settings.enabled and self._retries < settings.attempts
        await self.finish("error", error, ended)
        machine.emit({"type": "agent_end", "messages": self._messages, "willRetry": again})
        self._messages = []
        if overflow:
            self._edit_context()
            await compact(machine, "overflow", "SUMMARY", will_retry=True)
        elif again:
            await self._wait_for_retry(error)
        else:
            if self._retries:
                self._end_retry(False, error)
            raise RunFailed
        machine.emit({"type": "agent_start"})
        self._begin_turn()
        self._deliver_steering()

    async def _wait_for_retry(self, error: str) -> None:
        settings = self._machine.scenario.retry
        self._retries += 1
        delay = int(settings.base_ms * 2 ** (self._retries - 1))
        self._machine.emit(
            {
                "type": "auto_retry_start",
                "attempt": self._retries,
                "maxAttempts": settings.attempts,
                "delayMs": delay,
                "errorMessage": error,
            }
        )
        self._edit_context()
        self._waiting_for_retry = True
        waiters = [asyncio.ensure_future(item.wait()) for item in (self.retry_cancelled, self.abort_event)]
        done, rest = await asyncio.wait(waiters, timeout=delay / 1000, return_when=asyncio.FIRST_COMPLETED)
        self._waiting_for_retry = False
        for waiter in rest:
            waiter.cancel()
        if self.abort_event.is_set() and not self.retry_cancelled.is_set():
            self._end_retry(False, "Retry cancelled")
        if done:
            raise RunFailed

    def _end_retry(self, success: bool, error: str) -> None:
        self._machine.emit(
            {"type": "auto_retry_end", "success": success, "attempt": self._retries, "finalError": error}
        )
        self._retries = 0

    def _edit_context(self) -> None:
        """Pi takes the failed answer out of the model's context."""
        session = self._machine.session
        entry = session.append("context_edit", targetId=session.leaf, replacement=None)
        self._machine.emit({"type": "entry_appended", "entry": entry})

    def _close_aborted(self) -> None:
        """The end of an aborted run, depending on where the abort found it."""
        if self.answer is None:
            if not self._turn_open:
                self._begin_turn()
            machine = self._machine
            self.answer = Answer(machine.emit, machine.model, machine.thinking_level, self._requests)
            self._requests += 1
            error = AFTER_TOOLS
        else:
            error = IN_ANSWER if self.answer.started else BEFORE_ANSWER
        self.end_turn(self._record_answer("aborted", error, ended=True), [])
        self._machine.emit({"type": "agent_end", "messages": self._messages, "willRetry": False})

    async def _fail_in_hook(self, error: ToolError) -> None:
        """What the scenario did outside a tool failed, as when a hook of the gate throws: the run ends."""
        self._machine.emit(
            {
                "type": "extension_error",
                "extensionPath": "tht-gate.js",
                "event": "tool_call",
                "error": str(error),
            }
        )
        if self.answer is not None:
            await self.finish("stop")
        self._machine.emit({"type": "agent_end", "messages": self._messages, "willRetry": False})

    def _fail_to_record(self, error: OSError) -> None:
        """The session's file cannot be written: an error message, no turn_end, no agent_end."""
        reason = f"ENOENT: no such file or directory, open '{error.filename}'"
        message = failed_answer(self._machine.model, reason)
        self._machine.emit({"type": "message_start", "message": message})
        self._machine.emit({"type": "message_end", "message": message})


async def wait_for_event(event: asyncio.Event, timeout_s: float | None) -> bool:
    """True when the event came within the time (None: wait for ever)."""
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return False
    return True
