"""The journal of questions when the disk does not take it."""

import errno
import json
import os
from pathlib import Path

import pytest

from services.orchestrator.journal import NAME, QuestionJournal


def lines(folder: Path) -> list[object]:
    return [json.loads(line) for line in (folder / NAME).read_text().splitlines()]


@pytest.mark.parametrize("taken", [0, 5])
def test_a_line_that_the_disk_does_not_take_whole_is_told_and_the_next_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    journal = QuestionJournal(tmp_path)
    journal.append({"first": 1})
    write = os.write

    def full(handle: int, data: bytes) -> int:
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data[:taken])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            journal.append({"second": 2})
        journal.note({"third": 3})
    journal.append({"fourth": 4})
    journal.close()
    assert [line for line in journal.past() if line] == [{"first": 1}, {"fourth": 4}]
    assert (tmp_path / NAME).read_bytes().endswith(b'\n{"fourth":4}\n')
