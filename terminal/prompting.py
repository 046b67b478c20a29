"""The reviewer as a person at a terminal: menus for questions, lines for steers while the agent works."""

import asyncio
import os
import sys
import termios
from collections.abc import Awaitable, Callable
from typing import Any

import click
import questionary
from prompt_toolkit.styles import Style

from terminal.display import Display
from terminal.questions import Answer, Question
from terminal.reviewers import STEER, NoMoreInput, never

OTHER = "\x00other"
STYLE = Style.from_dict({"qmark": "ansicyan", "instruction": "ansibrightblack"})


class PromptReviewer:
    """Asks with menus; `artifact` fetches the text of one that is to be edited."""

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
                _label(option.label, option.recommended), option.id, description=option.description or None
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
        return await never()
    return line.decode(errors="replace").rstrip("\r\n")
