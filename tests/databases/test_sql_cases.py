"""The read-only cases on the four engines, each through a real worker: the rows of what may run, the refusal
of what may
not, and in both cases an unchanged database, an untouched folder of traps and no connection to the
network."""

import http.server
import json
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from contracts.errors import Code, Fault
from tests.databases.databases import CASES, Database
from tests.databases.worker import Worker

pytestmark = pytest.mark.databases

TOKEN = "CANARY-7f3d1c-TOKEN"
TIMEOUT_S = 3.0
SHORT_TIMEOUT_S = 1.0
PATIENCE_S = 8.0
SERVERS = ("postgres", "mariadb")

EVERY_CASE: list[dict[str, Any]] = yaml.safe_load((CASES / "readonly.yaml").read_text(encoding="utf-8"))[
    "cases"
]
PAIRS = [
    pytest.param(case, dialect, id=f"{case['id']}-{dialect}")
    for dialect in ("sqlite", "duckdb", *SERVERS)
    for case in EVERY_CASE
    if dialect in case["dialects"] and not case.get("dangerous")
]
OUTCOMES = {Code.REFUSED: "refuse", Code.TIMEOUT: "timeout", Code.OVER_CAP: "cap", Code.TOO_LARGE: "cap"}
EXPECTED = {
    "rows": {"allow"},
    "timeout": {"timeout"},
    "cap": {"allow", "cap"},
    "timeout_or_cap": {"timeout", "allow", "cap", "error"},
    "error": {"error"},
}


