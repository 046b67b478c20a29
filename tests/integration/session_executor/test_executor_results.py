"""Looking after results, the check command and kept files."""

import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from session_executor import sandbox
from session_executor.artifacts import Artifacts
from session_executor.check import CheckCommand
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import ExecutionOptions, execute_plan
from session_executor.lock import PlanLock
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan
from session_executor.results import (
    adopt,
    branches_with,
    difference,
    discard,
    find_execution,
    list_executions,
    prunable,
)
from tests.unit.session_executor.executor_fixtures import MESSAGE, PROMPT, Repository, make_plan
from tests.unit.session_executor.executor_runner import ScriptedRunner, write_files


def run(plan: Plan, files: dict[str, str | bytes] | None = None, **options: Any) -> dict[str, Any]:
    runner = ScriptedRunner(write_files(files or {"generated.txt": "x\n"}))
    return execute_plan(plan, runner, inspect_session, ExecutionOptions(**options))


def code_of(call: Any) -> ErrorCode:
    with pytest.raises(ExecutorError) as caught:
        call()
    return caught.value.code


@pytest.fixture
def finished(repository: Repository, session: Path) -> Plan:
    plan = make_plan(repository, session)
    run(plan)
    return plan


def test_the_list_tells_every_state(repository: Repository, session: Path, finished: Plan) -> None:
    root = str(repository.root)
    directory = Path(finished.output.artifact_dir).parent
    crashed = make_plan(repository, session, prompt="crashed")
    (directory / crashed.plan_id).mkdir()
    running = make_plan(repository, session, prompt="running")
    lock = PlanLock.acquire(str(directory / f"{running.plan_id}.lock"))
    alone = make_plan(repository, session, prompt="only a ref")
    repository.git("update-ref", alone.output.ref, repository.base)
    try:
        states = {one.plan_id: one.status for one in list_executions(root)}
    finally:
        lock.release()
    assert states == {
        finished.plan_id: "complete",
        crashed.plan_id: "crashed",
        running.plan_id: "running",
        alone.plan_id: "unknown",
    }
    document = list_executions(root)[0].document()
    assert (document["planId"], document["subject"]) == (finished.plan_id, MESSAGE)
    assert document["changedPaths"] == ["generated.txt"]
    assert PROMPT not in str(document)


def test_finding_by_beginning(repository: Repository, finished: Plan) -> None:
    root = str(repository.root)
    for name in (finished.plan_id, finished.plan_id[:12], finished.plan_id[4:12], finished.output.ref):
        assert find_execution(root, name).plan_id == finished.plan_id
    assert code_of(lambda: find_execution(root, "sep_")) is ErrorCode.INVALID_INPUT
    assert code_of(lambda: find_execution(root, "../../x")) is ErrorCode.INVALID_INPUT
    other = "0000" if finished.plan_id[4:8] != "0000" else "1111"
    assert code_of(lambda: find_execution(root, other)) is ErrorCode.PLAN_NOT_FOUND


def test_the_difference(repository: Repository, finished: Plan) -> None:
    repository.git("config", "diff.external", "false")
    execution = find_execution(str(repository.root), finished.plan_id)
    patch = difference(execution, summary=False, color=False).decode()
    assert "+++ b/generated.txt" in patch and "+x" in patch
    assert b"1 file changed" in difference(execution, summary=True, color=False)


def test_adopting_makes_a_new_branch_and_never_forces(repository: Repository, finished: Plan) -> None:
    before = repository.snapshot()
    execution = find_execution(str(repository.root), finished.plan_id)
    assert adopt(execution, "topic/adopted") == "refs/heads/topic/adopted"
    assert repository.git("rev-parse", "topic/adopted").strip() == execution.commit
    assert branches_with(execution) == ["topic/adopted"]
    for branch, code in (
        ("topic/adopted", ErrorCode.OUTPUT_EXISTS),
        ("main", ErrorCode.OUTPUT_EXISTS),
        ("topic", ErrorCode.PROCESS_FAILED),
        ("a..b", ErrorCode.INVALID_INPUT),
        ("-f", ErrorCode.INVALID_INPUT),
        ("HEAD", ErrorCode.INVALID_INPUT),
    ):
        assert code_of(lambda branch=branch: adopt(execution, branch)) is code, branch
    repository.git("branch", "-q", "-D", "topic/adopted")
    assert repository.snapshot() == before


def test_a_discarded_plan_can_run_again(repository: Repository, finished: Plan) -> None:
    root = str(repository.root)
    discard(find_execution(root, finished.plan_id))
    assert list_executions(root) == []
    assert not Path(finished.output.artifact_dir).exists()
    assert repository.leftovers() == []
    assert run(finished)["status"] == "complete"


def test_a_running_plan_is_not_discarded(repository: Repository, finished: Plan) -> None:
    execution = find_execution(str(repository.root), finished.plan_id)
    lock = PlanLock.acquire(f"{finished.output.artifact_dir}.lock")
    assert code_of(lambda: discard(execution)) is ErrorCode.OUTPUT_EXISTS
    lock.release()
    Path(finished.output.artifact_dir, "notes.txt").write_text("mine")
    assert code_of(lambda: discard(execution)) is ErrorCode.OUTPUT_EXISTS
    assert repository.git("rev-parse", finished.output.ref).strip() == execution.commit


