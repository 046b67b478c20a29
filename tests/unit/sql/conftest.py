"""Small databases that statements run on."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from tht.sql import warm
from tht.workspaces import Workspace, parse_workspace

MakeWorkspace = Callable[..., Workspace]

TABLES = """
CREATE TABLE orders
  (id INTEGER PRIMARY KEY, customer_id INTEGER, amount DOUBLE, status VARCHAR, note VARCHAR);
INSERT INTO orders VALUES (1, 1, 10.5, 'paid', 'a;b'), (2, 1, 20.25, 'new', NULL), (3, 2, 0.1, 'paid', '');
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR, email VARCHAR);
INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com'), (2, 'Bob', 'bob@example.com');
CREATE VIEW everything AS SELECT * FROM customers;
CREATE VIEW names AS SELECT id, name FROM customers;
"""


@pytest.fixture(params=["sqlite", "duckdb"])
def make_workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeWorkspace]:
    """Makes workspaces over a small database, on SQLite and on DuckDB; `more` is YAML put into the file."""
    yield _maker(request.param, tmp_path)
    warm.close_all()


@pytest.fixture
def make_sqlite(tmp_path: Path) -> Iterator[MakeWorkspace]:
    """The same on SQLite alone."""
    yield _maker("sqlite", tmp_path)
    warm.close_all()


def _maker(dialect: str, folder: Path) -> MakeWorkspace:
    path = folder / f"data.{dialect}"
    if dialect == "sqlite":
        connection = sqlite3.connect(path)
        connection.executescript(TABLES)
        connection.close()
    else:
        with duckdb.connect(str(path)) as database:
            database.execute(TABLES)

    def make(more: str = "") -> Workspace:
        text = f"dialect: {dialect}\nconnection: {{path: {path}}}\n{more}"
        return parse_workspace("small", text, folder)

    return make
