"""Who answers the agent's questions without a terminal: lines on stdin, or agreement with everything."""

import asyncio
import threading
from typing import IO, Protocol

from terminal.display import Display
from terminal.questions import END_OF_TEXT, Answer, DoesNotFit, Question, accepting, parse

STEER = "!"
"""What a line begins with that goes to the agent as it works."""


class NoMoreInput(Exception):
    """Nobody is there to answer any more."""


class Steer(Exception):
    """In place of an answer: text for the agent."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Reviewer(Protocol):
    """Answers for the person in front of the terminal."""

    stays: bool
    """True when somebody may still steer an agent that has settled."""
    numbered: bool
    """True when options are chosen by their number."""
    corrects: bool
    """True when an answer that did not fit can be given again."""

    async def answer(self, question: Question) -> Answer:
        """The answer to `question`, without its id. Raises NoMoreInput, Steer."""
        ...

    async def steer(self) -> str:
        """The next text for the working agent; waits for ever when there can be none."""
        ...


async def never() -> str:
    """Wait for what does not come."""
    await asyncio.Event().wait()
    raise AssertionError("nothing sets this event")


class Agreement:
    """`--yes`: every recommended option, every artifact approved."""

    stays = False
    numbered = True
    corrects = False

    def __init__(self, display: Display) -> None:
        self._display = display

    async def answer(self, question: Question) -> Answer:
        """What is recommended."""
        answer = accepting(question)
        said: list[str] = answer.get("values") or [str(value) for value in answer.values()]
        self._display.notice(f"> {', '.join(said)}")
        return answer

    async def steer(self) -> str:
        """Nothing."""
        return await never()


class Lines:
    """Lines of a pipe or file, read by a thread so that the agent's events need not wait for them."""

    def __init__(self, file: IO[str]) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._held: list[str | None] = []
        loop = asyncio.get_running_loop()

        def put(line: str | None) -> None:
            # The loop may be over before the pipe is.
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._queue.put_nowait, line)

        def read() -> None:
            for line in file:
                put(line.rstrip("\r\n"))
            put(None)

        threading.Thread(target=read, name="stdin", daemon=True).start()

    async def peek(self) -> str | None:
        """The next line, which stays; None at the end."""
        if not self._held:
            self._held.append(await self._queue.get())
        return self._held[0]

    async def take(self) -> str:
        """The next line. Raises NoMoreInput at the end."""
        line = await self.peek()
        if line is None:
            raise NoMoreInput
        self._held.clear()
        return line


class LineReviewer:
    """Answers line by line; a line is read when a question waits for it, or when it is a steer."""

    stays = False
    numbered = True
    corrects = True

    def __init__(self, lines: Lines, display: Display) -> None:
        self._lines = lines
        self._display = display

    async def answer(self, question: Question) -> Answer:
        """The answer of the next line that gives one."""
        while True:
            line = await self._lines.take()
            self._display.notice(f"> {line}")
            if line.startswith(STEER):
                raise Steer(line.removeprefix(STEER).strip())
            try:
                answer = parse(question, await self._text(line) if question.takes_lines else line)
            except DoesNotFit as error:
                self._display.notice(str(error), "yellow")
                continue
            if answer.get("decision") == "edit":
                answer["text"] = await self._text(await self._lines.take())
            return answer

    async def steer(self) -> str:
        """The next line if it is a steer; any other waits for the next question."""
        line = await self._lines.peek()
        if line is None or not line.startswith(STEER):
            return await never()
        return (await self._lines.take()).removeprefix(STEER).strip()

    async def _text(self, first: str) -> str:
        lines: list[str] = []
        line = first
        while line != END_OF_TEXT:
            lines.append(line)
            line = await self._lines.take()
        return "\n".join(lines)
