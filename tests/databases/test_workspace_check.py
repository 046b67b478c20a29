"""`tht workspace check` on accounts and files that may do too much, and on good ones: told apart on real
engines, through the command."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases.databases import Database
from tests.databases.worker import START

pytestmark = pytest.mark.databases

POSTGRES = {
    "reader": "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
    "writer": "GRANT SELECT, INSERT ON orders TO {role}",
    "column": "GRANT UPDATE (note) ON orders TO {role}",
    "maker": "GRANT CREATE ON SCHEMA public TO {role}",
    "owner": "CREATE TABLE owned (a int); ALTER TABLE owned OWNER TO {role}",
    "heir": "GRANT pg_write_all_data TO {role}",
    "program": "GRANT pg_execute_server_program TO {role}",
}
MARIADB = {
    "reader": "GRANT SELECT ON cases.* TO {role}",
    "writer": "GRANT SELECT, INSERT ON cases.* TO {role}",
    "table": "GRANT SELECT, DELETE ON cases.orders TO {role}",
    "column": "GRANT SELECT (id, note), UPDATE (id, note) ON cases.orders TO {role}",
    "elsewhere": "GRANT SELECT ON cases.* TO {role}; GRANT INSERT ON mysql.* TO {role}",
    "files": "GRANT SELECT ON cases.* TO {role}; GRANT FILE ON *.* TO {role}",
    "all": "GRANT ALL PRIVILEGES ON *.* TO {role}",
}
EXPECTED: list[tuple[str, str, set[str]]] = [
    ("postgres", "superuser", {"role_is_no_superuser", "role_reads_only"}),
    ("postgres", "reader", set()),
    ("postgres", "writer", {"role_reads_only"}),
    ("postgres", "column", {"role_reads_only"}),
    ("postgres", "maker", {"role_reads_only"}),
    ("postgres", "owner", {"role_owns_nothing", "role_reads_only"}),
    ("postgres", "heir", {"role_reads_only"}),
    ("postgres", "program", {"role_keeps_to_tables"}),
    ("mariadb", "superuser", {"role_is_no_superuser", "role_reads_only"}),
    ("mariadb", "reader", set()),
    ("mariadb", "writer", {"role_reads_only"}),
    ("mariadb", "table", {"role_reads_only"}),
    ("mariadb", "column", {"role_reads_only"}),
    ("mariadb", "elsewhere", {"role_reads_only"}),
    ("mariadb", "files", {"role_reads_only"}),
    ("mariadb", "all", {"role_is_no_superuser", "role_reads_only"}),
    ("sqlite", "writable", {"role_reads_only"}),
    ("sqlite", "reader", set()),
    ("duckdb", "writable", {"role_reads_only"}),
    ("duckdb", "reader", set()),
]


@pytest.fixture(scope="module")
def url(database: Callable[[str], Database], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Gives the URL of an account (servers) or of a file with its rights."""
    roles: dict[str, list[str]] = {"postgres": [], "mariadb": []}

    def get(dialect: str, account: str) -> str:
        laid: Any = database(dialect)
        if dialect in ("sqlite", "duckdb"):
            path = tmp_path_factory.mktemp("files") / f"{account}.{dialect}"
            shutil.copyfile(laid.path, path)
            path.chmod(0o444 if account == "reader" else 0o644)
            return f"{dialect}:///{path}"
        if account == "superuser":
            return laid.url
        role = f"may_{account}"
        roles[dialect].append(role)
        if dialect == "postgres":
            laid.look.execute(f"CREATE ROLE {role} LOGIN")
            laid.look.execute(POSTGRES[account].format(role=role))
            return laid.url.replace("postgres@", f"{role}@")
        laid.rows(f"CREATE USER {role}@localhost")
        for grant in MARIADB[account].format(role=f"{role}@localhost").split("; "):
            laid.rows(grant)
        return laid.url.replace("root@", f"{role}@")

    yield get
    for role in roles["postgres"]:
        laid: Any = database("postgres")
        laid.look.execute(f"DROP OWNED BY {role} CASCADE")
        laid.look.execute(f"DROP ROLE {role}")
    for role in roles["mariadb"]:
        laid = database("mariadb")
        laid.rows(f"DROP USER {role}@localhost")


def tht(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START, "--home", str(home), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def workspace(home: Path, dialect: str, address: str, more: str = "") -> None:
    (home / "workspaces").mkdir(exist_ok=True)
    text = f"dialect: {dialect}\nconnection: {{url: '{address}'}}\n{more}"
    (home / "workspaces" / "w.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("dialect", "account", "failing"), EXPECTED)
def test_c03_what_an_account_may_do_is_told(
    dialect: str, account: str, failing: set[str], url: Any, tmp_path: Path
) -> None:
    workspace(tmp_path, dialect, url(dialect, account))
    told = tht(tmp_path, "workspace", "check", "w", "--json")
    answer = json.loads(told.stdout)
    assert {check["name"] for check in answer["checks"] if not check["ok"]} == failing
    assert answer["ok"] == (not failing)
    assert told.returncode == (7 if failing else 0)
    assert "Traceback" not in told.stderr
    for check in answer["checks"]:
        assert check["name"] in ("file", "database") or check["name"].startswith("role_")


@pytest.mark.parametrize(("dialect", "account"), [("postgres", "superuser"), ("mariadb", "superuser")])
def test_c03_an_account_that_may_write_runs_nothing_until_it_is_accepted(
    dialect: str, account: str, url: Any, tmp_path: Path
) -> None:
    question = tmp_path / "q.sql"
    question.write_text("SELECT count(*) AS n FROM orders", encoding="utf-8")
    preview = ("sql", "preview", "--workspace", "w", "--sql-file", str(question), "--json")
    workspace(tmp_path, dialect, url(dialect, account))
    refused = tht(tmp_path, *preview)
    assert refused.returncode == 4
    assert "accept_writable_role" in refused.stderr
    assert refused.stderr.count("\n") == 1
    workspace(tmp_path, dialect, url(dialect, account), "accept_writable_role: true\n")
    assert json.loads(tht(tmp_path, *preview).stdout)["rows"] == [["7"]]
    checked = json.loads(tht(tmp_path, "workspace", "check", "w", "--json").stdout)
    assert checked["ok"]
    assert any("accepted by accept_writable_role" in check["message"] for check in checked["checks"])
