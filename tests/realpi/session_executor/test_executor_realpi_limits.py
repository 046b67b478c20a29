"""How a continuation on the real Pi ends when it does not end well, and what the CLI says then."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.pi.installation import find_pi
from session_executor.pi.runner import PiRunner
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan, write_plan
from tests.helpers import assert_eventually
from tests.realpi.scripted_model import PROVIDER, Answer, ScriptedModel, ToolCall
from tests.unit.session_executor.executor_fixtures import Repository, entry, make_plan, write_session

pytestmark = pytest.mark.realpi

PROJECT = Path(__file__).resolve().parents[3]
DONE = Answer("Done.")


def write(name: str = "ok.txt") -> ToolCall:
    return ToolCall("write", {"path": name, "content": "x"})


def run(plan: Plan, stop: threading.Event | None = None, **options: Any) -> dict[str, Any]:
    return execute_plan(
        plan, PiRunner(**options), inspect_session, ExecutionOptions(stop=stop or threading.Event())
    )


def refuse(plan: Plan, stop: threading.Event | None = None, **options: Any) -> ExecutorError:
    with pytest.raises(ExecutorError) as caught:
        run(plan, stop, **options)
    return caught.value


@pytest.fixture
def clean(repository: Repository, session: Path) -> Iterator[Plan]:
    """A plan that must leave nothing but what a finished run leaves."""
    plan = make_plan(repository, session)
    yield plan
    assert repository.leftovers() == []
    assert list(Path(tempfile.gettempdir()).glob("session-execution-*")) == []
    if repository.git("for-each-ref", "refs/better-harness") == "":
        assert not Path(plan.output.artifact_dir).exists()


def test_64_calls_are_allowed(clean: Plan, model: ScriptedModel) -> None:
    model.script([Answer("", tools=[write(f"f{index:02}.txt") for index in range(64)]), DONE])
    receipt = run(clean)
    assert len(receipt["execution"]["toolCalls"]) == len(receipt["result"]["changedPaths"]) == 64


@pytest.mark.parametrize("name", ["write", "nonexistent"])
def test_the_65th_call_ends_the_run(clean: Plan, model: ScriptedModel, name: str) -> None:
    calls = [ToolCall(name, {"path": f"f{index:02}.txt", "content": "x"}) for index in range(70)]
    model.script([Answer("", tools=calls), DONE])
    assert refuse(clean).code is ErrorCode.PI_TOOL_CALL_LIMIT
    assert len(model.requests) <= 2


def test_the_65th_call_one_by_one(clean: Plan, model: ScriptedModel) -> None:
    model.script(lambda _request: Answer("", tools=[write(), write()]))
    assert refuse(clean).code is ErrorCode.PI_TOOL_CALL_LIMIT
    assert len(model.requests) <= 34


def test_the_clock_ends_a_silent_model(clean: Plan, model: ScriptedModel) -> None:
    model.script([Answer("thinking", stall=True)])
    started = time.monotonic()
    assert refuse(clean, maximum_seconds=0.5).code is ErrorCode.PI_EXECUTION_TIMEOUT
    assert time.monotonic() - started < 20


def test_the_clock_bounds_retries(clean: Plan, model: ScriptedModel, agent: Path) -> None:
    (agent / "settings.json").write_text(json.dumps({"retry": {"maxRetries": 99, "baseDelayMs": 60_000}}))
    model.script(lambda _request: Answer(status=500))
    assert refuse(clean, maximum_seconds=1.5).code is ErrorCode.PI_EXECUTION_TIMEOUT
    assert len(model.requests) == 1


def test_a_provider_error_is_retried(clean: Plan, model: ScriptedModel) -> None:
    model.script([Answer(status=500), Answer("", tools=[write()]), DONE])
    assert run(clean)["result"]["changedPaths"] == ["ok.txt"]


@pytest.mark.parametrize(
    "answer", [Answer(status=401, error="bad key"), Answer(status=500), Answer("half", cut=True)]
)
def test_a_provider_that_fails_fails_the_run(clean: Plan, model: ScriptedModel, answer: Answer) -> None:
    model.script(iter([Answer("", tools=[write()]), *[answer] * 5]))
    error = refuse(clean)
    assert error.code is ErrorCode.PI_CONTINUATION_FAILED
    assert "\n" not in error.message


def test_stopping_from_outside(clean: Plan, model: ScriptedModel) -> None:
    stop = threading.Event()

    def answer(_request: Any) -> Answer:
        stop.set()
        return Answer("thinking", stall=True)

    model.script(answer)
    assert refuse(clean, stop).code is ErrorCode.EXECUTION_FAILED


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_pi_that_dies_fails_the_run(clean: Plan, model: ScriptedModel, number: signal.Signals) -> None:
    # Servers that tests of other files started are children of this process too.
    others = set(psutil.Process().children())

    def answer(_request: Any) -> Answer:
        for child in set(psutil.Process().children()) - others:
            child.send_signal(number)
        return Answer("thinking", stall=True)

    model.script(answer)
    error = refuse(clean)
    assert error.code is ErrorCode.PI_CONTINUATION_FAILED
    assert "Pi ended with status" in error.message


def test_a_session_whose_model_is_gone_is_refused(
    repository: Repository, tmp_path: Path, model: ScriptedModel
) -> None:
    gone = entry("model001", None, type="model_change", provider="gone", modelId="gone-1")
    user = {"role": "user", "content": "hello", "timestamp": 1}
    talk = entry("target02", "model001", type="message", message=user)
    session = write_session(tmp_path / "gone.jsonl", repository.root, gone, talk)
    plan = make_plan(repository, session)
    error = refuse(plan)
    assert error.code is ErrorCode.PI_TOOL_BOUNDARY_FAILED
    assert "gone/gone-1" in error.message
    assert model.requests == []
    model.script([Answer("", tools=[write()]), DONE])
    assert run(plan, model=(PROVIDER, "scripted"))["status"] == "complete"


def test_without_pi_nothing_begins(repository: Repository, session: Path, tmp_path: Path) -> None:
    plan = make_plan(repository, session)
    old = tmp_path / "node_modules/@earendil-works/pi-coding-agent"
    (old / "dist").mkdir(parents=True)
    (old / "package.json").write_text('{"name": "@earendil-works/pi-coding-agent", "version": "0.84.2"}')
    (old / "dist/cli.js").write_text("#!/usr/bin/env node\n")
    (old / "dist/cli.js").chmod(0o755)
    for pi in ("/nonexistent/pi", str(old / "dist/cli.js")):
        error = refuse(plan, pi=pi)
        assert error.code is ErrorCode.PI_SDK_UNAVAILABLE
    assert "0.84.2" in error.message
    assert not (repository.root / ".git/better-harness").exists()
    assert find_pi().version.startswith("1.")


class Cli:
    """The command line as a process, with its own temporary directory."""

    def __init__(self, tmp_path: Path, plan: Plan) -> None:
        self.temporary = tmp_path / "cli-tmp"
        self.temporary.mkdir()
        self.plan = plan
        self.plan_file = write_plan(str(tmp_path / "plan.json"), plan)

    def start(self, *more: str) -> subprocess.Popen[str]:
        code = "import sys; from session_executor.cli import main; sys.exit(main())"
        return subprocess.Popen(
            [sys.executable, "-c", code, "run", "--plan", self.plan_file, "--yes", *more],
            cwd=PROJECT,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def leftovers(self) -> list[Path]:
        return list(self.temporary.iterdir())

    def artifacts(self) -> list[Path]:
        return list(Path(self.plan.output.artifact_dir).parent.iterdir())


async def test_d07_killed_while_the_model_works_and_run_again(
    repository: Repository, session: Path, tmp_path: Path, model: ScriptedModel
) -> None:
    plan = make_plan(repository, session)
    cli = Cli(tmp_path, plan)
    model.script([Answer("thinking", stall=True)])
    first = cli.start()
    await assert_eventually(lambda: len(model.requests) == 1, 30)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=30)
    assert cli.leftovers() != []
    model.script([Answer("", tools=[write()]), DONE])
    second = cli.start("--progress")
    stdout, stderr = second.communicate(timeout=60)
    assert (second.returncode, stderr) == (0, "")
    *events, last = [json.loads(line) for line in stdout.splitlines()]
    assert last["receipt"]["status"] == "complete"
    assert {"event", "detail", "elapsedMs"} == set(events[0])
    assert [one["event"] for one in events if one["event"] in {"prompted", "tool"}] == ["prompted", "tool"]
    assert cli.leftovers() == repository.leftovers() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_d07_a_signal_cleans_up(
    repository: Repository, session: Path, tmp_path: Path, model: ScriptedModel, number: signal.Signals
) -> None:
    plan = make_plan(repository, session)
    cli = Cli(tmp_path, plan)
    model.script([Answer("thinking", stall=True)])
    process = cli.start("--json")
    await assert_eventually(lambda: len(model.requests) == 1, 30)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (1, "")
    assert stderr == "EXECUTION_FAILED: the run was interrupted\n"
    assert cli.leftovers() == cli.artifacts() == repository.leftovers() == []
