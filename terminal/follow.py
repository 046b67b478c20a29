"""One session followed to its rows: events are shown, questions asked, answers and steers sent."""

import asyncio
import signal
import uuid
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.errors import Code, Fault
from terminal.api import Api, Download
from terminal.conversation import Conversation, Event
from terminal.display import Display
from terminal.questions import Question
from terminal.reviewers import NoMoreInput, Reviewer, Steer

LAST_PHASE = "F5"
PAGE_ROWS = 100
CORRECTABLE = frozenset({Code.ANSWER_DOES_NOT_FIT, Code.INVALID_ARGUMENT})
OVER_ALREADY = frozenset({Code.ANSWERED_ALREADY, Code.EXPIRED, Code.GONE})


class Detached(Exception):
    """The person left; the session lives on."""


@dataclass
class Outcome:
    """What came of a session."""

    session_id: str
    phase: str = ""
    state: str = ""
    scripted: bool = False
    page: dict[str, Any] | None = None
    file: Download | None = None

    def document(self) -> dict[str, Any]:
        """The outcome as JSON."""
        file = self.file
        return {
            "session": self.session_id,
            "phase": self.phase,
            "state": self.state,
            "scripted": self.scripted,
            "result": self.page,
            "file": None
            if file is None
            else {"path": str(file.path), "bytes": file.size, "sha256": file.sha256},
        }

    def check(self) -> None:
        """Raises Fault unless rows were shown."""
        if self.page is not None:
            return
        if self.state == "crashed":
            raise Fault(
                Code.PI_FAILED, f"Pi has ended; start it again with: thothii resume {self.session_id}"
            )
        raise Fault(
            Code.NOT_APPROVED,
            f"no rows: phase {self.phase or 'F1'} is open; go on with: thothii resume {self.session_id}",
        )


@dataclass
class _Ask:
    """Somebody is asked, or may steer."""

    question_id: str
    """Empty while it is about steers."""
    task: "asyncio.Task[None]" = field(repr=False)


