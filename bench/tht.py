"""A page of 100 rows through the executor, beside the driver alone and beside a cold `tht sql preview`.

A page that is asked for again comes from the executor's memory; "a page for the first time" is a worker's.

python -m bench.tht [--calls N] [--runs N]
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.measure import Row, alternate, report, wall_seconds
from bench.measurements import SQL, approved_session, write_sqlite, write_workspace
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

ROWS = 100_000
PAGE = 100
TARGET_SUM = 1.5
TARGET_COLD = 1 / 250


def make_home(home: Path) -> Path:
    """A home with a SQLite workspace of ROWS rows and ten columns; the database file."""
    (home / "workspaces").mkdir()
    database = home / "bench.sqlite"
    write_sqlite(database, ROWS)
    write_workspace(home, "bench", "sqlite", {"path": "../bench.sqlite"})
    return database


def p50(calls: int, call: Callable[[], object]) -> Callable[[], float]:
    """The median time of one call among `calls` in a row."""
    return lambda: statistics.median(wall_seconds(call) for _ in range(calls))


def driver_alone(database: Path) -> Callable[[], object]:
    """The page with a warm connection in this process."""
    connection = sqlite3.connect(database)
    return lambda: connection.execute(SQL).fetchmany(PAGE)


def cold_preview(home: Path) -> Callable[[], object]:
    """The page by a new process of the command line."""
    draft = home / "draft.sql"
    draft.write_text(SQL)
    tht = str(Path(sys.executable).with_name("tht"))
    command = [
        tht,
        "--home",
        str(home),
        "sql",
        "preview",
        "--workspace",
        "bench",
        "--sql-file",
        str(draft),
        "--json",
    ]
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def start_executor(home: Path, address: str) -> subprocess.Popen[bytes]:
    """The executor as its own process."""
    environment = {**os.environ, "THOTHII_HOME": str(home), "THOTHII_EXECUTOR_ADDRESS": address}
    return subprocess.Popen(
        [sys.executable, "-m", "services.tht_executor"], env=environment, stderr=subprocess.DEVNULL
    )


def measure(calls: int, runs: int) -> list[Row]:
    """The table's rows."""
    with tempfile.TemporaryDirectory(prefix="thothii-") as name:
        home = Path(name)
        database = make_home(home)
        address = f"unix:{home}/executor.sock"
        executor = start_executor(home, address)
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(timeout=60)
                stub = pb_grpc.ExecutorServiceStub(channel)
                empty: Callable[[Any], object] = cast(Any, health_pb2_grpc.HealthStub(channel)).Check
                session = approved_session(stub, "bench")
                page = pb.PreviewSqlRequest(session_id=session, limit=PAGE)
                deep = pb.PreviewSqlRequest(session_id=session, limit=PAGE, offset=ROWS - PAGE)
                unread = count(1)

                def new_page() -> object:
                    return stub.PreviewSql(
                        pb.PreviewSqlRequest(session_id=session, limit=PAGE, offset=next(unread))
                    )

                medians = alternate(
                    runs,
                    {
                        "page": p50(calls, lambda: stub.PreviewSql(page)),
                        "new": p50(calls, new_page),
                        "deep": p50(calls, lambda: stub.PreviewSql(deep)),
                        "empty": p50(calls, lambda: empty(health_pb2.HealthCheckRequest())),
                        "driver": p50(calls, driver_alone(database)),
                        "cold": p50(1, cold_preview(home)),
                    },
                )
        finally:
            executor.terminate()
            executor.wait()
    together = medians["empty"] + medians["driver"]
    return [
        Row("page over gRPC", medians["page"], "empty call + driver alone", together, TARGET_SUM),
        Row("a page for the first time", medians["new"], "empty call + driver alone", together, TARGET_SUM),
        Row("page over gRPC", medians["page"], "cold tht sql preview", medians["cold"], TARGET_COLD),
        Row("page at the end of the result", medians["deep"], "our page at offset 0", medians["page"], 1.3),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    report(f"Page of {PAGE} rows, p50", measure(arguments.calls, arguments.runs), "ms", 1000)


if __name__ == "__main__":
    main()
