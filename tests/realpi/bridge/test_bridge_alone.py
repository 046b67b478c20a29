"""The bridge on the real Pi without ThothII: sub-agents ask through the main session's dialogs."""

import os
import subprocess
import time
from pathlib import Path

from tests.realpi.bridge.conftest import (
    SUBAGENTS,
    StartBridge,
    answer,
    dialogs,
    frames,
    is_dialog,
    next_dialog,
    results,
)
from tests.realpi.bridge.puppet import agent, ask, do
from tests.realpi.pi_process import PI_CLI, PiProcess, find_node
from tests.realpi.scripted_model import MODEL, PROVIDER, ScriptedModel, text_of

ENDED_WITH_THE_SESSION = ("no-host", "cancelled")
"""Which of the two depends on whether the bridge or pi-subagents hears of the shutdown first."""


def prompt(pi: PiProcess, text: str) -> None:
    assert pi.call("prompt", message=text)["success"], pi.stderr


def in_background(*questions: str) -> tuple[str, dict]:
    return agent(do(ask(*questions)), run_in_background=True)


def test_main_and_two_sub_agents_ask_at_once(start: StartBridge, obedient: ScriptedModel) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("A1?", "A2?"))), agent(do(ask("B1?", "B2?"))), ask("M1?", "M2?")))
    seen = []
    for count in range(1, 7):
        dialog = next_dialog(pi, *seen)
        seen.append(dialog)
        assert len(dialogs(pi)) == count, "one dialog at a time"
        answer(pi, dialog, f"to {dialog['title']}")
    pi.wait_for_type("agent_settled")

    titles = [dialog["title"] for dialog in seen]
    assert sorted(titles) == ["A1?", "A2?", "B1?", "B2?", "M1?", "M2?"]
    assert [title[0] for title in titles[::2]] == [title[0] for title in titles[1::2]], "calls do not mix"
    told = frames(pi)
    assert [frame["ev"] for frame in told] == ["open", "closed"] * 3
    assert all(opened["id"] == closed["id"] for opened, closed in zip(told[::2], told[1::2], strict=True))
    by_title = dict(zip(titles[::2], told[::2], strict=True))
    assert by_title["M1?"]["kind"] == "main"
    askers = [by_title[title] for title in ("A1?", "B1?")]
    assert all(frame["kind"] == "subagent" and frame["name"].startswith("asker#") for frame in askers)
    assert askers[0]["from"] != askers[1]["from"]
    for document in results(obedient):
        assert document["status"] == "ok"
        assert all(each["answer"] == f"to {each['question']}" for each in document["answers"])
        assert len({each["question"][0] for each in document["answers"]}) == 1
    assert len(results(obedient)) == 3


def test_without_a_session_file_sub_agents_reach_the_host(
    start: StartBridge, obedient: ScriptedModel
) -> None:
    pi = start("--no-session")
    prompt(pi, do(agent(do(ask({"question": "Which?", "options": ["a", "b"]})))))
    dialog = next_dialog(pi)
    assert (dialog["method"], dialog["options"], dialog["timeout"]) == ("select", ["a", "b"], 180_000)
    answer(pi, dialog, "b")
    pi.wait_for_type("agent_settled")
    assert [(each["status"], each["answers"][0]["answer"]) for each in results(obedient)] == [("ok", "b")]


def test_a_new_session_with_a_question_open_ends_it_and_takes_over(
    start: StartBridge, obedient: ScriptedModel
) -> None:
    pi = start()
    prompt(pi, do(in_background("Old?")))
    old = next_dialog(pi)
    assert pi.call("new_session")["success"]
    assert len(frames(pi)) == 2 and frames(pi)[-1]["status"] in ENDED_WITH_THE_SESSION
    answer(pi, old, "too late")
    prompt(pi, do(in_background("New?")))
    fresh = next_dialog(pi, old)
    assert fresh["title"] == "New?"
    answer(pi, fresh, "heard")
    pi.wait_for(lambda _record: len(frames(pi)) == 4)
    assert frames(pi)[-1]["status"] == "ok"


def test_a_sub_agent_that_starts_during_the_switch_steals_nothing(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(in_background("Old?"), in_background("Old too?")))
    seen = [next_dialog(pi)]
    for number in range(3):
        assert pi.call("new_session")["success"]
        prompt(pi, do(in_background(f"New {number}?")))
        dialog = next_dialog(pi, *seen)
        while dialog["title"] != f"New {number}?":
            seen.append(dialog)
            answer(pi, dialog, cancelled=True)
            dialog = next_dialog(pi, *seen)
        seen.append(dialog)
    answer(pi, seen[-1], "heard")
    pi.wait_for(lambda _record: frames(pi)[-1].get("status") == "ok")


def test_a_reload_with_a_question_open_ends_it_and_takes_over(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(in_background("Old?")))
    old = next_dialog(pi)
    pi.call("prompt", message="/reload-now")
    assert len(frames(pi)) == 2 and frames(pi)[-1]["status"] in ENDED_WITH_THE_SESSION
    prompt(pi, do(agent(do(ask("New?")))))
    fresh = next_dialog(pi, old)
    answer(pi, fresh, "heard")
    pi.wait_for(lambda _record: frames(pi)[-1].get("status") == "ok")


