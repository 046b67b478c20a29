"""Sessions on disk: made whole or not at all, found by id and by filter."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from contracts.identifiers import SESSION_ID
from tests.integration.tht.conftest import approve, decide, lead_to_f4
from tht import files, manifest, operations, sessions
from tht.files import Folder
from tht.home import Home, find_home


def make(home: Home, **fields: Any) -> dict[str, Any]:
    return sessions.create(home, **{"workspace": "shop", "question": "Which?", "author": "ann", **fields})


def test_a_session_is_a_folder_with_a_manifest(home: Home) -> None:
    made = make(home, name="first", provider="p", model="m", thinking="low", temperature=0.5)
    assert SESSION_ID.fullmatch(made["id"])
    folder = home.sessions / made["id"]
    assert sorted(path.name for path in folder.iterdir()) == ["artifacts", "pi", "session_manifest.yaml"]
    expected = {"workspace": "shop", "question": "Which?", "author": "ann", "name": "first", "provider": "p"}
    expected |= {"model": "m", "thinking": "low"}
    assert {key: made[key] for key in expected} == expected and made["temperature"] == 0.5
    assert made["phase"]["phase"] == "F1"
    assert sessions.show(home, made["id"]) == made


BAD_IDS = ["../x", "a/b", "x" * 65, "x\0", "", ".", "..", "-x", "x-", "x\n", "%2e%2e%2fx", "a\\b", "é"]


@pytest.mark.parametrize("session_id", [*BAD_IDS, "20261130t161035-3f9a1c"])
def test_an_id_that_no_session_has_is_not_found(home: Home, session_id: str) -> None:
    make(home)
    with pytest.raises(Fault) as raised:
        sessions.show(home, session_id)
    assert raised.value.code is Code.NOT_FOUND
    assert "\n" not in raised.value.message


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"workspace": "nope"}, Code.NOT_FOUND),
        ({"workspace": "../shop"}, Code.NOT_FOUND),
        ({"workspace": "broken"}, Code.WORKSPACE_BROKEN),
        ({"workspace": "unset"}, Code.WORKSPACE_BROKEN),
        ({"workspace": "nofile"}, Code.DATABASE_UNAVAILABLE),
        ({"question": ""}, Code.INVALID_ARGUMENT),
        ({"question": "x" * (1 << 20)}, Code.TOO_LARGE),
        ({"author": ""}, Code.INVALID_ARGUMENT),
    ],
)
def test_a_session_that_cannot_be_leaves_nothing(home: Home, fields: dict[str, Any], code: Code) -> None:
    (home.workspaces / "broken.yaml").write_text("connection: [")
    (home.workspaces / "unset.yaml").write_text("dialect: sqlite\nconnection: {path: '${NOT_SET_AT_ALL}'}")
    (home.workspaces / "nofile.yaml").write_text("dialect: sqlite\nconnection: {path: ../gone.db}")
    with pytest.raises(Fault) as raised:
        make(home, **fields)
    assert raised.value.code is code
    assert not home.sessions.exists() or list(home.sessions.iterdir()) == []


def test_a_full_disk_leaves_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(OSError, match="No space left"):
        make(home)
    assert list(home.sessions.iterdir()) == []


def test_an_id_that_is_taken_is_not_taken_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = make(home)
    ids = iter([taken["id"], taken["id"], "another"])
    monkeypatch.setattr(sessions, "new_session_id", lambda _: next(ids))
    assert make(home, question="second")["id"] == "another"
    assert sessions.show(home, taken["id"]) == taken


def test_sessions_are_listed_newest_first_in_pages(home: Home) -> None:
    ids = [make(home, author="ann" if number % 2 else "bob")["id"] for number in range(5)]
    newest_first = sorted(ids, reverse=True)
    first = sessions.listing(home, limit=2)
    assert [entry["id"] for entry in first["sessions"]] == newest_first[:2]
    second = sessions.listing(home, limit=2, after=first["next"])
    third = sessions.listing(home, limit=2, after=second["next"])
    assert [entry["id"] for page in (second, third) for entry in page["sessions"]] == newest_first[2:]
    assert third["next"] is None
    assert sessions.listing(home, limit=5)["next"] is None
    assert {entry["author"] for entry in sessions.listing(home, author="bob")["sessions"]} == {"bob"}
    assert sessions.listing(home, workspace="other")["sessions"] == []


def test_sessions_are_listed_by_phase(home: Home) -> None:
    first, second = make(home)["id"], make(home)["id"]
    decide(home, second, "reading")
    assert [entry["id"] for entry in sessions.listing(home, phase="F1")["sessions"]] == [first]
    assert [entry["id"] for entry in sessions.listing(home, phase="F2")["sessions"]] == [second]


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 201}, {"limit": -1}, {"phase": "F6"}])
def test_a_listing_that_cannot_be_is_refused(home: Home, arguments: dict[str, Any]) -> None:
    with pytest.raises(Fault) as raised:
        sessions.listing(home, **arguments)
    assert raised.value.code is Code.INVALID_ARGUMENT


def test_what_is_no_session_does_not_spoil_the_listing(home: Home) -> None:
    good, broken = make(home)["id"], make(home)["id"]
    (home.sessions / broken / manifest.NAME).write_text("id: [")
    (home.sessions / "empty").mkdir()
    (home.sessions / "file").write_text("")
    (home.sessions / ".new-0123").mkdir()
    (home.sessions / "link").symlink_to(home.root)
    page = sessions.listing(home)
    assert [entry["id"] for entry in page["sessions"]] == [good]
    assert page["broken"] == [broken]
    with pytest.raises(Fault) as raised:
        sessions.show(home, broken)
    assert raised.value.code is Code.CONFLICT


def test_a_manifest_moved_from_another_session_is_told(home: Home) -> None:
    one, two = make(home)["id"], make(home)["id"]
    (home.sessions / one / manifest.NAME).replace(home.sessions / two / manifest.NAME)
    with pytest.raises(Fault) as raised:
        sessions.show(home, two)
    assert raised.value.code is Code.CONFLICT


def test_the_phase_follows_the_decisions(home: Home, session: str) -> None:
    lead_to_f4(home, session)
    assert sessions.show(home, session)["phase"]["phase"] == "F4"
    assert approve(home, session, "sql_final.sql", "SELECT 1")["phase"]["phase"] == "F5"
    assert sessions.show(home, session)["phase"]["closed"] == ["F1", "F2", "F3", "F4"]


def test_live_is_what_the_owner_wrote(home: Home, session: str) -> None:
    with sessions.opened(home, session) as folder:
        assert sessions.live(folder) is None
        (home.sessions / session / "live.json").write_text('{"pid": 7}')
        assert sessions.live(folder) == {"pid": 7}
        (home.sessions / session / "live.json").write_text("{")
        assert sessions.live(folder) is None


def test_the_home_is_the_one_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("given", "environment", "harness"):
        (tmp_path / name / "workspaces").mkdir(parents=True)
    assert find_home("given", {"THT_HOME": "environment"}).root == str(tmp_path / "given")
    assert find_home(None, {"THT_HOME": str(tmp_path / "environment")}).root == str(tmp_path / "environment")
    assert find_home(None, {}).root == str(tmp_path / "harness")
    monkeypatch.chdir(tmp_path / "environment")
    assert Path(find_home(None, {}).root).samefile(tmp_path / "environment")
    monkeypatch.chdir(tmp_path / "environment" / "workspaces")
    for given, code in (("nope", Code.NOT_FOUND), ("a\0b", Code.NOT_FOUND), (None, Code.INVALID_ARGUMENT)):
        with pytest.raises(Fault) as raised:
            find_home(given, {})
        assert raised.value.code is code


BROKEN: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_text(""),
    "no-yaml": lambda path: path.write_bytes(b"\xff\x00{"),
    "a-folder": lambda path: (path.unlink(), path.mkdir()),
    "a-fifo": lambda path: (path.unlink(), os.mkfifo(path)),
    "a-link": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    "recursive": lambda path: path.write_text(path.read_text() + "name: &a [*a]\n"),
    "no-text": lambda path: path.write_text(path.read_text().replace("created_at: ", "created_at: [1] #")),
    "no-number": lambda path: path.write_text(
        path.read_text().replace("temperature: null", "temperature: x")
    ),
}


def test_sessions_that_cannot_be_read_are_named_and_hide_no_other(home: Home, session: str) -> None:
    for name, spoil in BROKEN.items():
        shutil.copytree(home.sessions / session, home.sessions / name)
        manifest = home.sessions / name / "session_manifest.yaml"
        manifest.write_text(manifest.read_text().replace(session, name))
        spoil(manifest)
    ledger = home.sessions / "no-ledger" / "review_decisions.jsonl"
    shutil.copytree(home.sessions / session, ledger.parent)
    ledger.mkdir()
    (home.sessions / "linked").symlink_to(home.sessions / session)
    page = sessions.listing(home)
    assert [each["id"] for each in page["sessions"]] == [session]
    assert sorted(page["broken"]) == sorted([*BROKEN, "no-ledger"])


def test_a_folder_that_the_system_does_not_give_is_a_broken_session(
    home: Home, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Folder, "read", denied)
    assert sessions.listing(home) == {"sessions": [], "next": None, "broken": [session]}
    with pytest.raises(Fault) as raised:
        operations.call(home, "session.show", {"session": session})
    assert raised.value.code is Code.UNAVAILABLE and "Permission denied" in raised.value.message


def test_a_full_disk_is_told_and_leaves_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(Fault) as raised:
        operations.call(home, "session.new", {"workspace": "shop", "question": "q", "author": "ann"})
    assert raised.value.code is Code.UNAVAILABLE and "No space left" in raised.value.message
    assert list(home.sessions.iterdir()) == []
