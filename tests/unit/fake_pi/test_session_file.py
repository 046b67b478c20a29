import json
from pathlib import Path
from typing import Any

import pytest

from fake_pi.session_file import SessionFile, find_session

USER: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_file_is_made_with_the_first_message_of_a_conversation(tmp_path: Path) -> None:
    session = SessionFile(tmp_path / "deep" / "pi", "abc", "/work")
    assert session.path is not None and session.path.parent.is_dir()
    session.append("model_change", provider="p", modelId="m")
    session.append("custom", customType="tht-gate", data={"ev": "ready"})
    session.append("custom_message", customType="tht-kickoff", content="go", display=False)
    assert not session.path.exists()
    session.append("message", message=USER)
    header, *entries = lines(session.path)
    assert (header["type"], header["version"], header["id"], header["cwd"]) == ("session", 3, "abc", "/work")
    assert [entry["type"] for entry in entries] == ["model_change", "custom", "custom_message", "message"]
    assert [entry["parentId"] for entry in entries] == [None, *(entry["id"] for entry in entries[:-1])]
    assert [message["role"] for message in session.messages()] == ["custom", "user"]


def test_a_session_is_found_by_its_header_and_cwd_only(tmp_path: Path) -> None:
    session = SessionFile(tmp_path, "abc", "/work")
    session.append("message", message=USER)
    assert session.path is not None
    found = find_session(tmp_path, "abc", "/work")
    assert found is not None and found[0] == session.path and not found[3]
    assert find_session(tmp_path, "abc", "/elsewhere") is None
    assert find_session(tmp_path, "ab", "/work") is None


def test_a_torn_last_line_is_left_out_and_the_next_entry_gets_a_line_of_its_own(tmp_path: Path) -> None:
    session = SessionFile(tmp_path, "abc", "/work")
    session.append("message", message=USER)
    assert session.path is not None
    with session.path.open("ab") as file:
        file.write(b'{"type":"message","id":"torn')
    found = find_session(tmp_path, "abc", "/work")
    assert found is not None
    resumed = SessionFile(tmp_path, "abc", "/work")
    resumed.resume(*found)
    assert len(resumed.entries) == 1
    resumed.append("message", message=USER)
    text = session.path.read_bytes().split(b"\n")
    assert (
        text[2].startswith(b'{"type":"message","id":"torn')
        and json.loads(text[3])["parentId"] == resumed.entries[0]["id"]
    )


def test_an_entry_that_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "pi"
    session = SessionFile(folder, "abc", "/work")
    folder.rmdir()
    with pytest.raises(FileNotFoundError):
        session.append("message", message=USER)
    assert session.entries == []
