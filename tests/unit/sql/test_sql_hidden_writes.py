"""Writes hidden in reads, made by a grammar: the guard lets none through, and what it lets through changes
nothing."""

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tests.writes_grammar import DIALECTS, hidden_calls, hidden_statements
from tht import sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.sql.guard.judge import judge
from tht.sql.guard.lexer import scan
from tht.sql.guard.restrictions import Restrictions

WRITING_WORDS = ("delete", "insert", "update", "merge")
"""Statements that some engine takes inside a query. Elsewhere the other writes are no SQL, which the engines'
tests below show; and no read of the grammar has these words of its own."""


@settings(max_examples=500)
@given(st.data(), st.sampled_from(DIALECTS))
def test_no_hidden_write_passes_the_guard(data: st.DataObject, dialect: str) -> None:
    text = data.draw(hidden_statements(dialect))
    try:
        verdict = judge(text, dialect, Restrictions())
    except Fault as refusal:
        assert refusal.code is Code.REFUSED
        return
    # only text that the dialect itself reads as a comment or a literal may be left
    kept = [piece.text for piece in scan(text, dialect) if piece.kind in ("word", "operator", "number")]
    bare = " ".join(kept).lower()
    assert not any(word in bare for word in WRITING_WORDS)
    assert verdict.statement


@settings(max_examples=500)
@given(st.data(), st.sampled_from(DIALECTS))
def test_no_call_with_an_effect_passes_the_guard(data: st.DataObject, dialect: str) -> None:
    """Wherever it stands in a read, and however its name is written."""
    text = data.draw(hidden_calls(dialect))
    with pytest.raises(Fault) as caught:
        judge(text, dialect, Restrictions())
    assert caught.value.code is Code.REFUSED


def hidden(workspace: Any) -> st.SearchStrategy[str]:
    return st.one_of(hidden_statements(workspace.dialect), hidden_calls(workspace.dialect))


def state(folder: Path) -> list[tuple[str, str]]:
    """Every file of the folder with its hash, and nothing new beside it."""
    return [
        (path.name, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.iterdir())
        if path.is_file()
    ]


in_one_folder = settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@in_one_folder
@given(data=st.data())
def test_no_hidden_write_changes_a_file(
    make_workspace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    monkeypatch.chdir(tmp_path)
    workspace = make_workspace()
    before = state(tmp_path)
    try:
        text = data.draw(hidden(workspace))
        sql.preview(workspace, text, home_results=tmp_path / "results", draft=True, timeout_s=5)
    except Fault as refusal:
        assert refusal.message
    assert state(tmp_path) == before


@in_one_folder
@given(data=st.data())
def test_the_engine_alone_lets_no_write_through(
    make_workspace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    """The second layer without the first: the statement goes to the locked engine as it is."""
    monkeypatch.chdir(tmp_path)
    workspace = make_workspace()
    before = state(tmp_path)
    engine = warm.connect(workspace)
    try:
        text = data.draw(hidden(workspace))
        with engine.execute(text, timeout_s=5, cancel=Cancel()) as source:
            list(source.batches(10))
    except (Fault, sqlite3.Warning, duckdb.Error) as refusal:
        assert str(refusal)
    finally:
        engine.close()
    assert state(tmp_path) == before
