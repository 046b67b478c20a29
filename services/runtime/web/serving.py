"""HTTP beside a service's own signals, and work that ends with whoever asked for it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Generator
from typing import TypeVar

import uvicorn
from starlette.types import Receive

from contracts.errors import Code, Fault

Result = TypeVar("Result")

WATCH_AFTER_S = 0.02
"""Seconds after which it is seen that a client has gone."""


class Server(uvicorn.Server):
    """uvicorn without its own signal handlers: it would end by the signal, not with exit code 0."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals alone."""
        yield


async def until_gone(receive: Receive) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def while_connected(receive: Receive, working: Awaitable[Result]) -> Result:
    """What `working` gives; cancelled once the client has gone: an aborted call leaves no statement.

    The body must have been read. A client is watched from WATCH_AFTER_S on, so that work which is done sooner
    does not pay for it. Raises Fault CANCELLED when the client goes first.
    """
    current = asyncio.current_task()
    if current is None:
        raise AssertionError("called outside a task")
    working_for: asyncio.Task[object] = current
    cancelling = current.cancelling()
    watching: asyncio.Task[None] | None = None
    gone = False

    async def watch() -> None:
        nonlocal gone
        await until_gone(receive)
        gone = True
        working_for.cancel()

    def begin() -> None:
        nonlocal watching
        watching = asyncio.create_task(watch())

    timer = asyncio.get_running_loop().call_later(WATCH_AFTER_S, begin)
    try:
        return await working
    except asyncio.CancelledError as error:
        # Whoever else cancelled the task has the last word.
        if gone and current.uncancel() <= cancelling:
            raise client_gone() from error
        raise
    finally:
        timer.cancel()
        if watching is not None:
            watching.cancel()


def client_gone() -> Fault:
    """CANCELLED: nobody waits for the answer any more."""
    return Fault(Code.CANCELLED, "the client has gone")
