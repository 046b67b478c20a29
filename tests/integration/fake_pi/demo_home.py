"""A harness folder whose workspace `flights` is a small copy of the demo's database."""

from pathlib import Path

import duckdb

from tht.home import Home
from tht.operations import call

DEMO = Path(__file__).parents[3] / "demo" / "worst_carrier.yaml"
QUESTION = "Which carrier had the worst average arrival delay in 2013?"
# Early arrivals make up for late ones in F9's mean, but not in its mean over late flights alone.
FLIGHTS = [("F9", 90), ("F9", -60), ("UA", 20), ("UA", 30), ("UA", None), ("B6", -5)]


def make_home(folder: Path) -> Path:
    """The harness folder, made below `folder`."""
    home = folder / "harness"
    (home / "workspaces").mkdir(parents=True)
    database = folder / "flights.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE airlines (carrier VARCHAR PRIMARY KEY, name VARCHAR NOT NULL)")
        connection.execute(
            "INSERT INTO airlines VALUES ('F9', 'Frontier'), ('UA', 'United'), ('B6', 'JetBlue')"
        )
        connection.execute(
            "CREATE TABLE flights (year INTEGER, carrier VARCHAR, arr_delay DOUBLE, dep_delay DOUBLE)"
        )
        connection.executemany("INSERT INTO flights VALUES (2013, ?, ?, 0)", FLIGHTS)
    (home / "workspaces" / "flights.yaml").write_text(
        f"name: flights\ndialect: duckdb\ntransport: direct\nconnection: {{path: {database}}}\n"
    )
    return home


def new_session(home: Path, question: str = QUESTION) -> str:
    """A new session on disk; its id."""
    given = {"workspace": "flights", "question": question, "author": "dev@local"}
    made = call(Home(home), "session.new", given)
    assert isinstance(made, dict)
    return str(made["id"])


def phase_of(home: Path, session: str) -> str:
    """The phase that `tht` derives."""
    state = call(Home(home), "phase.show", {"session": session})
    assert isinstance(state, dict)
    return str(state["phase"])
