"""The id of a kept result tells its statement and its age."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.sql.results.result_ids import ID, age_of, key_of, new_id
from tht.workspaces import parse_workspace

WORKSPACE = parse_workspace("shop", "dialect: sqlite\nconnection: {path: shop.sqlite}\n", Path("/"))
YEARS_NS = 5 * 365 * 86_400 * 10**9


@given(began=st.integers(0, 2**63 - 1), seconds=st.integers(0, YEARS_NS).map(lambda ns: ns / 1e9))
def test_an_id_tells_its_age(began: int, seconds: float) -> None:
    result_id = new_id(WORKSPACE, "text", began, "00ff")
    assert ID.fullmatch(result_id)
    assert result_id.startswith(f"r{key_of(WORKSPACE, 'text')}-")
    assert age_of(result_id, began + round(seconds * 1e9)) == pytest.approx(seconds, abs=2e-6)


def test_another_text_has_another_key() -> None:
    assert key_of(WORKSPACE, "text") != key_of(WORKSPACE, "another")
