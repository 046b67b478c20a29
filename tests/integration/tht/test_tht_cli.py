"""The `tht` command: what people and scripts see, and the exit codes they rely on."""

import csv
import io
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import assert_eventually
from tests.integration.tht.conftest import SQL, Tht, as_json, lead_to_f4, one_line, put
from tests.integration.tht.test_tht_worker import ENDLESS, STUBBORN
from tht.cli import GROUPS
from tht.home import Home

COMMANDS = {
    "workspace": ["list", "show", "check"],
    "session": ["new", "list", "show"],
    "phase": ["show"],
    "artifact": ["put", "get", "list"],
    "decision": ["add", "list"],
    "schema": ["tables", "describe", "search", "sample", "all"],
    "sql": ["check", "preview", "export"],
    "doctor": [],
    "worker": [],
}


def sql_file(home: Home, text: str) -> str:
    path = Path(home.root) / "case.sql"
    path.write_bytes(text.encode())
    return str(path)


def test_help_names_every_command(tht: Tht) -> None:
    assert set(COMMANDS) == set(GROUPS)
    top = tht("--help")
    assert top.returncode == 0 and all(f"  {group} " in top.stdout for group in GROUPS)
    assert tht().stdout == top.stdout
    for group, commands in COMMANDS.items():
        told = tht(group, "--help")
        assert told.returncode == 0 and "--json" in told.stdout
        assert all(f"    {command} " in told.stdout for command in commands)


def test_the_version(tht: Tht) -> None:
    assert tht("--version").stdout.startswith("tht 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nope"],
        ["session", "nope"],
        ["session"],
        ["session", "list", "--limit", "many"],
        ["session", "list", "--nope"],
        ["session", "list", "--lim", "3"],
        ["session", "show"],
        ["session", "new", "--workspace", "shop"],
        ["sql", "preview", "--limit", "x"],
        ["sql", "export", "--format", "xls"],
        ["--nope"],
        ["schema", "tables"],
        ["schema", "tables", "--workspace", "a", "--session", "b"],
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(tht: Tht, arguments: list[str]) -> None:
    assert "--help" in one_line(tht(*arguments), 2)


def test_a_whole_session_by_hand(home: Home, tht: Tht) -> None:
    session = tht("session", "new", "--workspace", "shop", "--question", "What costs most?").stdout.strip()
    assert as_json(tht("--json", "session", "show", session))["phase"]["phase"] == "F1"
    decide = ("decision", "add", session, "--json", "--by", "ann", "--title", "?")
    assert as_json(tht(*decide, "--kind", "reading", "--answer", '"r1"'))["phase"]["phase"] == "F2"
    as_json(tht(*decide, "--kind", "selection", "--phase", "F2", "--answer", '["product"]'))
    for name, text, phase in (
        ("schema_linking.json", '{"tables": []}', "F3"),
        ("ctes.json", '{"steps": []}', "F4"),
        ("sql_final.sql", SQL, "F5"),
    ):
        written = as_json(tht("artifact", "put", session, name, "--json", stdin=text))
        about = ("--artifact", name, "--sha256", written["sha256"])
        assert as_json(tht(*decide, "--kind", "approval", *about))["phase"]["phase"] == phase
    assert tht("artifact", "get", session, "sql_final.sql").stdout == SQL
    page = as_json(tht("sql", "preview", "--session", session, "--json"))
    assert [row[0] for row in page["rows"]] == ["ink", "nib", "pen"] and "draft" not in page
    out = Path(home.root) / "rows.csv"
    exported = as_json(tht("sql", "export", "--session", session, "--out", str(out), "--json"))
    assert exported["row_count"] == 3 and exported["out"] == str(out)
    assert list(csv.reader(out.read_text().splitlines()))[1] == ["ink", "3"]
    assert tht("sql", "check", "--session", session, "--artifact").returncode == 0
    assert "F5" in tht("phase", "show", session).stdout
    assert [line["kind"] for line in as_json(tht("decision", "list", session, "--json"))["decisions"]] == [
        *("reading", "selection", "approval", "approval", "approval"),
    ]
    assert session in tht("session", "list", "--phase", "F5").stdout
    assert tht("doctor").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["session", "show", "../x"], 3),
        (["session", "show", "x" * 65], 3),
        (["session", "show", "nope"], 3),
        (["session", "new", "--workspace", "nope", "--question", "q"], 3),
        (["session", "new", "--workspace", "broken", "--question", "q"], 7),
        (["session", "new", "--workspace", "nofile", "--question", "q"], 7),
        (["session", "new", "--workspace", "shop", "--question", ""], 2),
        (["session", "new", "--workspace", "shop", "--question", "q", "--temperature", "7"], 2),
        (["session", "list", "--limit", "0"], 2),
        (["phase", "show", "nope"], 3),
        (["artifact", "get", "nope", "sql_final.sql"], 3),
        (["artifact", "put", "nope", "sql_final.sql", "/nope"], 3),
        (["artifact", "put", "nope", "../x", "/nope"], 3),
        (["decision", "add", "nope", "--kind", "reading"], 3),
        (["decision", "add", "nope", "--kind", "reading", "--answer", "not json"], 2),
        (["workspace", "show", "nope"], 3),
        (["workspace", "show", "broken"], 7),
        (["workspace", "check", "nope"], 3),
        (["schema", "tables", "--workspace", "nope"], 3),
        (["sql", "preview"], 2),
        (["sql", "preview", "--workspace", "shop", "--sql-file", "/nope"], 3),
        (["sql", "preview", "--workspace", "shop", "--session", "x"], 2),
        (["sql", "preview", "--workspace", "nofile", "--sql-file", "SELECT"], 7),
        (["sql", "preview", "--workspace", "shop", "--sql-file", "SELECT", "--timeout", "-1"], 2),
        (["sql", "preview", "--session", "nope"], 3),
        (["sql", "check", "--workspace", "shop"], 2),
        (["sql", "export", "--workspace", "shop", "--sql-file", "SELECT", "--out", "/nope/x"], 2),
    ],
)
def test_a_failure_is_one_line_and_its_exit_code(
    home: Home, tht: Tht, arguments: list[str], code: int
) -> None:
    (home.workspaces / "broken.yaml").write_text("connection: [")
    (home.workspaces / "nofile.yaml").write_text("dialect: sqlite\nconnection: {path: ../gone.db}")
    given = [sql_file(home, SQL) if argument == "SELECT" else argument for argument in arguments]
    assert one_line(tht(*given), code).startswith("tht: ")


