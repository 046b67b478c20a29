"""The guard on statements kept as data: `statements/<dialect>/{allow,deny,allow_listed,deny_listed}.sql`."""

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from tht.sql.guard.judge import SQL_CAP, Verdict, judge
from tht.sql.guard.restrictions import Restrictions

STATEMENTS = Path(__file__).parent / "statements"
OPEN = Restrictions()
LISTED = Restrictions(tables=("orders", "customers", "v_paid"), deny_columns=("customers.email",))


KINDS = {"select", "explain", "describe", "show", "pragma", "summarize"}


def dialects_with(name: str) -> list[str]:
    return [path.parent.name for path in sorted(STATEMENTS.glob(f"*/{name}.sql"))]


def outcomes(dialect: str, name: str, restrictions: Restrictions) -> Iterator[tuple[str, Verdict | Fault]]:
    """Every statement of a file with what the guard says of it."""
    lines = (STATEMENTS / dialect / f"{name}.sql").read_text(encoding="utf-8").splitlines()[1:]
    assert lines
    for sql in lines:
        try:
            yield sql, judge(sql, dialect, restrictions)
        except Fault as fault:
            yield sql, fault


def is_refusal(outcome: Verdict | Fault) -> bool:
    return isinstance(outcome, Fault) and outcome.code is Code.REFUSED and "\n" not in outcome.message


def listed(dialect: str) -> Restrictions:
    return dataclasses.replace(LISTED, default_schema="shop" if dialect == "mariadb" else "")


@pytest.mark.parametrize("dialect", dialects_with("allow"))
def test_a_read_passes(dialect: str) -> None:
    found = outcomes(dialect, "allow", OPEN)
    assert not [(sql, o) for sql, o in found if isinstance(o, Fault) or o.statement not in KINDS]


@pytest.mark.parametrize("dialect", dialects_with("deny"))
def test_what_is_no_read_is_refused(dialect: str) -> None:
    assert not [sql for sql, outcome in outcomes(dialect, "deny", OPEN) if not is_refusal(outcome)]


@pytest.mark.parametrize("dialect", dialects_with("allow_listed"))
def test_a_read_within_the_allow_list_passes(dialect: str) -> None:
    found = outcomes(dialect, "allow_listed", listed(dialect))
    assert not [(sql, outcome) for sql, outcome in found if isinstance(outcome, Fault)]


@pytest.mark.parametrize("dialect", dialects_with("deny_listed"))
def test_a_read_beyond_the_allow_list_is_refused(dialect: str) -> None:
    found = outcomes(dialect, "deny_listed", listed(dialect))
    assert not [sql for sql, outcome in found if not is_refusal(outcome)]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mariadb", "mysql"])
@pytest.mark.parametrize("sql", ["", "  \n", ";", "-- nothing", "/* nothing */", ";;;"])
def test_nothing_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(Fault, match="no statement"):
        judge(sql, dialect, OPEN)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "SELECT 1 -- a\rDELETE FROM t"),
        ("mariadb", "SELECT 1 # a\rDELETE FROM t"),
    ],
)
def test_a_carriage_return_ends_no_comment_where_the_engine_says_so(dialect: str, sql: str) -> None:
    assert judge(sql, dialect, OPEN).statement == "select"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgres", "SELECT 1 -- a\r; DELETE FROM t"),
        ("duckdb", "SELECT 1 -- a\r; DELETE FROM t"),
        ("sqlite", "SELECT 1 -- a\r\n; DELETE FROM t"),
        ("mariadb", "SELECT 1 --a\n; DELETE FROM t"),
        ("sqlite", "SELECT 1 /* /* */ ; DELETE FROM t -- */"),
        ("postgres", "SELECT pg_read_file --\n('/etc/passwd')"),
        ("mariadb", "SELECT load_file --\n('/etc/passwd')"),
        ("postgres", "SELECT 'a'\n; DELETE FROM t"),
        ("postgres", "SELECT U&'\\0027'; DELETE FROM t --'"),
    ],
)
def test_c04_comments_and_quotes_hide_nothing(dialect: str, sql: str) -> None:
    with pytest.raises(Fault) as caught:
        judge(sql, dialect, OPEN)
    assert caught.value.code is Code.REFUSED


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mariadb"])
def test_depth_and_length_have_one_clear_answer(dialect: str) -> None:
    assert judge(f"SELECT {'(' * 200}1{')' * 200}", dialect, OPEN).statement == "select"
    with pytest.raises(Fault) as deep:
        judge(f"SELECT {'(' * 100_000}1{')' * 100_000}", dialect, OPEN)
    assert deep.value.code is Code.REFUSED
    with pytest.raises(Fault) as long:
        judge(f"SELECT '{'x' * SQL_CAP}'", dialect, OPEN)
    assert long.value.code is Code.TOO_LARGE


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mariadb"])
def test_a_long_list_passes_and_hides_nothing(dialect: str) -> None:
    many = ", ".join(str(number) for number in range(60_000))
    assert judge(f"SELECT 1 FROM t WHERE id IN ({many}, 'x') AND a IN (1)", dialect, OPEN).tables
    for hidden in ("(DELETE FROM t)", "1); DELETE FROM t; --", "1) OR (SELECT 1 INTO x"):
        with pytest.raises(Fault) as caught:
            judge(f"SELECT 1 FROM t WHERE id IN ({many[:2000]}0, {hidden}, 2)", dialect, OPEN)
        assert caught.value.code is Code.REFUSED


@pytest.mark.parametrize("more", ["", ", {d '2024-01-01'}"])
def test_a_denied_table_is_refused_also_as_one_of_the_connections_own_database(more: str) -> None:
    with pytest.raises(Fault) as caught:
        judge(f"SELECT 1{more} FROM user", "mariadb", Restrictions(default_schema="mysql"))
    assert caught.value.code is Code.REFUSED
    assert judge(f"SELECT 1{more} FROM user", "mariadb", Restrictions(default_schema="shop"))


def test_a_verdict_names_the_tables_without_the_ctes() -> None:
    sql = "WITH o AS (SELECT * FROM orders), c AS (SELECT 1) SELECT * FROM o, c, public.customers"
    verdict = judge(sql, "postgres", OPEN)
    assert {str(table) for table in verdict.tables} == {"orders", "public.customers"}


def test_a_view_shows_no_denied_column() -> None:
    views = {"everything": "SELECT * FROM customers", "names": "SELECT id, name FROM customers"}
    columns = {"names": ["id", "name"]}
    restrictions = Restrictions(
        deny_columns=("email",),
        view_definition=lambda relation: views.get(relation.name),
        known_columns=lambda relation: columns.get(relation.name),
    )
    assert judge("SELECT * FROM names", "postgres", restrictions).statement == "select"
    with pytest.raises(Fault, match="denies"):
        judge("SELECT name FROM everything", "postgres", restrictions)


def test_many_from_in_a_function_take_no_time() -> None:
    """30,000 of them, each looking for its function, took a minute."""
    began = time.process_time()
    with pytest.raises(Fault):
        judge("SELECT trim('a' " + "FROM 'a' " * 30_000 + ")", "duckdb", OPEN)
    assert time.process_time() - began < 5
