"""Writes hidden in reads, made by a grammar: the guard lets none through, and what it lets through changes
nothing."""

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import Fault
from tht import sql
from tht.sql.guard import judge
from tht.sql.restrictions import Restrictions

WRITES = [
    "DELETE FROM orders",
    "DELETE FROM orders WHERE id = 1 RETURNING id",
    "INSERT INTO orders (id) VALUES (99)",
    "INSERT INTO orders (id) SELECT 98",
    "UPDATE orders SET note = 'x'",
    "REPLACE INTO orders (id) VALUES (1)",
    "DROP TABLE orders",
    "CREATE TABLE made (a INTEGER)",
    "CREATE TABLE made AS SELECT 1 AS a",
    "ALTER TABLE orders ADD COLUMN a INTEGER",
    "TRUNCATE orders",
]
GAPS = st.sampled_from([" ", "\n", "\t", "/* a */", "/* ' */", "/* ; */", "-- b\n", "-- ' \n", "  \r\n"])
WRAPS = [
    "{w}",
    "({w})",
    "WITH a AS ({w}) SELECT * FROM a",
    "WITH a AS (SELECT 1), b AS ({w}) SELECT 1",
    "SELECT * FROM ({w}) q",
    "SELECT ({w})",
    "SELECT 1 WHERE EXISTS ({w})",
    "SELECT 1 UNION ALL {w}",
    "SELECT 1; {w}",
    "{w}; SELECT 1",
    "SELECT ';' ; {w}",
    "EXPLAIN ANALYZE {w}",
    "EXPLAIN {w}",
    "SELECT 1 AS a) AS q; {w}; --",
    "SELECT 'a'' ; ' ; {w}",
    'SELECT "a;" ; {w}',
    "/*! {w} */",
    "SELECT 1 /*! ; {w} */",
    "BEGIN; {w}; COMMIT",
    "PREPARE p AS {w}",
    "DO $$ BEGIN {w}; END $$",
    "CREATE TABLE made AS WITH a AS ({w}) SELECT 1",
    "COPY ({w}) TO 'x'",
    "VALUES (({w}))",
    "SELECT CASE WHEN true THEN ({w}) END",
    "SELECT 1 ORDER BY ({w})",
    "SELECT 1 LIMIT ({w})",
]


def cased(text: str, draw: st.DrawFn) -> str:
    """The keywords in another case; literals and names are small letters or digits and mean the same."""
    change = draw(st.sampled_from([str, str.lower, str.upper, str.swapcase]))
    return change(text)


@st.composite
def hidden(draw: st.DrawFn) -> str:
    write = cased(draw(st.sampled_from(WRITES)), draw).replace(" ", draw(GAPS))
    text = draw(st.sampled_from(WRAPS)).replace("{w}", write)
    for _ in range(draw(st.integers(0, 1))):
        text = draw(st.sampled_from(WRAPS[:9])).replace("{w}", text)
    return draw(GAPS) + text + draw(st.sampled_from(["", ";", "\n", " -- end", ";\n"]))


@settings(max_examples=300)
@given(hidden(), st.sampled_from(["sqlite", "duckdb", "postgres", "mariadb"]))
def test_no_hidden_write_passes_the_guard(text: str, dialect: str) -> None:
    try:
        verdict = judge(text, dialect, Restrictions())
    except Fault:
        return
    # only text that the dialect itself reads as a comment or a literal may be left
    bare = strip(text, dialect)
    assert not any(
        word in bare for word in ("delete", "insert", "update", "replace", "drop", "create", "alter")
    )
    assert verdict.statement


def strip(text: str, dialect: str) -> str:
    from tht.sql.lexer import scan

    kept = [piece.text for piece in scan(text, dialect) if piece.kind in ("word", "operator", "number")]
    return " ".join(kept).lower()


def contents(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=hidden())
def test_no_hidden_write_changes_a_file(make_workspace: Any, tmp_path: Path, text: str) -> None:
    workspace = make_workspace()
    path = next(tmp_path.glob("data.*"))
    before = contents(path), sorted(p.name for p in tmp_path.iterdir())
    try:
        sql.preview(workspace, text, home_results=tmp_path / "results", draft=True)
    except Fault as refusal:
        assert refusal.message
    assert (contents(path), sorted(p.name for p in tmp_path.iterdir())) == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=hidden())
def test_the_engine_alone_lets_no_write_through(make_workspace: Any, tmp_path: Path, text: str) -> None:
    """The second layer without the first: the statement goes to the locked engine as it is."""
    from tht.sql import warm
    from tht.sql.cancel import Cancel

    workspace = make_workspace()
    path = next(tmp_path.glob("data.*"))
    before = contents(path), sorted(p.name for p in tmp_path.iterdir())
    engine = warm.connect(workspace)
    try:
        with engine.execute(text, timeout_s=5, cancel=Cancel()) as source:
            list(source.batches(10))
    except (Fault, sqlite3.Warning, duckdb.Error) as refusal:
        assert str(refusal)
    finally:
        engine.close()
    assert (contents(path), sorted(p.name for p in tmp_path.iterdir())) == before
