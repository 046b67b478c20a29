"""What a run leaves beside the commit, and what it finds there."""

import subprocess
from pathlib import Path

import pytest

from session_executor.errors import ErrorCode
from session_executor.runner import ContinuationRequest
from tests.unit.session_executor.executor_fixtures import Repository, make_plan, make_repository
from tests.unit.session_executor.executor_runner import ScriptedRunner, refuse, run, write_files


def test_d16_ignored_outputs_are_listed(repository: Repository, session: Path) -> None:
    base = repository.commit({".gitignore": "out/\n", "same.txt": "same\n"})
    (repository.root / ".git/info/exclude").write_text("local.log\n")
    plan = make_plan(repository, session, base=base)
    files: dict[str, str | bytes] = {
        "out/result.csv": "1,2\n",
        "local.log": "x",
        "same.txt": "same\n",
        "kept.txt": "kept\n",
    }
    runner = ScriptedRunner(write_files(files), written_paths=frozenset(files))
    result = run(plan, runner)["result"]
    assert result["changedPaths"] == ["kept.txt"]
    assert result["ignoredPaths"] == ["local.log", "out/result.csv", "same.txt"]
    assert result["ignoredFiles"] == [
        {"path": "local.log", "bytes": 1, "reason": "ignored"},
        {"path": "out/result.csv", "bytes": 4, "reason": "ignored"},
        {"path": "same.txt", "bytes": 5, "reason": "unchanged"},
    ]


def test_d16_only_ignored_outputs_say_so(repository: Repository, session: Path) -> None:
    base = repository.commit({".gitignore": "out/\n"})
    plan = make_plan(repository, session, base=base)
    error = refuse(plan, ScriptedRunner(write_files({"out/result.csv": "1\n"})))
    assert error.code is ErrorCode.NO_CHANGES
    assert "out/result.csv (ignored)" in error.message


def test_writes_below_a_submodule_are_listed(repository: Repository, session: Path, tmp_path: Path) -> None:
    module = make_repository(tmp_path / "module")
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.root), "module")
    repository.git("commit", "-qm", "submodule")
    plan = make_plan(repository, session, base="HEAD")
    files: dict[str, str | bytes] = {"module/lost.txt": "lost\n", "kept.txt": "kept\n"}
    result = run(plan, ScriptedRunner(write_files(files)))["result"]
    assert (result["changedPaths"], result["ignoredPaths"]) == (["kept.txt"], ["module/lost.txt"])


@pytest.mark.parametrize("kind", ["empty", "public-tool", "foreign", "file", "symlink"])
def test_an_artifact_directory_that_is_there_already(
    repository: Repository, session: Path, tmp_path: Path, kind: str
) -> None:
    plan = make_plan(repository, session)
    directory = Path(plan.output.artifact_dir)
    directory.parent.mkdir(parents=True)
    match kind:
        case "empty":
            directory.mkdir()
        case "public-tool":
            directory.mkdir()
            (directory / "plan.json").write_text("{}")
            (directory / "source-session.jsonl").write_text("")
        case "foreign":
            directory.mkdir()
            (directory / "notes.txt").write_text("mine")
        case "file":
            directory.write_text("mine")
        case _:
            (tmp_path / "elsewhere").mkdir()
            directory.symlink_to(tmp_path / "elsewhere")
    if kind in {"empty", "public-tool"}:
        assert run(plan)["status"] == "complete"
        return
    runner = ScriptedRunner()
    assert refuse(plan, runner).code is ErrorCode.OUTPUT_EXISTS
    assert runner.requests == []
    assert directory.exists()


def test_artifacts_never_follow_a_symlink(repository: Repository, session: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repository.root / ".git/better-harness").symlink_to(tmp_path / "elsewhere")
    assert refuse(make_plan(repository, session)).code is ErrorCode.EXECUTION_FAILED
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_runner_children_hold_the_lock(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session)

    def spawn(request: ContinuationRequest) -> None:
        child = subprocess.run(
            ["python3", "-c", f"import os; print(os.fstat({request.inherit[0]}).st_ino)"],
            pass_fds=request.inherit,
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(child.stdout) == Path(f"{plan.output.artifact_dir}.lock").stat().st_ino
        write_files({"generated.txt": "x\n"})(request)

    assert run(plan, ScriptedRunner(spawn))["status"] == "complete"
