"""A harness folder with a handful of flights, for tests that need the real `tht` and not the real data."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.realpi.pi_process import find_node

PROGRAMS = Path(sys.executable).parent
WORKSPACE = """
name: flights
dialect: sqlite
connection: {path: ../flights.db}
notes: Delays are minutes.
"""
DATABASE = """
CREATE TABLE airlines (carrier TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE flights (
  year INTEGER, carrier TEXT REFERENCES airlines (carrier), arr_delay REAL, dep_delay REAL
);
INSERT INTO airlines VALUES ('F9', 'Frontier Airlines Inc.'), ('AA', 'American Airlines Inc.');
INSERT INTO flights VALUES
  (2013, 'F9', 30, 12), (2013, 'F9', 14, 3), (2013, 'AA', 1, 0), (2013, 'AA', NULL, NULL);
"""


def make_home(folder: Path) -> Path:
    """Make `folder` a harness folder whose workspace `flights` is a small SQLite file."""
    (folder / "workspaces").mkdir(parents=True)
    (folder / "workspaces/flights.yaml").write_text(WORKSPACE)
    database = sqlite3.connect(folder / "flights.db")
    database.executescript(DATABASE)
    database.close()
    (folder / "flights.db").chmod(0o444)
    return folder


def make_session(home: Path, question: str) -> str:
    """The id of a new session, made as an operator without the backend makes it."""
    command = [str(PROGRAMS / "tht"), "--home", str(home), "--json", "session", "new"]
    made = subprocess.run(
        [*command, "--workspace", "flights", "--question", question], check=True, capture_output=True
    )
    return json.loads(made.stdout)["id"]


def read_ledger(home: Path, session_id: str) -> list[dict[str, object]]:
    """The lines of a session's ledger, oldest first."""
    text = (home / "sessions" / session_id / "review_decisions.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def environment_with_tht(home: Path) -> dict[str, str]:
    """What Pi's environment needs for the gate to reach `tht` without the backend."""
    node = find_node()
    assert node
    return {"PATH": f"{PROGRAMS}:{Path(node).parent}:/usr/bin:/bin", "THT_HOME": str(home)}
