"""Pages of 100 rows at the beginning, a tenth and nine tenths of a large result, by 1, 8 and 32 readers.

Through the gateway and over gRPC, beside Datasette's JSON API on the same SQLite file and the driver alone.
Readers ask for one page again and again, which our executor then has in memory and our gateway asks for once
for all who want it at once; in the rows "each page once" no page is asked for twice, and a worker makes each.

    python -m bench.sql [--rows N] [--runs N] [--seconds S]
"""

import argparse
import http.client
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import grpc
import psutil

from bench import peers
from bench.measure import Row, report
from bench.measurements import SQL, approved_session, write_sqlite, write_workspace
from tests.helpers import free_port
from tests.stack import fake_pi, running
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

PAGE = 100
READERS = (1, 8, 32)
CALLS_TARGETS = {8: 4.0, 32: 5.0}
"""Calls a second beside Datasette, by readers."""

Ask = Callable[[int], None]
"""One page at an offset."""


@dataclass
class Subject:
    """Something that serves pages."""

    open: Callable[[], Ask]
    """A reader of its own."""
    processes: Callable[[], list[psutil.Process]]
    """The processes whose CPU time its pages cost."""


@dataclass
class Taken:
    """What one subject needed for pages at one offset with one number of readers; one item a run."""

    p50: list[float]
    """Seconds of a call."""
    rate: list[float]
    """Calls a second."""
    cpu: list[float]
    """CPU seconds of a call, all its processes together."""


ONCE = -1
"""In place of an offset: a page near the beginning that nobody asked for yet."""

Key = tuple[str, int, int]
"""Subject, offset, readers."""


def http_reader(url: str, method: str, path: Callable[[int], str]) -> Ask:
    """A reader with a connection of its own, kept open."""
    connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(url).port, timeout=120)

    def ask(offset: int) -> None:
        connection.request(method, path(offset))
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path(offset)} answered {answer.status}: {content[:300]!r}")

    return ask


def driver_reader(database: Path) -> Ask:
    """The page from a connection in this process."""
    connection = sqlite3.connect(database, check_same_thread=False)

    def ask(offset: int) -> None:
        connection.execute(f"{SQL} LIMIT {PAGE} OFFSET {offset}").fetchall()

    return ask


@contextmanager
def thothii(folder: Path, database: Path) -> Generator[dict[str, Subject]]:
    """Our services: the gateway in front of the executor, and the executor alone."""
    with running(folder, fake_pi()) as stack:
        write_workspace(stack.home, "bench", "sqlite", {"path": str(database)})
        watched = {service.name: psutil.Process(service.process.pid) for service in stack.services}
        with grpc.insecure_channel(stack.addresses["THOTHII_EXECUTOR_ADDRESS"]) as channel:
            stub = pb_grpc.ExecutorServiceStub(channel)
            session = approved_session(stub, "bench")

            def path(offset: int) -> str:
                return f"/sessions/{session}/sql/preview?limit={PAGE}&offset={offset}"

            def grpc_reader() -> Ask:
                def ask(offset: int) -> None:
                    stub.PreviewSql(pb.PreviewSqlRequest(session_id=session, limit=PAGE, offset=offset))

                return ask

            def executor() -> list[psutil.Process]:
                return [watched["executor"], *watched["executor"].children(recursive=True)]

            yield {
                "gateway": Subject(
                    lambda: http_reader(stack.url, "POST", path), lambda: [watched["gateway"], *executor()]
                ),
                "gRPC": Subject(grpc_reader, executor),
            }


