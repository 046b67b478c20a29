"""What tests of every level share."""

import asyncio
import inspect
import socket
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

Value = TypeVar("Value")


async def assert_eventually(
    probe: Callable[[], Value | Awaitable[Value]], seconds: float = 10.0, interval: float = 0.01
) -> Value:
    """Ask `probe` until it gives something true, and return that; fail after `seconds`.

    A probe that raises AssertionError has not succeeded yet; its last reason is shown.
    """
    deadline = time.monotonic() + seconds
    reason = "the probe gave nothing true"
    while True:
        try:
            given = probe()
            value = await given if inspect.isawaitable(given) else given
            if value:
                return value
        except AssertionError as error:
            reason = str(error)
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {reason}")
        await asyncio.sleep(interval)


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
