"""A plan made here has the id that the public tool's language computes for it."""

import subprocess
from pathlib import Path

import pytest

from session_executor.pi.installation import find_pi
from session_executor.plan import write_plan
from tests.unit.session_executor.executor_fixtures import Repository, entry, make_plan, write_session

pytestmark = pytest.mark.realpi

PROGRAM = Path(__file__).with_name("plan_id.mjs")


@pytest.mark.parametrize("prompt", ["plain", "\u2028 \u0085 \x7f \x1f", '𝕊 «è» \\ " / \r\n\t', "é\ufeff"])
def test_the_same_id_in_javascript(repository: Repository, tmp_path: Path, prompt: str) -> None:
    session = write_session(tmp_path / "città.jsonl", repository.root, entry("è-𝕊-1", None))
    plan = make_plan(repository, session, entry_id="è-𝕊-1", prompt=prompt, allow_delete=True)
    file = write_plan(str(tmp_path / "plan.json"), plan)
    node = Path(find_pi().node_directory, "node")
    done = subprocess.run([node, PROGRAM, file], capture_output=True, text=True, check=True)
    assert done.stdout == plan.plan_id
