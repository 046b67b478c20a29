"""Planning: identities shared with the public tool, every check, and nothing created but the plan file."""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from session_executor.canonical import canonical_json, sha256, sha256_text
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.plan import check_plan, plan_id_of, read_plan, write_plan
from tests.unit.session_executor.executor_fixtures import (
    MESSAGE,
    TARGET_ENTRY,
    Repository,
    git,
    make_plan,
    make_repository,
)

PUBLIC_PLAN = Path(__file__).with_name("public_plan.json")
PUBLIC_PLAN_ID = "sep_810b28cc86e761067d43b7bb14126dff5a4e1e54068e035b97e8665389cb149e"


def code_of(call: Any) -> ErrorCode:
    with pytest.raises(ExecutorError) as caught:
        call()
    assert "\n" not in caught.value.message
    return caught.value.code


def identity_of(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in {"planId", "output"}}


def forge(document: dict[str, Any]) -> dict[str, Any]:
    """`document` with id and output recomputed, as somebody who edits a plan on purpose would do."""
    plan_id = plan_id_of(identity_of(document))
    common = document["workspace"]["gitCommonDir"]
    output = {
        "ref": f"refs/better-harness/session-executions/{plan_id}",
        "artifactDir": f"{common}/better-harness/session-executions/{plan_id}",
    }
    return {**document, "planId": plan_id, "output": output}


def test_a_plan_of_the_public_tool_has_the_same_id_here() -> None:
    document = json.loads(PUBLIC_PLAN.read_text(encoding="utf-8"))
    assert document["planId"] == PUBLIC_PLAN_ID
    assert plan_id_of(identity_of(document)) == PUBLIC_PLAN_ID
    reordered = json.loads(canonical_json(document))
    assert check_plan(reordered).plan_id == PUBLIC_PLAN_ID
    assert read_plan(str(PUBLIC_PLAN)).document() == document


def test_a_plan_holds_full_ids_and_digests(repository: Repository, session: Path) -> None:
    plan = make_plan(repository, session, base="main", commit_message=f"\n {MESSAGE} \n")
    document = plan.document()
    assert document["createdAt"] == "2026-08-16T01:00:00.000Z"
    assert document["workspace"] == {
        "root": str(repository.root),
        "gitCommonDir": str(repository.root / ".git"),
        "baseCommit": repository.base,
        "baseTree": repository.git("rev-parse", "main^{tree}").strip(),
    }
    assert document["checkpoint"] == {
        "sessionFile": os.path.realpath(session),
        "sessionSha256": sha256(session.read_bytes()),
        "sessionId": "source-session-1",
        "sessionVersion": 3,
        "sourceCwd": str(repository.root),
        "entryCount": 4,
        "entryId": TARGET_ENTRY,
        "entryType": "custom",
        "branchEntryIds": ["root0001", TARGET_ENTRY],
        "branchDigest": sha256(b'["root0001","target02"]'),
    }
    assert document["continuation"]["commitMessage"] == MESSAGE
    assert document["continuation"]["promptSha256"] == sha256_text(plan.continuation.prompt)
    assert plan.output.ref == f"refs/better-harness/session-executions/{plan.plan_id}"
    assert list(document) == [
        "schemaVersion",
        "provider",
        "planId",
        "createdAt",
        "workspace",
        "checkpoint",
        "continuation",
        "constraints",
        "output",
    ]


def test_planning_creates_nothing(repository: Repository, session: Path, tmp_path: Path) -> None:
    def everything() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in sorted(tmp_path.rglob("*"))
            if path.is_file() and path.name != "plan.json"
        }

    before = everything()
    plan = make_plan(repository, session)
    target = tmp_path / "new/plan.json"
    assert write_plan(str(target), plan) == str(target)
    assert everything() == before
    assert target.stat().st_mode & 0o777 == 0o600
    assert code_of(lambda: write_plan(str(target), plan)) is ErrorCode.OUTPUT_EXISTS
    assert read_plan(str(target)) == plan


def test_d12_a_subdirectory_gives_the_same_plan(repository: Repository, session: Path) -> None:
    (repository.root / "src/deep").mkdir(parents=True)
    inside = make_plan(repository, session, workspace=str(repository.root / "src/deep"))
    assert inside.plan_id == make_plan(repository, session).plan_id


