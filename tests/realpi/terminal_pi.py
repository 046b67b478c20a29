"""Pi's own terminal UI, driven by a test through a pseudo terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tests.realpi.pi_process import PI_CLI, find_node

DEADLINE_S = 30.0
CONTROL = re.compile(rb"\x1b(?:\[[0-9;?<>=:]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[_P][^\x1b]*\x1b\\|.)")


class TerminalPi:
    """One `pi` in a terminal of 60 lines. What it drew is kept as text, without colours and positions."""

    def __init__(self, arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str]) -> None:
        node = find_node()
        assert node, "no node: run `make pi`"
        self._terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
        self._process = subprocess.Popen(
            [node, str(PI_CLI), *arguments],
            cwd=cwd,
            env={"PI_OFFLINE": "1", "LANG": "C.UTF-8", "TERM": "xterm-256color", **environment},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        self._drawn = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._terminal, 65536)
            except OSError:  # EIO is how a pseudo terminal says that the other side is gone
                return
            self._drawn.extend(piece)

    def text(self, since: int = 0) -> str:
        """What was drawn from position `since` on."""
        return CONTROL.sub(b"", bytes(self._drawn[since:])).decode(errors="replace")

    def position(self) -> int:
        """Where the drawing stands now, for `since`."""
        return len(self._drawn)

    def enter(self, text: str) -> None:
        """Type a line, see it drawn, press Enter."""
        since = self.position()
        os.write(self._terminal, text.encode())
        self.wait_for(lambda: text in self.text(since))
        self.press("\r")

    def press(self, key: str) -> None:
        """One key."""
        os.write(self._terminal, key.encode())

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; fails with the last lines of the screen."""
        until = time.monotonic() + DEADLINE_S
        while not holds():
            assert time.monotonic() < until, f"time is up; drawn: {self.text()[-3000:]}"
            time.sleep(0.02)

    def __enter__(self) -> "TerminalPi":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._reader.join(5)
        os.close(self._terminal)
