"""Progress for programs and for people."""

import io
import json

from session_executor import display
from session_executor.execute import STEPS


class Closed(io.StringIO):
    """A reader that went away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_one_json_object_a_line() -> None:
    stream = io.StringIO()
    show = display.json_lines(stream)
    show("tool", "edit\nread")
    show("unlocking", "")
    first, second = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (first["event"], first["detail"], second["event"]) == ("tool", "edit\nread", "unlocking")
    assert isinstance(first["elapsedMs"], int)


def test_one_line_in_a_terminal_that_is_gone_at_the_end() -> None:
    stream = io.StringIO()
    show = display.terminal_line(stream)
    for step in STEPS[:-1]:
        show(step, "")
    show("tool", "read")
    show("tool", "edit")
    assert "\n" not in stream.getvalue()
    assert "2 tool calls, now edit" in stream.getvalue()
    show("unlocking", "")
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_a_reader_that_goes_away_does_not_matter() -> None:
    display.json_lines(Closed())("tool", "edit")
    display.terminal_line(Closed())("tool", "edit")
