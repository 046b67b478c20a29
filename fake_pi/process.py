"""The life of the process: start, stdin, signals, and the ways in which Pi ends."""

import asyncio
import os
import signal
import threading

from fake_pi.agent import Agent
from fake_pi.input_lines import LineBuffer
from fake_pi.interpreter import StopRun, perform_all
from fake_pi.machine import Machine
from fake_pi.output import BrokenOutput
from fake_pi.rpc import Commands, NullLine
from fake_pi.tasks import start_task
from fake_pi.tools import ToolError, ToolRun

_READ_BYTES = 1 << 16
_TICKS_BEFORE_SILENCE = 8
"""Rounds of the event loop in which a prompt just read still begins its run before EOF silences it."""

_NULL_LINE_DEATH = """\
file://dist/bundle/chunks/chunk.js:1107

TypeError: Cannot read properties of null (reading 'id')
    at handleInputLine (file://dist/bundle/chunks/chunk.js:1107:21316)

Node.js v24.19.0"""


class Process:
    """Runs the machine until the process ends; it ends by os._exit, as nothing is left to clean up."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        machine.agent = Agent(machine)
        self._commands = Commands(machine)
        self._lines = LineBuffer()
        self._loop = asyncio.get_running_loop()
        self._ended = False
        self._terminations = 0
        self._code = 0
        self._shutdown: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Starts, reads stdin, and never returns."""
        self._loop.set_exception_handler(self._on_exception)
        ignored = self._machine.scenario.shutdown.ignore
        signal.signal(signal.SIGINT, signal.SIG_IGN if "sigint" in ignored else signal.SIG_DFL)
        for number, name, code in ((signal.SIGTERM, "sigterm", 143), (signal.SIGHUP, "sighup", 129)):
            if name in ignored:
                signal.signal(number, signal.SIG_IGN)
            else:
                self._loop.add_signal_handler(number, self._on_signal, code)
        await self._start_session()
        threading.Thread(target=self._read, daemon=True).start()
        await asyncio.Event().wait()

    async def _start_session(self) -> None:
        """session_start: stdin is not read before its handlers are done."""
        machine = self._machine
        if not machine.gate_loaded:
            return
        gate = machine.scenario.the_gate
        if gate.loaded and gate.ready and gate.commands:
            machine.gate_says(
                {"ev": "ready", "version": gate.version, "session": machine.variables["session_id"]}
            )
        work = asyncio.ensure_future(perform_all(machine, machine.scenario.start, ToolRun("", "", {})))
        while not (await asyncio.wait({work}, timeout=0.01))[0]:
            # stdin is not read yet, so nobody can answer: Node has nothing left to wait for and exits.
            if machine.dialogs.endless():
                os._exit(0)
        try:
            work.result()
        except (ToolError, StopRun) as error:
            machine.output.error_line(f"start: {error}")

    def _read(self) -> None:
        """Reads stdin in a thread of its own, so that any kind of file will do."""
        while True:
            try:
                data = os.read(0, _READ_BYTES)
            except OSError:
                data = b""
            self._loop.call_soon_threadsafe(self._feed, data)
            if not data:
                return

    def _feed(self, data: bytes) -> None:
        if not self._machine.reading:
            return
        for line in self._lines.feed(data, final=not data):
            try:
                self._commands.handle_line(line)
            except NullLine:
                self._machine.output.error_line(_NULL_LINE_DEATH)
                os._exit(1)
        if not data and "eof" not in self._machine.scenario.shutdown.ignore:
            self._ended = True
            self._code = 0
            self._shut_down()

    def _on_signal(self, code: int) -> None:
        self._terminations += 1
        if self._terminations > 1:
            os._exit(code)
        if self._shutdown is None:
            self._code = code
            self._shut_down()

    def _shut_down(self) -> None:
        if self._shutdown is None:
            self._shutdown = start_task(self._end())

    async def _end(self) -> None:
        """Silences the run, aborts it, waits for what does not hear the abort, and exits."""
        for _ in range(_TICKS_BEFORE_SILENCE):
            await asyncio.sleep(0)
        machine = self._machine
        machine.muted = True
        machine.agent.abort_event.set()
        while machine.agent.streaming:
            # Node's loop is empty when only a dialog waits and stdin is closed: it just exits.
            if self._ended and machine.dialogs.hopeless():
                os._exit(self._code)
            await asyncio.sleep(0.01)
        await asyncio.sleep(machine.scenario.shutdown.delay_ms / 1000)
        os._exit(self._code)

    def _on_exception(self, _loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """Whatever nobody caught ends Pi with exit 1 and a trace on stderr; a closed stdout says nothing."""
        error = context.get("exception")
        if not isinstance(error, BrokenOutput):
            import traceback

            lines = traceback.format_exception(error) if isinstance(error, BaseException) else [str(context)]
            self._machine.output.error_line("".join(lines).rstrip())
        os._exit(1)
