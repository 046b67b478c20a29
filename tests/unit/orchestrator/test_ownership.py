"""One owner a session."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.ownership import LIVE, Ownership
from services.orchestrator.strays import start_ticks


def test_b12_the_second_owner_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    first = Ownership.take(tmp_path, "host-a:50151")
    for refuse in (lambda: Ownership.take(tmp_path, "host-b"), lambda: Ownership.check_free(tmp_path)):
        with pytest.raises(Fault, match="host-a:50151") as busy:
            refuse()
        assert busy.value.code is Code.SESSION_BUSY
        assert busy.value.details["owner"] == "host-a:50151" and busy.value.details["pid"] == os.getpid()
    first.release()
    first.release()
    assert not (tmp_path / LIVE).exists()
    Ownership.check_free(tmp_path)
    Ownership.take(tmp_path, "host-b").release()


def test_a_session_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Fault) as missing:
        Ownership.take(tmp_path / "nowhere", "me")
    assert missing.value.code is Code.NOT_FOUND
    Ownership.check_free(tmp_path / "nowhere")


def test_b12_the_child_of_an_owner_that_was_killed_is_ended_first(tmp_path: Path) -> None:
    orphan = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    try:
        ticks = start_ticks(orphan.pid)
        live = {"owner": "dead", "child_pid": orphan.pid, "child_start_ticks": ticks, "child_marker": "X=1"}
        (tmp_path / LIVE).write_text(json.dumps(live))
        Ownership.take(tmp_path, "me").release()
        assert orphan.wait(5) == -9
    finally:
        orphan.kill()
        orphan.wait()


def test_another_process_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / LIVE).write_text(json.dumps({"child_pid": os.getpid(), "child_start_ticks": 1}))
    owner = Ownership.take(tmp_path, "me")
    owner.name_child(SimpleNamespace(pid=4, start_ticks=5), "X=1", 2)
    told = json.loads((tmp_path / LIVE).read_text())
    assert (told["owner"], told["child_pid"], told["generation"]) == ("me", 4, 2)
    owner.release()
