"""One child of a session, with everything that begins and ends with it."""

import asyncio
from collections.abc import Callable

from services.orchestrator.asking import AskDesk
from services.orchestrator.bridge import SessionBridge
from services.orchestrator.child import Launch, PiChild
from services.orchestrator.conversation import Conversation
from services.orchestrator.hub import EventHub
from services.orchestrator.journal import QuestionJournal
from services.orchestrator.moments import now
from services.orchestrator.ownership import Ownership
from services.orchestrator.pacing import Pacer
from services.orchestrator.questions import QuestionTable
from services.orchestrator.startup_checks import Started
from services.orchestrator.supervisor import PiProcessManager


class AgentRun:
    """A child, its conversation, and the session's files that it holds meanwhile.

    Args:
        session_id: the session's.
        ownership: of the session; given back at the end.
        token: with which the child reaches the agent endpoint.
        resumes: True when Pi has a history of the session.
        phase: the session's as it begins.
        processes: spawns the child.
        hub: gets the events.
        changed: called when the conversation's state may have changed, with a reason or None.

    Begins a generation of the session's questions. Raises OSError when its journal cannot be used.
    """

    def __init__(
        self,
        session_id: str,
        ownership: Ownership,
        token: str,
        *,
        resumes: bool,
        phase: str | None,
        processes: PiProcessManager,
        hub: EventHub,
        changed: Callable[[str | None], None],
    ) -> None:
        self._ownership = ownership
        self._journal = QuestionJournal(ownership.directory)
        self.token = token
        self.resumes = resumes
        self.coming_up: asyncio.Task[Started] | None = None
        """The checks of the child, once they run."""
        past = self._journal.past()
        table = QuestionTable(session_id, self._journal, past)
        self.started_at = now()
        self.generation = table.start_generation(self.started_at)
        self.child = PiChild(processes)
        self.conversation = Conversation(
            SessionBridge(self.generation, phase),
            table,
            hub,
            write=self.child.write,
            resolve=self.child.rpc.resolve,
            changed=changed,
        )
        self.child.on_lines = self.conversation.receive
        self.child.after_output = Pacer(hub, self.child.hold_output).check
        self.asks = AskDesk(self.conversation, self._journal, past)

    async def start(self, launch: Launch) -> None:
        """Spawn the child. Raises Fault when it cannot be spawned; then only the ownership is left to end."""
        try:
            await self.child.start(launch)
            marker = f"THT_AGENT_TOKEN={self.token}"
            self._ownership.name_child(self.child.process, marker, self.generation)
        except BaseException:
            self._journal.close()
            await self.child.abandon()
            raise
        self.started_at = now()

    def end(self) -> None:
        """The child has exited: end its open questions and calls, give back the session's files."""
        for question in self.conversation.table.open_questions():
            self.conversation.end(question, "gone")
        self.asks.close()
        self._journal.close()
        self._ownership.release()
