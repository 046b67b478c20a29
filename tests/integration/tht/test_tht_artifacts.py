"""Artifacts: three names, every version kept, and no way out of the session's folder (A-36)."""

import os
import threading
from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from tests.integration.tht.conftest import put
from tht import artifacts, sessions
from tht.files import Folder
from tht.home import Home

NAME = "sql_final.sql"


def refusal(home: Home, session: str, name: str, text: str | None = None) -> Fault:
    """The fault of reading an artifact, or of writing `text` to it."""
    with pytest.raises(Fault) as raised, sessions.opened(home, session) as folder:
        if text is None:
            artifacts.get(folder, name)
        else:
            artifacts.put(folder, name, text)
    assert "\n" not in raised.value.message
    return raised.value


def folder_of(home: Home, session: str) -> Path:
    return home.sessions / session / "artifacts"


def test_every_version_is_kept_and_a_version_written_twice_once(home: Home, session: str) -> None:
    for text in ("SELECT 1", "SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3"):
        put(home, session, NAME, text)
    history = sorted((folder_of(home, session) / ".history").iterdir())
    assert [path.read_text() for path in history] == ["SELECT 1", "SELECT 2", "SELECT 1"]
    assert [path.name[:6] for path in history] == ["000001", "000002", "000003"]
    with sessions.opened(home, session) as folder:
        shown = artifacts.show(folder, NAME)
    assert shown == {
        "name": NAME,
        "sha256": artifacts.sha256(b"SELECT 3"),
        "media_type": "application/sql",
        "text": "SELECT 3",
    }


def test_a_version_changed_by_hand_is_kept_too(home: Home, session: str) -> None:
    put(home, session, NAME, "SELECT 1")
    (folder_of(home, session) / NAME).write_text("SELECT by hand")
    put(home, session, NAME, "SELECT 2")
    kept = [path.read_text() for path in (folder_of(home, session) / ".history").iterdir()]
    assert kept == ["SELECT by hand"]


def test_bytes_are_kept_as_they_are(home: Home, session: str) -> None:
    text = "-- caff\u00e8\r\nSELECT '\u2028' ;  \n\n"
    put(home, session, NAME, text)
    with sessions.opened(home, session) as folder:
        assert artifacts.get(folder, NAME) == text.encode()


def test_artifacts_are_listed_in_the_order_of_the_phases(home: Home, session: str) -> None:
    with sessions.opened(home, session) as folder:
        assert artifacts.listing(folder) == []
        artifacts.put(folder, NAME, "SELECT 1")
        artifacts.put(folder, "schema_linking.json", "{}")
        (folder_of(home, session) / "other.txt").write_text("x")
        (folder_of(home, session) / "ctes.json").mkdir()
        listed = artifacts.listing(folder)
    assert [entry["name"] for entry in listed] == ["schema_linking.json", NAME]
    assert listed[1]["bytes"] == 8 and listed[1]["sha256"] == artifacts.sha256(b"SELECT 1")
    assert listed[1]["modified_at"].endswith("Z")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../../etc/passwd",
            "%2e%2e%2fsql_final.sql",
            "..\\sql_final.sql",
            "sql_final.sql\0",
            "/etc/passwd",
        ),
        *(
            "",
            ".",
            "..",
            "SQL_FINAL.SQL",
            "sql_final.sql ",
            ".history",
            ".history/x",
            "artifacts/sql_final.sql",
        ),
        *("session_manifest.yaml", "\uff0e\uff0e/x", "x" * 300),
    ],
)
def test_a36_a_name_that_is_no_artifacts_is_not_found(home: Home, session: str, name: str) -> None:
    assert refusal(home, session, name).code is Code.NOT_FOUND
    assert refusal(home, session, name, "x").code is Code.NOT_FOUND
    assert sorted(path.name for path in folder_of(home, session).iterdir()) == []


