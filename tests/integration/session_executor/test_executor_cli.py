"""The command line: exit codes, stdout and stderr as the public tool has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from session_executor import cli
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.runner import ContinuationRequest
from tests.unit.session_executor.executor_fixtures import MESSAGE, PROMPT, TARGET_ENTRY, Repository
from tests.unit.session_executor.executor_runner import ScriptedRunner

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def planning(repository: Repository, session: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "--workspace": str(repository.root),
        "--base": "main",
        "--session": str(session),
        "--entry": TARGET_ENTRY,
        "--prompt": PROMPT,
        "--commit-message": MESSAGE,
        "--out": str(tmp_path / "plan.json"),
    }


def words(command: str, options: dict[str, str], *more: str) -> list[str]:
    return [command, *(word for option in options.items() for word in option), *more]


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ScriptedRunner:
    scripted = ScriptedRunner()
    monkeypatch.setattr(cli, "PiRunner", lambda **_options: scripted)
    return scripted


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["plan", "--help"], ["run", "-h", "--nonsense"]])
def test_help(argv: list[str], capsys: Capture) -> None:
    assert cli.main(argv) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Harness Session Executor") and err == ""


@pytest.mark.parametrize(
    "argv",
    [
        ["frobnicate"],
        ["--json"],
        ["plan"],
        ["plan", "--frobnicate"],
        ["plan", "stray"],
        ["plan", "--base"],
        ["plan", "--base", "--json"],
        ["plan", "--base=main"],
        ["plan", "--base", "a", "--base", "b"],
        ["plan", "--json", "--json"],
        ["plan", "--plan", "x"],
        ["plan", "--yes"],
        ["run", "--plan", "missing.json"],
        ["run", "--yes"],
        ["run", "--plan", "missing.json", "--yes", "--base", "main"],
        ["run", "--plan", "missing.json", "--yes", "--prompt", "x"],
        ["run", "--plan", "missing.json", "--yes", "--model", "x"],
        ["show"],
        ["show", "a", "b"],
        ["adopt", "abcd", "--branch", "x"],
        ["discard", "abcd"],
        ["prune", "--older-than", "x"],
    ],
)
def test_usage_errors(argv: list[str], capsys: Capture) -> None:
    assert cli.main(argv) == 64
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "PLAN_NOT_FOUND" not in err


@pytest.mark.parametrize(
    "missing", ["--base", "--session", "--entry", "--prompt", "--commit-message", "--out"]
)
def test_what_plan_needs(planning: dict[str, str], missing: str, capsys: Capture) -> None:
    del planning[missing]
    assert cli.main(words("plan", planning)) == 64
    assert capsys.readouterr().err.count("\n") == 1


def test_prompt_and_prompt_file(planning: dict[str, str], tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "prompt.txt"
    assert cli.main(words("plan", planning, "--prompt-file", str(file))) == 64
    del planning["--prompt"]
    with_file = words("plan", planning, "--prompt-file", str(file))
    assert cli.main(with_file) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("INVALID_INPUT: ")
    file.write_bytes(b"caf\xe9")
    assert cli.main(with_file) == 1
    assert capsys.readouterr().err.startswith("INVALID_UTF8: ")
    file.write_text("from a file\n")
    assert cli.main(with_file) == 0
    assert json.loads((tmp_path / "plan.json").read_text())["continuation"]["prompt"] == "from a file\n"


def test_plan_and_run(
    repository: Repository, planning: dict[str, str], runner: ScriptedRunner, capsys: Capture
) -> None:
    assert cli.main(words("plan", planning)) == 0
    out, err = capsys.readouterr()
    summary = json.loads(out)
    plan = json.loads(Path(planning["--out"]).read_text())
    assert err == ""
    assert summary == {
        "schemaVersion": "session-execution-plan-v1",
        "planId": plan["planId"],
        "planFile": planning["--out"],
        "provider": "pi",
        "baseCommit": repository.base,
        "checkpoint": {
            "sessionId": "source-session-1",
            "entryId": TARGET_ENTRY,
            "sessionSha256": plan["checkpoint"]["sessionSha256"],
        },
        "output": plan["output"],
    }
    assert cli.main(words("plan", planning, "--json")) == 1
    assert capsys.readouterr().err.startswith("OUTPUT_EXISTS: ")
    assert cli.main(["run", "--plan", planning["--out"], "--yes", "--json"]) == 0
    out, err = capsys.readouterr()
    receipt = json.loads(out)
    assert err == ""
    assert (receipt["status"], receipt["planId"]) == ("complete", plan["planId"])
    assert cli.main(["run", "--plan", planning["--out"], "--yes"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("OUTPUT_EXISTS: ")


def test_failures_and_their_cleanup_lines(
    planning: dict[str, str], runner: ScriptedRunner, capsys: Capture
) -> None:
    cli.main(words("plan", planning))
    capsys.readouterr()

    def fail(request: ContinuationRequest) -> None:
        error = ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, "first\nsecond")
        error.cleanup_warnings.append("something stays")
        raise error

    runner.action = fail
    assert cli.main(["run", "--plan", planning["--out"], "--yes"]) == 1
    assert capsys.readouterr().err == "PI_CONTINUATION_FAILED: first second\ncleanup: something stays\n"
    assert cli.main(["run", "--plan", "/nonexistent", "--yes"]) == 1
    assert capsys.readouterr().err == "PLAN_NOT_FOUND: the plan file cannot be read\n"


def test_progress_lines(planning: dict[str, str], runner: ScriptedRunner, capsys: Capture) -> None:
    cli.main(words("plan", planning))
    capsys.readouterr()
    assert cli.main(["run", "--plan", planning["--out"], "--yes", "--progress", "--check", "true"]) == 0
    *events, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events][:2] == ["validating", "locking"]
    assert last["event"] == "receipt"
    assert last["receipt"]["check"]["exitCode"] == 0


def test_looking_after_results(
    repository: Repository, planning: dict[str, str], runner: ScriptedRunner, capsys: Capture
) -> None:
    at = ["--workspace", str(repository.root)]

    def call(*argv: str) -> Any:
        assert cli.main([*argv, *at]) == 0
        return capsys.readouterr().out

    cli.main(words("plan", planning))
    plan_id = json.loads(capsys.readouterr().out)["planId"]
    assert call("list") == ""
    cli.main(["run", "--plan", planning["--out"], "--yes"])
    capsys.readouterr()
    assert MESSAGE in call("list") and plan_id[:16] in call("list")
    assert json.loads(call("list", "--json"))["executions"][0]["planId"] == plan_id
    shown = json.loads(call("show", plan_id[:10]))
    assert shown["receipt"]["status"] == "complete" and PROMPT not in json.dumps(shown)
    assert "+continued from checkpoint" in call("diff", plan_id)
    assert "generated.txt" in call("diff", plan_id, "--stat")
    assert json.loads(call("adopt", plan_id, "--branch", "topic", "--yes"))["ref"] == "refs/heads/topic"
    assert json.loads(call("show", plan_id))["branches"] == ["topic"]
    assert cli.main(["adopt", plan_id, "--branch", "topic", "--yes", *at]) == 1
    assert capsys.readouterr().err.startswith("OUTPUT_EXISTS: ")
    assert call("prune") == ""
    assert plan_id[:16] in call("prune", "--older-than", "0")
    assert plan_id[:16] in call("list")
    json.loads(call("discard", plan_id, "--yes"))
    assert call("list") == ""
    assert repository.git("branch", "--list", "topic").strip() == "topic"
