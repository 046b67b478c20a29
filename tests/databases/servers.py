"""Throw-away PostgreSQL and MariaDB servers on loopback, from the packages of the machine."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers import free_port

PATIENCE_S = 60


def postgres_programs() -> Path | None:
    """The folder of the newest PostgreSQL server of this machine."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    program = shutil.which("postgres")
    return Path(program).resolve().parent if program else None


def _as(user: str, command: list[str]) -> list[str]:
    """Servers refuse to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]


def _own(folder: Path, user: str) -> None:
    folder.mkdir()
    if os.geteuid() == 0:
        shutil.chown(folder, user, user)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended while starting"
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not come up")


@contextmanager
def _running(command: list[str], port: int, stop: signal.Signals) -> Generator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port, process)
        yield
    finally:
        process.send_signal(stop)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def postgres(folder: Path) -> Generator[str]:
    """A running server; gives its libpq string for the superuser, without a database."""
    programs = postgres_programs()
    assert programs is not None
    _own(folder, "postgres")
    data, port = folder / "data", free_port()
    init = [
        str(programs / "initdb"),
        "-D",
        str(data),
        "-U",
        "postgres",
        "--auth=trust",
        "-E",
        "UTF8",
        "--locale=C.UTF-8",
    ]
    subprocess.run(_as("postgres", init), check=True, capture_output=True, cwd="/")
    command = [
        *(str(programs / "postgres"), "-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1"),
        *("-c", f"unix_socket_directories={folder}", "-c", "max_prepared_transactions=5", "-c", "fsync=off"),
    ]
    with _running(_as("postgres", command), port, signal.SIGINT):
        # it answers connections a moment after it listens
        _until_ready(f"host=127.0.0.1 port={port} user=postgres")
        yield f"host=127.0.0.1 port={port} user=postgres"


def _until_ready(dsn: str) -> None:
    import psycopg

    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(f"{dsn} dbname=postgres").close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.1)
        else:
            return


@contextmanager
def mariadb(folder: Path) -> Generator[int]:
    """A running server; gives its port. The account root has no password."""
    _own(folder, "mysql")
    data, port = folder / "data", free_port()
    root = ["--user=mysql"] if os.geteuid() == 0 else []
    subprocess.run(
        [
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            *root,
        ],
        check=True,
        capture_output=True,
    )
    command = [
        *("mariadbd", "--no-defaults", f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1"),
        *(
            f"--socket={folder}/s",
            "--character-set-server=utf8mb4",
            "--innodb-flush-log-at-trx-commit=0",
            *root,
        ),
    ]
    with _running(command, port, signal.SIGTERM):
        yield port
