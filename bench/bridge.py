"""The bridge: from a child's write to the HTTP client, through orchestrator and gateway.

Beside it the limit, one process that reads the same pipe and parses every record, and supergateway, which
goes from stdio to SSE in one hop.

    python -m bench.bridge [--runs N] [--records N]
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from bench import peers
from bench.measure import Row, alternate, report
from bench.producer import END
from launcher.pi_choice import PiChoice
from tests.helpers import free_port
from tests.stack import Reviewer, running

PRODUCER = str(Path(__file__).with_name("producer.py"))
READ = 1 << 20
PACED = 100
"""Records a second of the latency measurement."""

LIMIT = """
import os, orjson, sys, subprocess, time
child = subprocess.Popen([sys.argv[1], sys.argv[2], "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
os.write(child.stdin.fileno(), b"go %s %s 0\\n" % (sys.argv[3].encode(), sys.argv[4].encode()))
rest, begun, over = b"", time.perf_counter(), False
while not over:
    *lines, rest = (rest + os.read(child.stdout.fileno(), 262144)).split(b"\\n")
    for line in lines:
        over = orjson.loads(line)["params"]["data"].startswith("THE-END")
print(time.perf_counter() - begun)
child.kill()
"""


class Bridge(Protocol):
    """Something that carries a child's records to HTTP clients."""

    processes: list[psutil.Process]

    def subscribe(self) -> http.client.HTTPResponse:
        """A new event stream."""
        ...

    def order(self, count: int, size: int, per_second: int) -> None:
        """Make the child produce."""
        ...


@dataclass
class ThothII:
    """Our services, one session."""

    url: str
    session: str
    reviewer: Reviewer
    processes: list[psutil.Process]

    def subscribe(self) -> http.client.HTTPResponse:
        """GET /sessions/{id}/events."""
        return _get(self.url, f"/sessions/{self.session}/events")

    def order(self, count: int, size: int, per_second: int) -> None:
        """A steer."""
        self.reviewer.post(f"/sessions/{self.session}/steer", {"text": f"go {count} {size} {per_second}"})


@contextmanager
def thothii() -> Generator[ThothII]:
    """The stack with the producer in Pi's place."""
    command = json.dumps([sys.executable, PRODUCER, "pi"])
    choice = PiChoice("fake_pi", "bench", {"THOTHII_RUNNER": "fake_pi", "THOTHII_PI_COMMAND": command})
    with (
        tempfile.TemporaryDirectory(prefix="thothii-") as name,
        running(Path(name), choice) as stack,
        Reviewer(stack.url) as reviewer,
    ):
        session = reviewer.ask()
        watched = [
            psutil.Process(service.process.pid) for service in stack.services if service.name != "executor"
        ]
        yield ThothII(stack.url, session, reviewer, watched)


@dataclass
class Supergateway:
    """The peer, one child."""

    url: str
    processes: list[psutil.Process]
    messages: str = ""

    def subscribe(self) -> http.client.HTTPResponse:
        """GET /sse; its first event names where messages go."""
        stream = _get(self.url, "/sse")
        while b"data: " not in (line := stream.readline()):
            pass
        self.messages = line.decode().removeprefix("data: ").strip()
        return stream

    def order(self, count: int, size: int, per_second: int) -> None:
        """A JSON-RPC notification."""
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.url, self.messages))
        connection = http.client.HTTPConnection("127.0.0.1", parts.port)
        note = {"jsonrpc": "2.0", "method": f"go {count} {size} {per_second}"}
        headers = {"content-type": "application/json"}
        connection.request("POST", f"{parts.path}?{parts.query}", json.dumps(note), headers)
        connection.getresponse().read()
        connection.close()


