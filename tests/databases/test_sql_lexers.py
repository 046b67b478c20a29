"""The lexer against the servers': a call that it takes for text or a comment is one that the server does not
make."""

from collections.abc import Callable
from typing import Any, cast

import pymysql
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from contracts.errors import Fault
from tests.databases.databases import Database
from tht.sql.guard.lexer import scan, statements

pytestmark = pytest.mark.databases

PATIENT = settings(
    max_examples=1500,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def around(fragments: list[str], call: str, tails: list[str]) -> st.SearchStrategy[str]:
    """Statements with `call` in the middle of what may or may not be quotes and comments."""
    pieces = st.sampled_from(fragments)
    return st.tuples(
        st.lists(pieces, min_size=1, max_size=6).map("".join),
        st.sampled_from(tails),
        st.lists(pieces, max_size=4).map("".join),
    ).map(lambda parts: f"SELECT {parts[0]} {call} {parts[1]}{parts[2]}")


def shows(sql: str, dialect: str, name: str) -> bool:
    """True when the guard would see the call, or more than one statement, or refuses the text already."""
    try:
        found = statements(scan(sql, dialect))
    except Fault:
        return True
    return len(found) != 1 or any(p.kind in ("word", "name") and p.value.lower() == name for p in found[0])


QUOTES = ["'x'", "'", "''", "\\'", "\\", '"', "--", "/*", "*/", "\n", "\r", " ", "1"]
POSTGRES = [*QUOTES, "E'", "U&'", "E'a'\n", "$$", "$a$", "$é$", "$\u00a0$", "$\ufeff$", "$\U0001f600$"]
SETTING = "|| set_config('lexer.seen', 'yes', false)"


@pytest.fixture
def postgres_session(database: Callable[[str], Database]) -> Connection[Any]:
    laid: Any = database("postgres")
    return cast("Connection[Any]", laid.look)


@PATIENT
@given(sql=around(POSTGRES, SETTING, ["--", "/*", ""]))
@example(sql=f"SELECT E'a'\n'\\'' {SETTING} --'")
@example(sql=f"SELECT $\u00a0$ ' $\u00a0$ {SETTING} --'")
@example(sql=f"SELECT $\ufeff$ ' $\ufeff$ {SETTING} --'")
@example(sql=f"SELECT $\U0001f600$ ' $\U0001f600$ {SETTING} --'")
def test_c04_postgres_makes_no_call_that_the_lexer_does_not_see(
    sql: str, postgres_session: Connection[Any]
) -> None:
    if shows(sql, "postgres", "set_config"):
        return
    postgres_session.pgconn.exec_params(sql.encode(), [])
    row = postgres_session.execute("SELECT current_setting('lexer.seen', true)").fetchone()
    assert row is not None
    assert row[0] in (None, "")


MARIADB = [*QUOTES, "\\N", "%", "1.e", "`", "-- ", "--\x7f", "#", "_utf8mb4'", "x'", "N'", '\\"', '""']
LOCK = "+ get_lock('lexer seen', 0)"


@PATIENT
@given(sql=around(MARIADB, LOCK, ["-- ", "/*", "# ", ""]))
@example(sql=f"SELECT 1 --\x7f '\n {LOCK} -- '")
@example(sql=f"SELECT 1 %-- '\n1 {LOCK} -- '")
def test_c04_mariadb_makes_no_call_that_the_lexer_does_not_see(
    sql: str, database: Callable[[str], Database]
) -> None:
    if shows(sql, "mariadb", "get_lock"):
        return
    laid: Any = database("mariadb")
    try:
        laid.rows(sql)
    except (pymysql.Error, TypeError) as refusal:
        # TypeError: a statement without rows
        assert refusal.args
    assert laid.rows("SELECT is_used_lock('lexer seen')") == [(None,)]