def test_d09_another_worktree_is_another_workspace(
    repository: Repository, session: Path, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    linked = make_plan(repository, session, workspace=str(tmp_path / "second"))
    assert linked.workspace.root == os.path.realpath(tmp_path / "second")
    assert linked.workspace.git_common_dir == str(repository.root / ".git")
    assert linked.plan_id != make_plan(repository, session).plan_id


def test_a_workspace_path_may_end_in_a_blank_or_newline(session: Path, tmp_path: Path) -> None:
    for name in ("blank ", "line\n"):
        repository = make_repository(tmp_path / name)
        assert make_plan(repository, session).workspace.root == str(repository.root)


def test_a_replace_ref_does_not_change_the_base_tree(repository: Repository, session: Path) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}").strip()
    other = repository.commit({"README.md": "other\n"})
    repository.git("replace", repository.base, other)
    assert make_plan(repository, session).workspace.base_tree == tree


def test_d02_inherited_git_variables_do_not_redirect(
    repository: Repository, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other")
    expected = make_plan(repository, session)
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    assert make_plan(repository, session) == expected


def test_inputs_are_checked(repository: Repository, session: Path, tmp_path: Path) -> None:
    cases: list[tuple[ErrorCode, dict[str, Any]]] = [
        (ErrorCode.INVALID_INPUT, {"prompt": ""}),
        (ErrorCode.INVALID_INPUT, {"prompt": " \n\u00a0\ufeff"}),
        (ErrorCode.INVALID_INPUT, {"prompt": "a\0b"}),
        (ErrorCode.INVALID_INPUT, {"prompt": "lone \ud800"}),
        (ErrorCode.INVALID_INPUT, {"base": "--all"}),
        (ErrorCode.INVALID_INPUT, {"base": " "}),
        (ErrorCode.INVALID_INPUT, {"entry_id": "two words"}),
        (ErrorCode.INVALID_INPUT, {"commit_message": "\n"}),
        (ErrorCode.PROCESS_FAILED, {"base": "no-such-branch"}),
        (ErrorCode.PROCESS_FAILED, {"base": f"{repository.base}:README.md"}),
        (ErrorCode.WORKSPACE_NOT_FOUND, {"workspace": str(tmp_path / "missing")}),
        (ErrorCode.WORKSPACE_NOT_FOUND, {"workspace": str(session)}),
        (ErrorCode.PROCESS_FAILED, {"workspace": str(session.parent)}),
        (ErrorCode.SESSION_NOT_FOUND, {"session_file": str(tmp_path / "missing.jsonl")}),
        (ErrorCode.SESSION_NOT_FOUND, {"session_file": str(tmp_path)}),
        (ErrorCode.CHECKPOINT_NOT_FOUND, {"entry_id": "missing9"}),
    ]
    for code, change in cases:
        assert code_of(lambda change=change: make_plan(repository, session, **change)) is code, change


def test_a_bare_repository_is_refused(repository: Repository, session: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository.root), "bare.git")
    call = lambda: make_plan(repository, session, workspace=str(tmp_path / "bare.git"))  # noqa: E731
    assert code_of(call) is ErrorCode.PROCESS_FAILED


@pytest.mark.parametrize(
    "line",
    [
        "Harness-Session: x",
        "harness-CHECKPOINT: x",
        "body\nHarness-Execution-Plan:x",
        "body\r\nHarness-Session : x",
        "body\u2028Harness-Session: x",
    ],
)
def test_reserved_trailers_are_refused(repository: Repository, session: Path, line: str) -> None:
    assert code_of(lambda: make_plan(repository, session, commit_message=line)) is ErrorCode.RESERVED_TRAILER


def test_a_message_may_speak_of_the_trailers(repository: Repository, session: Path) -> None:
    message = "docs: explain Harness-Session: and friends"
    assert make_plan(repository, session, commit_message=message).continuation.commit_message == message


def test_allow_delete_is_a_version_of_the_constraints(repository: Repository, session: Path) -> None:
    standard, extended = make_plan(repository, session), make_plan(repository, session, allow_delete=True)
    assert "version" not in standard.constraints
    assert standard.limits.tools == ("read", "ls", "edit", "write")
    assert extended.constraints["version"] == 2
    assert extended.limits.tools == ("read", "ls", "edit", "write", "delete", "rename")
    assert check_plan(extended.document()) == extended