class Follower:
    """Follows one session.

    Args:
        live: its live state as the gateway told it last, with the phase where that is known; the events
            continue from there.
        target: where the rows are written as CSV.
    """

    def __init__(
        self,
        api: Api,
        session_id: str,
        live: dict[str, Any],
        display: Display,
        reviewer: Reviewer,
        target: Path,
    ) -> None:
        self.outcome = Outcome(session_id)
        self._api = api
        self._display = display
        self._reviewer = reviewer
        self._target = target
        self._conversation = Conversation()
        self._cursor = str(live.get("cursor") or "")
        if live:
            known = Event("snapshot", live)
            self._conversation.apply(known)
            display.event(known)
        self._changed = asyncio.Event()
        self._left = asyncio.Event()
        self._path = f"/sessions/{session_id}"
        self._told_idle = False
        self._rows_shown = False
        self._sending = False

    async def run(self) -> Outcome:
        """Follow until the agent has settled or is gone. Raises Detached, Fault."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._left.set)
        listening = asyncio.create_task(self._listen())
        leaving = asyncio.create_task(self._left.wait())
        ask: _Ask | None = None
        try:
            while not await self._unless(leaving, self._finished()):
                ask = await self._asking(ask)
                changed = asyncio.create_task(self._changed.wait())
                await asyncio.wait(
                    {listening, leaving, changed, ask.task}, return_when=asyncio.FIRST_COMPLETED
                )
                changed.cancel()
                self._changed.clear()
                if leaving.done():
                    raise Detached
                if listening.done():
                    listening.result()
                if ask.task.done():
                    ask.task.result()
                    ask = None
        except (NoMoreInput, Detached) as error:
            self._display.detached(self.outcome.session_id)
            if isinstance(error, NoMoreInput) and not self._reviewer.stays:
                return self._noted()
            raise Detached from error
        finally:
            tasks = {listening, leaving} | ({ask.task} if ask else set[Any]())
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
        return self._noted()

    def _noted(self) -> Outcome:
        self.outcome.phase = self._conversation.phase
        self.outcome.state = self._conversation.state
        self.outcome.scripted = self._conversation.scripted
        return self.outcome

    async def _listen(self) -> None:
        async with aclosing(self._api.events(self.outcome.session_id, self._cursor)) as events:
            async for event in events:
                self._display.event(event)
                if self._conversation.apply(event):
                    self._changed.set()

    async def _finished(self) -> bool:
        """True when there is nothing to wait for; shows the rows once the last phase is reached."""
        conversation = self._conversation
        if conversation.over and conversation.phase != LAST_PHASE:
            session = await self._api.get(self._path)
            conversation.phase = session["phase"]["phase"]
        if conversation.phase != LAST_PHASE:
            self._rows_shown = False
        elif not self._rows_shown:
            self._rows_shown = True
            await self._show_rows()
        if not conversation.over:
            self._told_idle = False
            return False
        if conversation.state == "idle" and self._reviewer.stays and self.outcome.page is None:
            if not self._told_idle:
                self._told_idle = True
                self._display.notice(
                    f"the agent has stopped in phase {conversation.phase}; !text goes on, Ctrl-C leaves",
                    "yellow",
                )
            return False
        return True

    async def _unless(self, leaving: "asyncio.Task[Any]", work: Coroutine[Any, Any, bool]) -> bool:
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                raise Detached
            return task.result()
        finally:
            task.cancel()

    async def _asking(self, ask: _Ask | None) -> _Ask:
        pending = next(iter(self._conversation.pending), "")
        if ask is not None:
            if ask.question_id == pending or ask.question_id in self._conversation.pending:
                return ask
            if not self._sending:
                ask.task.cancel()
            # A prompt gives the terminal back before the next one takes it, and a steer that is on its way
            # is not given up for a question that comes meanwhile.
            await asyncio.wait({ask.task})
            if not ask.task.cancelled():
                ask.task.result()
        work = self._ask(self._conversation.pending[pending]) if pending else self._steer()
        return _Ask(pending, asyncio.create_task(work))

    async def _ask(self, descriptor: dict[str, Any]) -> None:
        question = Question.read(descriptor)
        if question.artifact:
            await self._show_artifact(question)
        self._display.question(question, self._reviewer.numbered)
        key = uuid.uuid4().hex
        while True:
            try:
                answer = await self._reviewer.answer(question)
                await self._api.respond(self.outcome.session_id, {"id": question.id, **answer}, key)
            except Steer as steer:
                await self._send_steer(steer.text)
                continue
            except Fault as fault:
                if fault.code in CORRECTABLE and self._reviewer.corrects:
                    self._display.notice(fault.message, "yellow")
                    key = uuid.uuid4().hex
                    continue
                if fault.code not in OVER_ALREADY:
                    raise
                self._display.notice(fault.message, "yellow")
            self._conversation.answered(question.id)
            self._changed.set()
            return

    async def _show_artifact(self, question: Question) -> None:
        text, sha256 = await self._api.artifact(self.outcome.session_id, question.artifact)
        if question.sha256 and sha256 != question.sha256:
            raise Fault(
                Code.CONFLICT,
                f"{question.artifact} was changed while it is up for judgement; nothing was approved",
                asked=question.sha256,
                found=sha256,
            )
        self._display.artifact(question.artifact, text)

    async def _steer(self) -> None:
        text = await self._reviewer.steer()
        self._sending = True
        try:
            await self._send_steer(text)
        finally:
            self._sending = False

    async def _send_steer(self, text: str) -> None:
        try:
            await self._api.post(f"{self._path}/steer", {"text": text})
        except Fault as fault:
            if fault.code is Code.UNAVAILABLE:
                raise
            self._display.notice(fault.message, "yellow")
        else:
            self._display.notice("sent to the agent")

    async def _show_rows(self) -> None:
        page = await self._api.post(f"{self._path}/sql/preview", limit=PAGE_ROWS)
        self._display.rows(page)
        self.outcome.page = page
        file = await self._api.download(
            f"{self._path}/sql/export", self._target, format="csv", result_id=page["result_id"] or ""
        )
        self._display.written(file)
        self.outcome.file = file