def test_a_failure_as_json(tht: Tht) -> None:
    for given in (
        ("--json", "session", "show", "../x"),
        ("schema", "tables", "--workspace", "nope", "--json"),
    ):
        told = json.loads(one_line(tht(*given), 3))
        assert set(told) == {"code", "message", "details"} and told["code"] == "not_found"


def test_a_question_of_a_megabyte_comes_by_stdin_and_is_too_large(tht: Tht) -> None:
    one_line(tht("session", "new", "--workspace", "shop", "--question", "-", stdin="x" * (1 << 20)), 10)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("DELETE FROM product", 4),
        ("SELECT 1; SELECT 2", 4),
        ("", 4),
        ("SELECT nope FROM product", 7),
        ("SELECT 1 FROM nope", 7),
    ],
)
def test_a_draft_that_may_not_or_cannot_run(home: Home, tht: Tht, sql: str, code: int) -> None:
    for command in ("preview", "export"):
        out = ("--out", str(Path(home.root) / "out.csv")) if command == "export" else ()
        one_line(tht("sql", command, "--workspace", "shop", "--sql-file", sql_file(home, sql), *out), code)
    assert not list(Path(home.root).glob("out*"))


def test_the_byte_order_mark_of_a_file_is_no_part_of_its_sql(home: Home, tht: Tht) -> None:
    path = Path(home.root) / "case.sql"
    asked = ("sql", "check", "--workspace", "shop", "--sql-file", str(path), "--json")
    path.write_text(SQL, encoding="utf-8")
    plain = as_json(tht(*asked))
    path.write_text(SQL, encoding="utf-8-sig")
    assert as_json(tht(*asked)) == plain


def test_sql_that_is_not_utf8_is_refused(home: Home, tht: Tht) -> None:
    path = Path(home.root) / "case.sql"
    path.write_bytes(b"SELECT '\xe8'")
    assert "UTF-8" in one_line(tht("sql", "preview", "--workspace", "shop", "--sql-file", str(path)), 4)


def test_c31_changed_after_approval_is_exit_code_5_with_both_hashes(
    home: Home, session: str, approved: str, tht: Tht
) -> None:
    changed = put(home, approved, "sql_final.sql", SQL.replace("name, ", "name,  "))
    told = json.loads(one_line(tht("sql", "preview", "--session", session, "--json"), 5))
    assert told["code"] == "approval_mismatch" and told["details"]["current"] == changed["sha256"]
    one_line(tht("sql", "export", "--session", session, "--out", str(Path(home.root) / "x")), 5)


def test_before_approval_is_exit_code_5(home: Home, session: str, tht: Tht) -> None:
    lead_to_f4(home, session)
    put(home, session, "sql_final.sql", SQL)
    assert "not_approved" in one_line(tht("sql", "preview", "--session", session), 5)
    as_json(tht("sql", "check", "--session", session, "--artifact", "--json"))


