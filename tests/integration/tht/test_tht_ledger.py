"""The ledger: nothing acknowledged is lost, nothing that was written can be changed unseen."""

import errno
import fcntl
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tests.integration.tht.conftest import decide
from tht import decisions, doctor, ledger, sessions
from tht.files import Folder
from tht.home import Home


def path_of(home: Home, session: str) -> Path:
    return home.sessions / session / ledger.NAME


def append(home: Home, session: str, **fields: Any) -> dict[str, Any]:
    with sessions.opened(home, session) as folder, ledger.locked(folder) as writer:
        return writer.append(fields)


def test_lines_are_numbered_and_chained(home: Home, session: str) -> None:
    for answer in ("one", "due\u2028righe", {"tre": [3, "\u00e8", None]}):
        append(home, session, answer=answer)
    raw = path_of(home, session).read_bytes().split(b"\n")
    assert [json.loads(line)["seq"] for line in raw[:-1]] == [1, 2, 3] and raw[-1] == b""
    with sessions.opened(home, session) as folder:
        read = ledger.read(folder)
    assert [line["answer"] for line in read.lines] == ["one", "due\u2028righe", {"tre": [3, "\u00e8", None]}]
    assert [line["prev"] for line in read.lines] == [None, *(sha256(line).hexdigest() for line in raw[:2])]
    assert read.changed_at is None and read.torn == 0


@pytest.mark.parametrize("torn", [b"{", b'{"seq":3,"ts":"2026', b'{"seq":3}', b"\0" * 512, b"\xff\xfe"])
def test_a_torn_last_line_is_ignored_on_reading_and_cut_on_the_next_append(
    home: Home, session: str, torn: bytes
) -> None:
    for answer in (1, 2):
        append(home, session, answer=answer)
    whole = path_of(home, session).read_bytes()
    path_of(home, session).write_bytes(whole + torn)
    with sessions.opened(home, session) as folder:
        read = ledger.read(folder)
    assert [line["answer"] for line in read.lines] == [1, 2]
    assert (read.torn, read.changed_at) == (len(torn), None)
    told = [check for check in doctor.examine(home)["checks"] if check["name"] == f"session {session}"]
    assert [(check["ok"], f"{len(torn)} bytes" in check["message"]) for check in told] == [(True, True)]
    assert append(home, session, answer=3)["seq"] == 3
    content = path_of(home, session).read_bytes()
    assert content.startswith(whole) and content.removeprefix(whole).count(b"\n") == 1
    with sessions.opened(home, session) as folder:
        assert [line["answer"] for line in ledger.read(folder).lines] == [1, 2, 3]


def changed(content: bytes, how: str) -> bytes:
    lines = content.split(b"\n")[:-1]
    if how == "edited":
        lines[1] = lines[1].replace(b'"answer":2', b'"answer":9')
    elif how == "removed":
        del lines[1]
    elif how == "swapped":
        lines[0], lines[1] = lines[1], lines[0]
    elif how == "inserted":
        lines.insert(1, lines[1])
    elif how == "first removed":
        del lines[0]
    else:
        lines[1] = b"no json"
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("how", ["edited", "removed", "swapped", "inserted", "first removed", "garbage"])
def test_a_changed_history_shows_and_nothing_is_built_on_it(home: Home, session: str, how: str) -> None:
    decide(home, session, "reading")
    for answer in (2, 3, 4):
        append(home, session, answer=answer)
    path = path_of(home, session)
    path.write_bytes(changed(path.read_bytes(), how))
    before = path.read_bytes()
    assert decisions.listing(home, session)["changed_at"] in (1, 2, 3)
    assert sessions.show(home, session)["phase"]["missing"] == ["history"]
    with pytest.raises(Fault) as raised:
        append(home, session, answer=5)
    assert raised.value.code is Code.CONFLICT
    assert path.read_bytes() == before
    assert doctor.examine(home)["ok"] is False


