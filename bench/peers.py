"""Peers that the benchmarks are compared with, installed below .run/peers for the benchmarks alone."""

import socket
import subprocess
import sys
import time
from pathlib import Path

from launcher.pi_choice import PROJECT

FOLDER = PROJECT / ".run" / "peers"
BIN = Path(sys.executable).parent
SUPERGATEWAY = "supergateway@4.0.0"
PYTHON_PEERS = ("mcp-proxy==0.13.0", "datasette==0.65.5", "orjson~=3.13")


def supergateway() -> list[str]:
    """The command of supergateway, a gateway from stdio to SSE."""
    program = FOLDER / "node_modules" / ".bin" / "supergateway"
    if not program.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "package.json").write_text("{}")
        subprocess.run(
            [BIN / "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", SUPERGATEWAY],
            cwd=FOLDER,
            check=True,
            stdout=sys.stderr,
        )
    return [str(BIN / "node"), str(program.resolve())]


def python_peer(name: str) -> str:
    """The path of a program from PYTHON_PEERS, or of their Python."""
    environment = FOLDER / "python"
    if not (environment / "bin" / "datasette").exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin" / "pip", "install", "-q", *PYTHON_PEERS], check=True)
    return str(environment / "bin" / name)


def wait_for(port: int, process: subprocess.Popen[bytes], seconds: float = 30) -> None:
    """Wait until `process` listens on `port`. Raises SystemExit when it does not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"a peer does not listen on port {port}")
