"""What the gate keeps from happening on the real Pi: other tools and tasks, steps out of order, no gate."""

import json
import shutil
from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from tests.realpi.agent_stub import AgentStub, StubSession
from tests.realpi.conftest import SESSION_ID, StartPi
from tests.realpi.flow_script import CTES, FINAL_SQL, READING
from tests.realpi.pi_process import GATE_TOOLS, HARNESS, PiProcess, Record
from tests.realpi.reviewer import envelope_of, is_dialog, respond, take_recommended
from tests.realpi.scripted_model import Answer, ScriptedModel, ToolCall, text_of

KICKOFF = f"/nuova-domanda {SESSION_ID}"
ASK_READING = Answer("Which one?", tools=[ToolCall(READING.tool, READING.arguments)])


def run(pi: PiProcess, message: str = KICKOFF) -> None:
    """One prompt and the run it starts."""
    since = len(pi.records)
    pi.call("prompt", message=message)
    pi.wait_for_type("agent_settled", since=since)


def tool_results(pi: PiProcess) -> list[tuple[bool, str]]:
    """(is error, text) of every tool call so far."""
    ends = pi.of_type("tool_execution_end")
    return [(end["isError"], "".join(block["text"] for block in end["result"]["content"])) for end in ends]


def notified(pi: PiProcess) -> list[Record]:
    return [record for record in pi.of_type("extension_ui_request") if record["method"] == "notify"]


def approve_reading(session: StubSession) -> None:
    session.decisions.append(
        {"seq": 1, "phase": "F1", "kind": "reading", "title": "t", "options": [], "answer": {}}
    )


def test_kickoff_command_is_reported_in_the_expected_version(start_pi: StartPi) -> None:
    commands = {each["name"]: each for each in start_pi().call("get_commands")["data"]["commands"]}
    for name in ("nuova-domanda", "riprendi-sessione"):
        assert commands[name]["source"] == "extension"
        assert commands[name]["description"].endswith("(tht-gate/1)")


def test_a_steer_reaches_the_model_through_the_input_hook(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    model.script([ASK_READING, Answer("Noted.")])
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    request = pi.wait_for(is_dialog)
    steered = pi.call("prompt", message="Only carriers of the east coast", streamingBehavior="steer")
    assert steered["data"] == {"disposition": "queued"}
    respond(pi, stub.session, request, take_recommended(envelope_of(request)))
    pi.wait_for_type("agent_settled")
    last = model.requests[-1]["messages"][-1]
    assert (last["role"], text_of(last)) == ("user", "Only carriers of the east coast")


def test_a_steer_to_an_idle_agent_starts_a_run(start_pi: StartPi, model: ScriptedModel) -> None:
    model.script([Answer("Started."), Answer("Noted.")])
    pi = start_pi()
    run(pi)
    since = len(pi.records)
    assert pi.call("prompt", message="and weather", streamingBehavior="steer")["data"] == {
        "disposition": "started"
    }
    pi.wait_for_type("agent_settled", since=since)
    assert text_of(model.requests[-1]["messages"][-1]) == "and weather"


def test_text_before_the_kickoff_never_reaches_the_model(start_pi: StartPi, model: ScriptedModel) -> None:
    pi = start_pi()
    assert pi.call("prompt", message="drop everything")["data"] == {"disposition": "handled"}
    assert "/nuova-domanda" in notified(pi)[0]["message"]
    run(pi)
    assert "drop everything" not in json.dumps(model.requests)


@pytest.mark.parametrize("tools", [GATE_TOOLS, None], ids=["with --tools", "without --tools"])
def test_only_the_gates_tools_are_offered_and_no_other_runs(
    start_pi: StartPi, model: ScriptedModel, tools: tuple[str, ...] | None
) -> None:
    forbidden = ["bash", "edit", "write", "read", "codemode"]
    model.script(
        [Answer(tools=[ToolCall(name, {"command": "id", "path": "x"}) for name in forbidden]), Answer("done")]
    )
    pi = start_pi(tools=tools)
    run(pi)
    assert sorted(tool["function"]["name"] for tool in model.requests[0]["tools"]) == sorted(GATE_TOOLS)
    assert tool_results(pi) == [(True, f"Tool {name} not found") for name in forbidden]


def test_a_tool_that_another_extension_activates_is_blocked(
    start_pi: StartPi, model: ScriptedModel, tmp_path: Path
) -> None:
    other = tmp_path / "other.js"
    other.write_text(
        'export default (pi) => { pi.on("before_agent_start", () => { pi.setActiveTools(["bash"]); }); };'
    )
    model.script([Answer(tools=[ToolCall("bash", {"command": "echo ran"})]), Answer("done")])
    pi = start_pi("-e", str(other), tools=None)
    run(pi)
    ((is_error, text),) = tool_results(pi)
    assert is_error
    assert "not available in a ThothII session" in text


def test_the_rpc_bash_command_runs_nothing(start_pi: StartPi, tmp_path: Path) -> None:
    pi = start_pi()
    answer = pi.call("bash", command=f"touch {tmp_path}/ran")
    assert answer["data"]["exitCode"] == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ToolCall("artifact_write", {"name": "ctes.json", "json": CTES}), "belongs to phase F3 (CTEs)"),
        (ToolCall("artifact_write", {"name": "sql_final.sql", "text": FINAL_SQL}), "belongs to phase F4"),
        (ToolCall("artifact_gate", {"name": "sql_final.sql", "summary": "s"}), "belongs to phase F4"),
        (
            ToolCall("reviewer_decide", {"title": "t", "options": [{"label": "flights"}]}),
            "Still missing: the reviewer's choice of a reading",
        ),
    ],
    ids=["ctes early", "final early", "gate early", "decide early"],
)
def test_a_call_out_of_phase_is_refused_with_what_is_missing(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel, call: ToolCall, expected: str
) -> None:
    model.script([Answer(tools=[call]), Answer("I see.")])
    pi = start_pi()
    run(pi)
    ((is_error, text),) = tool_results(pi)
    assert is_error
    assert expected in text
    assert 'purpose "reading"' in text
    assert stub.session.artifacts == {}
    assert not [record for record in pi.records if is_dialog(record)]