def test_a_full_disk_takes_back_the_half_line(
    home: Home, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(home, session, answer=1)
    before = path_of(home, session).read_bytes()

    def full(descriptor: int, content: bytes) -> None:
        os.write(descriptor, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(ledger, "write_all", full)
    with pytest.raises(OSError, match="No space left"):
        append(home, session, answer=2)
    assert path_of(home, session).read_bytes() == before


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (float("nan"), Code.INVALID_ARGUMENT),
        ("half \ud800", Code.INVALID_ARGUMENT),
        (object(), Code.INVALID_ARGUMENT),
        ("x" * ledger.LINE_CAP, Code.TOO_LARGE),
    ],
)
def test_what_a_line_cannot_hold_is_refused_and_leaves_nothing(
    home: Home, session: str, answer: Any, code: Code
) -> None:
    with pytest.raises(Fault) as raised:
        append(home, session, answer=answer)
    assert raised.value.code is code
    assert path_of(home, session).read_bytes() == b""


WRITER = """
import sys
from tht import ledger, sessions
from tht.home import Home
home, session, name, count = Home(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
for number in range(count):
    with sessions.opened(home, session) as folder, ledger.locked(folder) as writer:
        writer.append({"answer": f"{name}-{number}"})
"""


def test_b12_two_writers_on_one_ledger_lose_nothing(home: Home, session: str) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, home.root, session, name, "40"]) for name in "abcd"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    with sessions.opened(home, session) as folder:
        read = ledger.read(folder)
    assert read.changed_at is None and read.torn == 0
    assert [line["seq"] for line in read.lines] == list(range(1, 161))
    for name in "abcd":
        own = [line["answer"] for line in read.lines if line["answer"].startswith(name)]
        assert own == [f"{name}-{number}" for number in range(40)]


def test_b12_a_ledger_held_by_another_process_is_busy_and_free_when_that_one_dies(
    home: Home, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "LOCK_SECONDS", 0.05)
    append(home, session, answer=1)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path_of(home, session))], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout and holder.stdout.readline() == "held\n"
    with pytest.raises(Fault) as raised:
        append(home, session, answer=2)
    assert raised.value.code is Code.SESSION_BUSY
    with sessions.opened(home, session) as folder:
        assert len(ledger.read(folder).lines) == 1
    holder.kill()
    holder.wait()
    holder.stdout.close()
    assert append(home, session, answer=2)["seq"] == 2


HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "rb")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


def test_a_reading_that_met_a_cut_looks_again_under_the_lock(home: Home, session: str) -> None:
    append(home, session, answer=1)
    seen: list[int] = []

    class Once(Folder):
        def read(self, name: str, cap: int) -> bytes:
            seen.append(1)
            return super().read(name, cap) + b"half of an old and half of a new line\n"

    with Once.open(str(home.sessions / session)) as folder:
        once = Once(os.dup(folder.descriptor))
        with once:
            read = ledger.read(once)
    assert seen and read.changed_at is None and len(read.lines) == 1


def test_a_ledger_that_is_no_regular_file_is_not_followed(home: Home, session: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("")
    path_of(home, session).symlink_to(outside)
    for attempt in (lambda: append(home, session, answer=1), lambda: sessions.show(home, session)):
        with pytest.raises(Fault) as raised:
            attempt()
        assert raised.value.code is Code.NOT_FOUND
    assert outside.read_text() == ""


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
    deadline=None,
)
@given(
    answers=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=6),
    data=st.data(),
)
def test_a_crash_at_any_byte_keeps_every_whole_line(
    tmp_path: Path, answers: list[str], data: st.DataObject
) -> None:
    with Folder.open(str(tmp_path)) as folder:
        (tmp_path / ledger.NAME).unlink(missing_ok=True)
        for answer in answers:
            with ledger.locked(folder) as writer:
                writer.append({"answer": answer})
        content = (tmp_path / ledger.NAME).read_bytes()
        kept = content[: data.draw(st.integers(0, len(content)))]
        (tmp_path / ledger.NAME).write_bytes(kept)
        read = ledger.read(folder)
        whole = kept.count(b"\n")
        assert [line["answer"] for line in read.lines] == answers[:whole] and read.changed_at is None
        with ledger.locked(folder) as writer:
            assert writer.append({"answer": "next"})["seq"] == whole + 1
        assert ledger.read(folder).torn == 0


def test_the_lock_is_not_left_behind(home: Home, session: str) -> None:
    append(home, session, answer=1)
    with path_of(home, session).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert file.read()
