"""The harness without the backend: Pi's own terminal UI, `tht` behind the gate, decisions in the ledger."""

import getpass
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.realpi.flow_script import QUESTION, READING
from tests.realpi.pi_process import GATE, GATE_TOOLS, HARNESS, find_node
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, ToolCall, text_of
from tests.realpi.terminal_pi import TerminalPi

PROGRAMS = Path(sys.executable).parent
WORKSPACE = """
name: flights
dialect: sqlite
connection: {path: ../flights.db}
notes: Delays are minutes.
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A harness folder with one small workspace."""
    folder = tmp_path / "home"
    (folder / "workspaces").mkdir(parents=True)
    (folder / "workspaces/flights.yaml").write_text(WORKSPACE)
    database = sqlite3.connect(folder / "flights.db")
    database.execute("CREATE TABLE flights (carrier TEXT, arr_delay REAL)")
    database.close()
    return folder


@pytest.fixture
def session_id(home: Path) -> str:
    """A new session, made as the operator makes it."""
    command = [str(PROGRAMS / "tht"), "--home", str(home), "--json", "session", "new"]
    made = subprocess.run(
        [*command, "--workspace", "flights", "--question", QUESTION], check=True, capture_output=True
    )
    return json.loads(made.stdout)["id"]


@pytest.fixture
def terminal(home: Path, agent_folder: Path, pi_cache: Path, tmp_path: Path) -> Iterator[TerminalPi]:
    """Pi's terminal UI in the project's harness folder, once it is up."""
    arguments = [
        *("--approve", "-e", GATE, "-nc", "--tools", ",".join(GATE_TOOLS)),
        *("--provider", PROVIDER, "--model", MODEL, "--session-dir", str(tmp_path / "pi")),
    ]
    node = find_node()
    assert node
    environment = {
        "PATH": f"{PROGRAMS}:{Path(node).parent}:/usr/bin:/bin",
        "PI_CODING_AGENT_DIR": str(agent_folder),
        "TMPDIR": str(pi_cache),
        "HOME": str(tmp_path),
        "THT_HOME": str(home),
    }
    with TerminalPi(arguments, cwd=HARNESS, environment=environment) as pi:
        pi.wait_for(lambda: "(auto)" in pi.text())
        yield pi


def test_a_choice_in_the_terminal_is_in_the_ledger_before_the_agent_goes_on(
    terminal: TerminalPi, model: ScriptedModel, home: Path, session_id: str
) -> None:
    model.script([Answer(tools=[ToolCall(READING.tool, READING.arguments)]), Answer("I go on.")])
    terminal.enter(f"/nuova-domanda {session_id}")
    terminal.wait_for(lambda: "enter select" in terminal.text())
    terminal.press("\r")
    terminal.wait_for(lambda: "I go on." in terminal.text())

    ledger = home / "sessions" / session_id / "review_decisions.jsonl"
    (line,) = [json.loads(each) for each in ledger.read_text().splitlines()]
    assert (line["phase"], line["kind"], line["answer"]) == ("F1", "reading", {"value": "all"})
    assert line["by"] == f"{getpass.getuser()}@local"
    heard = text_of(model.requests[1]["messages"][-1])
    assert "(all)" in heard
    assert "The session is in F2" in heard


def test_typed_text_is_not_a_new_task_and_an_exclamation_mark_steers(
    terminal: TerminalPi, model: ScriptedModel, session_id: str
) -> None:
    model.script([Answer("I wait."), Answer("Noted.")])
    terminal.enter("work on something else")
    terminal.wait_for(lambda: "Start with /nuova-domanda" in terminal.text())
    assert model.requests == []

    terminal.enter(f"/nuova-domanda {session_id}")
    terminal.wait_for(lambda: "I wait." in terminal.text())
    terminal.enter("drop everything")
    terminal.wait_for(lambda: "type !text" in terminal.text())
    assert len(model.requests) == 1

    terminal.enter("!echo only 2013")
    terminal.wait_for(lambda: "Noted." in terminal.text())
    texts = [text_of(message) for message in model.requests[1]["messages"] if message["role"] == "user"]
    assert texts[1:] == ["echo only 2013"]
