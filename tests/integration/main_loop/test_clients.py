"""The clients that come with the product, against the running product."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb

from demo.flights import DATABASE
from launcher.pi_choice import PROJECT
from launcher.stack import Stack
from tests.stack import QUESTION, Reviewer

BIN = Path(sys.executable).parent


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the project."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=90,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "160", **environment},
        check=False,
    )


def test_thothii_ask_yes_prints_the_rows_of_the_database(
    stack: Stack, reviewer: Reviewer, tmp_path: Path
) -> None:
    out = tmp_path / "rows.csv"
    asked = run(str(BIN / "thothii"), "ask", "--url", stack.url, "--yes", "--out", str(out), QUESTION)
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert "scripted model" in asked.stdout + asked.stderr
    newest = reviewer.get("/sessions")["sessions"][0]["id"]
    sql = reviewer.http.get(f"/sessions/{newest}/artifacts/sql_final.sql").text
    with duckdb.connect(str(DATABASE), read_only=True) as connection:
        rows = connection.execute(sql).fetchall()
        expected = connection.execute("SELECT count(*) FROM read_csv(?)", [str(out)]).fetchone()
    assert expected == (len(rows),)
    for row in rows:
        assert str(row[0]) in asked.stdout


def test_the_grpc_example_reads_the_rows_over_grpc_alone(stack: Stack) -> None:
    ran = run(sys.executable, "examples/grpc_client.py", QUESTION, **stack.addresses)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Frontier Airlines Inc." in ran.stdout