def test_schema_linking_cannot_be_approved_before_candidates_were_kept(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    approve_reading(stub.session)
    stub.session.artifacts["schema_linking.json"] = "{}"
    call = ToolCall("artifact_gate", {"name": "schema_linking.json", "summary": "s"})
    model.script([Answer(tools=[call]), Answer("I see.")])
    pi = start_pi()
    run(pi)
    assert "call reviewer_decide" in tool_results(pi)[0][1]


def test_sql_that_is_not_read_only_is_not_written(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    approve_reading(stub.session)
    for name, text in {"schema_linking.json": "{}", "ctes.json": '{"steps": []}'}.items():
        stub.session.artifacts[name] = text
        envelope = {"kind": "approval", "widget": "artifact_gate", "title": "t", "options": []}
        artifact = stub.session.answer("artifact.get", {"session": SESSION_ID, "name": name})
        stub.session.decide({**envelope, "artifact": artifact}, {"decision": "approve"})
    assert stub.session.phase() == "F4"
    call = ToolCall("artifact_write", {"name": "sql_final.sql", "text": "DELETE FROM flights"})
    model.script([Answer(tools=[call]), Answer("I see.")])
    pi = start_pi()
    run(pi)
    assert tool_results(pi) == [
        (
            True,
            "sql_final.sql was not written, its SQL does not pass the check: "
            "only one statement that reads is allowed",
        )
    ]
    assert "sql_final.sql" not in stub.session.artifacts


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, {"temperature": None, "max_completion_tokens": 4000}),
        ({"THT_TEMPERATURE": "0.3"}, {"temperature": 0.3, "max_completion_tokens": 4000}),
        ({"THT_TEMPERATURE": "0", "THT_MAX_TOKENS": "77"}, {"temperature": 0, "max_completion_tokens": 77}),
        ({"THT_TEMPERATURE": "warm"}, {"temperature": None, "max_completion_tokens": 4000}),
    ],
    ids=["unset", "temperature", "both", "nonsense"],
)
def test_sampling_of_the_session_is_in_the_request_body(
    start_pi: StartPi, model: ScriptedModel, environment: dict[str, str], expected: dict[str, float | None]
) -> None:
    pi = start_pi(environment=environment)
    run(pi)
    assert {name: model.requests[0].get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("/nuova-domanda", "give the id of a session"),
        ("/nuova-domanda ../x", "give the id of a session"),
        ("/nuova-domanda another-session", f"this Pi runs session {SESSION_ID}"),
    ],
)
def test_a_kickoff_that_fits_no_session_says_so_and_starts_nothing(
    start_pi: StartPi, model: ScriptedModel, message: str, expected: str
) -> None:
    pi = start_pi()
    assert pi.call("prompt", message=message)["data"] == {"disposition": "handled"}
    assert expected in notified(pi)[0]["message"]
    assert pi.call("get_state")["data"]["isStreaming"] is False
    assert model.requests == []


