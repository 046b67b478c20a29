"""Start executor, orchestrator and gateway, wait until they are ready, say where, stop on Ctrl-C."""

import argparse
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from launcher.pi_choice import PROJECT, NoUsablePi, PiChoice, choose
from launcher.stack import NotReady, Stack

RUN_FOLDER = PROJECT / ".run"
"""Logs, and `env` with the addresses of the running services."""


def main() -> None:
    """Entry point of `python -m launcher`."""
    parser = argparse.ArgumentParser(prog="launcher", description=__doc__)
    parser.add_argument("--pi", choices=["auto", "real", "fake"], default="auto")
    parser.add_argument("--port", type=int, default=int(os.environ.get("THOTHII_GATEWAY_PORT", "8080")))
    parser.add_argument(
        "--home", type=Path, default=Path(os.environ.get("THOTHII_HOME", PROJECT / "harness"))
    )
    arguments = parser.parse_args()
    try:
        choice = choose(arguments.pi)
    except NoUsablePi as problem:
        sys.exit(f"PI=real cannot run: {problem}")
    if _is_taken(arguments.port):
        sys.exit(f"port {arguments.port} is taken; choose another with THOTHII_GATEWAY_PORT=...")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    addresses = RUN_FOLDER / "env"
    try:
        with Stack(arguments.home.resolve(), arguments.port, choice, RUN_FOLDER) as stack:
            addresses.write_text(
                "".join(f"export {name}={value}\n" for name, value in stack.addresses.items())
            )
            if stack.wait_ready(stopping.is_set):
                _say(stack, choice)
                while not stopping.wait(0.2):
                    stack.check()
    except NotReady as problem:
        sys.exit(str(problem))
    finally:
        addresses.unlink(missing_ok=True)


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _say(stack: Stack, choice: PiChoice) -> None:
    names = sorted(path.stem for path in (stack.home / "workspaces").glob("*.yaml"))
    runner = "the real Pi" if choice.runner == "pi" else "fake Pi, a scripted model"
    print(f"ThothII    {stack.url}")
    print(f"workspace  {', '.join(names) or 'none: add a file to ' + str(stack.home / 'workspaces')}")
    print(f"Pi         {runner}: {choice.reason}")
    print('ask        .venv/bin/thothii ask "Which carrier had the worst average arrival delay in 2013?"')
    print("stop       Ctrl-C", flush=True)


if __name__ == "__main__":
    main()
