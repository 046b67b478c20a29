"""Only what lies in an allowed place is a repository or a session file, whatever name leads there."""

from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.checkpoints.places import AllowedPlaces
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.pi.session_file import inspect_session
from session_executor.plan import create_plan
from tests.unit.session_executor.executor_fixtures import (
    MESSAGE,
    PROMPT,
    TARGET_ENTRY,
    Repository,
    git,
    make_repository,
    write_session,
)


@pytest.fixture
def allowed(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "allowed")


@pytest.fixture
def other(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "other")


def places(tmp_path: Path, *repositories: Path, sessions: tuple[Path, ...] = ()) -> AllowedPlaces:
    return AllowedPlaces(repositories, tmp_path / "harness" / "sessions", sessions)


def refused(found: AllowedPlaces, name: str) -> str:
    with pytest.raises(Fault) as caught:
        found.repository(name)
    assert caught.value.code is Code.NOT_FOUND
    return caught.value.message


def test_without_an_allowed_repository_checkpoints_are_off(tmp_path: Path, allowed: Repository) -> None:
    assert "THOTHII_CHECKPOINT_REPOSITORIES" in refused(places(tmp_path), str(allowed.root))


def test_a_repository_is_named_by_its_path_or_by_its_folder_name(tmp_path: Path, allowed: Repository) -> None:
    found = places(tmp_path, allowed.root)
    for name in (str(allowed.root), f"{allowed.root}/", f"{allowed.root}/../allowed", "allowed"):
        assert found.repository(name).root == str(allowed.root)


def test_a_folder_of_a_repository_means_the_repository(tmp_path: Path, allowed: Repository) -> None:
    (allowed.root / "src").mkdir()
    assert places(tmp_path, allowed.root).repository(f"{allowed.root}/src").root == str(allowed.root)


def test_a_repository_below_an_allowed_folder_is_allowed(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "all" / "inner")
    assert places(tmp_path, tmp_path / "all").repository(str(inner.root)).root == str(inner.root)


@pytest.mark.parametrize(
    "name",
    [
        "other",
        "allowed-too",
        ".",
        "..",
        "",
        "allowed/.",
        "{tmp}",
        "{tmp}/other",
        "{tmp}/allowed-too",
        "{tmp}/allowed/../other",
        "{tmp}/allowed/missing",
        "{tmp}/allowed/way-out",
        "{tmp}/allowed/a\0b",
        "{tmp}/" + "a" * 5000,
        "/",
        "/proc/self/root",
    ],
)
def test_nothing_else_is_a_repository(
    tmp_path: Path, allowed: Repository, other: Repository, name: str
) -> None:
    make_repository(tmp_path / "allowed-too")
    (allowed.root / "way-out").symlink_to(other.root)
    message = refused(places(tmp_path, allowed.root), name.replace("{tmp}", str(tmp_path)))
    assert len(message) <= 600
    assert "\n" not in message


def test_an_allowed_path_may_be_a_link(tmp_path: Path, allowed: Repository) -> None:
    (tmp_path / "link").symlink_to(allowed.root)
    found = places(tmp_path, tmp_path / "link")
    for name in ("link", str(tmp_path / "link"), str(allowed.root)):
        assert found.repository(name).root == str(allowed.root)


def test_a_name_that_two_repositories_have_means_neither(tmp_path: Path) -> None:
    first, second = make_repository(tmp_path / "a" / "same"), make_repository(tmp_path / "b" / "same")
    found = places(tmp_path, first.root, second.root)
    refused(found, "same")
    assert found.repository(str(second.root)).root == str(second.root)


def test_a_part_of_a_repository_does_not_allow_the_whole(tmp_path: Path, allowed: Repository) -> None:
    (allowed.root / "part").mkdir()
    refused(places(tmp_path, allowed.root / "part"), str(allowed.root / "part"))