@contextmanager
def supergateway() -> Generator[Supergateway]:
    """The peer with the producer as its child."""
    port = free_port()
    command = [*peers.supergateway(), "--stdio", f"{sys.executable} {PRODUCER} mcp", "--port", str(port)]
    with subprocess.Popen([*command, "--logLevel", "none"], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
                break
            except OSError:
                time.sleep(0.05)
        # The node of the wheel is a script that starts the real one.
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        watched = [each for each in family if PRODUCER not in each.cmdline()]
        yield Supergateway(f"http://127.0.0.1:{port}", watched)
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
        process.kill()


def _get(url: str, path: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(url).port, timeout=120)
    connection.request("GET", path)
    return connection.getresponse()


def _until_end(stream: http.client.HTTPResponse, times: list[tuple[float, bytes]] | None = None) -> None:
    """Read to the last record; with `times` keep when each piece came."""
    window = b""
    while END.encode() not in window:
        piece = stream.read1(READ)
        if not piece:
            raise SystemExit(f"an event stream ended before its end: {window[-200:]!r}")
        if times is not None:
            times.append((time.time(), piece))
        window = window[-64:] + piece


def burst(bridge: Bridge, count: int, size: int, cpu: list[float]) -> float:
    """Records a second of one burst; the CPU seconds of the bridge's processes go to `cpu`."""
    stream = bridge.subscribe()
    before = _cpu(bridge)
    began = time.perf_counter()
    bridge.order(count, size, 0)
    _until_end(stream)
    taken = time.perf_counter() - began
    cpu.append(_cpu(bridge) - before)
    stream.close()
    return count / taken


def limit(count: int, size: int) -> float:
    """Records a second of one process that reads the pipe and parses."""
    command = [peers.python_peer("python"), "-c", LIMIT, sys.executable, PRODUCER, str(count), str(size)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return count / float(printed)


def _cpu(bridge: Bridge) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in bridge.processes)


def latencies(bridge: Bridge, seconds: float, subscribers: int, per_second: int) -> list[float]:
    """Seconds from the child's write to the client, of every record to every subscriber."""
    streams = [bridge.subscribe() for _ in range(subscribers)]
    arrived: list[list[tuple[float, bytes]]] = [[] for _ in streams]
    readers = [
        threading.Thread(target=_until_end, args=(stream, times), daemon=True)
        for stream, times in zip(streams, arrived, strict=True)
    ]
    for reader in readers:
        reader.start()
    bridge.order(round(seconds * per_second), 300, per_second)
    for reader in readers:
        reader.join()
    for stream in streams:
        stream.close()
    return [
        moment - float(stamp)
        for times in arrived
        for moment, piece in times
        for stamp in piece.split(b"@")[1::2]
        if stamp.replace(b".", b"").isdigit()
    ]


def bursts(runs: int, records: int) -> list[Row]:
    """Throughput and CPU beside the limit and the peer."""
    rows: list[Row] = []
    targets = {300: (0.8, 3.0, 0.4), 4096: (0.65, 2.3, 0.55)}
    with thothii() as ours, supergateway() as peer:
        for size, (of_limit, of_peer, of_cpu) in targets.items():
            count = records if size == 300 else records // 5
            cpu_ours: list[float] = []
            cpu_peer: list[float] = []
            subjects: dict[str, Callable[[], float]] = {
                "ours": lambda c=count, s=size, u=cpu_ours: burst(ours, c, s, u),
                "limit": lambda c=count, s=size: limit(c, s),
                "peer": lambda c=count, s=size, u=cpu_peer: burst(peer, c, s, u),
            }
            medians = alternate(runs, subjects)
            what = f"burst of {size}-byte records"
            cpu = (statistics.median(cpu_ours), statistics.median(cpu_peer))
            rows += [
                Row(
                    f"{what}, records/s", medians["ours"], "limit", medians["limit"], of_limit, at_most=False
                ),
                Row(
                    f"{what}, records/s",
                    medians["ours"],
                    "supergateway",
                    medians["peer"],
                    of_peer,
                    at_most=False,
                ),
                Row(f"{what}, CPU s", cpu[0], "supergateway", cpu[1], of_cpu),
            ]
    return rows


def paced(runs: int) -> list[Row]:
    """Latency at 100 records a second, and at 50 with 100 subscribers."""
    with thothii() as ours, supergateway() as peer:
        found: dict[str, list[list[float]]] = {"ours": [], "peer": [], "ours100": [], "peer100": []}
        for _ in range(runs):
            found["ours"].append(latencies(ours, 3, 1, PACED))
            found["peer"].append(latencies(peer, 3, 1, PACED))
        for _ in range(max(1, runs // 2)):
            found["ours100"].append(latencies(ours, 3, 100, 50))
            found["peer100"].append(latencies(peer, 3, 100, 50))

    def median_of(name: str, percent: int) -> float:
        return statistics.median(statistics.quantiles(run, n=100)[percent - 1] for run in found[name])

    return [
        Row(
            "1 subscriber, 100 records/s, p50",
            median_of("ours", 50),
            "supergateway",
            median_of("peer", 50),
            1.6,
        ),
        Row(
            "1 subscriber, 100 records/s, p99",
            median_of("ours", 99),
            "supergateway",
            median_of("peer", 99),
            1.5,
        ),
        Row(
            "100 subscribers, 50 records/s, p50",
            median_of("ours100", 50),
            "supergateway",
            median_of("peer100", 50),
            1.1,
        ),
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--records", type=int, default=200_000)
    arguments = parser.parse_args()
    report("Bursts", bursts(arguments.runs, arguments.records), "", 1)
    report("Added latency", paced(arguments.runs), "ms", 1000)


if __name__ == "__main__":
    main()
