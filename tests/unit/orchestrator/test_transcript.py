"""The transcript comes from Pi's file, without what is not for reviewers."""

import json
from pathlib import Path
from typing import Any

from services.orchestrator.transcript import history_file, read_transcript


def write(folder: Path, *entries: dict[str, Any], tail: str = "") -> None:
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s"}]
    parent = None
    for index, entry in enumerate(entries):
        given = {"id": f"e{index}", "parentId": parent, "timestamp": f"t{index}"} | entry
        lines.append(given)
        parent = given["id"]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "2026-11-30T14-11-44-048Z_s.jsonl").write_text(text + tail, encoding="utf-8")


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, **more}}


def test_messages_without_system_prompts_hidden_texts_and_kickoffs(tmp_path: Path) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "tht_sql", "arguments": {"sql": "SELECT 1"}}
    write(
        tmp_path,
        {"type": "model_change"},
        message("system", "SECRET PROMPT"),
        message("user", [{"type": "text", "text": "/nuova-domanda s"}]),
        {"type": "custom_message", "content": "HIDDEN", "display": False},
        {"type": "custom_message", "content": "shown", "display": True},
        {"type": "custom", "customType": "tht-gate", "data": {}},
        message("assistant", [{"type": "thinking"}, {"type": "text", "text": "Hi \ud83d"}, call],
                stopReason="toolUse"),
        message("toolResult", [{"type": "text", "text": "x" * 5000}], toolCallId="c1", isError=False),
        message("user", "a steer"),
        message("assistant", [], stopReason="error", errorMessage="500: boom"),
        tail='{"type":"message","id":"e99","par',
    )  # fmt: skip
    shown = read_transcript(tmp_path, "s")
    assert [each["role"] for each in shown] == ["custom", "assistant", "user", "assistant"]
    assert shown[1] == {
        "id": "e6",
        "role": "assistant",
        "at": "t6",
        "text": "Hi \ufffd",
        "stop_reason": "toolUse",
        "error": None,
        "tools": [
            {
                "id": "c1",
                "tool": "tht_sql",
                "args": {"sql": "SELECT 1"},
                "is_error": False,
                "text": "x" * 4000,
            }
        ],
    }
    assert shown[3]["error"] == "500: boom"
    assert "SECRET" not in json.dumps(shown) and "HIDDEN" not in json.dumps(shown)


def test_only_the_branch_of_the_last_entry_is_shown(tmp_path: Path) -> None:
    write(
        tmp_path,
        message("user", "one"),
        message("user", "left"),
        message("user", "right") | {"parentId": "e0"},
    )
    assert [each["text"] for each in read_transcript(tmp_path, "s")] == ["one", "right"]


def test_a_file_that_goes_round_in_circles_ends(tmp_path: Path) -> None:
    write(tmp_path, message("user", "one") | {"parentId": "e1"}, message("user", "two"))
    assert len(read_transcript(tmp_path, "s")) <= 3


def test_without_a_file_there_are_no_messages(tmp_path: Path) -> None:
    assert history_file(tmp_path, "s") is None and read_transcript(tmp_path, "s") == []
    assert read_transcript(tmp_path / "nowhere", "s") == []
