"""The first page of a statement that takes long: beside the time after which the driver alone has those rows.

The statement sorts a large table by a column without index, so that its first row comes late and the rest at
once after it.

    python -m bench.first_page [--rows N] [--runs N]
"""

import argparse
import sqlite3
import tempfile
import time
from pathlib import Path

import grpc

from bench.measure import Row, alternate, report, wall_seconds
from bench.measurements import approved_session, write_sqlite, write_workspace
from tests.stack import fake_pi, running
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

PAGE = 100
SORTED = "SELECT * FROM measurement ORDER BY h % 1000, f"
TARGET = 1.2


def driver(database: Path) -> float:
    """Seconds until the driver alone has the rows of a page."""
    connection = sqlite3.connect(database)
    seconds = wall_seconds(lambda: connection.execute(SORTED).fetchmany(PAGE))
    connection.close()
    return seconds


def page(stub: pb_grpc.ExecutorServiceStub, session: str) -> float:
    """Seconds until the executor gives the first page of a fresh run; then waits for the run's end."""
    began = time.perf_counter()
    stub.PreviewSql(pb.PreviewSqlRequest(session_id=session, limit=PAGE, fresh=True))
    seconds = time.perf_counter() - began
    # A page from behind the last row comes when all rows are kept.
    stub.PreviewSql(pb.PreviewSqlRequest(session_id=session, limit=1, offset=1 << 40))
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="thothii-") as name:
        folder = Path(name)
        database = folder / "bench.sqlite"
        write_sqlite(database, arguments.rows)
        with running(folder, fake_pi()) as stack:
            write_workspace(stack.home, "bench", "sqlite", {"path": str(database)})
            with grpc.insecure_channel(stack.addresses["THOTHII_EXECUTOR_ADDRESS"]) as channel:
                stub = pb_grpc.ExecutorServiceStub(channel)
                session = approved_session(stub, "bench", SORTED)
                found = alternate(
                    arguments.runs,
                    {"page": lambda: page(stub, session), "driver": lambda: driver(database)},
                )
    row = Row(f"first {PAGE} rows, gRPC", found["page"], "driver alone", found["driver"], TARGET)
    report(f"First page of a sort of {arguments.rows:,} rows", [row])


if __name__ == "__main__":
    main()