@contextmanager
def datasette(database: Path) -> Generator[dict[str, Subject]]:
    """Datasette on the same file."""
    port = free_port()
    command = [peers.python_peer("datasette"), "serve", "-i", str(database), "--port", str(port)]
    command += ["--setting", "sql_time_limit_ms", "60000"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        peers.wait_for(port, process)

        def path(offset: int) -> str:
            sql = f"{SQL} limit {PAGE} offset {offset}"
            return f"/{database.stem}.json?{urllib.parse.urlencode({'sql': sql, '_shape': 'arrays'})}"

        watched = [psutil.Process(process.pid)]
        try:
            yield {"Datasette": Subject(lambda: http_reader(url, "GET", path), lambda: watched)}
        finally:
            process.terminate()


def pages(
    subject: Subject, readers: int, offset: int, seconds: float, taken: Taken, unread: Iterator[int]
) -> None:
    """Let `readers` ask for the page at `offset` for `seconds`; `unread` has those of ONCE."""
    asks = [subject.open() for _ in range(readers)]
    times: list[float] = []
    failures: list[BaseException] = []

    def read(ask: Ask) -> None:
        try:
            while (began := time.perf_counter()) < end:
                ask(next(unread) if offset == ONCE else offset)
                times.append(time.perf_counter() - began)
        except BaseException as error:
            failures.append(error)

    before, started = _cpu(subject), time.perf_counter()
    end = started + seconds
    threads = [threading.Thread(target=read, args=(ask,)) for ask in asks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    elapsed = time.perf_counter() - started
    taken.p50.append(statistics.median(times))
    taken.rate.append(len(times) / elapsed)
    taken.cpu.append((_cpu(subject) - before) / len(times))


def _cpu(subject: Subject) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in subject.processes())


def measure(
    subjects: Mapping[str, Subject], offsets: list[int], runs: int, seconds: float
) -> dict[Key, Taken]:
    """All subjects in turn at every offset with every number of readers; the first pages of each, which may
    run the statement and wait for its end, are not counted."""
    found: dict[Key, Taken] = {}
    unread = count(1)
    for subject in subjects.values():
        subject.open()(offsets[-1])
        pages(subject, max(READERS), 0, 0.5, Taken([], [], []), unread)
    for _ in range(runs):
        for readers in READERS:
            for offset in (*offsets, ONCE):
                for name, subject in subjects.items():
                    taken = found.setdefault((name, offset, readers), Taken([], [], []))
                    pages(subject, readers, offset, seconds, taken, unread)
    return found


def table(found: Mapping[Key, Taken], offsets: list[int]) -> dict[str, list[Row]]:
    """The rows of the tables of latency, throughput and CPU."""

    def p50(name: str, offset: int) -> float:
        return statistics.median(found[name, offset, 1].p50)

    first, deepest = offsets[0], offsets[-1]
    latency: list[Row] = []
    for offset in (*offsets, ONCE):
        ours, peer = p50("gateway", offset), p50("Datasette", offset)
        target = {first: 0.5, deepest: 0.03}.get(offset)
        latency.append(Row(f"gateway, {_place(offset)}", ours, "Datasette", peer, target))
        alone = p50("driver", offset)
        latency.append(Row(f"gRPC, {_place(offset)}", p50("gRPC", offset), "driver alone", alone, None))
    deep, near = p50("gateway", deepest), p50("gateway", first)
    latency.append(Row(f"gateway, offset {deepest:,}", deep, "gateway, offset 0", near, 1.3))
    rates: list[Row] = []
    costs: list[Row] = []
    for readers in READERS:
        for offset in (*offsets, ONCE):
            what = f"{readers} readers, {_place(offset)}"
            peer = found["Datasette", offset, readers]
            for name in ("gateway", "gRPC"):
                ours = found[name, offset, readers]
                target = CALLS_TARGETS.get(readers) if name == "gateway" and offset == first else None
                rate, other = statistics.median(ours.rate), statistics.median(peer.rate)
                rates.append(Row(f"{name}, {what}", rate, "Datasette", other, target, at_most=False))
                cpu, other = statistics.median(ours.cpu), statistics.median(peer.cpu)
                costs.append(Row(f"{name}, {what}", cpu, "Datasette", other, None))
    return {"p50": latency, "rate": rates, "cpu": costs}


def _place(offset: int) -> str:
    return "each page once" if offset == ONCE else f"offset {offset:,}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4)
    arguments = parser.parse_args()
    offsets = [0, arguments.rows // 10, arguments.rows // 10 * 9]
    with tempfile.TemporaryDirectory(prefix="thothii-") as name:
        folder = Path(name)
        database = folder / "bench.sqlite"
        write_sqlite(database, arguments.rows)
        with thothii(folder, database) as ours, datasette(database) as peer:
            driver = {"driver": Subject(lambda: driver_reader(database), lambda: [psutil.Process()])}
            found = measure({**ours, **peer, **driver}, offsets, arguments.runs, arguments.seconds)
    tables = table(found, offsets)
    title = f"Page of {PAGE} of {arguments.rows:,} rows"
    report(f"{title}, one reader, p50", tables["p50"], "ms", 1000)
    report(f"{title}, calls/s", tables["rate"], "calls/s")
    report(f"{title}, CPU of all processes for a call", tables["cpu"], "ms", 1000)


if __name__ == "__main__":
    main()
