"""Servers and databases for the tests of this folder; at the end the tally by engine and verdict."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases.databases import Database, FileDatabase, MariadbDatabase, PostgresDatabase
from tests.databases.servers import mariadb, postgres, postgres_programs
from tests.databases.worker import Worker
from tht.sql import warm
from tht.workspaces import Workspace, parse_workspace

DIALECTS = ("sqlite", "duckdb", "postgres", "mariadb")
TALLY: Counter[tuple[str, str, str]] = Counter()


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder that the servers' users may enter, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="thothii-databases-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session")
def postgres_dsn(scratch: Path) -> Iterator[str]:
    """libpq string of a server of our own."""
    if postgres_programs() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    with postgres(scratch / "pg") as dsn:
        yield dsn


@pytest.fixture(scope="session")
def mariadb_port(scratch: Path) -> Iterator[int]:
    """Port of a server of our own."""
    if shutil.which("mariadbd") is None:
        pytest.skip("no MariaDB server is installed: apt-get install mariadb-server")
    with mariadb(scratch / "my") as port:
        yield port


@pytest.fixture(scope="session")
def database(scratch: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Database]]:
    """Gives the laid database of a dialect."""
    made: dict[str, Database] = {}

    def get(dialect: str) -> Database:
        if dialect not in made:
            if dialect == "postgres":
                made[dialect] = PostgresDatabase(request.getfixturevalue("postgres_dsn"))
            elif dialect == "mariadb":
                made[dialect] = MariadbDatabase(request.getfixturevalue("mariadb_port"))
            else:
                made[dialect] = FileDatabase(dialect, scratch)
        return made[dialect]

    yield get
    for found in made.values():
        found.close()


@pytest.fixture(scope="session")
def worker(scratch: Path, database: Callable[[str], Database]) -> Iterator[Callable[[str], Worker]]:
    """Gives a worker whose home has a workspace named like the dialect, with an account that could write."""
    home = scratch / "home"
    (home / "workspaces").mkdir(parents=True)
    running: dict[str, Worker] = {}

    def get(dialect: str) -> Worker:
        if dialect not in running:
            connection = f"connection: {{url: '{database(dialect).url}'}}"
            text = f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n"
            (home / "workspaces" / f"{dialect}.yaml").write_text(text, encoding="utf-8")
            running[dialect] = Worker(home)
        return running[dialect]

    yield get
    for found in running.values():
        found.stop()


@pytest.fixture
def open_workspace(database: Callable[[str], Database]) -> Iterator[Callable[[str], Workspace]]:
    """Gives the workspace of a dialect, for calls in this process."""

    def get(dialect: str) -> Workspace:
        connection = f"connection: {{url: '{database(dialect).url}'}}"
        text = f"dialect: {dialect}\n{connection}\naccept_writable_role: true\n"
        return parse_workspace(dialect, text, Path("/"))

    yield get
    warm.close_all()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()  # type: ignore[attr-defined]
    spec = getattr(item, "callspec", None)
    if report.when == "call" and spec is not None and "case" in spec.params and "dialect" in spec.params:
        case: dict[str, Any] = spec.params["case"]
        TALLY[spec.params["dialect"], case.get("verdict", "values"), report.outcome] += 1


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not TALLY:
        return
    terminalreporter.section("cases by engine and verdict")
    for dialect in DIALECTS:
        parts: list[str] = []
        for verdict in ("allow", "refuse", "values"):
            counts = {outcome: n for (d, v, outcome), n in TALLY.items() if (d, v) == (dialect, verdict)}
            parts.append(f"{verdict} {counts.get('passed', 0)}/{sum(counts.values())}")
        terminalreporter.write_line(f"{dialect:10}" + "   ".join(parts))
