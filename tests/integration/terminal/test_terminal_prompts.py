"""`thothii` on a terminal of its own (a pty): menus, steers, an editor, Ctrl-C."""

import asyncio
import os
import pty
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from contracts.errors import Code
from tests.helpers import assert_eventually
from tests.integration.gateway.fakes import Conversation, FakeServices
from tests.integration.terminal.conftest import Agent, Terminal

SESSION = "20261130t160000-001"
ENTER, DOWN, SPACE, CTRL_C = "\r", "\x1b[B", " ", "\x03"


class Screen:
    """The other end of a terminal."""

    def __init__(self, descriptor: int, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.shown = ""
        self._descriptor = descriptor
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def _read(self) -> None:
        try:
            self.shown += os.read(self._descriptor, 65536).decode(errors="replace")
        except OSError:
            self.close()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)

    async def until(self, text: str) -> None:
        """Wait until `text` has been shown since the last wait."""

        def there() -> bool:
            assert text in self.shown, self.shown
            return True

        await assert_eventually(there, 20)
        self.shown = self.shown.partition(text)[2]

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())


@asynccontextmanager
async def on_screen(terminal: Terminal, *arguments: str, **environment: str) -> AsyncIterator[Screen]:
    """`thothii` with a terminal as its stdin and stdout."""
    ours, theirs = pty.openpty()
    root = Path(__file__).parents[3]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from terminal.cli import main; main()",
        *arguments,
        cwd=terminal.folder,
        env={
            **os.environ,
            "THOTHII_URL": terminal.url,
            "PYTHONPATH": str(root),
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            **environment,
        },
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        # Its own session makes the terminal its controlling one, so that Ctrl-C reaches it.
        preexec_fn=lambda: _take_terminal(theirs),
    )
    os.close(theirs)
    screen = Screen(ours, process)
    try:
        yield screen
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        screen.close()
        os.close(ours)


def _take_terminal(descriptor: int) -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


async def test_menus_answer_the_questions(terminal: Terminal, agent: Agent) -> None:
    async with on_screen(terminal, "ask", "Which carrier?") as screen:
        await screen.until("scripted model")
        await screen.until("Let me look.")
        await screen.until("Which reading?")
        await screen.until("something else")
        screen.type(ENTER)
        await screen.until("Which tables?")
        await screen.until("weather")
        screen.type(SPACE + ENTER)
        await screen.until("The final SQL")
        await screen.until("edit it myself")
        screen.type(DOWN + ENTER)
        await screen.until("why?")
        screen.type("wrong year" + ENTER)
        await screen.until("The final SQL")
        await screen.until("edit it myself")
        screen.type(ENTER)
        await screen.until("21.92")
        await screen.until("wrote")
        assert await screen.process.wait() == 0
    assert agent.answers == [
        {"value": "median"},
        {"values": ["airlines"]},
        {"decision": "reject", "comment": "wrong year"},
        {"decision": "approve"},
    ]


async def test_own_words_and_an_editor(terminal: Terminal, agent: Agent) -> None:
    async with on_screen(terminal, "ask", "Which carrier?", EDITOR="sed -i s/é/e/") as screen:
        await screen.until("something else")
        screen.type(DOWN + ENTER)
        await screen.until("something else ...")
        screen.type("the worst hour" + ENTER)
        await screen.until("weather")
        screen.type(ENTER)
        await screen.until("edit it myself")
        screen.type(DOWN + DOWN + ENTER)
        await screen.until("21.92")
        assert await screen.process.wait() == 0
    assert agent.answers[0] == {"text": "the worst hour"}
    assert agent.answers[-1] == {"decision": "edit", "text": "SELECT 'e'\n"}


async def test_a_steer_while_the_agent_works_and_ctrl_c(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    async def work(conversation: Conversation) -> None:
        await conversation.say("Working")

    services.orchestrator.on_create = work
    async with on_screen(terminal, "ask", "Which carrier?") as screen:
        await screen.until("Working")
        screen.type("only 2013\n")
        await screen.until("!text goes to it")
        screen.type("!only 2013\n")
        await screen.until("sent to the agent")
        conversation = services.orchestrator.sessions[SESSION]
        assert conversation.steers == ["only 2013"]
        screen.type(CTRL_C)
        await screen.until(f"thothii resume {SESSION}")
        assert await screen.process.wait() == Code.CANCELLED.kind.exit_code
    await assert_eventually(lambda: conversation.subscriptions == 0)


async def test_ctrl_c_in_a_menu_leaves_the_question_open(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    async with on_screen(terminal, "ask", "Which carrier?") as screen:
        await screen.until("something else")
        screen.type(CTRL_C)
        await screen.until(f"thothii resume {SESSION}")
        assert await screen.process.wait() == Code.CANCELLED.kind.exit_code
    assert list(services.orchestrator.sessions[SESSION].pending)


async def test_an_answer_of_another_tab_closes_the_menu(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    async with on_screen(terminal, "ask", "Which carrier?") as screen:
        await screen.until("something else")
        conversation = services.orchestrator.sessions[SESSION]
        asked = next(iter(conversation.pending))
        resolved = {"id": asked, "how": "answered", "by": "ann", "at": "", "answer": None}
        conversation.receipts[asked] = conversation.pending.pop(asked)
        await conversation.emit(("ui_resolved", resolved))
        await agent.go_on(conversation, {"id": asked, "value": "mean"})
        await screen.until("weather")
        screen.type(ENTER)
        await screen.until("edit it myself")
        screen.type(ENTER)
        await screen.until("21.92")
        assert await screen.process.wait() == 0


async def test_an_agent_that_settles_early_can_be_steered_on(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    async def stop(conversation: Conversation) -> None:
        services.executor.add_session(conversation.session_id)
        await conversation.life("idle")

    services.orchestrator.on_create = stop
    async with on_screen(terminal, "ask", "Which carrier?") as screen:
        await screen.until("has stopped in phase F1")
        screen.type("!go on\n")
        await screen.until("sent to the agent")
        conversation = services.orchestrator.sessions[SESSION]
        await conversation.life("running")
        await agent.finish(conversation)
        await screen.until("21.92")
        assert await screen.process.wait() == 0
    assert conversation.steers == ["go on"]
