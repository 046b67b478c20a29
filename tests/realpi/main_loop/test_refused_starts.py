"""A session that may not run: the gate did not load, the model is unknown, there are no credentials."""

from pathlib import Path

import pytest

from launcher.stack import Stack
from tests import stack as product
from tests.realpi.scripted_model import PROVIDER


def create(reviewer: product.Reviewer, **more: object) -> tuple[int, dict]:
    """Status and document of a POST /sessions."""
    document = {"workspace": "flights", "question": product.QUESTION, **more}
    answer = reviewer.http.post("/sessions", json=document)
    return answer.status_code, answer.json()


def test_a27_a_gate_that_does_not_load_is_refused_with_its_reason(
    tmp_path: Path, operator_folder: Path
) -> None:
    with product.running(tmp_path, product.real_pi(operator_folder)) as stack:
        gate = stack.home / ".pi" / "extensions" / "tht-gate" / "index.js"
        gate.write_text("export default function (pi) { this is no JavaScript }\n")
        with product.Reviewer(stack.url) as reviewer:
            status, problem = create(reviewer)
            assert status >= 400
            assert problem["code"] in {"gate_missing", "pi_failed"}
            assert "tht-gate" in str(problem)
            for session in reviewer.get("/sessions")["sessions"]:
                assert session["live"]["state"] in {"closed", "crashed"}


def test_a27_a_gate_that_is_not_there_is_refused(tmp_path: Path, operator_folder: Path) -> None:
    settings = {"THOTHII_GATE_EXTENSION": ""}
    with product.running(tmp_path, product.real_pi(operator_folder), **settings) as stack:
        (stack.home / ".pi" / "extensions" / "tht-gate" / "index.js").write_text("export default () => {};\n")
        with product.Reviewer(stack.url) as reviewer:
            status, problem = create(reviewer)
            assert (status, problem["code"]) == (502, "gate_missing")


@pytest.mark.parametrize("model", ["nope", "a/b"])
def test_an_unknown_model_is_refused_before_anything_is_made(
    reviewer: product.Reviewer, stack: Stack, model: str
) -> None:
    before = sorted((stack.home / "sessions").glob("*"))
    status, problem = create(reviewer, provider=PROVIDER, model=model)
    assert (status, problem["code"]) == (422, "model_unknown")
    assert sorted((stack.home / "sessions").glob("*")) == before


def test_no_credentials_are_told(tmp_path: Path) -> None:
    empty = tmp_path / "operator"
    empty.mkdir()
    with (
        product.running(tmp_path, product.real_pi(empty)) as stack,
        product.Reviewer(stack.url) as reviewer,
    ):
        status, problem = create(reviewer)
        assert (status, problem["code"]) == (503, "no_credentials")