def test_a_page_for_people(home: Home, tht: Tht) -> None:
    told = tht("sql", "preview", "--workspace", "shop", "--sql-file", sql_file(home, SQL), "--limit", "2")
    lines = told.stdout.splitlines()
    assert lines[0].split() == ["name", "price"] and lines[2].split() == ["ink", "3"]
    assert "2 rows, there are more" in told.stdout and "DRAFT" in told.stdout


def test_text_of_a_database_cannot_drive_the_terminal(home: Home, tht: Tht) -> None:
    hostile = "SELECT char(27) || '[2J' || char(10) || char(8238) || 'x' AS \"a\u009bb\""
    told = tht("sql", "preview", "--workspace", "shop", "--sql-file", sql_file(home, hostile))
    assert told.returncode == 0
    assert not {"\x1b", "\u202e", "\u009b"} & set(told.stdout)
    assert "\\x1b[2J\\n\\u202ex" in told.stdout


def test_limit_and_offset(home: Home, tht: Tht) -> None:
    place = ("--workspace", "shop", "--sql-file", sql_file(home, SQL), "--json")
    page = as_json(tht("sql", "preview", *place, "--limit", "1", "--offset", "1"))
    assert [row[0] for row in page["rows"]] == ["nib"] and page["truncated"] is True


def test_csv_to_stdout_and_its_options(home: Home, tht: Tht) -> None:
    path = sql_file(home, "SELECT '=1+1' AS t, 1.5 AS n, NULL AS z")
    place = ("sql", "export", "--workspace", "shop", "--sql-file", path)
    assert list(csv.reader(io.StringIO(tht(*place).stdout))) == [["t", "n", "z"], ["=1+1", "1.5", ""]]
    assert "'=1+1" in tht(*place, "--guard").stdout
    chosen = tht(
        *place, "--delimiter", ";", "--decimal-comma", "--null", "NULL", "--no-header", "--bom", "--lf"
    )
    assert chosen.stdout == "\ufeff=1+1;1,5;NULL\n"


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
def test_an_export_is_whole_or_not_there(home: Home, tht: Tht, form: str) -> None:
    out = Path(home.root) / f"out.{form}"
    place = ("sql", "export", "--workspace", "shop", "--format", form, "--out", str(out), "--sql-file")
    assert "3 rows in" in tht(*place, sql_file(home, SQL)).stdout
    before = out.read_bytes()
    failing = (
        "SELECT name, abs(CASE name WHEN 'pen' THEN -9223372036854775808 ELSE 1 END) FROM product ORDER BY 1"
    )
    one_line(tht(*place, sql_file(home, failing)), 7)
    assert out.read_bytes() == before
    assert [path.name for path in Path(home.root).glob("out*")] == [out.name]


