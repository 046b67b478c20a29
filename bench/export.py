"""A large result as CSV through the gateway, beside the databases' own programs and Datasette's stream.

Every export is a fresh run of the statement. Memory is each process's own (mapped files left out), the most
while the download runs above what it was before, with drivers loaded.

    python -m bench.export [--rows N] [--runs N] [--datasette-rows N]
"""

import argparse
import http.client
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import grpc
import psutil

from bench import peers
from bench.measure import Row, alternate, report
from bench.measurements import (
    SQL,
    approved_session,
    write_duckdb,
    write_postgres,
    write_sqlite,
    write_workspace,
)
from tests.databases.servers import postgres, postgres_programs
from tests.helpers import free_port
from tests.stack import fake_pi, running
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

READ = 1 << 20
SAMPLE_S = 0.02
SQLITE, DUCKDB_COPY, PSQL, DATASETTE = "sqlite3 -csv", "duckdb COPY", "psql COPY", "Datasette stream"
COMPARED = (
    ("sqlite", SQLITE, 1.0),
    ("duckdb", DUCKDB_COPY, 0.8),
    ("postgres", PSQL, 0.8),
    ("sqlite", DATASETTE, 10.0),
)
"""Our export, its peer, and how many times the peer's rows a second are wanted."""
MEMORY_TARGET = 40
"""MiB that a process may take for an export."""
DUCKDB = (
    "import duckdb, sys; connection = duckdb.connect(sys.argv[1], read_only=True); "
    f"connection.execute(\"COPY ({SQL}) TO '/dev/stdout' (FORMAT csv, HEADER)\")"
)


@dataclass
class Download:
    """What one export gave."""

    lines: int
    size: int
    seconds: float
    cpu: float
    """CPU seconds of the processes that made it."""

    @property
    def width(self) -> float:
        """Bytes of a row."""
        return self.size / self.lines


def kept(run: Callable[[], Download], taken: list[Download]) -> Callable[[], float]:
    """Rows a second of one run; what it gave goes to `taken`."""

    def once() -> float:
        download = run()
        taken.append(download)
        return download.lines / download.seconds

    return once


def counted(pieces: Iterator[bytes], cpu: Callable[[], float]) -> Download:
    """Read to the end."""
    before, began = cpu(), time.perf_counter()
    lines = size = 0
    for piece in pieces:
        lines += piece.count(b"\n")
        size += len(piece)
    return Download(lines - 1, size, time.perf_counter() - began, cpu() - before)


def program(command: list[str]) -> Download:
    """The output of a program, with its start."""
    before, began = psutil.Process().cpu_times(), time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        download = counted(_pieces(process), lambda: 0.0)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed")
    after = psutil.Process().cpu_times()
    download.seconds = time.perf_counter() - began
    download.cpu = sum(after[2:4]) - sum(before[2:4])
    return download


def _pieces(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    while piece := os.read(descriptor, READ):
        yield piece


def fetch(url: str, method: str, path: str, cpu: Callable[[], float]) -> Download:
    """The body of an HTTP answer."""
    connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(url).port, timeout=600)

    def pieces() -> Iterator[bytes]:
        connection.request(method, path)
        answer = connection.getresponse()
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}: {answer.read(300)!r}")
        while piece := answer.read1(READ):
            yield piece

    download = counted(pieces(), cpu)
    connection.close()
    return download


class Memory:
    """Samples the processes' own memory; the most of each above its first sample."""

    def __init__(self, processes: Callable[[], dict[str, psutil.Process]]) -> None:
        self._processes = processes
        self.before = self._sample()
        self.most = dict(self.before)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> dict[str, int]:
        return {name: _own(process) for name, process in self._processes().items()}

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_S):
            for name, size in self._sample().items():
                self.before.setdefault(name, size)
                self.most[name] = max(self.most.get(name, 0), size)


def _own(process: psutil.Process) -> int:
    memory = process.memory_info()
    return memory.rss - memory.shared


@dataclass
class ThothII:
    """Our services with a session on each database."""

    url: str
    sessions: dict[tuple[str, str], str]
    """By workspace and by how much they read."""
    services: dict[str, psutil.Process]

    def processes(self) -> dict[str, psutil.Process]:
        """Gateway, executor and its workers."""
        workers = self.services["executor"].children(recursive=True)
        return {**self.services, **{f"worker {i}": worker for i, worker in enumerate(workers, 1)}}

    def cpu(self) -> float:
        """CPU seconds of all of them until now."""
        return sum(sum(process.cpu_times()[:2]) for process in self.processes().values())

    def export(self, workspace: str, reads: str = "all") -> Download:
        """The whole result of a session on `workspace`."""
        path = f"/sessions/{self.sessions[workspace, reads]}/sql/export?format=csv&raw=true"
        return fetch(self.url, "POST", path, self.cpu)


@contextmanager
def thothii(folder: Path, connections: dict[str, dict[str, object]]) -> Generator[ThothII]:
    """The stack with a workspace for each database."""
    with running(folder, fake_pi()) as stack:
        sessions: dict[tuple[str, str], str] = {}
        with grpc.insecure_channel(stack.addresses["THOTHII_EXECUTOR_ADDRESS"]) as channel:
            stub = pb_grpc.ExecutorServiceStub(channel)
            for dialect, connection in connections.items():
                write_workspace(stack.home, dialect, dialect, connection)
                for reads, sql in {"all": SQL, "one": f"{SQL} LIMIT 1"}.items():
                    sessions[dialect, reads] = approved_session(stub, dialect, sql)
        watched = {
            service.name: psutil.Process(service.process.pid)
            for service in stack.services
            if service.name != "orchestrator"
        }
        yield ThothII(stack.url, sessions, watched)


