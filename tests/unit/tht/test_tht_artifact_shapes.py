"""JSON artifacts that depart from the usual shape are told of, in words a model can act on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.artifact_shapes import LISTS, shape_warnings

LINKING: dict[str, Any] = {
    "reading": "mean delay",
    "tables": [{"name": "flights", "why": "one row a flight"}],
    "columns": [{"table": "flights", "column": "arr_delay"}],
}


def test_the_usual_shapes_have_no_warnings() -> None:
    assert shape_warnings("schema_linking.json", {**LINKING, "joins": [], "further": 1}) == []
    steps = [{"name": "late", "purpose": "late flights", "sql": "SELECT 1"}]
    assert shape_warnings("ctes.json", {"steps": steps}) == []


@pytest.mark.parametrize(
    ("name", "document", "warning"),
    [
        ("ctes.json", [], "ctes.json should be an object"),
        ("ctes.json", {}, "ctes.json should have steps"),
        (
            "ctes.json",
            {"steps": [{"name": "a"}]},
            "steps should be a list of objects with name, purpose, sql",
        ),
        ("schema_linking.json", {**LINKING, "tables": []}, "schema_linking.json should have tables"),
        (
            "schema_linking.json",
            {**LINKING, "joins": "a = b"},
            "joins should be a list of objects with left, right",
        ),
    ],
)
def test_departures_are_named(name: str, document: Any, warning: str) -> None:
    assert shape_warnings(name, document) == [warning]


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["tables", "steps", "name", "x"]), inner),
)


@given(st.sampled_from(sorted(LISTS)), _json)
def test_any_json_is_judged(name: str, document: Any) -> None:
    assert all("\n" not in warning for warning in shape_warnings(name, document))
