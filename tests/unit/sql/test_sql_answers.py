"""What reads answer on real files, kept as data: `statements/<dialect>/answers.sql`, one a line.

Behind `-->` stand the rows as JSON, or what is said of a statement that the engine refuses.
"""

import json
from pathlib import Path

import duckdb

from contracts.errors import Fault
from tests.unit.sql.conftest import MakeWorkspace
from tht import sql
from tht.workspaces import Workspace

ANSWERS = Path(__file__).parent / "statements"
BEHIND_NAMES = """
CREATE SEQUENCE counter;
CREATE VIEW counting AS SELECT nextval('counter') AS n;
CREATE MACRO content_of(path) AS (SELECT content FROM read_text(path));
"""
"""What changes the database or reads a file behind a name that tells nothing."""


def test_reads_answer_what_is_written_beside_them(make_workspace: MakeWorkspace, tmp_path: Path) -> None:
    workspace = make_workspace()
    if workspace.dialect == "duckdb":
        with duckdb.connect(str(workspace.connection.path)) as database:
            database.execute(BEHIND_NAMES)
    lines = (ANSWERS / workspace.dialect / "answers.sql").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines[1:] if not _holds(line, workspace, tmp_path)]
    assert len(lines) > 1
    assert wrong == []


def _holds(line: str, workspace: Workspace, folder: Path) -> bool:
    text, answer = line.split(" --> ")
    try:
        page = json.loads(bytes(sql.preview(workspace, text, home_results=folder, limit=5, draft=True)))
    except Fault as fault:
        return not answer.startswith("[") and answer in fault.message
    return answer.startswith("[") and page["rows"] == json.loads(answer)
