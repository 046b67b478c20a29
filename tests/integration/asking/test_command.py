"""thothii-ask from a shell script."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.asking.conftest import Inbox

SCRIPT = """\
#!/bin/sh
if thothii-ask --confirm "Approve this migration?"; then echo migrated; else echo "left alone ($?)"; fi
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the command in it, whatever is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    project = Path(__file__).resolve().parents[3]
    command = folder / "thothii-ask"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={project} exec {sys.executable} -m asker "$@"\n')
    command.chmod(0o755)
    return folder


class Shell:
    """Runs commands as a process of the session."""

    def __init__(self, inbox: Inbox, programs: Path) -> None:
        self._environment = {"PATH": f"{programs}:{os.environ['PATH']}", **inbox.environment}

    async def start(self, *argv: str, **environment: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *argv,
            env={**self._environment, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *argv: str, **environment: str) -> tuple[int | None, str, str]:
        return await ended(await self.start(*argv, **environment))


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def shell(inbox: Inbox, programs: Path) -> Shell:
    return Shell(inbox, programs)


@pytest.mark.parametrize(("value", "said"), [("0", "migrated\n"), ("1", "left alone (1)\n")])
async def test_a_script_asks_for_approval(
    inbox: Inbox, shell: Shell, tmp_path: Path, value: str, said: str
) -> None:
    script = tmp_path / "migrate.sh"
    script.write_text(SCRIPT)
    running = await shell.start("sh", str(script))
    question = await inbox.listener.until("ui_request")
    assert question["from"] == {"kind": "process", "name": "migrate.sh"}
    assert [option["label"] for option in question["options"]] == ["yes", "no"]
    await inbox.answer(question, value=value)
    assert await ended(running) == (0, said, "")


async def test_answers_are_printed_one_a_line_or_as_json(inbox: Inbox, shell: Shell) -> None:
    running = await shell.start("thothii-ask", "--from", "cron job", "One?", "Two?")
    await inbox.answer(await inbox.listener.until("ui_request"), text="first è")
    question = await inbox.listener.until("ui_request", 2)
    assert question["from"]["name"] == "cron job"
    await inbox.answer(question, text="second")
    assert await ended(running) == (0, "first è\nsecond\n", "")
    running = await shell.start("thothii-ask", "--json", "-o", "a", "-o", "b", "Which?")
    await inbox.answer(await inbox.listener.until("ui_request", 3), value="1")
    code, out, _ = await ended(running)
    assert (code, json.loads(out)) == (
        0,
        {"status": "ok", "answers": [{"question": "Which?", "answer": "b"}]},
    )


async def test_questions_come_from_a_file_as_the_tool_takes_them(
    inbox: Inbox, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({"questions": [{"question": "Which?", "options": ["a"]}]}))
    running = await shell.start("thothii-ask", "--questions", str(file))
    await inbox.answer(await inbox.listener.until("ui_request"), value="0")
    assert await ended(running) == (0, "a\n", "")


async def test_each_status_has_its_exit_code(inbox: Inbox, shell: Shell) -> None:
    assert (await shell.run("thothii-ask", "--timeout", "0.2", "One?"))[0] == 4, "timeout"
    running = await shell.start("thothii-ask", "Two?")
    await inbox.answer(await inbox.listener.until("ui_request", 2), cancelled=True)
    code, out, err = await ended(running)
    assert (code, out, err) == (3, "", "thothii-ask: timeout-or-cancelled\n")
    assert (await shell.run("thothii-ask", "x" * 5000))[0] == 7, "error"
    assert (await shell.run("thothii-ask", "Three?", THT_AGENT_TOKEN="another"))[0] == 6, "no-host"
    assert (await shell.run("thothii-ask", "Three?", THT_AGENT_ENDPOINT="unix:/nowhere"))[0] == 6
    assert (await shell.run("thothii-ask", "Three?", THT_AGENT_ENDPOINT="http://example.org:80"))[0] == 6
    assert (await shell.run("thothii-ask", "Three?", THT_AGENT_ENDPOINT=""))[0] == 6
    for usage in ([], ["--confirm", "a", "b"], ["--timeout", "0", "a"], [" "], ["--questions", "/nowhere"]):
        code, _, err = await shell.run("thothii-ask", *usage)
        assert code == 2 and "Traceback" not in err
    assert len(inbox.listener.named("ui_request")) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupted_command_cancels_its_question(
    inbox: Inbox, shell: Shell, number: signal.Signals
) -> None:
    running = await shell.start("thothii-ask", "One?")
    await inbox.listener.until("ui_request")
    running.send_signal(number)
    code, _, err = await ended(running)
    assert (code, err) == (5, "thothii-ask: cancelled\n")
    assert (await inbox.listener.until("ui_resolved"))["how"] == "cancelled"


async def test_a_killed_command_cancels_its_question(inbox: Inbox, shell: Shell) -> None:
    running = await shell.start("thothii-ask", "One?")
    await inbox.listener.until("ui_request")
    running.kill()
    await ended(running)
    assert (await inbox.listener.until("ui_resolved"))["how"] == "cancelled"


async def test_a_late_answer_is_there_for_who_asks_again(inbox: Inbox, shell: Shell) -> None:
    again: list[Any] = [
        "thothii-ask",
        "--call",
        "nightly",
        "--json",
        "--from",
        "n",
        "--timeout",
        "0.2",
        "One?",
    ]
    assert (await shell.run(*again))[0] == 4
    with pytest.raises(Exception, match="kept"):
        await inbox.answer(inbox.listener.named("ui_request")[0], text="late")
    code, out, _ = await shell.run(*again)
    assert code == 4
    assert json.loads(out)["answers"] == [{"question": "One?", "answer": "late", "late": True}]
