"""Pi session files: what is accepted, and the fork that ends at the entry."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.pi.session_file import fork_session, inspect_session, parse_session, session_models
from tests.unit.session_executor.executor_fixtures import TARGET_ENTRY, encode, entry, session_lines

HOME = Path("/home/dev")
LINES = session_lines(HOME)
HEADER = LINES[0]


def code_of(data: bytes, entry_id: str = TARGET_ENTRY) -> ErrorCode:
    with pytest.raises(ExecutorError) as caught:
        inspect_session(data, entry_id)
    return caught.value.code


def with_header(**changes: Any) -> bytes:
    header = {key: value for key, value in {**HEADER, **changes}.items() if value is not ...}
    return encode([header, *LINES[1:]])


def with_entry(**changes: Any) -> bytes:
    changed = {key: value for key, value in {**LINES[1], **changes}.items() if value is not ...}
    return encode([HEADER, changed, *LINES[2:]])


GOOD = encode(LINES)
REFUSED: dict[str, tuple[bytes, ErrorCode]] = {
    "empty": (b"", ErrorCode.INVALID_SESSION),
    "only blank lines": (b"\n \n", ErrorCode.INVALID_SESSION),
    "only a header": (encode(LINES[:1]), ErrorCode.INVALID_SESSION),
    "no header": (encode(LINES[1:]), ErrorCode.INVALID_SESSION),
    "header later": (encode([LINES[1], HEADER, *LINES[2:]]), ErrorCode.INVALID_SESSION),
    "two headers": (encode([HEADER, *LINES]), ErrorCode.INVALID_SESSION),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, ErrorCode.INVALID_SESSION),
    "not UTF-8": (GOOD + b'{"x":"\xff"}\n', ErrorCode.INVALID_UTF8),
    "a line that is no JSON": (GOOD + b"{\n", ErrorCode.INVALID_SESSION),
    "a torn last line": (GOOD[:-10], ErrorCode.INVALID_SESSION),
    "a line that is no object": (GOOD + b"[]\n", ErrorCode.INVALID_SESSION),
    "null": (GOOD + b"null\n", ErrorCode.INVALID_SESSION),
    "NaN": (GOOD + b'{"id":"n","parentId":null,"x":NaN}\n', ErrorCode.INVALID_SESSION),
    "too deep": (GOOD + b'{"x":' + b"[" * 100_000 + b"\n", ErrorCode.INVALID_SESSION),
    "version 1": (with_header(version=1), ErrorCode.INVALID_SESSION),
    "version 2": (with_header(version=2), ErrorCode.INVALID_SESSION),
    "version 99": (with_header(version=99), ErrorCode.INVALID_SESSION),
    "version as text": (with_header(version="3"), ErrorCode.INVALID_SESSION),
    "no version": (with_header(version=...), ErrorCode.INVALID_SESSION),
    "no session id": (with_header(id=...), ErrorCode.INVALID_SESSION),
    "session id with a newline": (with_header(id="a\nb"), ErrorCode.INVALID_SESSION),
    "no cwd": (with_header(cwd=...), ErrorCode.INVALID_SESSION),
    "entry without id": (with_entry(id=...), ErrorCode.INVALID_SESSION),
    "empty entry id": (with_entry(id=""), ErrorCode.INVALID_SESSION),
    "number as entry id": (with_entry(id=7), ErrorCode.INVALID_SESSION),
    "double entry id": (with_entry(id=TARGET_ENTRY), ErrorCode.INVALID_SESSION),
    "no parentId": (with_entry(parentId=...), ErrorCode.INVALID_SESSION),
    "number as parentId": (with_entry(parentId=7), ErrorCode.INVALID_SESSION),
    "missing parent": (with_entry(parentId="gone"), ErrorCode.INVALID_SESSION),
    "empty parentId": (with_entry(parentId=""), ErrorCode.INVALID_SESSION),
    "cycle": (with_entry(parentId=TARGET_ENTRY), ErrorCode.INVALID_SESSION),
    "own parent": (with_entry(parentId="root0001"), ErrorCode.INVALID_SESSION),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_means_different_things_is_refused(name: str) -> None:
    data, code = REFUSED[name]
    assert code_of(data) is code


def test_an_entry_that_is_not_there() -> None:
    assert code_of(GOOD, "missing9") is ErrorCode.CHECKPOINT_NOT_FOUND
    assert code_of(GOOD, "source-session-1") is ErrorCode.CHECKPOINT_NOT_FOUND
    assert code_of(GOOD, " ") is ErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    "data",
    [
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b"\n\n  \n"),
        b"\n" + GOOD,
        GOOD.removesuffix(b"\n"),
        encode([HEADER, LINES[4], LINES[3], LINES[2], LINES[1]]),
        GOOD + encode([entry("off-path", "gone"), entry("a-cycle", "b-cycle"), entry("b-cycle", "a-cycle")]),
    ],
    ids=[
        "CRLF",
        "blank lines",
        "leading blank line",
        "no final newline",
        "child first",
        "damage off the path",
    ],
)
def test_what_is_harmless_is_accepted(data: bytes) -> None:
    inspection = inspect_session(data, TARGET_ENTRY)
    assert inspection.branch_entry_ids == ("root0001", TARGET_ENTRY)
    assert (inspection.session_id, inspection.version) == ("source-session-1", 3)


def fork(data: bytes, entry_id: str = TARGET_ENTRY) -> bytes:
    return fork_session(
        parse_session(data),
        entry_id,
        session_id="new",
        timestamp="t",
        cwd="/tree",
        parent_session="/frozen.jsonl",
    )


def test_the_fork_is_a_header_and_the_original_lines_of_the_branch() -> None:
    odd = b'{ "parentId":null,\t"id":"root0001" ,"type":"x","data":"\xe2\x80\xa8 \\ud800 \xc2\x85 1.0e0" }'
    lines = encode([HEADER]) + odd + b"\r\n" + encode(LINES[2:])
    header, *branch = fork(lines).split(b"\n")
    assert json.loads(header) == {
        "type": "session",
        "version": 3,
        "id": "new",
        "timestamp": "t",
        "cwd": "/tree",
        "parentSession": "/frozen.jsonl",
    }
    assert branch == [odd, encode(LINES[2:3]).removesuffix(b"\n"), b""]


@given(st.lists(st.integers(min_value=0), min_size=1, max_size=30), st.data())
def test_any_tree_forks_to_its_path(parents: list[int], data: st.DataObject) -> None:
    entries = [
        entry(f"e{index}", f"e{parent % index}" if index and parent % 7 else None)
        for index, parent in enumerate(parents)
    ]
    shuffled = data.draw(st.permutations(entries))
    chosen = data.draw(st.sampled_from(entries))
    source = encode([HEADER, *shuffled])
    inspection = inspect_session(source, chosen["id"])
    forked = fork(source, chosen["id"])
    again = inspect_session(forked, chosen["id"])
    assert again.branch_entry_ids == inspection.branch_entry_ids
    assert again.entry_count == len(inspection.branch_entry_ids)
    assert json.loads(forked.splitlines()[-1])["id"] == chosen["id"]


def test_the_models_of_a_branch() -> None:
    def answer(provider: Any, model: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": [], "provider": provider, "model": model}
        return {"type": "message", "message": message}

    lines = [
        HEADER,
        entry("a", None, **answer("p", "one")),
        entry("b", "a", type="model_change", provider="virtual", modelId="router"),
        entry("c", "b", **answer("p", "two")),
        entry("d", "c", **answer("p", 5)),
        entry("e", "d", type="message", message="not an object"),
    ]
    expected = {"a": [("p", "one")], "b": [("virtual", "router")], "e": [("p", "two"), ("virtual", "router")]}
    for identifier, models in expected.items():
        assert session_models(parse_session(encode(lines)), identifier) == models