class Traps:
    """A folder of files that nothing may open or add to, and a port that nothing may connect to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hits = 0
        self.lay()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.hits += 1
                self.send_error(404)

            do_HEAD = do_GET

            def log_message(self, *_: Any) -> None:
                return

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def lay(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.folder.chmod(0o777)
        for name, text in {
            "canary.csv": f"a,b\n1,{TOKEN}\n",
            "canary.txt": TOKEN,
            "canary.json": json.dumps([{"t": TOKEN}]),
            "script.sql": f"select '{TOKEN}'",
        }.items():
            (self.folder / name).write_text(text)
        with sqlite3.connect(self.folder / "other.sqlite") as other:
            other.execute("CREATE TABLE secret (t)")
            other.execute("INSERT INTO secret VALUES (?)", (TOKEN,))
        other.close()
        with duckdb.connect(str(self.folder / "other.duckdb")) as other_duckdb:
            other_duckdb.execute(f"CREATE TABLE secret AS SELECT '{TOKEN}' t")
            other_duckdb.execute(f"COPY (SELECT '{TOKEN}' t) TO '{self.folder}/canary.parquet'")
        for path in self.folder.iterdir():
            path.chmod(0o666)
        self.right = self.state()

    def state(self) -> list[tuple[str, int, int]]:
        return sorted(
            (path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in self.folder.iterdir()
        )


@pytest.fixture(scope="module")
def traps(scratch: Path) -> Iterator[Traps]:
    laid = Traps(scratch / "traps")
    yield laid
    laid.server.shutdown()
    laid.server.server_close()


def fill(sql: str, traps: Traps) -> str:
    values = {
        "TRAP": str(traps.folder),
        "PORT": str(traps.server.server_port),
        "VICTIM": "1",
        "VICTIM_NAME": "x",
    }
    sql = re.sub(r"\{\{(\w+)\}\}", lambda match: values.get(match[1], match[0]), sql)
    sql = re.sub(r"\{\{REP:(\d+):([^}]*)\}\}", lambda match: match[2] * int(match[1]), sql)
    return re.sub(
        r"\{\{SEQ:(\d+):(\d+)\}\}",
        lambda match: ",".join(map(str, range(int(match[1]), int(match[2]) + 1))),
        sql,
    )


def of(case: dict[str, Any], key: str, dialect: str) -> Any:
    value = case.get(key)
    return value[dialect] if isinstance(value, dict) and dialect in value else value


@pytest.mark.parametrize(("case", "dialect"), PAIRS)
@pytest.mark.parametrize("mode", ["preview", "export"])
def test_case(
    mode: str,
    case: dict[str, Any],
    dialect: str,
    database: Callable[[str], Database],
    worker: Callable[[str], Worker],
    traps: Traps,
) -> None:
    laid = database(dialect)
    sql = fill(of(case, "sql", dialect), traps)
    timeout = float(case.get("timeout", TIMEOUT_S))
    if mode == "export" and case.get("outcome", "rows") == "rows":
        timeout = 20.0
    elif case.get("outcome") == "timeout" and "timeout" not in case:
        # On a fast machine the shortest of them (a regular expression) needs less than the usual limit.
        timeout = SHORT_TIMEOUT_S
    began = time.monotonic()
    page: dict[str, Any] = {}
    output = b""
    try:
        if mode == "preview":
            page, _ = worker(dialect).call(
                "sql.preview",
                workspace=dialect,
                sql=sql,
                limit=case.get("limit", 200),
                offset=case.get("offset", 0),
                timeout_s=timeout,
            )
            output = json.dumps(page).encode()
        else:
            _, output = worker(dialect).call(
                "sql.export", workspace=dialect, sql=sql, raw=True, timeout_s=timeout
            )
        outcome = "allow"
    except Fault as fault:
        outcome = OUTCOMES.get(fault.code, "error" if fault.code.kind.exit_code == 7 else fault.code.value)
    took = time.monotonic() - began
    try:
        assert laid.fingerprint() == laid.right
        assert traps.state() == traps.right
        assert traps.hits == 0
    finally:
        traps.hits = 0
        laid.lay()
        if traps.state() != traps.right:
            traps.lay()
    assert TOKEN.encode() not in output
    assert took < timeout + PATIENCE_S
    also = set(case.get("also_ok", ()))
    if case["verdict"] == "refuse":
        assert outcome in {"refuse", "error"} | also
        return
    assert outcome in EXPECTED[case.get("outcome", "rows")] | also
    if mode == "preview" and outcome == "allow":
        check_page(case, dialect, page)


def check_page(case: dict[str, Any], dialect: str, page: dict[str, Any]) -> None:
    rows, names = page["rows"], [column["name"] for column in page["columns"]]
    wanted, columns, check = (
        of(case, "rows", dialect),
        of(case, "columns", dialect),
        of(case, "check", dialect) or {},
    )
    if wanted is not None:
        found, right = [[plain(v) for v in row] for row in rows], [[plain(v) for v in row] for row in wanted]
        assert (found if case.get("ordered", True) else sorted(found, key=str)) == (
            right if case.get("ordered", True) else sorted(right, key=str)
        )
    if columns is not None:
        assert names == list(columns)
    assert len(rows) == check.get("row_count", len(rows))
    assert check.get("min_rows", 0) <= len(rows) <= check.get("max_rows", len(rows))
    if "first_row" in check:
        assert [plain(v) for v in rows[0]] == [plain(v) for v in check["first_row"]]
    assert len(names) == check.get("column_count", len(names))
    assert page["truncated"] == check.get("truncated", page["truncated"])
    if "contains" in check:
        assert check["contains"] in json.dumps(rows, ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value in which 1, 1.0, '1.00' and true are the same, and two spellings of a time."""
    if value is None:
        return None
    if isinstance(value, list | dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    text = {"True": "1", "False": "0", "true": "1", "false": "0"}.get(str(value), str(value))
    if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text):
        try:
            return str(Decimal(text).normalize() + 0)
        except DecimalException:
            return text
    time_ = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d(?::?\d\d)?)?", text)
    if time_:
        zone = {"Z": "+00:00", None: ""}.get(time_[4], time_[4])
        return f"{time_[1]}T{time_[2]}{(time_[3] or '').rstrip('0').rstrip('.')}{zone}"
    return text


VALUES: list[dict[str, Any]] = yaml.safe_load((CASES / "values.yaml").read_text(encoding="utf-8"))["values"]


@pytest.mark.parametrize(("case", "dialect"), [pytest.param(v, v["dialect"], id=v["id"]) for v in VALUES])
def test_value(case: dict[str, Any], dialect: str, worker: Callable[[str], Worker]) -> None:
    page, _ = worker(dialect).call("sql.preview", workspace=dialect, sql=case["sql"], limit=10)
    also = case.get("json_also", {})
    for index, wanted in enumerate(case["json"]):
        cell = page["rows"][0][index]
        accepted = [wanted, *also.get(index, ())]
        assert any(type(cell) is type(value) and cell == value for value in accepted) or (
            isinstance(cell, int | float) and any(not isinstance(v, str) and cell == v for v in accepted)
        )
    _, data = worker(dialect).call("sql.export", workspace=dialect, sql=case["sql"], raw=True)
    body = data.decode().split("\r\n", 1)[1].removesuffix("\r\n")
    assert body in [",".join(row) for row in (case["csv"], *case.get("csv_also", ()))]
