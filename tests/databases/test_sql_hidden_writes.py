"""Writes hidden in reads on real servers, with accounts that may write: nothing changes, with the guard and
without it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from contracts.errors import Fault
from tests.databases.databases import Database
from tests.writes_grammar import hidden_calls, hidden_statements
from tht import sql
from tht.sql import warm
from tht.sql.cancel import Cancel
from tht.workspaces import Workspace

pytestmark = [pytest.mark.databases, pytest.mark.parametrize("dialect", ["postgres", "mariadb"])]

on_a_server = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def hidden(dialect: str) -> st.SearchStrategy[str]:
    return st.one_of(hidden_statements(dialect), hidden_calls(dialect))


@on_a_server
@given(data=st.data())
def test_no_hidden_write_runs(
    dialect: str,
    database: Callable[[str], Database],
    open_workspace: Callable[[str], Workspace],
    tmp_path: Path,
    data: st.DataObject,
) -> None:
    laid: Any = database(dialect)
    before = laid.fingerprint()
    text = data.draw(hidden(dialect))
    try:
        sql.preview(open_workspace(dialect), text, home_results=tmp_path, draft=True, timeout_s=5)
    except Fault as refusal:
        assert refusal.message
    assert laid.fingerprint() == before


@on_a_server
@given(data=st.data())
def test_the_engine_alone_carries_out_no_write(
    dialect: str,
    database: Callable[[str], Database],
    open_workspace: Callable[[str], Workspace],
    data: st.DataObject,
) -> None:
    laid: Any = database(dialect)
    before = laid.fingerprint()
    text = data.draw(hidden(dialect))
    # A READ ONLY session of an administrator sets the server's variables all the same (MariaDB 10.11): the
    # guard and the role are the layers for that.
    assume("global" not in text.lower())
    engine = warm.connect(open_workspace(dialect))
    try:
        with engine.execute(text, timeout_s=5, cancel=Cancel()) as source:
            list(source.batches(10))
    except Fault as refusal:
        assert refusal.message
    finally:
        engine.close()
    assert laid.fingerprint() == before
