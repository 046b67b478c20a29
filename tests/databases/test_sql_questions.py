"""Questions that analysts ask, over two hundred for each engine: the guard passes every one, and it runs."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from demo import flights
from tests.databases.databases import Database
from tht import sql
from tht.sql import warm
from tht.sql.guard.judge import judge
from tht.sql.guard.restrictions import Restrictions
from tht.workspaces import Workspace, parse_workspace

pytestmark = pytest.mark.databases

QUESTIONS = Path(__file__).parent / "questions"
ENGINES = ("sqlite", "duckdb", "postgres", "mariadb")
LEAST = 200


def lines(name: str) -> list[str]:
    """The statements of a file, one a line, below a line that says what they are."""
    return (QUESTIONS / f"{name}.sql").read_text(encoding="utf-8").splitlines()[1:]


def questions(dialect: str) -> list[tuple[str, str]]:
    """(place, question) of an engine; the place is `shop` or `flights`."""
    asked = [("shop", text) for text in lines("every_engine") + lines(dialect)]
    return asked + ([("flights", text) for text in lines("flights")] if dialect == "duckdb" else [])


ASKED = [
    pytest.param(dialect, place, text, id=f"{dialect}-{place}-{number}")
    for dialect in ENGINES
    for number, (place, text) in enumerate(questions(dialect))
]


@pytest.mark.parametrize("dialect", ENGINES)
def test_c08_there_are_enough_questions(dialect: str) -> None:
    asked = [text for _, text in questions(dialect)]
    assert len(set(asked)) == len(asked) >= LEAST


@pytest.fixture(scope="module")
def workspaces(
    tmp_path_factory: pytest.TempPathFactory, database: Callable[[str], Database]
) -> Iterator[Callable[[str, str], Workspace]]:
    folder = tmp_path_factory.mktemp("questions")
    made: dict[tuple[str, str], Workspace] = {}

    def get(dialect: str, place: str) -> Workspace:
        if (dialect, place) not in made:
            url = _flights(folder) if place == "flights" else _shop(dialect, folder, database)
            text = f"dialect: {dialect}\nconnection: {{url: '{url}'}}\naccept_writable_role: true\n"
            made[dialect, place] = parse_workspace("shop", text, Path("/"))
        return made[dialect, place]

    yield get
    warm.close_all()
    if ("postgres", "shop") in made:
        laid: Any = database("postgres")
        laid.admin.execute("DROP DATABASE shop WITH (FORCE)")
    if ("mariadb", "shop") in made:
        laid = database("mariadb")
        laid.rows("DROP DATABASE shop")


def _flights(folder: Path) -> str:
    if not flights.DATABASE.exists():
        flights.build(folder / "flights.duckdb")
        return f"duckdb:///{folder}/flights.duckdb"
    return f"duckdb:///{flights.DATABASE}"


def _shop(dialect: str, folder: Path, database: Callable[[str], Database]) -> str:
    path = folder / f"shop.{dialect}"
    if dialect == "sqlite":
        with sqlite3.connect(path, isolation_level=None) as connection:
            for statement in lines("shop"):
                connection.execute(statement)
        connection.close()
        return f"sqlite:///{path}"
    if dialect == "duckdb":
        with duckdb.connect(str(path)) as file:
            for statement in lines("shop"):
                file.execute(statement)
        return f"duckdb:///{path}"
    laid: Any = database(dialect)
    if dialect == "postgres":
        import psycopg

        laid.admin.execute("CREATE DATABASE shop")
        with psycopg.connect(f"{laid.dsn} dbname=shop", autocommit=True) as session:
            for statement in lines("shop"):
                session.execute(statement.encode())
    else:
        for statement in (
            "CREATE DATABASE shop CHARACTER SET utf8mb4",
            "USE shop",
            *lines("shop"),
            "USE cases",
        ):
            laid.rows(statement)
    return laid.url.replace("/cases", "/shop")


@pytest.mark.parametrize(("dialect", "place", "question"), ASKED)
def test_c08_a_question_is_answered(
    dialect: str,
    place: str,
    question: str,
    workspaces: Callable[[str, str], Workspace],
    tmp_path: Path,
) -> None:
    verdict = judge(question, dialect, Restrictions())
    assert verdict.statement in {"select", "explain", "describe", "show", "pragma", "summarize"}
    page = json.loads(
        sql.preview(workspaces(dialect, place), question, home_results=tmp_path, limit=20, draft=True)
    )
    assert page["columns"]
    assert all(len(row) == len(page["columns"]) for row in page["rows"])
