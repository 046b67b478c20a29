"""The harness without the backend: Pi's own terminal UI, `tht` behind the gate, decisions in the ledger."""

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.realpi.flow_script import QUESTION, READING
from tests.realpi.pi_process import GATE, GATE_TOOLS, HARNESS
from tests.realpi.scripted_model import MODEL, PROVIDER, Answer, ScriptedModel, ToolCall, text_of
from tests.realpi.small_home import environment_with_tht, make_home, make_session, read_ledger
from tests.realpi.terminal_pi import TerminalPi


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A harness folder with one small workspace."""
    return make_home(tmp_path / "home")


@pytest.fixture
def session_id(home: Path) -> str:
    """A new session on the demo question."""
    return make_session(home, QUESTION)


@pytest.fixture
def terminal(home: Path, agent_folder: Path, pi_cache: Path, tmp_path: Path) -> Iterator[TerminalPi]:
    """Pi's terminal UI in the project's harness folder, once it is up."""
    arguments = [
        *("--approve", "-e", GATE, "-nc", "--tools", ",".join(GATE_TOOLS)),
        *("--provider", PROVIDER, "--model", MODEL, "--session-dir", str(tmp_path / "pi")),
    ]
    environment = {
        **environment_with_tht(home),
        "PI_CODING_AGENT_DIR": str(agent_folder),
        "TMPDIR": str(pi_cache),
        "HOME": str(tmp_path),
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

    (line,) = read_ledger(home, session_id)
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