def change(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    *sections, last = path.split(".")
    target = changed
    for section in sections:
        target = target[section]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("continuation.prompt", "changed", ErrorCode.PLAN_TAMPERED),
        ("continuation.commitMessage", "changed", ErrorCode.PLAN_TAMPERED),
        ("checkpoint.branchEntryIds", ["root0001"], ErrorCode.PLAN_TAMPERED),
        ("workspace.baseCommit", "0" * 40, ErrorCode.PLAN_TAMPERED),
        ("createdAt", "2026-08-16T01:00:00.001Z", ErrorCode.PLAN_TAMPERED),
        ("planId", "sep_" + "0" * 64, ErrorCode.PLAN_TAMPERED),
        ("output.ref", "refs/heads/main", ErrorCode.PLAN_TAMPERED),
        ("output.artifactDir", "/elsewhere", ErrorCode.PLAN_TAMPERED),
        ("schemaVersion", "session-execution-plan-v2", ErrorCode.UNSUPPORTED_PLAN),
        ("schemaVersion", ..., ErrorCode.UNSUPPORTED_PLAN),
        ("provider", "codex", ErrorCode.UNSUPPORTED_PROVIDER),
        ("constraints.shell", True, ErrorCode.UNSUPPORTED_PLAN),
        ("constraints.shell", 0, ErrorCode.UNSUPPORTED_PLAN),
        ("constraints.maxToolCalls", 65, ErrorCode.UNSUPPORTED_PLAN),
        ("constraints.extra", 1, ErrorCode.UNSUPPORTED_PLAN),
        ("constraints.extra", float("inf"), ErrorCode.UNSUPPORTED_PLAN),
        ("continuation.prompt", "lone \ud800", ErrorCode.INVALID_PLAN),
        ("constraints.mutationTools", ["write", "edit"], ErrorCode.UNSUPPORTED_PLAN),
        ("continuation.commitMessage", "x\nHarness-Session: y", ErrorCode.RESERVED_TRAILER),
        ("workspace", ..., ErrorCode.INVALID_PLAN),
        ("workspace.root", 5, ErrorCode.INVALID_PLAN),
        ("checkpoint.entryCount", True, ErrorCode.INVALID_PLAN),
        ("checkpoint.entryCount", 0, ErrorCode.INVALID_PLAN),
        ("checkpoint.branchEntryIds", [], ErrorCode.INVALID_PLAN),
        ("createdAt", "yesterday", ErrorCode.INVALID_PLAN),
        ("output", [], ErrorCode.INVALID_PLAN),
    ],
)
def test_a_changed_plan_is_refused(
    repository: Repository, session: Path, path: str, value: Any, code: ErrorCode
) -> None:
    document = make_plan(repository, session).document()
    assert code_of(lambda: check_plan(change(document, path, value))) is code


def test_constraints_stay_refused_when_the_id_is_recomputed(repository: Repository, session: Path) -> None:
    document = change(make_plan(repository, session).document(), "constraints.maxToolCalls", 1000)
    assert code_of(lambda: check_plan(forge(document))) is ErrorCode.UNSUPPORTED_PLAN


def test_unknown_fields_and_whole_floats_are_accepted(
    repository: Repository, session: Path, tmp_path: Path
) -> None:
    plan = make_plan(repository, session)
    document = {**plan.document(), "note": "mine"}
    document["workspace"]["note"] = "mine too"
    text = json.dumps(document).replace('"maxToolCalls": 64', '"maxToolCalls": 64.0')
    (tmp_path / "plan.json").write_text(text)
    assert read_plan(str(tmp_path / "plan.json")) == plan


def test_plan_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert code_of(lambda: read_plan(str(path))) is ErrorCode.PLAN_NOT_FOUND
    for data, code in (
        (b"{", ErrorCode.INVALID_PLAN),
        (b"[]", ErrorCode.INVALID_PLAN),
        (b"NaN", ErrorCode.INVALID_PLAN),
        (b"[" * 100_000, ErrorCode.INVALID_PLAN),
        (b'"\xff"', ErrorCode.INVALID_UTF8),
    ):
        path.write_bytes(data)
        assert code_of(lambda: read_plan(str(path))) is code, data[:9]
