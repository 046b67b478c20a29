"""The manifest is YAML that reads back the same with and without a YAML parser."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tht import manifest

_text = st.text(st.characters(exclude_categories=["Cs"]))
_manifests = st.fixed_dictionaries(
    dict.fromkeys(("id", "workspace", "question", "author", "created_at", "name"), _text)
    | {key: st.none() | _text for key in ("provider", "model", "thinking")}
    | {"temperature": st.none() | st.integers(0, 2_000_000).map(lambda millionths: millionths / 1e6)}
)


@given(_manifests)
def test_a_manifest_reads_back(document: dict[str, Any]) -> None:
    written = manifest.dump(document)
    assert manifest.load(written) == document
    assert yaml.safe_load(written) == {"schema_version": 1, **document}


def test_a_manifest_that_a_person_edited_reads_back() -> None:
    text = """
    # mine
    schema_version: 1
    id: s1
    workspace: flights
    question: |
      Which carrier
      was late?
    author: ann@example.org
    created_at: 2026-11-30T16:00:00Z
    """
    read = manifest.load(text.encode())
    assert read["question"] == "Which carrier\nwas late?\n"
    assert read["created_at"].startswith("2026-11-30T16:00:00")
    assert read["temperature"] is None


@pytest.mark.parametrize(
    "content",
    [b"", b"a: [", b"- 1", b"schema_version: 2\nid: x", b"schema_version: 1\nid: 3", b"\xff", b"[" * 3000],
)
def test_what_is_no_manifest_is_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError):
        manifest.load(content)


def fields(**given: Any) -> dict[str, Any]:
    return manifest.check_fields({"question": "Which?", "author": "ann", "workspace": "w", **given})


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"question": ""}, Code.INVALID_ARGUMENT),
        ({"question": " \n "}, Code.INVALID_ARGUMENT),
        ({"question": "x" * (1 << 20)}, Code.TOO_LARGE),
        ({"question": "a\0b"}, Code.INVALID_ARGUMENT),
        ({"question": "\x1b[2J"}, Code.INVALID_ARGUMENT),
        ({"question": "half \ud800"}, Code.INVALID_ARGUMENT),
        ({"question": 7}, Code.INVALID_ARGUMENT),
        ({"author": ""}, Code.INVALID_ARGUMENT),
        ({"author": "a\nb"}, Code.INVALID_ARGUMENT),
        ({"author": "a" * 257}, Code.INVALID_ARGUMENT),
        ({"model": "--approve"}, Code.INVALID_ARGUMENT),
        ({"provider": "x" * 201}, Code.INVALID_ARGUMENT),
        ({"temperature": -0.1}, Code.INVALID_ARGUMENT),
        ({"temperature": 2.5}, Code.INVALID_ARGUMENT),
        ({"temperature": float("nan")}, Code.INVALID_ARGUMENT),
        ({"temperature": True}, Code.INVALID_ARGUMENT),
    ],
)
def test_fields_that_cannot_be_are_refused_in_one_line(given: dict[str, Any], code: Code) -> None:
    with pytest.raises(Fault) as raised:
        fields(**given)
    assert raised.value.code is code
    assert "\n" not in raised.value.message


def test_a_question_may_have_lines_and_any_script() -> None:
    assert fields(question=" Quale vettore?\r\n\tE perché 🙂 ")["question"] == "Quale vettore?\n\tE perché 🙂"


@given(_text.filter(lambda text: bool(text.strip())))
def test_a_name_is_one_short_line(question: str) -> None:
    name = manifest.name_of(question)
    assert 0 < len(name) <= manifest.NAME_CAP + 1
    assert "\n" not in name and not name.startswith("-")
