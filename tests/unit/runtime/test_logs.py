"""Every line a service logs is one JSON object, whichever library says it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SETUP = """
import logging, threading, warnings
import structlog
from services.runtime.logs import configure
configure("gateway", "info")
log = structlog.get_logger("ours")
theirs = logging.getLogger("uvicorn.error")
"""


def logged(script: str) -> list[dict[str, Any]]:
    """The log lines of a process that runs `script`, each of them as the object it is."""
    done = subprocess.run(
        [sys.executable, "-c", SETUP + script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_the_standard_library_logs_as_structlog_does() -> None:
    ours, theirs = logged('log.info("listens", port=1)\ntheirs.info("Started %s [%d]", "process", 7)')
    assert ours.keys() == {"event", "port", "level", "timestamp", "service"}
    assert theirs.keys() == {"event", "logger", "level", "timestamp", "service"}
    assert theirs["event"] == "Started process [7]"
    assert theirs["logger"] == "uvicorn.error"
    assert theirs["level"] == ours["level"] == "info"
    assert theirs["service"] == ours["service"] == "gateway"


def test_a_traceback_of_either_is_one_line_with_its_exception() -> None:
    lines = logged(
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n"
        '    log.exception("ours")\n    theirs.exception("theirs")'
    )
    assert [line["event"] for line in lines] == ["ours", "theirs"]
    for line in lines:
        assert line["exception"].startswith("Traceback")
        assert line["exception"].endswith("ZeroDivisionError: division by zero")


def test_no_line_of_either_can_rewrite_the_readers_screen() -> None:
    lines = logged(r'log.warning("a\x1b[2J\nb", path="\u202e")' + "\n" + r'theirs.warning("a\x1b[2J\nb")')
    assert [line["event"] for line in lines] == ["a?[2J?b", "a?[2J?b"]
    assert lines[0]["path"] == "?"


def test_the_level_holds_for_both() -> None:
    assert logged('log.debug("ours")\ntheirs.debug("theirs")') == []


def test_warnings_and_threads_with_an_empty_context_are_lines_of_the_service_too() -> None:
    lines = logged(
        'warnings.warn("old")\n'
        'thread = threading.Thread(target=theirs.info, args=("in a thread",))\n'
        "thread.start()\nthread.join()"
    )
    assert [(line["logger"], line["service"]) for line in lines] == [
        ("py.warnings", "gateway"),
        ("uvicorn.error", "gateway"),
    ]


def test_what_is_bound_to_the_context_is_on_the_lines_of_both() -> None:
    lines = logged('structlog.contextvars.bind_contextvars(session="s1")\nlog.info("a")\ntheirs.info("b")')
    assert [line["session"] for line in lines] == ["s1", "s1"]


def test_lines_of_many_threads_stay_whole() -> None:
    lines = logged(
        "def work():\n"
        "    for _ in range(200):\n"
        '        log.info("x" * 200)\n'
        '        theirs.info("y" * 200)\n'
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()"
    )
    assert len(lines) == 8 * 200 * 2


def test_a_log_that_cannot_be_written_fails_nobody() -> None:
    """On a full disk the services go on."""
    script = 'log.error("ours")\ntheirs.error("theirs")\nprint("went on")'
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", SETUP + script], stdout=subprocess.PIPE, stderr=full, text=True, timeout=60
        )
    assert done.stdout == "went on\n"
