"""Running plans on temporary repositories with an injected runner."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from session_executor.artifacts import Artifacts
from session_executor.errors import ErrorCode
from session_executor.execute import STEPS
from session_executor.plan import Plan
from session_executor.runner import ContinuationRequest
from tests.unit.session_executor.executor_fixtures import (
    MESSAGE,
    PROMPT,
    TARGET_ENTRY,
    Repository,
    git,
    make_plan,
)
from tests.unit.session_executor.executor_runner import ScriptedRunner, refuse, run, write_files


def nothing_left(repository: Repository, plan: Plan, temporary: Path) -> None:
    assert repository.leftovers() == []
    assert list(temporary.iterdir()) == []
    assert not Path(plan.output.artifact_dir).exists()
    assert repository.git("for-each-ref", "refs/better-harness") == ""


def test_one_commit_with_one_parent_and_nothing_else_touched(
    repository: Repository, session: Path, private_temporary: Path
) -> None:
    repository.commit({"tracked.txt": "one\n"})
    (repository.root / "tracked.txt").write_text("staged\n")
    repository.git("add", "tracked.txt")
    (repository.root / "tracked.txt").write_text("dirty\n")
    (repository.root / "untracked.txt").write_text("mine\n")
    plan = make_plan(repository, session)
    before, source_before = repository.snapshot(), session.read_bytes()
    receipt = run(plan)
    assert repository.snapshot() == before
    assert session.read_bytes() == source_before
    result = receipt["result"]
    assert receipt["status"] == "complete"
    assert receipt["cleanup"] == {"worktreeRemoved": True, "warnings": []}
    assert result["changedPaths"] == ["generated.txt"]
    assert result["ignoredPaths"] == []
    assert repository.git("rev-parse", plan.output.ref).strip() == result["commit"]
    parents = repository.git("rev-list", "--parents", "-n1", result["commit"]).split()
    assert parents == [result["commit"], repository.base] == [result["commit"], result["parent"]]
    assert repository.git("show", f"{plan.output.ref}:generated.txt") == "continued from checkpoint\n"
    assert repository.git("log", "-1", "--format=%B", plan.output.ref).strip() == (
        f"{MESSAGE}\n\nHarness-Session: {receipt['execution']['sessionId']}\n"
        f"Harness-Checkpoint: source-session-1:{TARGET_ENTRY}\nHarness-Execution-Plan: {plan.plan_id}"
    )
    assert list(private_temporary.iterdir()) == []
    assert repository.leftovers() == []


def test_only_objects_the_ref_and_the_artifacts_are_new(repository: Repository, session: Path) -> None:
    own = ("objects", "refs/better-harness", "better-harness")

    def metadata() -> dict[str, bytes | None]:
        root = repository.root / ".git"
        return {
            name: path.read_bytes() if path.is_file() else None
            for path in sorted(root.rglob("*"))
            if not (name := str(path.relative_to(root))).startswith(own)
        }

    before = metadata()
    run(make_plan(repository, session))
    refuse(make_plan(repository, session, prompt="fails"), ScriptedRunner(nothing))
    assert metadata() == before


def test_artifacts_are_private_and_the_receipt_has_no_prompt(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)
    old = os.umask(0)
    try:
        receipt = run(plan)
    finally:
        os.umask(old)
    directory = Path(plan.output.artifact_dir)
    assert sorted(path.name for path in directory.iterdir()) == [
        "plan.json",
        "receipt.json",
        "sessions",
        "source-session.jsonl",
    ]
    assert (directory / "source-session.jsonl").read_bytes() == session.read_bytes()
    assert json.loads((directory / "plan.json").read_text()) == plan.document()
    assert json.loads((directory / "receipt.json").read_text()) == receipt
    assert PROMPT not in (directory / "receipt.json").read_text()
    for path in (directory.parent.parent, directory.parent, directory, directory / "sessions"):
        assert path.stat().st_mode & 0o777 == 0o700, path
    for path in (directory / "plan.json", directory / "receipt.json", directory / "source-session.jsonl"):
        assert path.stat().st_mode & 0o777 == 0o600, path
    assert list(receipt) == [
        "schemaVersion",
        "status",
        "planId",
        "provider",
        "startedAt",
        "completedAt",
        "workspace",
        "checkpoint",
        "execution",
        "result",
        "constraints",
        "cleanup",
    ]


def test_steps_come_in_their_order(repository: Repository, session: Path) -> None:
    seen: list[str] = []
    run(make_plan(repository, session), progress=lambda step, _: seen.append(step))
    assert tuple(seen) == STEPS


def test_a_second_run_is_refused_and_points_to_the_first(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)
    receipt = run(plan)
    runner = ScriptedRunner()
    error = refuse(plan, runner)
    assert error.code is ErrorCode.OUTPUT_EXISTS
    assert plan.output.artifact_dir in error.message
    assert runner.preflights == 0
    assert Artifacts(plan.workspace.git_common_dir, plan.plan_id).receipt() == receipt
    assert repository.leftovers() == []


@pytest.mark.parametrize("ref", ["", "/nested"])
def test_an_existing_ref_is_refused_before_the_model(repository: Repository, session: Path, ref: str) -> None:
    plan = make_plan(repository, session)
    target = "refs/better-harness/session-executions" if ref else plan.output.ref
    repository.git("update-ref", target, repository.base)
    runner = ScriptedRunner()
    assert refuse(plan, runner).code is ErrorCode.OUTPUT_EXISTS
    assert runner.requests == []
    assert not Path(plan.output.artifact_dir).exists()
    assert repository.git("rev-parse", target).strip() == repository.base


def test_d06_a_ref_that_appears_during_the_run_wins(
    repository: Repository, session: Path, private_temporary: Path
) -> None:
    plan = make_plan(repository, session)

    def progress(step: str, detail: str) -> None:
        if step == "referencing":
            repository.git("update-ref", plan.output.ref, repository.base)

    assert refuse(plan, progress=progress).code is ErrorCode.OUTPUT_EXISTS
    assert repository.git("rev-parse", plan.output.ref).strip() == repository.base
    assert not Path(plan.output.artifact_dir).exists()
    assert repository.leftovers() == list(private_temporary.iterdir()) == []


def test_d06_two_runs_of_one_plan_one_wins(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)
    started, go = threading.Event(), threading.Event()

    def hold(request: ContinuationRequest) -> None:
        started.set()
        assert go.wait(30)
        write_files({"generated.txt": "first\n"})(request)

    receipts: list[dict[str, Any]] = []
    first = threading.Thread(target=lambda: receipts.append(run(plan, ScriptedRunner(hold))))
    first.start()
    assert started.wait(30)
    second = ScriptedRunner()
    assert refuse(plan, second).code is ErrorCode.OUTPUT_EXISTS
    assert second.requests == []
    go.set()
    first.join(30)
    assert receipts[0]["status"] == "complete"
    assert repository.git("show", f"{plan.output.ref}:generated.txt") == "first\n"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("append", ErrorCode.CHECKPOINT_CHANGED),
        ("touch-byte", ErrorCode.CHECKPOINT_CHANGED),
        ("remove", ErrorCode.SESSION_NOT_FOUND),
        ("drop-entry", ErrorCode.CHECKPOINT_NOT_FOUND),
        ("move-repository", ErrorCode.WORKSPACE_NOT_FOUND),
        ("lose-base", ErrorCode.BASE_CHANGED),
    ],
)
def test_what_changed_since_the_plan_is_refused(
    repository: Repository, session: Path, change: str, code: ErrorCode
) -> None:
    base = repository.commit({"base.txt": "base\n"})
    plan = make_plan(repository, session, base=base)
    data = session.read_bytes()
    match change:
        case "append":
            session.write_bytes(data + b'{"type":"custom","id":"late6","parentId":"target02"}\n')
        case "touch-byte":
            session.write_bytes(data + b"\n")
        case "remove":
            session.unlink()
        case "drop-entry":
            session.write_bytes(b"\n".join(line for line in data.split(b"\n") if b"target02" not in line))
        case "move-repository":
            repository.root.rename(repository.root.with_name("moved"))
        case _:
            repository.git("reset", "-q", "--hard", repository.base)
            repository.git("reflog", "expire", "--expire=now", "--all")
            repository.git("gc", "-q", "--prune=now")
    runner = ScriptedRunner()
    assert refuse(plan, runner).code is code
    assert runner.preflights == 0


def test_the_workspace_must_be_the_plans(repository: Repository, session: Path, tmp_path: Path) -> None:
    plan = make_plan(repository, session)
    repository.root.rename(tmp_path / "real")
    repository.root.symlink_to(tmp_path / "real")
    assert refuse(plan).code is ErrorCode.WORKSPACE_CHANGED


def test_d04_without_identity_nothing_begins(
    repository: Repository, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan(repository, session)
    repository.git("config", "--unset", "user.name")
    repository.git("config", "--unset", "user.email")
    repository.git("config", "user.useConfigOnly", "true")
    monkeypatch.setenv("HOME", str(session.parent))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "leaked")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "leaked@example.com")
    runner = ScriptedRunner()
    error = refuse(plan, runner)
    assert error.code is ErrorCode.PROCESS_FAILED
    assert "user.name" in error.message
    assert runner.preflights == 0
    assert not (repository.root / ".git/better-harness").exists()


def fail(request: ContinuationRequest) -> None:
    raise RuntimeError("broken\nrunner")


def drop_git_file(request: ContinuationRequest) -> None:
    Path(request.worktree, ".git").write_text("gitdir: /nonexistent\n")
    write_files({"generated.txt": "x\n"})(request)


def move_head(request: ContinuationRequest) -> None:
    git(Path(request.worktree), "commit", "-q", "--allow-empty", "-m", "moved")


def delete(request: ContinuationRequest) -> None:
    Path(request.worktree, "README.md").unlink()


def nothing(request: ContinuationRequest) -> None:
    pass


@pytest.mark.parametrize(
    ("runner", "code"),
    [
        (ScriptedRunner(fail), ErrorCode.EXECUTION_FAILED),
        (ScriptedRunner(nothing), ErrorCode.NO_CHANGES),
        (ScriptedRunner(move_head), ErrorCode.BASE_MOVED),
        (ScriptedRunner(delete), ErrorCode.INVALID_RUNNER_RESULT),
        (ScriptedRunner(session_id="another"), ErrorCode.INVALID_RUNNER_RESULT),
        (ScriptedRunner(session_id="two words"), ErrorCode.INVALID_RUNNER_RESULT),
        (ScriptedRunner(session_file="/etc/hostname"), ErrorCode.INVALID_RUNNER_RESULT),
        (ScriptedRunner(session_file="/nonexistent"), ErrorCode.INVALID_RUNNER_RESULT),
        (ScriptedRunner(written_paths=frozenset({"other.txt"})), ErrorCode.INVALID_RUNNER_RESULT),
    ],
)
def test_failures_leave_nothing(
    repository: Repository, session: Path, private_temporary: Path, runner: ScriptedRunner, code: ErrorCode
) -> None:
    plan, before = make_plan(repository, session), repository.snapshot()
    error = refuse(plan, runner)
    assert (error.code, error.cleanup_warnings) == (code, [])
    assert "\n" not in error.message
    nothing_left(repository, plan, private_temporary)
    assert repository.snapshot() == before
    assert run(plan)["status"] == "complete"


def test_a_changed_git_file_in_the_worktree_has_no_say(
    repository: Repository, session: Path, private_temporary: Path
) -> None:
    receipt = run(make_plan(repository, session), ScriptedRunner(drop_git_file))
    assert receipt["result"]["changedPaths"] == ["generated.txt"]
    assert repository.leftovers() == list(private_temporary.iterdir()) == []


def test_deleting_is_possible_when_the_plan_says_so(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session, allow_delete=True)
    receipt = run(plan, ScriptedRunner(delete))
    assert receipt["result"]["changedPaths"] == ["README.md"]
    assert receipt["constraints"]["deleteOrRename"] is True


def test_an_interruption_before_the_ref_cleans_up(
    repository: Repository, session: Path, private_temporary: Path
) -> None:
    plan = make_plan(repository, session)
    for step in STEPS[: STEPS.index("checking")]:
        stop = threading.Event()

        def progress(name: str, detail: str, step: str = step, stop: threading.Event = stop) -> None:
            if name == step:
                stop.set()

        if step == "referencing":
            break
        error = refuse(plan, stop=stop, progress=progress)
        assert error.code is ErrorCode.EXECUTION_FAILED, step
        nothing_left(repository, plan, private_temporary)


def test_result_of_a_process_that_ends_the_interpreter(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)

    def interrupt(request: ContinuationRequest) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan, ScriptedRunner(interrupt))
    assert repository.leftovers() == []
    assert not Path(plan.output.artifact_dir).exists()
