"""HTTP beside a service's own signals, and work that ends with whoever asked for it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Generator
from typing import TypeVar

import uvicorn
from starlette.types import Receive

from contracts.errors import Code, Fault

Result = TypeVar("Result")


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

    The body must have been read. Raises Fault CANCELLED when the client goes first.
    """
    task = asyncio.ensure_future(working)
    gone = asyncio.ensure_future(until_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise client_gone()
        return await task
    finally:
        task.cancel()
        gone.cancel()


def client_gone() -> Fault:
    """CANCELLED: nobody waits for the answer any more."""
    return Fault(Code.CANCELLED, "the client has gone")