@contextmanager
def datasette(database: Path) -> Generator[Callable[[], Download]]:
    """Datasette's stream of the table."""
    port = free_port()
    command = [peers.python_peer("datasette"), "serve", "-i", str(database), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        peers.wait_for(port, process)
        watched = psutil.Process(process.pid)
        path = f"/{database.stem}/measurement.csv?_stream=on&_size=max"
        try:
            yield lambda: fetch(f"http://127.0.0.1:{port}", "GET", path, lambda: sum(watched.cpu_times()[:2]))
        finally:
            process.terminate()


@contextmanager
def postgres_server(folder: Path, rows: int) -> Generator[str | None]:
    """The table on a server of our own; its libpq string, None when the machine has no server."""
    if postgres_programs() is None or shutil.which("psql") is None:
        print("no PostgreSQL here: psql COPY is left out", file=sys.stderr)
        yield None
        return
    folder.chmod(0o755)  # the server runs as another user
    with postgres(folder / "pg") as dsn:
        write_postgres(f"{dsn} dbname=postgres", rows)
        yield f"{dsn} dbname=postgres"


def measure(rows: int, runs: int, peer_rows: int) -> dict[str, list[Row]]:
    """The rows of the tables of speed, CPU and memory."""
    with tempfile.TemporaryDirectory(prefix="thothii-") as name, ExitStack() as stack:
        folder = Path(name)
        files = {kind: folder / f"bench.{kind}" for kind in ("sqlite", "duckdb", "small")}
        write_sqlite(files["sqlite"], rows)
        write_sqlite(files["small"], peer_rows)
        write_duckdb(files["duckdb"], rows)
        connections: dict[str, dict[str, object]] = {
            kind: {"path": str(files[kind])} for kind in ("sqlite", "duckdb")
        }
        copy_duckdb = [sys.executable, "-c", DUCKDB, str(files["duckdb"])]
        runners: dict[str, Callable[[], Download]] = {
            SQLITE: lambda: program(["sqlite3", "-csv", "-header", str(files["sqlite"]), SQL]),
            DUCKDB_COPY: lambda: program(copy_duckdb),
        }
        dsn = stack.enter_context(postgres_server(folder, rows))
        if dsn is not None:
            connections["postgres"] = {"url": _url(dsn)}
            copy = ["psql", "-X", "-q", dsn, "-c", f"COPY ({SQL}) TO STDOUT (FORMAT csv, HEADER)"]
            runners[PSQL] = lambda: program(copy)
        ours = stack.enter_context(thothii(folder, connections))
        runners[DATASETTE] = stack.enter_context(datasette(files["small"]))
        memory = [row for dialect in connections for row in memory_rows(ours, dialect)]
        for dialect in connections:
            runners[dialect] = partial(ours.export, dialect)
        taken: dict[str, list[Download]] = {}
        rates = alternate(
            runs, {name: kept(run, taken.setdefault(name, [])) for name, run in runners.items()}
        )
    cpu = {name: statistics.median(d.cpu / d.lines for d in downloads) for name, downloads in taken.items()}
    compared = [pair for pair in COMPARED if pair[0] in rates and pair[1] in rates]
    return {
        "rates": [Row(f"from {a}", rates[a], b, rates[b], least, at_most=False) for a, b, least in compared],
        "bytes": [
            Row(f"from {a}", rates[a] * taken[a][0].width, b, rates[b] * taken[b][0].width, None)
            for a, b, _ in compared
        ],
        # psql's own CPU is none of the server's, which does the work.
        "cpu": [Row(f"from {a}", cpu[a], b, cpu[b], None) for a, b, _ in compared if b != PSQL],
        "memory": memory,
    }


def memory_rows(ours: ThothII, dialect: str) -> list[Row]:
    """What each process takes for an export above what it holds when it has made a small one."""
    ours.export(dialect, "one")
    with Memory(ours.processes) as memory:
        ours.export(dialect, "all")
    return [
        Row(f"{name}, export from {dialect}", most - memory.before[name], "allowed", MEMORY_TARGET << 20, 1.0)
        for name, most in memory.most.items()
    ]


def _url(dsn: str) -> str:
    parts = dict(item.split("=") for item in dsn.split())
    return f"postgresql://{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--datasette-rows", type=int, default=20_000)
    arguments = parser.parse_args()
    tables = measure(arguments.rows, arguments.runs, arguments.datasette_rows)
    title = f"CSV of {arguments.rows:,} x 10 (Datasette: {arguments.datasette_rows:,})"
    report(f"{title}, thousand rows/s", tables["rates"], "", 1e-3)
    report(f"{title}, MB/s", tables["bytes"], "", 1e-6)
    report(f"{title}, CPU of all processes for a million rows", tables["cpu"], "s", 1e6)
    report(f"{title}, memory above idle", tables["memory"], "MiB", 1 / (1 << 20))


if __name__ == "__main__":
    main()
