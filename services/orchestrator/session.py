"""One session: started, talked to, stopped; its events as long as it is remembered."""

import asyncio
import time
from datetime import datetime
from typing import Any, cast

import msgspec
import structlog

from contracts.errors import Code, Fault
from contracts.limits import STEER_CHARACTERS
from services.orchestrator.agent_run import AgentRun
from services.orchestrator.answers import AnswerDesk
from services.orchestrator.asking import Ask
from services.orchestrator.child import STDERR_TOLD
from services.orchestrator.events import EventKind, encode
from services.orchestrator.hub import EventHub, Subscription
from services.orchestrator.journal import QuestionJournal
from services.orchestrator.launching import choice_of
from services.orchestrator.ownership import Ownership
from services.orchestrator.process import Exit
from services.orchestrator.questions import QuestionTable
from services.orchestrator.startup_checks import Expectation, Started, check_child, judge_ready
from services.orchestrator.surroundings import Surroundings
from services.orchestrator.transcript import history_file

ABORT_SECONDS = 20.0
WORKING = frozenset({"ready", "running", "waiting", "idle"})
"""States in which the agent can be talked to."""

_log = structlog.get_logger(__name__)


class Session:
    """A session as long as this orchestrator remembers it.

    `state` is one of closed, starting, ready, running, waiting, idle, closing, crashed. Starting, stopping
    and the end of a child exclude each other; everything else is synchronous on the event loop.
    """

    def __init__(self, session_id: str, surroundings: Surroundings) -> None:
        settings = surroundings.settings
        self.id = session_id
        self.directory = settings.sessions / session_id
        self.hub = EventHub(settings.ring_events, settings.ring_bytes)
        self.state = "closed"
        self.reason: str | None = None
        self.provider: str | None = None
        self.model: str | None = None
        self.models: list[dict[str, Any]] = []
        self.generation: int | None = None
        self.last_activity = time.monotonic()
        self._phase: str | None = None
        self._surroundings = surroundings
        self._run: AgentRun | None = None
        self._changing = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._desk = AnswerDesk(session_id, surroundings.executor, self._write)

    @property
    def live(self) -> bool:
        """True while it has, or is getting, a child."""
        return self.state not in ("closed", "crashed")

    @property
    def started_at(self) -> datetime | None:
        """When the present child was started."""
        return self._run.started_at if self._run else None

    @property
    def phase(self) -> str | None:
        """F1 to F5, as last heard."""
        return self._run.conversation.bridge.phase if self._run else self._phase

    def pending(self) -> list[dict[str, Any]]:
        """Descriptors of the open questions, oldest first."""
        table = self._run.conversation.table if self._run else None
        return [question.descriptor for question in table.open_questions()] if table else []

    def message(self) -> dict[str, str] | None:
        """The message being written."""
        return self._run.conversation.bridge.current_message() if self._run else None

    def claim(self) -> None:
        """Say that a start is under way, so that it is counted before the first await."""
        self.state = "starting"

    async def start(self, manifest: dict[str, Any]) -> None:
        """Start a child, check it, give the kickoff. Does nothing when there is one.

        Returns when the checks are passed, or after `start_patience_seconds` while they still run: a slow
        start goes on and its failure is then an event. Raises Fault with the last stderr lines when it failed
        before that.
        """
        async with self._changing:
            if self._run is None:
                await self._begin(manifest)
        await self.until_started()

    async def until_started(self) -> None:
        """Wait for a start that is under way, as `start` does; raises the same faults."""
        async with self._changing:
            run = self._run
        if run is None or run.coming_up is None:
            raise Fault(Code.PI_FAILED, self.reason or "Pi was stopped while it started", session_id=self.id)
        patience = self._surroundings.settings.start_patience_seconds
        done, _ = await asyncio.wait({run.coming_up}, timeout=patience)
        if done:
            await run.coming_up

    async def close(self, reason: str | None = None) -> None:
        """Stop the child in an orderly way. Does nothing when there is none."""
        async with self._changing:
            run = self._run
            if run is None:
                if self.state == "crashed":
                    self._tell("closed", reason)
                return
            self._tell("closing", reason)
            run.conversation.cancel_open("gone", None)
            await run.child.stop()
            await run.child.ended.wait()
            self._end_run(run, "closed", reason, None)

    async def respond(self, body: bytes, author: str, key: str) -> dict[str, Any]:
        """Answer a question; the receipt. See AnswerDesk.take for the faults.

        Goes on when the caller is cancelled: a recorded answer is delivered.
        """
        return await asyncio.shield(self._spawn(self._respond(body, author, key)))

    async def ask(self, asked: Ask) -> dict[str, Any]:
        """Ask the reviewer for a process that works for this session; see AskDesk.ask.

        Raises Fault SESSION_NOT_LIVE without an agent that works.
        """
        run = self._working()
        self.last_activity = time.monotonic()
        return await run.asks.ask(asked)

    async def steer(self, text: str) -> str:
        """Send free text to the agent; Pi's disposition.

        Raises Fault INVALID_ARGUMENT or SESSION_NOT_LIVE.
        """
        if not text.strip() or len(text) > STEER_CHARACTERS:
            message = f"the text to steer with has 1 to {STEER_CHARACTERS:,} characters"
            raise Fault(Code.INVALID_ARGUMENT, message)
        run = self._working()
        self.last_activity = time.monotonic()
        # Pi takes a text that starts with a slash for a command, also in a prompt that steers.
        message = f" {text}" if text.startswith("/") else text
        return await run.child.rpc.prompt(message, "steer")

    async def abort(self, author: str) -> None:
        """End the current run. Open dialogs go first: one without a signal holds up Pi's abort."""
        run = self._working()
        self.last_activity = time.monotonic()
        run.conversation.cancel_open("cancelled", author, run_only=True)
        await run.child.rpc.call("clear_queue")
        await run.child.rpc.call("abort", ABORT_SECONDS)

    def subscribe(self, last_event_id: str) -> Subscription:
        """Open a subscription to the events; see EventHub."""
        self.last_activity = time.monotonic()
        return self.hub.subscribe(
            last_event_id,
            self._snapshot,
            lambda: [encode({**descriptor, "again": True}) for descriptor in self.pending()],
        )

    def is_forgettable(self) -> bool:
        """True when nothing would be lost but the ring."""
        return not self.live and not self.hub.subscribers and not self._tasks and not self._changing.locked()

    async def _begin(self, manifest: dict[str, Any]) -> None:
        self.state = "starting"
        surroundings = self._surroundings
        variables = surroundings.doors.admit(self.id)
        token = variables["THT_AGENT_TOKEN"]
        ownership: Ownership | None = None
        try:
            resumes = history_file(self.directory / "pi", self.id) is not None
            ownership = await asyncio.to_thread(Ownership.take, self.directory, surroundings.owner)
            launch = await surroundings.launches.for_session(
                self.id,
                self.directory,
                manifest,
                resumes=resumes,
                subagents=await self._has_subagents(),
                own=variables,
            )
            run = AgentRun(
                self.id,
                ownership,
                token,
                resumes=resumes,
                phase=_phase_of(manifest),
                processes=surroundings.processes,
                hub=self.hub,
                changed=self._agent_changed,
            )
            self.generation = run.generation
            self._tell("starting", None)
            await run.start(launch)
        except BaseException as error:
            surroundings.doors.dismiss(token)
            if ownership is not None:
                ownership.release()
            if isinstance(error, OSError):
                error = _unusable(error)
            if not isinstance(error, Fault):
                self.state = "closed"
                raise
            self._tell("closed", error.message)
            error.details.setdefault("session_id", self.id)
            raise error from None
        self._run = run
        expectation = Expectation(self.id, choice_of(manifest), resumes)
        run.coming_up = self._spawn(self._come_up(run, expectation))
        run.coming_up.add_done_callback(_retrieve)
        self._spawn(self._watch(run))

    async def _has_subagents(self) -> bool:
        """Whether the workspace lets the agent start sub-agents. One that cannot be read does not."""
        try:
            shown = await self._surroundings.executor.call_operation(self.id, "workspace.show", b"{}")
        except Fault as fault:
            _log.warning("the workspace could not be read", session=self.id, reason=fault.message)
            return False
        return msgspec.json.decode(shown, type=dict[str, Any]).get("subagents") is True

    async def _come_up(self, run: AgentRun, expectation: Expectation) -> Started:
        settings = self._surroundings.settings
        try:
            started = await check_child(run.child.rpc, expectation, settings.start_seconds)
            judge_ready(run.conversation.bridge.gate_ready, self.id)
            if run.child.process.exit is not None or self.state != "starting":
                raise run.child.exit_fault()
        except Fault as fault:
            raise await self._give_up(run, fault) from fault
        self.provider, self.model, self.models = started.provider, started.model, started.models
        self.state = run.conversation.state
        self._tell("resumed" if run.resumes else "ready", None)
        kickoff = "riprendi-sessione" if run.resumes else "nuova-domanda"
        self._spawn(self._kick_off(run, f"/{kickoff} {self.id}"))
        return started

    async def _give_up(self, run: AgentRun, fault: Fault) -> Fault:
        """Clear away a child that did not pass; the fault to tell."""
        ended = run.child.process.exit
        if fault.code is Code.TIMEOUT:
            seconds = self._surroundings.settings.start_seconds
            fault = Fault(Code.PI_FAILED, f"Pi did not come up within {seconds:g} s")
        fault.details |= {
            "session_id": self.id,
            "exit_code": ended.code if ended else None,
            "signal": ended.signal if ended else None,
            "stderr": run.child.process.stderr_tail(STDERR_TOLD),
        }
        await run.child.stop()
        await run.child.ended.wait()
        if self._run is run and self.state != "closing":
            self._end_run(run, "crashed", fault.message, ended)
        return fault

    async def _kick_off(self, run: AgentRun, message: str) -> None:
        try:
            await run.child.rpc.prompt(message)
        except Fault as fault:
            if self._run is run and self.state in WORKING:
                text = f"the kickoff was refused: {fault.message}"
                data = {"level": "error", "text": text, "source": "orchestrator"}
                self.hub.publish(EventKind.INFO, encode(data))

    async def _watch(self, run: AgentRun) -> None:
        ended = await run.child.until_exit()
        if self.state not in WORKING:
            return
        async with self._changing:
            if self._run is run and self.state in WORKING:
                await run.child.stop()
                self._end_run(run, "crashed", run.child.exit_fault().message, ended)

    def _end_run(self, run: AgentRun, state: str, reason: str | None, ended: Exit | None) -> None:
        run.end()
        stderr = run.child.process.stderr_tail(STDERR_TOLD) if state == "crashed" else None
        self._phase = run.conversation.bridge.phase
        self._run = None
        self._surroundings.doors.dismiss(run.token)
        self._tell(state, reason, ended, stderr)

    async def _respond(self, body: bytes, author: str, key: str) -> dict[str, Any]:
        self.last_activity = time.monotonic()
        run = self._run
        if run is None:
            table = await asyncio.to_thread(self._past_questions)
            return (await self._desk.take(table, body, author, key)).receipt
        conversation = run.conversation
        answered = await self._desk.take(conversation.table, body, author, key)
        if answered.phase is not None:
            conversation.phase_after_decision(answered.phase)
        if answered.resolved is not None:
            conversation.tell_resolved(answered.resolved)
        if answered.refusal is not None:
            raise answered.refusal
        return answered.receipt

    def _past_questions(self) -> QuestionTable:
        if not self.directory.is_dir():
            raise Fault(Code.NOT_FOUND, "there is no such session")
        try:
            Ownership.check_free(self.directory)
            journal = QuestionJournal(self.directory)
            return QuestionTable(self.id, journal, journal.past())
        except OSError as error:
            raise _unusable(error) from error

    def _working(self) -> AgentRun:
        if self._run is None or self.state not in WORKING:
            doing = "is still starting" if self.state == "starting" else f"is {self.state}"
            raise Fault(Code.SESSION_NOT_LIVE, f"the session {doing}; its agent cannot be talked to now")
        return self._run

    def _write(self, line: bytes) -> None:
        if self._run is None:
            raise Fault(Code.SESSION_NOT_LIVE, "the agent has ended")
        self._run.child.write(line)

    def _agent_changed(self, reason: str | None) -> None:
        self.last_activity = time.monotonic()
        run = self._run
        if run is None or self.state not in WORKING:
            return
        state = run.conversation.state
        if state != self.state or reason is not None:
            self._tell(state, reason)

    def _tell(
        self, state: str, reason: str | None, ended: Exit | None = None, stderr: str | None = None
    ) -> None:
        self.state = "ready" if state == "resumed" else state
        self.reason = reason
        self.last_activity = time.monotonic()
        data = {
            "state": state,
            "reason": reason,
            "exit_code": ended.code if ended else None,
            "signal": ended.signal if ended else None,
            "stderr": stderr,
            "generation": self.generation,
        }
        self.hub.publish(EventKind.LIFECYCLE, encode(data))

    def _snapshot(self, gap: str | None) -> bytes:
        return encode(
            {
                "cursor": self.hub.cursor(),
                "gap": gap is not None,
                "reason": gap,
                "session": self.id,
                "state": self.state,
                "state_reason": self.reason,
                "phase": self.phase,
                "pending": self.pending(),
                "message": self.message(),
                "scripted": self._surroundings.settings.is_scripted,
                "provider": self.provider,
                "model": self.model,
            }
        )

    def _spawn(self, work: Any) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_log_failure)
        return task


def _unusable(error: OSError) -> Fault:
    text = f"the session's folder cannot be used ({error.strerror}); look at the machine"
    return Fault(Code.UNAVAILABLE, text)


def _phase_of(manifest: dict[str, Any]) -> str | None:
    phase: Any = manifest.get("phase")
    return cast("dict[str, Any]", phase).get("phase") if isinstance(phase, dict) else phase


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """A failed start is told as an event; nobody may be waiting for the task any more."""
    if not task.cancelled():
        task.exception()


def _log_failure(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, Fault):
        _log.error("a task of a session failed", exc_info=error)
