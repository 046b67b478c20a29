"""All sessions of this orchestrator: created, opened, closed, counted, forgotten."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import structlog

from contracts.errors import Code, Fault
from contracts.identifiers import check_session_id
from contracts.limits import QUESTION_CHARACTERS
from services.orchestrator.asking import Ask
from services.orchestrator.executor_client import NewSession
from services.orchestrator.hub import Subscription
from services.orchestrator.launching import Launcher
from services.orchestrator.models import ModelCatalogue
from services.orchestrator.session import Session
from services.orchestrator.surroundings import Surroundings

SWEEP_SECONDS = 5.0

_log = structlog.get_logger(__name__)


class SessionManager:
    """Owns the sessions. At most `max_live_sessions` have a child; some without are kept for replay."""

    def __init__(self, surroundings: Surroundings, launcher: Launcher, catalogue: ModelCatalogue) -> None:
        self._surroundings = surroundings
        self._settings = surroundings.settings
        self._launcher = launcher
        self._catalogue = catalogue
        self._sessions: dict[str, Session] = {}
        self._being_created = 0
        self._sweeping: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._leaving: str | None = None

    def begin(self) -> None:
        """Start looking for idle sessions."""
        self._sweeping = asyncio.get_running_loop().create_task(self._sweep())

    async def create(self, wanted: NewSession) -> Session:
        """Make a session on disk and start its child.

        What can be known before is checked before: a question, a model, a Pi or a house that will not do
        leaves nothing behind. When the child fails afterwards the session stays, because its question is
        worth keeping and it can be opened once the cause is mended; the fault's details name it. Goes on
        when the caller is cancelled.
        """
        if not wanted.question.strip() or len(wanted.question) > QUESTION_CHARACTERS:
            raise Fault(Code.INVALID_ARGUMENT, f"the question has 1 to {QUESTION_CHARACTERS:,} characters")
        choice = wanted.choice.checked()
        self._check_room()
        await self._launcher.check()
        await self._catalogue.check(choice)
        self._check_room()
        self._being_created += 1
        return await self._keep_going(self._create(wanted))

    async def open(self, session_id: str) -> Session:
        """Start a child for a session that has none. Raises Fault NOT_FOUND, SESSION_BUSY, BUSY, PI_..."""
        session = self.find(session_id)
        if session.state == "closing":
            await session.close()
        if not session.live:
            manifest = await self._surroundings.executor.get_session(session_id)
            # It may have been forgotten meanwhile; what is started must be one that is known.
            session = self.find(session_id)
            if not session.live:
                self._check_room()
                session.claim()
                await self._keep_going(self._start(session, manifest))
                return session
        await session.until_started()
        return session

    async def close(self, session_id: str, reason: str) -> Session:
        """Stop the child of a session, if it has one."""
        session = self.find(session_id)
        await self._keep_going(session.close(reason))
        return session

    def find(self, session_id: str) -> Session:
        """A session that is on disk, with or without a child. Raises Fault NOT_FOUND."""
        session = self._sessions.get(check_session_id(session_id))
        if session is not None and session.live:
            return session
        directory = self._settings.sessions / session_id
        if directory.is_symlink() or not directory.is_dir():
            raise Fault(Code.NOT_FOUND, "there is no such session")
        return session or self._remember(session_id)

    async def ask(self, session_id: str, asked: Ask) -> dict[str, Any]:
        """Ask a session's reviewer for a process; see Session.ask. Raises Fault NOT_FOUND too."""
        return await self.find(session_id).ask(asked)

    def remembered(self, session_id: str) -> Session | None:
        """The session when this orchestrator has anything of it in memory."""
        return self._sessions.get(session_id)

    def live(self) -> list[Session]:
        """All sessions with a child."""
        return [session for session in self._sessions.values() if session.live]

    def subscribe(self, session_id: str, last_event_id: str) -> Subscription:
        """Open a subscription; see EventHub. Raises Fault NOT_FOUND."""
        session = self.find(session_id)
        if self._leaving is not None:
            raise Fault(Code.UNAVAILABLE, self._leaving)
        return session.subscribe(last_event_id)

    async def shutdown(self, reason: str) -> None:
        """Stop all children, then end all subscriptions with `bye`."""
        self._leaving = reason
        if self._sweeping is not None:
            self._sweeping.cancel()
        await asyncio.gather(*(session.close(reason) for session in self.live()))
        await self._surroundings.processes.shutdown()
        for session in self._sessions.values():
            session.hub.close(reason)

    async def _create(self, wanted: NewSession) -> Session:
        try:
            manifest = await self._surroundings.executor.create_session(wanted)
        finally:
            self._being_created -= 1
        session = self._remember(manifest["id"])
        session.claim()
        await self._start(session, manifest)
        return session

    async def _start(self, session: Session, manifest: dict[str, Any]) -> None:
        await session.start(manifest)
        if session.models:
            self._catalogue.keep(session.models)

    def _remember(self, session_id: str) -> Session:
        self._forget_some()
        session = self._sessions[session_id] = Session(session_id, self._surroundings)
        return session

    def _check_room(self) -> None:
        if self._leaving is not None:
            raise Fault(Code.UNAVAILABLE, self._leaving)
        if len(self.live()) + self._being_created >= self._settings.max_live_sessions:
            raise Fault(
                Code.BUSY,
                f"{self._settings.max_live_sessions} sessions have an agent already; close one and try again",
            )

    def _forget_some(self) -> None:
        idle = [session for session in self._sessions.values() if session.is_forgettable()]
        for session in idle[: max(0, len(idle) - self._settings.kept_closed_sessions)]:
            del self._sessions[session.id]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            for session in self.live():
                limit = self._idle_limit(session)
                if limit is not None and time.monotonic() - session.last_activity > limit:
                    _log.info("an idle session is closed", session=session.id)
                    await session.close(f"nobody was there for {limit:g} s")

    def _idle_limit(self, session: Session) -> float | None:
        if session.hub.subscribers:
            return None
        limits = {"waiting": self._settings.waiting_seconds}
        limits |= dict.fromkeys(("idle", "ready"), self._settings.idle_seconds)
        return limits.get(session.state)

    async def _keep_going(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Await `work`, which goes on when the caller is cancelled: a half-started child has an owner."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)
