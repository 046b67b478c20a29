"""One inbox on the real Pi: the agent, its sub-agents, a Pi started by a shell tool, a script."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from launcher.stack import Stack
from tests import stack as product
from tests.realpi.bridge.conftest import SUBAGENTS, StartBridge, results
from tests.realpi.bridge.puppet import ask, do
from tests.realpi.bridge.scouting import SCOUTS, is_scout, scouting
from tests.realpi.pi_process import HARNESS, PI_CLI, find_node
from tests.realpi.scripted_model import ScriptedModel, text_of, write_agent_folder

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def scouts_model() -> Iterator[ScriptedModel]:
    with ScriptedModel(scouting) as server:
        yield server


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, scouts_model: ScriptedModel) -> Iterator[Stack]:
    """The product on the real Pi; the workspace `scouted` allows sub-agents."""
    operator = write_agent_folder(tmp_path_factory.mktemp("operator"), scouts_model.base_url)
    settings = {"THOTHII_SUBAGENTS_EXTENSION": str(SUBAGENTS)}
    folder = tmp_path_factory.mktemp("product")
    with product.running(folder, product.real_pi(operator), **settings) as running:
        text = (HARNESS / "workspaces/flights.yaml").read_text().replace("name: flights", "name: scouted")
        (running.home / "workspaces/scouted.yaml").write_text(text + "\nsubagents: true\n")
        yield running


@pytest.fixture
def reviewer(stack: Stack) -> Iterator[product.Reviewer]:
    with product.Reviewer(stack.url) as person:
        yield person


def asker_of(question: dict[str, Any]) -> str:
    return f"{question['from']['kind']} {question['from']['name'].partition('#')[0]}"


def child_environment(session: str) -> dict[str, str]:
    """What a process that Pi starts for the session has in its environment."""
    for process in psutil.process_iter():
        try:
            environment = process.environ()
        except (psutil.AccessDenied, psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
        if environment.get("THT_SESSION") == session:
            names = ("THT_AGENT_ENDPOINT", "THT_AGENT_TOKEN", "THT_SESSION", "PI_SESSION_ID")
            return {name: environment[name] for name in names}
    raise AssertionError(f"no process works for {session}")


@pytest.fixture(scope="module")
def worked(stack: Stack) -> tuple[str, list[tuple[str, Any]], dict[str, str]]:
    """A session with sub-agents worked through: its id, its events, what each asker was answered."""
    said: dict[str, str] = {}
    held: list[dict[str, Any]] = []
    seen: list[tuple[str, Any]] = []

    def reply(reviewer: product.Reviewer, session: str, question: dict[str, Any]) -> None:
        if question["from"]["kind"] == "subagent":
            said[question["title"]] = question["options"][1]["label"]
            reviewer.answer(session, question, {"value": "1"})
        else:
            reviewer.answer(session, question, product.take_recommended(question))

    with product.Reviewer(stack.url) as reviewer:
        session = reviewer.ask(workspace="scouted")
        for name, _id, data in reviewer.events(session):
            seen.append((name, data))
            if name == "ui_request" and not any(each["id"] == data["id"] for each in held):
                held.append(data)
                if len(held) == 1:
                    reply(reviewer, session, data)
                elif len(held) == 3:
                    assert {each["from"]["kind"] for each in held[1:]} == {"main", "subagent"}, (
                        "both ask at once"
                    )
                    for each in held[1:]:
                        reply(reviewer, session, each)
                elif len(held) > 3:
                    reply(reviewer, session, data)
            if name == "lifecycle" and data["state"] == "idle" and len(held) == 4:
                return session, seen, said
    raise AssertionError(f"the stream ended: {seen[-5:]}")


def test_a25_the_agent_and_two_sub_agents_ask_and_each_question_shows_whose_it_is(
    worked: tuple[str, list, dict],
) -> None:
    _, events, _ = worked
    asked = [data for name, data in events if name == "ui_request"]
    by_title = {question["title"]: asker_of(question) for question in asked}
    assert by_title == {
        "What does worst mean?": "main main",
        "Anything else?": "main main",
        "Which carriers?": "subagent schema-scout",
        "Which delays?": "subagent schema-scout",
    }
    names = {question["from"]["name"] for question in asked if question["from"]["kind"] == "subagent"}
    assert len(names) == 2, "two scouts are told apart"
    resolved = {data["id"]: data["how"] for name, data in events if name == "ui_resolved"}
    assert resolved == {question["id"]: "answered" for question in asked}


def test_each_answer_reaches_its_own_sub_agent(
    worked: tuple[str, list, dict], scouts_model: ScriptedModel
) -> None:
    assert worked[2] == {f"Which {thing}?": f"{thing} two" for thing in SCOUTS}
    for request in (each for each in scouts_model.requests if is_scout(each)):
        told = "\n".join(text_of(message) for message in request["messages"] if message["role"] == "user")
        [thing] = [each for each in SCOUTS if f"Find {each}" in told]
        heard = [text_of(message) for message in request["messages"] if message["role"] == "tool"]
        if len(heard) == 2:
            assert json.loads(heard[1])["answers"] == [
                {"question": f"Which {thing}?", "answer": f"{thing} two"}
            ]


def test_sub_agents_read_the_schema_and_can_do_nothing_else(
    worked: tuple[str, list, dict], scouts_model: ScriptedModel
) -> None:
    requests = [each for each in scouts_model.requests if is_scout(each)]
    assert requests
    for request in requests:
        offered = {tool["function"]["name"] for tool in request["tools"]}
        assert offered == {"tht_schema", "ask_user_via_host"}
    searched = [text_of(message) for message in requests[-1]["messages"] if message["role"] == "tool"]
    assert "flights" in searched[0] or "airlines" in searched[0]


def test_no_other_kind_of_sub_agent_starts(worked: tuple[str, list, dict]) -> None:
    _, events, _ = worked
    ended = [data for name, data in events if name == "system_event" and data["kind"] == "tool_end"]
    agents = [data for data in ended if data["tool"] == "Agent"]
    assert len(agents) == 4
    refused = [data["text"] for data in agents if data["is_error"]]
    assert len(refused) == 2 and all("There is no sub-agent" in text for text in refused)
    reports = [data["text"] for data in ended if data["tool"] == "get_subagent_result"]
    assert len(reports) == 2 and all("REPORT on" in text for text in reports)


def test_decisions_of_sub_agents_questions_are_recorded_as_plain(
    worked: tuple[str, list, dict], reviewer: product.Reviewer
) -> None:
    lines = reviewer.get(f"/sessions/{worked[0]}/decisions")["decisions"]
    assert [line["kind"] for line in lines if line["title"].startswith("Which ")] == ["plain", "plain"]
    assert reviewer.get(f"/sessions/{worked[0]}")["phase"]["phase"] == "F2"


def test_a_workspace_without_the_key_offers_no_sub_agents(
    reviewer: product.Reviewer, scouts_model: ScriptedModel
) -> None:
    since = len(scouts_model.requests)
    session = reviewer.ask(workspace="flights")
    events = reviewer.work_through(session)
    mine = scouts_model.requests[since:]
    assert mine and not any(is_scout(request) for request in mine)
    for request in mine:
        offered = {tool["function"]["name"] for tool in request["tools"]}
        assert not offered & {"Agent", "get_subagent_result", "steer_subagent", "ask_user_via_host"}
        assert "sub-agents" not in text_of(request["messages"][0])
    ended = [data for name, data in events if name == "system_event" and data["kind"] == "tool_end"]
    texts = [data["text"] for data in ended if data["tool"] == "Agent"]
    assert len(texts) == 4 and all("not found" in text for text in texts)


def test_a_pi_started_by_a_shell_tool_asks_in_the_sessions_inbox(
    worked: tuple[str, list, dict],
    reviewer: product.Reviewer,
    start: StartBridge,
    obedient: ScriptedModel,
    project: Path,
) -> None:
    session = worked[0]
    node = find_node()
    assert node
    prompt = do(ask({"question": "Deploy?", "options": ["yes", "no"]}))
    child = [
        node,
        str(PI_CLI),
        "-p",
        "--approve",
        "-nc",
        "--no-mcp",
        "--no-session",
        "--provider",
        "scripted",
    ]
    command = shlex.join([*child, "--model", "scripted", prompt])
    shell = start("--no-session", environment=child_environment(session))
    shell.call("prompt", message=do(("bash", {"command": command})))
    question = wait_for_question(reviewer, session, "Deploy?")
    assert question["from"]["kind"] == "process" and question["from"]["name"].startswith("pi ")
    reviewer.answer(session, question, {"value": "0"})
    shell.wait_for_type("agent_settled")
    assert [(each["status"], each["answers"]) for each in results(obedient)] == [
        ("ok", [{"question": "Deploy?", "answer": "yes"}])
    ]


def test_a_shell_script_asks_with_thothii_ask(
    worked: tuple[str, list, dict],
    reviewer: product.Reviewer,
    start: StartBridge,
    obedient: ScriptedModel,
    tmp_path: Path,
) -> None:
    session = worked[0]
    script = tmp_path / "migrate.sh"
    ask_command = f"env PYTHONPATH={PROJECT} {sys.executable} -m asker"
    script.write_text(
        f'{ask_command} --from migrate.sh --confirm "Approve?" && echo migrated || echo "left: $?"\n'
    )
    shell = start("--no-session", environment=child_environment(session))
    for value, said in (("0", "migrated"), ("1", "left: 1")):
        since = len(shell.records)
        shell.call("prompt", message=do(("bash", {"command": f"sh {script}"})))
        question = wait_for_question(reviewer, session, "Approve?")
        assert question["from"] == {"kind": "process", "name": "migrate.sh"}
        reviewer.answer(session, question, {"value": value})
        ended = shell.wait_for_type("tool_execution_end", since=since)
        assert ended["result"]["content"][0]["text"].strip() == said
        shell.wait_for_type("agent_settled", since=since)


def wait_for_question(reviewer: product.Reviewer, session: str, title: str) -> dict[str, Any]:
    """The open question of that title, as the stream tells it."""
    for name, _id, data in reviewer.events(session):
        if name == "ui_request" and data["title"] == title:
            return data
    raise AssertionError(f"nobody asked {title!r}")
