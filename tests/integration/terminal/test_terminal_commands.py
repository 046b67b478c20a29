"""`thothii` without a terminal: pipes, --yes, --json, and what each ending says."""

import asyncio
import json
import signal

import httpx
import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.gateway.fakes import PAGE, Conversation, FakeServices
from tests.integration.terminal.conftest import Agent, Terminal

QUESTION = "Which carrier had the worst average delay?"
SESSION = "20261130t160000-001"


async def test_yes_takes_what_is_recommended_and_shows_the_rows(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    run = await terminal.run("ask", "--yes", QUESTION)
    assert run.code == 0, run.err
    assert agent.answers == [
        {"value": "median"},
        {"values": ["flights", "airlines"]},
        {"decision": "approve"},
    ]
    created = services.orchestrator.created[0]
    assert (created.workspace, created.question, created.author) == ("flights", QUESTION, "dev@local")
    assert "scripted model" in run.out
    assert "Let me look.\n" in run.out
    assert "[F1, the agent asks]" in run.out
    assert "[F2, subagent linker asks]" in run.out
    assert "SELECT 'é'" in run.out
    assert "F9" in run.out
    assert "21.92" in run.out
    written = (terminal.folder / f"{SESSION}.csv").read_bytes()
    assert written == b"".join(services.executor.chunks)
    assert run.err == ""


async def test_lines_of_a_pipe_answer_one_question_each(terminal: Terminal, agent: Agent) -> None:
    run = await terminal.run("ask", QUESTION, typed="nonsense?\n1,3\nreject: wrong year\napprove\n")
    assert run.code == 0, run.err
    assert agent.answers == [
        {"text": "nonsense?"},
        {"values": ["flights", "weather"]},
        {"decision": "reject", "comment": "wrong year"},
        {"decision": "approve"},
    ]
    assert "  2) Median delay (recommended)" in run.out


async def test_a_line_that_answers_nothing_is_said_and_the_next_one_taken(
    terminal: Terminal, agent: Agent
) -> None:
    run = await terminal.run("ask", QUESTION, typed="1\n9\n1\nmaybe\nedit\nSELECT 1\nFROM t\n.\n")
    assert run.code == 0, run.err
    assert "9 is none of 1 to 3" in run.out
    assert "type approve, reject: <why>, or edit" in run.out
    assert agent.answers[-1] == {"decision": "edit", "text": "SELECT 1\nFROM t"}


async def test_an_answer_that_the_gateway_refuses_can_be_given_again(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    services.orchestrator.fail["Respond"] = Fault(
        Code.ANSWER_DOES_NOT_FIT, "/value: not this one", pointer="/value"
    )
    run = await terminal.run("ask", QUESTION, typed="1\n2\n1\napprove\n")
    assert run.code == 0, run.err
    assert "/value: not this one" in run.out
    assert agent.answers[0] == {"value": "median"}


async def test_a_line_with_an_exclamation_mark_steers(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    run = await terminal.run("ask", QUESTION, typed="!only 2013\n1\n!and only JFK\n1\napprove\n")
    assert run.code == 0, run.err
    assert services.orchestrator.sessions[SESSION].steers == ["only 2013", "and only JFK"]
    assert agent.answers[0] == {"value": "mean"}


async def test_a_steer_on_its_way_is_not_lost_to_a_question_that_comes_meanwhile(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    asked = asyncio.Event()

    async def create(conversation: Conversation) -> None:
        services.executor.add_session(conversation.session_id)
        await conversation.say("Let me look.")

    async def steer(conversation: Conversation) -> None:
        if not asked.is_set():
            asked.set()
            await conversation.ask(**agent.questions[0])
            # Long enough for the question to reach the terminal before the steer is acknowledged.
            await asyncio.sleep(0.5)

    services.orchestrator.on_create = create
    services.orchestrator.on_steer = steer
    run = await terminal.run("ask", QUESTION, typed="!only 2013\n1\n1\napprove\n")
    assert run.code == 0, run.err
    assert services.orchestrator.sessions[SESSION].steers == ["only 2013"]


async def test_without_more_lines_the_session_is_left_to_be_resumed(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    run = await terminal.run("ask", QUESTION, typed="1\n")
    assert run.code == Code.NOT_APPROVED.kind.exit_code
    assert f"thothii resume {SESSION}" in run.out
    assert run.err.startswith("thothii: no rows")
    assert run.err.count("\n") == 1
    run = await terminal.run("resume", SESSION, "--yes", "--out", "rows.csv")
    assert run.code == 0, run.err
    assert agent.answers[1:] == [{"values": ["flights", "airlines"]}, {"decision": "approve"}]
    assert services.orchestrator.sessions[SESSION].opened == 0
    assert (terminal.folder / "rows.csv").exists()


async def test_a_session_that_is_left_again_names_the_phase_it_stands_in(
    terminal: Terminal, services: FakeServices
) -> None:
    conversation = services.add_session("s1")
    services.executor.sessions["s1"]["phase"] = {"phase": "F3", "closed": [], "missing": [], "reason": None}
    await conversation.ask()
    run = await terminal.run("resume", "s1")
    assert run.code == Code.NOT_APPROVED.kind.exit_code
    assert "phase F3 is open" in run.err
    assert "decided in F1: Which reading? (mean)" in run.out


async def test_json_is_one_document_and_everything_else_goes_to_stderr(
    terminal: Terminal, agent: Agent
) -> None:
    run = await terminal.run("ask", "--yes", "--json", "--workspace", "flights", QUESTION)
    assert run.code == 0
    document = json.loads(run.out)
    assert document["session"] == SESSION
    assert document["phase"] == "F5"
    assert document["scripted"] is True
    assert document["result"] == PAGE
    assert document["file"]["bytes"] == 35
    assert "Let me look." in run.err
    assert agent.answers


async def test_a_closed_session_is_opened_again_and_a_finished_one_just_shown(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    conversation = services.add_session("s1", state="closed")
    resuming = asyncio.create_task(terminal.run("resume", "s1", "--yes"))
    await assert_eventually(lambda: conversation.opened == 1)
    await agent.finish(conversation)
    assert (await resuming).code == 0
    conversation.state = "closed"
    run = await terminal.run("resume", "s1")
    assert run.code == 0
    assert "21.92" in run.out
    assert conversation.opened == 1


async def test_lists(terminal: Terminal, services: FakeServices) -> None:
    conversation = services.add_session("s1")
    await conversation.ask()
    run = await terminal.run("sessions")
    assert "s1" in run.out
    assert "waiting (1 to answer)" in run.out
    assert json.loads((await terminal.run("sessions", "--json")).out)["sessions"][0]["id"] == "s1"
    run = await terminal.run("workspaces")
    assert "flights" in run.out
    assert "dialect is missing" in run.out
    run = await terminal.run("models")
    assert "demo" in run.out
    assert "scripted model" in run.out


async def test_ctrl_c_leaves_and_says_how_to_come_back(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    process = await terminal.start("ask", QUESTION)
    await assert_eventually(lambda: SESSION in services.orchestrator.sessions)
    conversation = services.orchestrator.sessions[SESSION]
    await assert_eventually(lambda: conversation.subscriptions and conversation.pending)
    process.send_signal(signal.SIGINT)
    out, err = await process.communicate()
    assert process.returncode == Code.CANCELLED.kind.exit_code, err
    assert f"thothii resume {SESSION}" in out.decode()
    assert err == b""
    assert list(conversation.pending)
    await assert_eventually(lambda: conversation.subscriptions == 0)


async def test_a01_a_cut_stream_is_taken_up_where_it_broke(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    """A-01, on the client's side: the orchestrator goes away and comes back; no text twice, none lost."""
    process = await terminal.start("ask", QUESTION)
    await assert_eventually(lambda: SESSION in services.orchestrator.sessions)
    conversation = services.orchestrator.sessions[SESSION]
    await assert_eventually(lambda: conversation.subscriptions == 1 and conversation.pending)
    await services.stop_orchestrator()
    await conversation.say("While you were away. ")
    await services.start_orchestrator()
    await assert_eventually(lambda: conversation.subscriptions == 1)
    await conversation.say("Back.\n")
    assert process.stdout
    async with asyncio.timeout(20):
        before = await process.stdout.readuntil(b"Back.")
    out, err = await process.communicate(b"1\n1\napprove\n")
    assert process.returncode == 0, err
    shown = (before + out).decode()
    for text in ("Let me look.", "While you were away. Back.", "Which reading?"):
        assert shown.count(text) == 1


async def test_an_answer_of_another_tab_goes_on_to_the_next_question(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    process = await terminal.start("ask", QUESTION)
    await assert_eventually(lambda: SESSION in services.orchestrator.sessions)
    conversation = services.orchestrator.sessions[SESSION]
    asked = await assert_eventually(lambda: next(iter(conversation.pending), None))
    async with httpx.AsyncClient(base_url=terminal.url) as client:
        await client.post(f"/sessions/{SESSION}/response", json={"id": asked, "value": "mean"})
    assert process.stdout is not None
    async with asyncio.timeout(30):
        before = await process.stdout.readuntil(b"Which tables?")
    out, err = await process.communicate(b"1\napprove\n")
    assert process.returncode == 0, err
    assert agent.answers == [{"value": "mean"}, {"values": ["flights"]}, {"decision": "approve"}]
    assert (before + out).decode().count("Which tables?") == 1


async def test_what_is_judged_is_what_is_shown(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    agent.questions[-1]["artifact"]["sha256"] = "0" * 64
    run = await terminal.run("ask", "--yes", QUESTION)
    assert run.code == Code.CONFLICT.kind.exit_code
    assert "changed" in run.err
    assert {"decision": "approve"} not in agent.answers


async def test_a_crash_is_shown_with_what_pi_said_last(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    async def crash(conversation: Conversation, _answer: object) -> None:
        conversation.state = "crashed"
        lost = {"state": "crashed", "reason": "exit 3", "stderr": "boom: no memory", "exit_code": 3}
        await conversation.emit(("lifecycle", lost))

    services.orchestrator.on_respond = crash
    run = await terminal.run("ask", "--yes", QUESTION)
    assert run.code == Code.PI_FAILED.kind.exit_code
    assert "boom: no memory" in run.out
    assert "thothii resume" in run.err


async def test_c27_a_download_that_breaks_off_leaves_no_file(
    terminal: Terminal, agent: Agent, services: FakeServices
) -> None:
    """C-27, on the client's side."""
    services.executor.break_after = 1
    run = await terminal.run("ask", "--yes", QUESTION)
    assert run.code == Code.DATABASE_ERROR.kind.exit_code
    assert "broke off" in run.err
    assert list(terminal.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["ask", ""], 2, "/question"),
        (["ask", "x", "--workspace", "w", "--temperature", "9"], 2, "/temperature"),
        (["ask", "x", "--out", "nowhere/rows.csv"], 2, "cannot be written"),
        (["resume", "nobody"], 3, "no session"),
        (["resume", "../x"], 3, "no session"),
        (["sessions", "--phase", "F9"], 2, "phase"),
        (["sessions", "--url", "http://127.0.0.1:9"], 9, "no gateway answers"),
        (["sessions", "--url", "localhost"], 2, "is no URL"),
    ],
)
async def test_what_cannot_be_done_is_said_in_one_line(
    terminal: Terminal, services: FakeServices, arguments: list[str], code: int, words: str
) -> None:
    run = await terminal.run(*arguments)
    assert (run.code, words in run.err, run.err.count("\n")) == (code, True, 1), run.err
    assert run.err.startswith("thothii: ")
    assert services.orchestrator.created == []


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
        b"SSH-2.0-OpenSSH\r\n",
        b"",
    ],
    ids=["text", "json", "ssh", "nothing"],
)
async def test_what_is_no_gateway_is_said_in_one_line(terminal: Terminal, answer: bytes) -> None:
    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        run = await terminal.run("models", "--url", f"http://127.0.0.1:{port}")
    assert run.code == 9
    assert "gateway" in run.err
    assert run.err.count("\n") == 1


async def test_bytes_on_stdin_that_are_no_text_end_nothing(terminal: Terminal, agent: Agent) -> None:
    process = await terminal.start("ask", QUESTION)
    _out, err = await process.communicate(b"\xff\xfe\n1\napprove\n")
    assert process.returncode == 0, err
    assert agent.answers[0] == {"text": "\ufffd\ufffd"}


async def test_a_reader_of_our_output_that_leaves_is_no_traceback(terminal: Terminal, agent: Agent) -> None:
    process = await terminal.start("ask", "--yes", QUESTION)
    assert process.stdout
    await process.stdout.readline()
    process._transport.get_pipe_transport(1).close()
    assert process.stderr
    err = await process.stderr.read()
    await process.wait()
    assert b"Traceback" not in err
    assert process.returncode != 0


async def test_several_workspaces_need_a_choice(terminal: Terminal, services: FakeServices) -> None:
    both = [{"name": name, "dialect": "duckdb", "transport": "direct", "notes": ""} for name in ("a", "b")]
    services.executor.workspaces = both
    run = await terminal.run("ask", QUESTION)
    assert run.code == 2
    assert "there are: a, b" in run.err
