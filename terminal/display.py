"""What the terminal shows. Text of the agent, the database and extensions is cleaned first."""

import json
import sys
from typing import IO, Any

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from terminal.api import Download
from terminal.clean import clean, one_line
from terminal.conversation import Event
from terminal.questions import Question, hint

ROWS_SHOWN = 50
RIGHT = ("int", "decimal", "numeric", "float", "double", "real", "bigint", "number")
LEXERS = {".sql": "sql", ".json": "json"}


class Display:
    """One console. Notices are dim where the terminal can show that, and plain elsewhere."""

    def __init__(self, file: IO[str] | None = None) -> None:
        stream = file or sys.stdout
        # A pipe has no width: a table takes what it needs there. Lines are wrapped by the terminal alone, so
        # that a command in one can be copied.
        width = None if stream.isatty() else 10_000
        self.console = Console(file=stream, highlight=False, markup=False, width=width, soft_wrap=True)
        self._line_open = False

    def notice(self, text: str, style: str = "dim") -> None:
        """One line that is not the agent's."""
        self._close_line()
        self.console.print(Text(clean(text), style=style))

    def text(self, delta: str) -> None:
        """A piece of the agent's text, at once."""
        if delta:
            self.console.out(clean(delta), end="", highlight=False)
            self.console.file.flush()
            self._line_open = not delta.endswith("\n")

    def event(self, event: Event) -> None:
        """Show `event` when a reviewer wants to see it."""
        data = event.data
        if event.name == "text_delta":
            self.text(str(data.get("delta", "")))
        elif event.name == "snapshot":
            self._snapshot(data)
        elif event.name == "info" and data.get("text"):
            style = {"warning": "yellow", "error": "red"}.get(str(data.get("level")), "dim")
            self.notice(one_line(str(data["text"])), style)
        elif event.name == "lifecycle" and data.get("state") == "crashed":
            self.notice(f"Pi has ended: {one_line(str(data.get('reason') or 'no reason given'))}", "red")
            for line in clean(str(data.get("stderr") or "")).splitlines()[-10:]:
                self.notice(f"  {line}")
        elif event.name == "ui_resolved" and data.get("how") != "answered":
            self.notice(f"the question is over: {data.get('how')}")
        elif event.name == "system_event":
            self._system_event(data)

    def question(self, question: Question, numbered: bool) -> None:
        """Show `question`, its options with numbers when they are to be typed."""
        self._close_line()
        phase = f"{question.phase}, " if question.phase else ""
        self.console.print(Text(f"\n[{phase}{question.asker} asks]", style="cyan"))
        self.console.print(Text(question.title, style="bold"))
        if question.body:
            self.console.print(Text(question.body))
        if not numbered:
            return
        for number, option in enumerate(question.options, 1):
            mark = " (recommended)" if option.recommended else ""
            about = f": {option.description}" if option.description else ""
            self.console.print(Text(f"  {number}) {option.label}{mark}{about}"))
        self.notice(hint(question))

    def artifact(self, name: str, text: str) -> None:
        """Show a file that is to be judged."""
        self._close_line()
        self.console.print(Text(f"--- {one_line(name)}", style="cyan"))
        lexer = next((lexer for ending, lexer in LEXERS.items() if name.endswith(ending)), "text")
        if self.console.is_terminal:
            self.console.print(Syntax(clean(text), lexer, background_color="default", word_wrap=True))
        else:
            self.console.print(Text(clean(text)))
        self.console.print(Text("---", style="cyan"))

    def rows(self, page: dict[str, Any]) -> None:
        """Show a page of rows as a table."""
        self._close_line()
        table = Table(header_style="bold")
        for column in page["columns"]:
            right = any(str(column["type"]).lower().startswith(word) for word in RIGHT)
            table.add_column(Text(one_line(str(column["name"]))), justify="right" if right else "left")
        shown = page["rows"][:ROWS_SHOWN]
        for row in shown:
            table.add_row(*(cell(value) for value in row))
        self.console.print(table, soft_wrap=False)
        count = page["row_count"]
        of = "" if count == len(shown) else f" of {'more' if count is None else count}"
        more = of if page["truncated"] or count != len(shown) else ""
        self.notice(f"{len(shown)}{more} rows")
        for warning in page["warnings"]:
            self.notice(one_line(str(warning)), "yellow")

    def written(self, download: Download) -> None:
        """Say that a file is there."""
        self.notice(f"wrote {download.path} ({download.size} bytes)")

    def detached(self, session_id: str) -> None:
        """Say that the session lives on and how to come back."""
        self.notice(f"detached; the session lives on. Come back with: thothii resume {session_id}", "yellow")

    def _snapshot(self, data: dict[str, Any]) -> None:
        if data.get("gap"):
            self.notice("some of what happened was missed; this is how it stands now", "yellow")
        message: dict[str, Any] = data.get("message") or {}
        self.text(str(message.get("text") or ""))

    def _system_event(self, data: dict[str, Any]) -> None:
        kind = data.get("kind")
        if kind == "message_end":
            self._close_line()
            if data.get("role") == "user":
                self.notice(f"the agent has heard: {one_line(str(data.get('text') or ''))}")
            elif data.get("stop_reason") in {"error", "aborted"}:
                self.notice(f"the message broke off: {one_line(str(data.get('error') or ''))}", "red")
        elif kind == "tool_start":
            arguments = json.dumps(data.get("args"), ensure_ascii=False)
            self.notice(f"· {one_line(str(data.get('tool')), 60)} {one_line(arguments, 120)}")
        elif kind == "tool_end" and data.get("is_error"):
            self.notice(f"  refused: {one_line(str(data.get('text') or ''))}", "yellow")
        elif kind == "phase":
            self.notice(f"phase {data.get('phase')}", "green")
        elif kind == "artifact":
            self.notice(f"written: {one_line(str(data.get('name')))}")
        elif kind == "retry" and data.get("active"):
            self.notice(f"the model is asked again: {one_line(str(data.get('error') or ''))}", "yellow")

    def _close_line(self) -> None:
        if self._line_open:
            self.console.out("")
            self._line_open = False


def cell(value: Any) -> Text:
    """A value of a row; NULL looks unlike the text NULL where the terminal has styles."""
    if value is None:
        return Text("NULL", style="dim italic")
    if isinstance(value, str):
        return Text(one_line(value, 500))
    return Text(one_line(json.dumps(value, ensure_ascii=False), 500))