def start(home: Home, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tht", "--home", home.root, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("sql", [ENDLESS, STUBBORN])
async def test_a_signal_cancels_the_statement(home: Home, number: int, sql: str) -> None:
    out = Path(home.root) / "out.csv"
    place = ("--workspace", "shop", "--sql-file", sql_file(home, sql), "--out", str(out))
    running = start(home, "sql", "export", *place)
    await assert_eventually(lambda: list(Path(home.root).glob("out.csv.*.partial")))
    began = time.monotonic()
    running.send_signal(number)
    _, stderr = running.communicate(timeout=20)
    assert running.returncode == 6 and stderr.startswith("tht: cancelled: ") and stderr.count("\n") == 1
    assert time.monotonic() - began < 6
    assert "out" not in "".join(os.listdir(home.root))


@pytest.mark.parametrize("sql", [ENDLESS, STUBBORN])
def test_a_timeout_is_exit_code_6(home: Home, tht: Tht, sql: str) -> None:
    out = Path(home.root) / "out.csv"
    place = ("--workspace", "shop", "--sql-file", sql_file(home, sql), "--timeout", "0.3")
    one_line(tht("sql", "preview", *place), 6)
    one_line(tht("sql", "export", *place, "--out", str(out)), 6)
    assert not list(Path(home.root).glob("out*"))


def test_a_reader_that_has_enough_is_no_failure(home: Home) -> None:
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT i FROM n"
    running = start(home, "sql", "export", "--workspace", "shop", "--sql-file", sql_file(home, many))
    assert running.stdout and running.stderr
    assert running.stdout.readline() == "i\n"
    running.stdout.close()
    with running.stderr as stderr:
        assert stderr.read() == "" and running.wait(20) == 0


def test_parquet_is_not_for_a_terminal(home: Home) -> None:
    controller, terminal = pty.openpty()
    command = [
        "sql",
        "export",
        "--workspace",
        "shop",
        "--sql-file",
        sql_file(home, SQL),
        "--format",
        "parquet",
    ]
    finished = subprocess.run(
        [sys.executable, "-m", "tht", "--home", home.root, *command],
        stdout=terminal,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(controller)
    os.close(terminal)
    assert finished.returncode == 2 and "--out FILE" in finished.stderr


def test_workspace_check_and_doctor_say_what_is_wrong(home: Home, tht: Tht) -> None:
    (home.workspaces / "nofile.yaml").write_text("dialect: sqlite\nconnection: {path: ../gone.db}")
    (home.workspaces / "unset.yaml").write_text("connection: {url: 'postgresql://u:${NOT_SET_AT_ALL}@h/d'}")
    (home.workspaces / "clear.yaml").write_text("connection: {url: 'mysql://u:hunter2@h/d'}")
    for name, says in (("nofile", "not there"), ("unset", "NOT_SET_AT_ALL"), ("shop", "reached")):
        told = tht("workspace", "check", name)
        assert says in told.stdout and told.stderr == ""
        assert (told.returncode == 0) == (name == "shop"), told.stdout
    told = tht("doctor")
    assert told.returncode == 7 and "Traceback" not in told.stderr
    assert "secret in clear" in told.stdout and "hunter2" not in told.stdout
    listed = as_json(tht("workspace", "list", "--json"))["workspaces"]
    assert [entry["name"] for entry in listed] == ["clear", "nofile", "shop", "unset"]
    shown = as_json(tht("workspace", "show", "clear", "--json"))
    assert "hunter2" not in json.dumps(shown) and "connection" not in shown


def test_a_file_that_is_no_database(home: Home, tht: Tht) -> None:
    (Path(home.root) / "shop.db").write_bytes(b"no database at all" * 100)
    one_line(tht("sql", "preview", "--workspace", "shop", "--sql-file", sql_file(home, SQL)), 7)


def test_the_schema_of_a_workspace(home: Home, tht: Tht) -> None:
    place = ("--workspace", "shop", "--json")
    tables = as_json(tht("schema", "tables", *place))["tables"]
    assert [table["name"] for table in tables] == ["product"]
    columns = as_json(tht("schema", "describe", "product", *place))["columns"]
    assert [column["name"] for column in columns] == ["name", "price"]
    assert as_json(tht("schema", "search", "pric", *place))["matches"][0]["column"] == "price"
    sample = as_json(tht("schema", "sample", "product", *place, "--limit", "2", "--columns", "price"))
    assert [column["name"] for column in sample["columns"]] == ["price"] and len(sample["rows"]) == 2
    assert as_json(tht("schema", "all", *place))["tables"][0]["columns"][0]["name"] == "name"
    for command, says in (
        (["tables"], "product"),
        (["describe", "product"], "price"),
        (["search", "pric"], "price"),
        (["sample", "product"], "ink"),
    ):
        assert says in tht("schema", *command, "--workspace", "shop").stdout


HEAVY = {
    *("typing", "dataclasses", "inspect", "pathlib", "click", "typer", "rich", "msgspec", "yaml", "filelock"),
    *("duckdb", "sqlglot", "pyarrow", "sqlite3", "psycopg", "pymysql", "asyncio", "logging"),
}


@pytest.mark.parametrize(
    ("arguments", "may"),
    [
        (["--help"], set()),
        (["session", "list", "--json"], set()),
        (["session", "show", "{session}"], set()),
        (["phase", "show", "{session}"], set()),
        (["artifact", "list", "{session}"], set()),
        (["decision", "list", "{session}"], set()),
    ],
)
def test_light_commands_import_only_what_they_use(
    home: Home, approved: str, arguments: list[str], may: set[str]
) -> None:
    given = [argument.format(session=approved) for argument in arguments]
    finished = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tht", "--home", home.root, *given],
        capture_output=True,
        text=True,
        check=True,
    )
    baseline = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, text=True
    )

    def imported(told: str) -> set[str]:
        return {line.rpartition("|")[2].strip() for line in told.splitlines()}

    assert (imported(finished.stderr) - imported(baseline.stderr)) & HEAVY <= may


def test_the_locked_database_is_one_line(home: Home, tht: Tht) -> None:
    connection = sqlite3.connect(Path(home.root) / "shop.db", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    place = ("--workspace", "shop", "--sql-file", sql_file(home, SQL), "--timeout", "1")
    finished: Any = tht("sql", "preview", *place)
    connection.close()
    one_line(finished, finished.returncode)
    assert finished.returncode in (6, 7)