def test_a_backend_that_fails_is_told_to_the_model_and_pi_lives_on(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    stub.session.faults["schema.tables"] = Fault(Code.DATABASE_UNAVAILABLE, "the database cannot be reached")
    model.script([Answer(tools=[ToolCall("tht_schema", {"action": "tables"})]), Answer("I stop.")])
    pi = start_pi()
    run(pi)
    assert tool_results(pi) == [(True, "the database cannot be reached")]


def test_an_unreachable_backend_is_told_at_the_kickoff(
    start_pi: StartPi, model: ScriptedModel, tmp_path: Path
) -> None:
    pi = start_pi(environment={"THT_AGENT_ENDPOINT": f"unix:{tmp_path}/nobody"})
    pi.call("prompt", message=KICKOFF)
    assert "the backend cannot be reached (ENOENT)" in notified(pi)[0]["message"]
    assert model.requests == []


def test_without_backend_and_without_tht_it_says_so_at_once(start_pi: StartPi, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    pi = start_pi(environment={"THT_AGENT_ENDPOINT": "", "PATH": str(tmp_path / "bin")})
    notify = pi.wait_for_type("extension_ui_request")
    assert notify["message"].startswith("`tht` is not on the PATH")


@pytest.mark.parametrize(
    "value",
    [
        "not json",
        '["a"]',
        '{"value": "no such option"}',
        '{"values": ["all"]}',
        "null",
        "",
        {"value": ["all"]},
        7,
    ],
)
def test_an_answer_that_cannot_be_understood_decides_nothing(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel, value: object
) -> None:
    model.script([ASK_READING, Answer("I stop.")])
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    request = pi.wait_for(is_dialog)
    pi.send({"type": "extension_ui_response", "id": request["id"], "value": value})
    pi.wait_for_type("agent_settled")
    ((is_error, text),) = tool_results(pi)
    assert is_error
    assert "nothing is decided" in text


def test_a_cancelled_dialog_decides_nothing_and_is_told(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    model.script([ASK_READING, Answer("I wait.")])
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    respond(pi, stub.session, pi.wait_for(is_dialog), None)
    pi.wait_for_type("agent_settled")
    ((is_error, text),) = tool_results(pi)
    assert is_error
    assert "nothing is decided" in text
    assert pi.entries()[-1]["how"] == "cancelled"


def test_abort_closes_a_dialog_at_once(start_pi: StartPi, model: ScriptedModel) -> None:
    model.script([ASK_READING, Answer("never")])
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    pi.wait_for(is_dialog)
    assert pi.call("abort")["success"]
    assert pi.of_type("agent_settled")[-1]["aborted"] is True
    assert pi.entries()[-1] == {"ev": "dialog_closed", "call": pi.entries()[-1]["call"], "how": "aborted"}


def test_two_questions_in_one_answer_are_asked_one_after_the_other(
    start_pi: StartPi, stub: AgentStub, model: ScriptedModel
) -> None:
    ask = ToolCall("ask_reviewer", {"question": "And the unit?"})
    model.script([Answer(tools=[ToolCall(READING.tool, READING.arguments), ask]), Answer("Good.")])
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    first = pi.wait_for(is_dialog)
    assert len([record for record in pi.records if is_dialog(record)]) == 1
    respond(pi, stub.session, first, {"value": "all"})
    second = pi.wait_for(lambda record: is_dialog(record) and record is not first)
    assert envelope_of(second)["phase"] == "F2"
    respond(pi, stub.session, second, {"text": "minutes"})
    pi.wait_for_type("agent_settled")
    assert [is_error for is_error, _ in tool_results(pi)] == [False, False]


def test_c30_a_truncated_preview_says_so(start_pi: StartPi, model: ScriptedModel) -> None:
    preview = ToolCall("tht_sql", {"action": "preview", "sql": "SELECT carrier, arr_delay FROM flights"})
    model.script([Answer(tools=[preview]), Answer("done")])
    pi = start_pi()
    run(pi)
    ((is_error, text),) = tool_results(pi)
    assert not is_error
    assert "truncated: true, shown 20 of at least 21 rows" in text


def test_no_session_without_the_gate_syntax_error(start_pi: StartPi, tmp_path: Path) -> None:
    project = copy_of_harness(tmp_path)
    (project / ".pi/extensions/tht-gate/index.js").write_text("export default function (pi) { oops(")
    pi = start_pi(cwd=project)
    assert pi.wait_exit() == 1
    assert "Failed to load extension" in pi.stderr


def test_no_session_without_the_gate_missing_rules(start_pi: StartPi, tmp_path: Path) -> None:
    project = copy_of_harness(tmp_path)
    (project / ".pi/skills/tht-sessione/SKILL.md").unlink()
    assert start_pi(cwd=project).wait_exit() == 1


def test_a27_without_approve_and_without_e_the_commands_show_that_the_gate_is_missing(
    start_pi: StartPi,
) -> None:
    pi = start_pi(approve=False, gate=None)
    names = {each["name"] for each in pi.call("get_commands")["data"]["commands"]}
    assert "nuova-domanda" not in names
    assert pi.entries() == []


def test_e_and_discovery_of_the_same_file_load_the_gate_once(start_pi: StartPi) -> None:
    pi = start_pi()
    names = [each["name"] for each in pi.call("get_commands")["data"]["commands"]]
    assert names.count("nuova-domanda") == 1
    assert not [name for name in names if ":" in name and name.startswith("nuova")]
    assert [entry["ev"] for entry in pi.entries()] == ["ready"]


def test_a_run_that_cannot_reach_its_model_does_not_end_pi(start_pi: StartPi, agent_folder: Path) -> None:
    models = json.loads((agent_folder / "models.json").read_text())
    models["providers"]["scripted"]["apiKey"] = "$NO_SUCH_VARIABLE"
    (agent_folder / "models.json").write_text(json.dumps(models))
    pi = start_pi()
    pi.call("prompt", message=KICKOFF)
    assert pi.call("get_state")["success"]


def copy_of_harness(tmp_path: Path) -> Path:
    """A Pi project with the gate, to be broken."""
    project = tmp_path / "project"
    shutil.copytree(HARNESS / ".pi", project / ".pi")
    return project
