"""Who answers the agent's questions: a person at a terminal, lines on stdin, or agreement with everything."""

import asyncio
import os
import sys
import termios
import threading
from collections.abc import Awaitable, Callable
from typing import IO, Any, Protocol

import click
import questionary
from prompt_toolkit.styles import Style

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


async def _never() -> str:
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
        chosen = ", ".join(str(value) for value in answer.values() if value is not True)
        self._display.notice(f"> {chosen or 'yes'}")
        return answer

    async def steer(self) -> str:
        """Nothing."""
        return await _never()


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
            return await _never()
        return (await self._lines.take()).removeprefix(STEER).strip()

    async def _text(self, first: str) -> str:
        lines: list[str] = []
        line = first
        while line != END_OF_TEXT:
            lines.append(line)
            line = await self._lines.take()
        return "\n".join(lines)


OTHER = "\x00other"
STYLE = Style.from_dict({"qmark": "ansicyan", "instruction": "ansibrightblack"})


class PromptReviewer:
    """A person at a terminal: menus for questions, plain lines for steers while the agent works."""

    stays = True
    numbered = False
    corrects = True

    def __init__(self, display: Display, artifact: Callable[[str], Awaitable[str]]) -> None:
        self._display = display
        self._artifact = artifact

    async def answer(self, question: Question) -> Answer:
        """What the person chooses. Ctrl-C there raises NoMoreInput."""
        # Keys typed before the question was seen are no answer to it.
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        try:
            if question.widget == "select" and question.options:
                return await self._select(question)
            if question.widget == "multiselect":
                return await self._multiselect(question)
            if question.widget == "confirm":
                return {"confirmed": await questionary.confirm("", style=STYLE).unsafe_ask_async()}
            if question.widget == "artifact_gate":
                return await self._gate(question)
            return {"text": await self._text(question.prefill, multiline=question.takes_lines)}
        except KeyboardInterrupt as error:
            raise NoMoreInput from error

    async def steer(self) -> str:
        """The next line that begins with `!`."""
        while True:
            line = await _typed_line()
            if line.startswith(STEER) and line.removeprefix(STEER).strip():
                return line.removeprefix(STEER).strip()
            if line.strip():
                self._display.notice(f"the agent works; {STEER}text goes to it", "yellow")

    async def _select(self, question: Question) -> Answer:
        choices = [
            questionary.Choice(
                _label(option.label, option.recommended), option.id, description=option.description
            )
            for option in question.options
        ]
        if question.free_text:
            choices.append(questionary.Choice("something else ...", OTHER))
        default = question.recommended[0].id
        asked = questionary.select("", choices, default=default, style=STYLE)
        value: str = await asked.unsafe_ask_async()
        if value == OTHER:
            return {"text": await self._text("")}
        return {"value": value}

    async def _multiselect(self, question: Question) -> Answer:
        chosen = {option.id for option in question.recommended if option.recommended}
        choices = [
            questionary.Choice(option.label, option.id, checked=option.id in chosen)
            for option in question.options
        ]

        def fits(values: list[str]) -> bool | str:
            count = question.least <= len(values) <= question.most
            return count or f"choose {question.least} to {question.most}"

        answer: Answer = {"values": []}
        if choices:
            asked = questionary.checkbox("", choices, validate=fits, style=STYLE)
            answer["values"] = await asked.unsafe_ask_async()
        if question.free_text and (text := await self._text("", "a comment? ")):
            answer["text"] = text
        return answer

    async def _gate(self, question: Question) -> Answer:
        choices = [
            questionary.Choice("approve", "approve"),
            questionary.Choice("reject, and say why", "reject"),
            questionary.Choice("edit it myself", "edit"),
        ]
        decision: str = await questionary.select("", choices, style=STYLE).unsafe_ask_async()
        if decision == "reject":
            while not (comment := await self._text("", "why? ")):
                pass
            return {"decision": "reject", "comment": comment}
        if decision == "edit":
            text = await self._artifact(question.artifact)
            edited = await self._edited(text, question.artifact)
            return {"decision": "edit", "text": edited}
        return {"decision": "approve"}

    async def _edited(self, text: str, name: str) -> str:
        if os.environ.get("VISUAL") or os.environ.get("EDITOR"):
            ending = f".{name.rpartition('.')[2]}"
            edited = await asyncio.to_thread(click.edit, text, extension=ending)
            return text if edited is None else edited
        return await self._text(text, multiline=True)

    async def _text(self, default: str, message: str = "", multiline: bool = False) -> str:
        asked = questionary.text(message, default=default, multiline=multiline, style=STYLE)
        text: Any = await asked.unsafe_ask_async()
        return str(text) if multiline else str(text).strip()


def _label(label: str, recommended: bool) -> str:
    return f"{label} (recommended)" if recommended else label


async def _typed_line() -> str:
    """One line of the terminal, whose own line editing stays on, so that output can flow meanwhile."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    arrived: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        if not arrived.done():
            arrived.set_result(os.read(descriptor, 65536))

    loop.add_reader(descriptor, read)
    try:
        line = await arrived
    finally:
        loop.remove_reader(descriptor)
    if not line:
        return await _never()
    return line.decode(errors="replace").rstrip("\r\n")