def test_a_shutdown_with_a_question_open_is_quick(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(in_background("Open?"), in_background("Queued?")))
    next_dialog(pi)
    began = time.monotonic()
    assert pi.close() == 0
    assert time.monotonic() - began < 3


def test_the_end_of_one_asker_touches_no_other(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(in_background("One?"), in_background("Two?")))
    first = next_dialog(pi)
    started = [record for record in pi.of_type("tool_execution_end") if record["toolName"] == "Agent"]
    texts = [record["result"]["content"][0]["text"] for record in started]
    ids = [text.split("Agent ID: ")[1].split()[0] for text in texts]
    owner = next(each for each in ids if frames(pi)[0]["name"] == f"asker#{each[:8]}")
    pi.call("prompt", message=f"/stop-agent {owner}")
    second = next_dialog(pi, first)
    assert {first["title"], second["title"]} == {"One?", "Two?"}
    assert [frame.get("status") for frame in frames(pi)][:2] == [None, "cancelled"]
    answer(pi, second, "heard")
    pi.wait_for(lambda _record: frames(pi)[-1].get("status") == "ok")


def test_an_abort_of_the_run_ends_the_questions_of_its_sub_agents(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("One?"))), agent(do(ask("Two?")))))
    next_dialog(pi)
    began = time.monotonic()
    assert pi.call("abort")["success"]
    assert time.monotonic() - began < 5
    assert pi.of_type("agent_settled")[-1]["aborted"]
    assert frames(pi)[-1]["status"] == "cancelled"
    assert len(dialogs(pi)) == 1, "the queued ones never got a dialog"


def test_an_abort_while_sub_agents_start_is_not_held_up_by_their_questions(start: StartBridge) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("One?"))), agent(do(ask("Two?"))), ask("Main?")))
    assert next_dialog(pi)["title"] == "Main?"
    began = time.monotonic()
    assert pi.call("abort")["success"]
    assert time.monotonic() - began < 10
    assert [dialog["title"] for dialog in dialogs(pi)] == ["Main?"]


def test_the_time_of_a_call_runs_out_with_its_answers_kept(
    start: StartBridge, obedient: ScriptedModel
) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("One?", "Two?", timeoutMs=5000)))))
    first = next_dialog(pi)
    assert 4000 < first["timeout"] <= 5000
    answer(pi, first, "1")
    second = next_dialog(pi, first)
    assert second["timeout"] <= first["timeout"]
    pi.wait_for_type("agent_settled")
    [document] = results(obedient)
    assert (document["status"], document["answers"]) == ("timeout", [{"question": "One?", "answer": "1"}])
    assert frames(pi)[-1]["status"] == "timeout"


def test_a_dismissed_question_is_timeout_or_cancelled(start: StartBridge, obedient: ScriptedModel) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("One?", "Two?")))))
    answer(pi, next_dialog(pi), cancelled=True)
    pi.wait_for_type("agent_settled")
    [document] = results(obedient)
    assert (document["status"], document["answers"]) == ("timeout-or-cancelled", [])


def test_an_answer_that_is_none_is_an_error(start: StartBridge, obedient: ScriptedModel) -> None:
    pi = start()
    for value in ("c", "", 5, None, ["a"], {"a": 1}):
        since = len(pi.records)
        prompt(pi, do(ask({"question": "Which?", "options": ["a", "b"]})))
        dialog = pi.wait_for(is_dialog, since=since)
        pi.send({"type": "extension_ui_response", "id": dialog["id"], "value": value})
        pi.wait_for_type("agent_settled", since=since)
        assert (results(obedient)[-1]["status"], results(obedient)[-1]["answers"]) == ("error", []), value


def test_only_an_agent_that_opts_in_has_the_tool(start: StartBridge, obedient: ScriptedModel) -> None:
    pi = start()
    prompt(pi, do(agent(do(ask("Q?")), kind="silent")))
    pi.wait_for_type("agent_settled")
    assert dialogs(pi) == []
    offered = [
        {tool["function"]["name"] for tool in request.get("tools") or []}
        for request in obedient.requests
        if "You cannot ask." in text_of(request["messages"][0])
    ]
    assert offered and not any(offered)


def test_an_untrusted_project_has_no_host(start: StartBridge, obedient: ScriptedModel, project: Path) -> None:
    pi = start(
        *("-e", str(project / ".pi/extensions/checkpoint-bridge/index.js"), "--no-session"), approve=False
    )
    prompt(pi, do(ask("Q?")))
    pi.wait_for_type("agent_settled")
    assert [document["status"] for document in results(obedient)] == ["no-host"]
    assert dialogs(pi) == []


def test_a_headless_pi_has_nobody_to_ask(
    project: Path, agent_folder: Path, obedient: ScriptedModel, tmp_path: Path, pi_cache: Path
) -> None:
    node = find_node()
    assert node
    options = ["-p", "--approve", "-nc", "--no-mcp", "--no-session", "-e", str(SUBAGENTS)]
    model = ["--provider", PROVIDER, "--model", MODEL]
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PI_CODING_AGENT_DIR": str(agent_folder),
        "TMPDIR": str(pi_cache),
        "PI_OFFLINE": "1",
    }
    ended = subprocess.run(
        [node, str(PI_CLI), *options, *model, do(ask("Main?"), agent(do(ask("Sub?"))))],
        cwd=project, env=surroundings, capture_output=True, text=True, timeout=90,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert [document["status"] for document in results(obedient)] == ["no-host", "no-host"]