def test_a36_a_symlink_in_place_of_an_artifact_is_not_followed(
    home: Home, session: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SELECT 'secret'")
    (folder_of(home, session) / NAME).symlink_to(secret)
    assert refusal(home, session, NAME).code is Code.NOT_FOUND
    assert refusal(home, session, NAME, "SELECT 1").code is Code.NOT_FOUND
    assert secret.read_text() == "SELECT 'secret'"
    with sessions.opened(home, session) as folder:
        assert artifacts.hashes(folder) == {}


@pytest.mark.parametrize("component", ["artifacts", "artifacts/.history"])
def test_a36_a_symlink_in_place_of_a_folder_is_not_followed(
    home: Home, session: str, tmp_path: Path, component: str
) -> None:
    put(home, session, NAME, "SELECT 1")
    put(home, session, NAME, "SELECT 2")
    place = home.sessions / session / component
    place.rename(tmp_path / "outside")
    place.symlink_to(tmp_path / "outside")
    before = sorted(path.name for path in (tmp_path / "outside").iterdir())
    assert refusal(home, session, NAME, "SELECT 3").code is Code.NOT_FOUND
    if component == "artifacts":
        assert refusal(home, session, NAME).code is Code.NOT_FOUND
    assert sorted(path.name for path in (tmp_path / "outside").iterdir()) == before


def test_a36_a_session_folder_that_is_a_symlink_is_no_session(
    home: Home, session: str, tmp_path: Path
) -> None:
    (home.sessions / session).rename(tmp_path / "outside")
    (home.sessions / session).symlink_to(tmp_path / "outside")
    with pytest.raises(Fault) as raised:
        sessions.show(home, session)
    assert raised.value.code is Code.NOT_FOUND


def test_a36_a_symlink_swapped_in_between_check_and_open_is_never_followed(
    home: Home, session: str, tmp_path: Path
) -> None:
    put(home, session, NAME, "SELECT 1")
    secret = tmp_path / "secret"
    secret.write_text("SELECT 'secret'")
    place = folder_of(home, session) / NAME
    over = threading.Event()

    def swap() -> None:
        link, real = place.with_name("link"), place.with_name("real")
        while not over.is_set():
            link.symlink_to(secret)
            os.replace(link, place)
            real.write_text("SELECT 1")
            os.replace(real, place)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen: set[bytes] = set()
    try:
        with sessions.opened(home, session) as folder:
            for _ in range(3000):
                try:
                    seen.add(artifacts.get(folder, NAME))
                except Fault as fault:
                    assert fault.code is Code.NOT_FOUND
    finally:
        over.set()
        swapper.join()
    assert seen <= {b"SELECT 1"}


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_regular_file_is_not_read(home: Home, session: str, kind: str) -> None:
    place = folder_of(home, session) / NAME
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero")
    assert refusal(home, session, NAME).code is Code.NOT_FOUND


@pytest.mark.parametrize(
    ("name", "text", "code", "says"),
    [
        (NAME, "", Code.INVALID_ARGUMENT, "empty"),
        (NAME, " \n\t", Code.INVALID_ARGUMENT, "empty"),
        (NAME, "SELECT '\ud800'", Code.INVALID_ARGUMENT, "surrogate"),
        (NAME, "x" * ((1 << 20) + 1), Code.TOO_LARGE, "1048576 bytes"),
        (NAME, "\u00e8" * (1 << 19) + "x", Code.TOO_LARGE, "1048576 bytes"),
        ("ctes.json", "{", Code.INVALID_ARGUMENT, "not JSON"),
        ("ctes.json", '{"a": NaN}', Code.INVALID_ARGUMENT, "NaN is not a JSON value"),
        ("ctes.json", "[" * 100_000, Code.INVALID_ARGUMENT, "nested too deep"),
        ("schema_linking.json", "{'a': 1}", Code.INVALID_ARGUMENT, "not JSON"),
    ],
)
def test_text_that_cannot_be_is_refused_and_writes_nothing(
    home: Home, session: str, name: str, text: str, code: Code, says: str
) -> None:
    fault = refusal(home, session, name, text)
    assert fault.code is code and says in fault.message
    assert list(folder_of(home, session).iterdir()) == []


def test_a_file_that_grew_by_hand_is_not_read_whole(home: Home, session: str) -> None:
    with (folder_of(home, session) / NAME).open("wb") as file:
        file.truncate(1 << 34)
    assert refusal(home, session, NAME).code is Code.TOO_LARGE


def test_a_write_cut_short_leaves_the_version_before(
    home: Home, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, session, NAME, "SELECT 1")

    def crash(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tht.files.write_all", crash)
    with pytest.raises(OSError, match="No space left"):
        put(home, session, NAME, "SELECT 2")
    monkeypatch.undo()
    assert [path.name for path in folder_of(home, session).iterdir() if path.is_file()] == [NAME]
    with sessions.opened(home, session) as folder:
        assert artifacts.get(folder, NAME) == b"SELECT 1"


def test_writers_at_the_same_time_lose_no_version(home: Home, session: str) -> None:
    texts = [f"SELECT {number}" for number in range(24)]
    threads = [threading.Thread(target=put, args=(home, session, NAME, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [path.read_text() for path in (folder_of(home, session) / ".history").iterdir()]
    with sessions.opened(home, session) as folder:
        assert sorted([*kept, artifacts.get(folder, NAME).decode()]) == sorted(texts)


def test_nothing_is_left_open(home: Home, session: str) -> None:
    put(home, session, NAME, "SELECT 1")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        put(home, session, NAME, "SELECT 2")
        refusal(home, session, "ctes.json")
        refusal(home, session, NAME, "")
        sessions.show(home, session)
        with Folder.open(home.root) as folder, pytest.raises(FileNotFoundError):
            folder.read("nope", 10)
    assert len(os.listdir("/proc/self/fd")) == before
