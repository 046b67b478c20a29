"""Hooks, filters, inherited variables, sparse checkouts and odd repositories have no say in a run."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import execute_plan
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan
from tests.unit.session_executor.executor_fixtures import (
    Repository,
    git,
    make_plan,
    make_repository,
    write_session,
)
from tests.unit.session_executor.executor_runner import ScriptedRunner, write_files


def run(plan: Plan, files: dict[str, str | bytes] | None = None, **overrides: Any) -> dict[str, Any]:
    runner = ScriptedRunner(write_files(files or {"generated.txt": "x\n"}), **overrides)
    return execute_plan(plan, runner, inspect_session)


def refuse(plan: Plan, files: dict[str, str | bytes] | None = None) -> ExecutorError:
    with pytest.raises(ExecutorError) as caught:
        run(plan, files)
    return caught.value


ALL_HOOKS = [
    "post-checkout",
    "pre-commit",
    "commit-msg",
    "prepare-commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "pre-auto-gc",
]


def test_d01_hooks_do_not_run(repository: Repository, session: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ALL_HOOKS:
        for directory in (hooks, repository.root / ".git/hooks"):
            hook = directory / name
            hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran-{name}'\ntouch added-by-hook.txt\nexit 1\n")
            hook.chmod(0o755)
    for configured in (None, str(hooks)):
        if configured:
            repository.git("config", "core.hooksPath", configured)
        receipt = run(make_plan(repository, session, prompt=f"hooks in {configured}"))
        assert receipt["result"]["changedPaths"] == ["generated.txt"]
    assert list(tmp_path.glob("ran-*")) == []


def test_d17_filters_do_not_run(repository: Repository, session: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    base = repository.commit({".gitattributes": "*.data filter=evil\n", "old.data": "raw\n"})
    for name in ("evil", "x=y", "a.b"):
        for key in ("clean", "smudge", "process"):
            repository.git("config", f"filter.{name}.{key}", f"sh -c 'echo {key} >> {ran}; cat'")
        repository.git("config", f"filter.{name}.required", "true")
    repository.git("config", "core.fsmonitor", f"touch {ran}; false")
    receipt = run(make_plan(repository, session, base=base))
    assert receipt["result"]["changedPaths"] == ["generated.txt"]
    assert not ran.exists()


@pytest.mark.parametrize("driver", ["evil", "lfs"])
def test_a_path_that_belongs_to_a_filter_is_refused(
    repository: Repository, session: Path, driver: str
) -> None:
    base = repository.commit({".gitattributes": f"*.bin filter={driver} diff={driver}\n", "a.txt": "a\n"})
    if driver == "evil":
        repository.git("config", "filter.evil.clean", "cat")
    plan = make_plan(repository, session, base=base)
    error = refuse(plan, {"big.bin": "content\n", "a.txt": "b\n"})
    assert error.code is ErrorCode.EXECUTION_FAILED
    assert "big.bin" in error.message
    assert run(plan, {"a.txt": "b\n"})["result"]["changedPaths"] == ["a.txt"]


def test_bytes_are_kept_exactly(repository: Repository, session: Path) -> None:
    base = repository.commit({"crlf.txt": b"one\r\ntwo\n", "bin": bytes(range(256))})
    repository.git("config", "core.autocrlf", "true")
    repository.git("config", "core.eol", "crlf")
    plan = make_plan(repository, session, base=base)
    run(plan, {"new.txt": b"a\r\nb\nc\r\n", "bin2": bytes(range(256))})
    changed = repository.git("diff", "--name-only", base, plan.output.ref).split()
    assert changed == ["bin2", "new.txt"]
    shown = subprocess.run(
        ["git", "cat-file", "blob", f"{plan.output.ref}:new.txt"],
        cwd=repository.root,
        capture_output=True,
        check=True,
    )
    assert shown.stdout == b"a\r\nb\nc\r\n"


def test_d02_inherited_git_variables_have_no_effect(
    repository: Repository, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, before = make_plan(repository, session), repository.snapshot()
    other = make_repository(tmp_path / "other")
    other_before = other.snapshot()
    index = tmp_path / "callers-index"
    shutil.copy(repository.root / ".git/index", index)
    index_before = index.read_bytes()
    variables = {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_COMMON_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(index),
        "GIT_OBJECT_DIRECTORY": str(other.root / ".git/objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(other.root / ".git/objects"),
        "GIT_NAMESPACE": "ns",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(tmp_path),
        "GIT_AUTHOR_NAME": "Leaked",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "GIT_CEILING_DIRECTORIES": str(repository.root),
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_EXTERNAL_DIFF": "false",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    receipt = run(plan)
    for name in variables:
        monkeypatch.delenv(name)
    assert receipt["status"] == "complete"
    assert repository.snapshot() == before
    assert other.snapshot() == other_before
    assert index.read_bytes() == index_before
    assert not (tmp_path / "trace").exists()
    author = repository.git("log", "-1", "--format=%an <%ae> %cn", plan.output.ref).strip()
    assert author == "Harness Test <harness-test@example.com> Harness Test"
    assert "2001" not in repository.git("log", "-1", "--format=%cI", plan.output.ref)


@pytest.mark.parametrize("cone", [True, False])
def test_a_sparse_checkout_restricts_nothing(repository: Repository, session: Path, cone: bool) -> None:
    base = repository.commit({"in/a.txt": "a\n", "out/b.txt": "b\n"})
    repository.git("sparse-checkout", "set", "--cone" if cone else "--no-cone", "in")
    assert not (repository.root / "out").exists()
    seen: list[bool] = []

    def look(request: Any) -> None:
        seen.append(Path(request.worktree, "out/b.txt").exists())
        write_files({"out/new.txt": "x\n"})(request)

    plan, before = make_plan(repository, session, base=base), repository.snapshot()
    receipt = execute_plan(plan, ScriptedRunner(look), inspect_session)
    assert seen == [True]
    assert receipt["result"]["changedPaths"] == ["out/new.txt"]
    assert repository.snapshot() == before


def test_replace_refs_do_not_change_the_base(repository: Repository, session: Path) -> None:
    other = repository.commit({"README.md": "replaced\n"})
    repository.git("reset", "-q", "--hard", repository.base)
    repository.git("replace", repository.base, other)
    plan = make_plan(repository, session)
    receipt = run(plan)
    tree = repository.git("--no-replace-objects", "ls-tree", "--name-only", receipt["result"]["commit"])
    assert tree.split() == ["README.md", "generated.txt"]
    content = repository.git("--no-replace-objects", "show", f"{receipt['result']['commit']}:README.md")
    assert content == "# fixture\n"


def test_d14_signing_is_not_asked_for(repository: Repository, session: Path) -> None:
    repository.git("config", "commit.gpgsign", "true")
    repository.git("config", "gpg.program", "false")
    assert run(make_plan(repository, session))["status"] == "complete"


def test_settings_that_could_spoil_the_commit(repository: Repository, session: Path) -> None:
    for key, value in (
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("core.quotePath", "true"),
        ("diff.renames", "copies"),
        ("status.showUntrackedFiles", "no"),
        ("add.ignoreErrors", "true"),
        ("core.logAllRefUpdates", "always"),
        ("core.abbrev", "4"),
        ("color.ui", "always"),
        ("core.fileMode", "false"),
    ):
        repository.git("config", key, value)
    plan = make_plan(repository, session, commit_message="fix: Größe")
    receipt = run(plan, {"ünï code\n.txt": "x\n"})
    assert receipt["result"]["changedPaths"] == ["ünï code\n.txt"]
    raw = subprocess.run(
        ["git", "cat-file", "commit", plan.output.ref], cwd=repository.root, capture_output=True, check=True
    ).stdout
    assert b"encoding" not in raw
    assert "fix: Größe\n\nHarness-Session: ".encode() in raw


def test_the_users_ignore_file_does_not_hide_results(
    repository: Repository, session: Path, tmp_path: Path
) -> None:
    (tmp_path / "ignore").write_text("*\n")
    repository.git("config", "core.excludesFile", str(tmp_path / "ignore"))
    assert run(make_plan(repository, session))["result"]["changedPaths"] == ["generated.txt"]


def test_other_kinds_of_repositories(tmp_path: Path) -> None:
    origin = make_repository(tmp_path / "origin")
    origin.commit({"more.txt": "x\n"})
    places: dict[str, Path] = {}
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin.root}", "shallow")
    places["shallow"] = tmp_path / "shallow"
    origin.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    places["linked"] = tmp_path / "linked"
    git(tmp_path, "init", "-q", "--object-format=sha256", "sha256")
    places["sha256"] = tmp_path / "sha256"
    super_project = make_repository(tmp_path / "super")
    super_project.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin.root), "module"
    )
    places["submodule"] = super_project.root / "module"
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "separate.git"), "separate")
    places["separate"] = tmp_path / "separate"
    for kind, root in places.items():
        git(root, "config", "user.name", "Harness Test")
        git(root, "config", "user.email", "harness-test@example.com")
        if kind in {"sha256", "separate"}:
            (root / "f").write_text("x\n")
            git(root, "add", "f")
            git(root, "commit", "-qm", "seed")
        repository = Repository(Path(os.path.realpath(root)), git(root, "rev-parse", "HEAD").strip())
        session = write_session(tmp_path / f"{kind}.jsonl", repository.root)
        plan = make_plan(repository, session)
        before = git(root, "worktree", "list")
        receipt = run(plan)
        assert receipt["status"] == "complete", kind
        assert git(root, "rev-parse", f"{plan.output.ref}^").strip() == repository.base
        assert git(root, "worktree", "list") == before
        assert git(root, "status", "--porcelain") == ""


def test_many_runs_at_once(repository: Repository, session: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    plans = [make_plan(repository, session, prompt=f"number {index}") for index in range(8)]
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(run, plans))
    assert {receipt["status"] for receipt in receipts} == {"complete"}
    assert repository.leftovers() == []
    assert len(repository.git("for-each-ref", "refs/better-harness").splitlines()) == 8


def test_an_offline_partial_clone_fails_clean(
    repository: Repository, session: Path, tmp_path: Path, private_temporary: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    git(
        tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository.root}", "partial"
    )
    clone = Repository(Path(os.path.realpath(tmp_path / "partial")), repository.base)
    clone.git("config", "user.name", "Harness Test")
    clone.git("config", "user.email", "harness-test@example.com")
    plan = make_plan(clone, session)
    repository.root.rename(tmp_path / "gone")
    assert refuse(plan).code is ErrorCode.PROCESS_FAILED
    assert clone.leftovers() == list(private_temporary.iterdir()) == []
    assert not Path(plan.output.artifact_dir).exists()
