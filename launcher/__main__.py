"""Start executor, orchestrator and gateway, wait until they are ready, say where, stop on Ctrl-C."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from launcher import services
from launcher.pi_choice import PROJECT, NoUsablePi, PiChoice, choose

READY_DEADLINE = 60
"""Seconds for all three services to become ready."""

MODULES = {
    "executor": "services.tht_executor",
    "orchestrator": "services.orchestrator",
    "gateway": "services.gateway",
}


def main() -> None:
    """Entry point of `python -m launcher`."""
    parser = argparse.ArgumentParser(prog="launcher", description=__doc__)
    parser.add_argument("--pi", choices=["auto", "real", "fake"], default="auto")
    parser.add_argument("--port", type=int, default=int(os.environ.get("THOTHII_GATEWAY_PORT", "8080")))
    parser.add_argument("--home", type=Path, default=PROJECT / "harness")
    arguments = parser.parse_args()
    try:
        choice = choose(arguments.pi)
    except NoUsablePi as problem:
        sys.exit(f"PI=real cannot run: {problem}")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    runtime = Path(tempfile.mkdtemp(prefix="thothii-"))
    try:
        sys.exit(_run(arguments.home.resolve(), arguments.port, choice, runtime, stopping))
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


def _run(home: Path, port: int, choice: PiChoice, runtime: Path, stopping: threading.Event) -> int:
    """Run until `stopping`; the exit code is 1 when a service ended by itself."""
    logs = PROJECT / ".run"
    logs.mkdir(exist_ok=True)
    addresses = {
        # A private folder: on a Unix socket no other account reaches gRPC.
        "THOTHII_EXECUTOR_ADDRESS": f"unix:{runtime}/executor.sock",
        "THOTHII_ORCHESTRATOR_ADDRESS": f"unix:{runtime}/orchestrator.sock",
    }
    environment = {
        **addresses,
        **choice.environment,
        "THOTHII_RUNNER_REASON": choice.reason,
        "THOTHII_HOME": str(home),
        "THOTHII_GATEWAY_PORT": str(port),
    }
    (logs / "env").write_text("".join(f"export {name}={value}\n" for name, value in addresses.items()))
    running: list[services.Service] = []
    try:
        for name, module in MODULES.items():
            running.append(services.start(name, module, environment, logs))
        url = f"http://127.0.0.1:{port}"
        if not _wait_ready(url, running, stopping):
            return 0 if stopping.is_set() else _report(running)
        _say(url, home, choice)
        while not stopping.wait(0.2):
            if any(service.process.poll() is not None for service in running):
                return _report(running)
        return 0
    finally:
        services.stop(running)
        (logs / "env").unlink(missing_ok=True)


def _wait_ready(url: str, running: list[services.Service], stopping: threading.Event) -> bool:
    deadline = time.monotonic() + READY_DEADLINE
    while time.monotonic() < deadline and not stopping.wait(0.1):
        if any(service.process.poll() is not None for service in running):
            return False
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=2) as answer:
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            continue
    return False


def _say(url: str, home: Path, choice: PiChoice) -> None:
    names = sorted(path.stem for path in (home / "workspaces").glob("*.yaml"))
    runner = "the real Pi" if choice.runner == "pi" else "fake Pi, a scripted model"
    print(f"ThothII    {url}")
    print(f"workspace  {', '.join(names) or 'none: add a file to ' + str(home / 'workspaces')}")
    print(f"Pi         {runner}: {choice.reason}")
    print('ask        .venv/bin/thothii ask "Which carrier had the worst average arrival delay in 2013?"')
    print("stop       Ctrl-C", flush=True)


def _report(running: list[services.Service]) -> int:
    ended = next((service for service in running if service.process.poll() is not None), None)
    if ended is None:
        print(f"the services were not ready within {READY_DEADLINE} s; see .run/*.log", file=sys.stderr)
    else:
        print(f"the {ended.name} ended (exit code {ended.process.returncode}):", file=sys.stderr)
        print(ended.last_words(), file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