def test_a_git_file_below_an_allowed_folder_leads_nowhere_else(
    tmp_path: Path, allowed: Repository, other: Repository
) -> None:
    inner = allowed.root / "inner"
    inner.mkdir()
    (inner / ".git").write_text(f"gitdir: {other.root}/.git\n")
    refused(places(tmp_path, allowed.root), str(inner))


def test_a_work_tree_setting_below_an_allowed_folder_leads_nowhere_else(
    tmp_path: Path, allowed: Repository, other: Repository
) -> None:
    inner = make_repository(allowed.root / "inner")
    inner.git("config", "core.worktree", str(other.root))
    refused(places(tmp_path, allowed.root), str(inner.root))


def test_the_operator_may_allow_a_linked_work_tree(tmp_path: Path, allowed: Repository) -> None:
    linked = tmp_path / "linked"
    git(allowed.root, "worktree", "add", "-q", str(linked))
    found = places(tmp_path, linked)
    assert found.repository("linked").common_dir == str(allowed.root / ".git")
    refused(found, str(allowed.root))


def test_what_is_no_repository_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert "git" in refused(places(tmp_path, tmp_path / "plain"), "plain")


def test_without_git_that_is_what_is_said(
    tmp_path: Path, allowed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ExecutorError) as caught:
        places(tmp_path, allowed.root).repository("allowed")
    assert caught.value.code is ErrorCode.PROCESS_START_FAILED


def test_an_allowed_path_that_is_missing_allows_nothing(tmp_path: Path) -> None:
    refused(places(tmp_path, tmp_path / "missing"), "missing")


def test_session_files_come_from_thothiis_sessions_and_allowed_folders(tmp_path: Path) -> None:
    own = write_session(tmp_path / "harness/sessions/s1/pi/2026_s1.jsonl", tmp_path)
    extra = write_session(tmp_path / "extra/deep/x.jsonl", tmp_path)
    found = places(tmp_path, sessions=(tmp_path / "extra",))
    assert found.session_file(str(own)) == str(own)
    assert found.session_file(str(extra)) == str(extra)
    assert found.session_of("s1") == str(own)


@pytest.mark.parametrize(
    "path", ["{tmp}/elsewhere.jsonl", "{tmp}/extra/link.jsonl", "{tmp}/extra/no.jsonl", "extra/x", "", "\0/"]
)
def test_no_other_file_is_a_session(tmp_path: Path, path: str) -> None:
    elsewhere = write_session(tmp_path / "elsewhere.jsonl", tmp_path)
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/link.jsonl").symlink_to(elsewhere)
    with pytest.raises(Fault) as caught:
        places(tmp_path, sessions=(tmp_path / "extra",)).session_file(path.replace("{tmp}", str(tmp_path)))
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("session_id", ["", "..", "../s1", "missing", "s*", "a/b", "empty"])
def test_no_other_id_is_a_session(tmp_path: Path, session_id: str) -> None:
    write_session(tmp_path / "harness/sessions/s1/pi/2026_s1.jsonl", tmp_path)
    (tmp_path / "harness/sessions/empty/pi").mkdir(parents=True)
    with pytest.raises(Fault) as caught:
        places(tmp_path).session_of(session_id)
    assert caught.value.code is Code.NOT_FOUND


def test_a_plan_is_for_its_repository_and_for_an_allowed_session(
    tmp_path: Path, allowed: Repository, other: Repository
) -> None:
    session = write_session(tmp_path / "extra/x.jsonl", allowed.root)
    plan = create_plan(
        workspace=str(allowed.root),
        base="main",
        session_file=str(session),
        entry_id=TARGET_ENTRY,
        prompt=PROMPT,
        commit_message=MESSAGE,
        inspect=inspect_session,
    )
    both = places(tmp_path, allowed.root, other.root, sessions=(tmp_path / "extra",))
    both.check_plan(plan, both.repository("allowed"))
    with pytest.raises(Fault) as caught:
        both.check_plan(plan, both.repository("other"))
    assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(Fault) as caught:
        places(tmp_path, allowed.root).check_plan(plan, both.repository("allowed"))
    assert caught.value.code is Code.NOT_FOUND