def test_pruning_takes_crashed_and_old_ones(repository: Repository, session: Path, finished: Plan) -> None:
    root = str(repository.root)
    crashed = make_plan(repository, session, prompt="crashed")
    Path(crashed.output.artifact_dir).mkdir()
    assert [one.plan_id for one in prunable(root, None)] == [crashed.plan_id]
    later = datetime.now(UTC) + timedelta(days=2)
    found = {one.plan_id for one in prunable(root, 1, later)}
    assert found == {crashed.plan_id, finished.plan_id}
    assert [one.plan_id for one in prunable(root, 3, later)] == [crashed.plan_id]


def test_d16_ignored_files_can_be_kept(repository: Repository, session: Path) -> None:
    base = repository.commit({".gitignore": "out/\n"})
    plan = make_plan(repository, session, base=base)
    run(plan, {"out/a/result.csv": "1\n", "kept.txt": "x"}, keep_ignored=True)
    kept = Path(plan.output.artifact_dir, "ignored/out/a/result.csv")
    assert kept.read_text() == "1\n"
    discard(find_execution(str(repository.root), plan.plan_id))
    assert not kept.exists()


def check(plan: Plan, command: str, *, timeout: float = 60, files: Any = None) -> dict[str, Any]:
    after = CheckCommand(command, threading.Event(), timeout)
    receipt = run(plan, files or {"generated.txt": "x\n"}, after_commit=after)
    assert receipt["status"] == "complete"
    return receipt["check"]


def test_a_check_sees_the_commit_and_changes_nothing(repository: Repository, session: Path) -> None:
    base = repository.commit({".gitignore": "*.log\n"})
    plan = make_plan(repository, session, base=base)
    command = (
        "cat generated.txt; test ! -e x.log || exit 9; echo new > by-check.txt; echo more >> generated.txt"
    )
    result = check(plan, command, files={"generated.txt": "x\n", "x.log": "ignored"})
    assert (result["exitCode"], result["timedOut"], result["command"]) == (0, False, command)
    assert result["outputBytes"] == 2
    assert Path(plan.output.artifact_dir, "check.log").read_text() == "x\n"
    assert repository.git("ls-tree", "--name-only", "-r", plan.output.ref).split() == [
        ".gitignore",
        "README.md",
        "generated.txt",
    ]
    assert repository.git("show", f"{plan.output.ref}:generated.txt") == "x\n"


def test_d07_a_killed_check_is_run_again(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)
    receipt = run(plan)
    artifacts = Artifacts(plan.workspace.git_common_dir, plan.plan_id)
    artifacts.write_receipt({**receipt, "status": "prepared", "completedAt": None})
    result = check(plan, 'cat generated.txt; test -z "$(git status --porcelain)"')
    assert result["exitCode"] == 0
    assert artifacts.receipt() is not None
    assert repository.leftovers() == []


def test_a_check_that_fails_or_hangs(repository: Repository, session: Path) -> None:
    assert check(make_plan(repository, session, prompt="a"), "exit 3")["exitCode"] == 3
    hanging = check(make_plan(repository, session, prompt="b"), "sleep 60 & sleep 60", timeout=0.3)
    assert (hanging["exitCode"], hanging["timedOut"]) == (None, True)
    large = check(make_plan(repository, session, prompt="c"), "head -c 1000000 /dev/zero")
    assert large["outputBytes"] == 1_000_000
    assert repository.leftovers() == []


@pytest.mark.parametrize("name", ["bubblewrap", "unshare"])
def test_a_check_has_no_network_no_secrets_and_no_way_to_write(
    repository: Repository,
    session: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    if name == "unshare":
        monkeypatch.setattr(sandbox, "_bubblewrap", lambda *_places: None)
    if sandbox.choose_sandbox(str(tmp_path), str(tmp_path)).name != name:
        pytest.skip(f"this system offers no {name}")
    monkeypatch.setenv("SECRET_KEY", "leaked")
    target = Path.home() / f"check-escape-{os.getpid()}"
    command = (
        "env | grep -c SECRET_KEY; grep -vc 'lo:' /proc/net/dev;"
        f" touch {target} {repository.root}/escape 2>/dev/null; touch inside && echo wrote"
    )
    plan = make_plan(repository, session)
    result = check(plan, command)
    assert result["sandbox"] == name
    output = Path(plan.output.artifact_dir, "check.log").read_text().split()
    assert output == ["0", "2", "wrote"]
    assert not target.exists()
    assert not (repository.root / "escape").exists()


def test_without_a_sandbox_the_receipt_says_so(
    repository: Repository, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_bubblewrap", lambda *_places: None)
    monkeypatch.setattr(sandbox, "_unshare", lambda *_places: None)
    assert check(make_plan(repository, session), "true")["sandbox"] == "none"
