"""A harness folder with a small real database, and the decisions that lead a session through its phases."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tht import artifacts, decisions, sessions
from tht.home import Home

WORKSPACE = "dialect: sqlite\nconnection: {path: ../shop.db}\naccept_writable_role: true\n"
SQL = "SELECT name, price FROM product ORDER BY name"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the workspace `shop`: one table `product` of three rows."""
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("CREATE TABLE product (name TEXT, price INTEGER)")
        connection.executemany("INSERT INTO product VALUES (?, ?)", [("ink", 3), ("nib", 1), ("pen", 2)])
    connection.close()
    (tmp_path / "workspaces").mkdir()
    (tmp_path / "workspaces" / "shop.yaml").write_text(WORKSPACE)
    return Home(tmp_path)


@pytest.fixture
def session(home: Home) -> str:
    """The id of a fresh session."""
    return str(sessions.create(home, workspace="shop", question="What costs most?", author="ann")["id"])


def decide(home: Home, session: str, kind: str, **fields: Any) -> dict[str, Any]:
    """Adds a decision that says no more than it must."""
    widget = "artifact_gate" if "artifact" in fields else "select"
    given = {"widget": widget, "title": "?", "answer": None, "by": "ann", **fields}
    return decisions.add(home, session, kind=kind, **given)


def put(home: Home, session: str, name: str, text: str) -> dict[str, str]:
    """Writes an artifact; what an approval of it holds."""
    with sessions.opened(home, session) as folder:
        written = artifacts.put(folder, name, text)
    return {"name": name, "sha256": written["sha256"]}


def approve(home: Home, session: str, name: str, text: str) -> dict[str, Any]:
    """Writes an artifact and approves it."""
    return decide(home, session, "approval", artifact=put(home, session, name, text))


def lead_to_f4(home: Home, session: str) -> None:
    """Everything up to the final SQL is decided."""
    decide(home, session, "reading", phase="F1")
    decide(home, session, "selection", phase="F2")
    approve(home, session, "schema_linking.json", '{"tables": [{"name": "product"}]}')
    approve(home, session, "ctes.json", '{"steps": []}')


@pytest.fixture
def approved(home: Home, session: str) -> str:
    """The id of a session whose final SQL is approved."""
    lead_to_f4(home, session)
    approve(home, session, "sql_final.sql", SQL)
    return session


Tht = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tht(home: Home) -> Tht:
    """Runs `tht` on the home; gives the finished process."""

    def run(
        *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "tht", "--home", home.root, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(env or {})},
        )

    return run


def one_line(finished: "subprocess.CompletedProcess[str]", exit_code: int) -> str:
    """The failure of a command: this exit code, one line on stderr, no traceback, nothing on stdout."""
    assert finished.returncode == exit_code, finished.stderr
    assert finished.stderr.count("\n") == 1, finished.stderr
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""
    return finished.stderr.strip()


def as_json(finished: "subprocess.CompletedProcess[str]") -> Any:
    """What a command printed as JSON."""
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)
