"""The pool of warm workers: who gets which worker, and when one is thrown away."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from typing import Any

import structlog

from contracts.errors import Code, Fault
from services.tht_executor.output import WorkerDied
from services.tht_executor.turns import Turns
from services.tht_executor.worker import Head, Result, Worker

END_DEADLINE = 15.0
"""Seconds to end what a dead worker left at a server."""

_log = structlog.get_logger(__name__)


class WorkerPool:
    """At most `size` workers; calls wait for their turn.

    Args:
        start: makes a ready worker.
        size: most workers at once.
        queue: calls that may wait; the next one is refused with BUSY.
        wait: seconds a call waits before it is refused with BUSY.
        idle: seconds after which an idle worker ends, unless it is the last one.
    """

    def __init__(
        self, start: Callable[[], Awaitable[Worker]], *, size: int, queue: int, wait: float, idle: float
    ) -> None:
        self._start = start
        self._size = size
        self._turns = Turns(size, queue, wait)
        self._idle_seconds = idle
        self._idle: list[Worker] = []
        self._trimming: asyncio.Task[None] | None = None
        self._after: set[asyncio.Task[None]] = set()
        """Work that nobody waits for."""

    async def open(self) -> None:
        """Start the first worker, so that no call pays for it, and trim idle ones from now on."""
        async with self._lease("", ""):
            pass
        self._trimming = asyncio.create_task(self._trim())

    async def close(self) -> None:
        """End every idle worker; those at work are ended by whoever holds them."""
        if self._trimming is not None:
            self._trimming.cancel()
        self._size = 0
        for task in list(self._after):
            task.cancel()
        await asyncio.gather(*self._after, return_exceptions=True)
        while self._idle:
            await self._idle.pop().close()

    @property
    def busy(self) -> int:
        """Workers at work."""
        return self._turns.taken

    async def call(
        self, operation: str, arguments: Mapping[str, Any], *, affinity: str, asker: str, deadline: float
    ) -> bytes:
        """Run one operation on a worker. Returns its result, a JSON object as bytes.

        `affinity` names what the call is about, by the workspace: calls about the same thing meet a warm
        connection. `asker` names who asks: askers take turns. `deadline` is in seconds from when a worker is
        at hand; past it the worker is killed and the call fails with TIMEOUT. An answer that comes early
        leaves the worker taken until the operation has ended. Raises Fault BUSY without a free worker,
        INTERNAL when the worker died.
        """
        async with contextlib.AsyncExitStack() as stack:
            worker = await stack.enter_async_context(self._lease(affinity, asker))
            parts = await stack.enter_async_context(contextlib.aclosing(worker.stream(operation, arguments)))
            end = asyncio.get_running_loop().time() + deadline
            while (part := await self._part(worker, parts, operation, end)) is not None:
                if isinstance(part, Result):
                    if part.early:
                        self._leave(stack.pop_all(), worker, parts, operation, end)
                    return part.json
        raise await _died(worker, operation)

    def _leave(
        self,
        held: contextlib.AsyncExitStack,
        worker: Worker,
        parts: AsyncGenerator[Head | bytes | Result],
        operation: str,
        end: float,
    ) -> None:
        """Let an operation that has answered come to its end; nobody waits for it."""

        async def rest() -> None:
            async with held:
                try:
                    while await self._part(worker, parts, operation, end) is not None:
                        pass
                except Fault as fault:
                    _log.warning("failed after its answer", operation=operation, code=fault.code.value)

        self._background(rest())

    async def _part(
        self, worker: Worker, parts: AsyncGenerator[Head | bytes | Result], operation: str, end: float
    ) -> Head | bytes | Result | None:
        """The next part of an answer, None after the last; `end`: loop time until when it must be there."""
        try:
            async with asyncio.timeout_at(end):
                return await anext(parts, None)
        except TimeoutError:
            raise _overdue(operation) from None
        except WorkerDied:
            raise await _died(worker, operation) from None

    async def stream(
        self, operation: str, arguments: Mapping[str, Any], *, affinity: str, asker: str, deadline: float
    ) -> AsyncGenerator[Head | bytes | Result]:
        """Run one streaming operation: head, chunks, result. `deadline` bounds the time to each part."""
        async with (
            self._lease(affinity, asker) as worker,
            contextlib.aclosing(worker.stream(operation, arguments)) as parts,
        ):
            now = asyncio.get_running_loop().time
            while (part := await self._part(worker, parts, operation, now() + deadline)) is not None:
                yield part

    @contextlib.asynccontextmanager
    async def _lease(self, affinity: str, asker: str) -> AsyncGenerator[Worker]:
        """One worker for one call; a broken one is killed afterwards."""
        await self._turns.take(asker)
        worker: Worker | None = None
        try:
            worker = self._pick(affinity) or await self._start()
            worker.affinity = affinity
            yield worker
        finally:
            if worker is not None:
                await self._keep(worker)
            if worker is not None and worker.connection is not None and self._size > 0:
                self._background(self._end_at_server(worker.affinity, worker.connection))
            else:
                self._turns.give()

    async def _end_at_server(self, workspace: str, connection: int) -> None:
        """End what a dead worker left running at its database's server, in the dead one's place."""
        _log.warning("ending a dead worker's connection", workspace=workspace, connection=connection)
        try:
            worker = await self._start()
            try:
                async with asyncio.timeout(END_DEADLINE):
                    arguments = {"workspace": workspace, "connection": connection}
                    async for _ in worker.stream("sql.end", arguments):
                        pass
            except (Fault, TimeoutError, WorkerDied) as error:
                _log.error("it may still run", workspace=workspace, reason=str(error))
            await self._keep(worker)
        except Fault as fault:
            _log.error("it may still run", workspace=workspace, reason=fault.message)
        finally:
            self._turns.give()

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._after.add(task)
        task.add_done_callback(self._after.discard)

    async def _keep(self, worker: Worker) -> None:
        """Make a worker idle, or kill it when it is of no more use."""
        if worker.alive and self._size > 0:
            worker.idle_since = asyncio.get_running_loop().time()
            self._idle.append(worker)
        else:
            # The kill must not be lost when the caller is cancelled once more.
            await asyncio.shield(worker.kill())

    def _pick(self, affinity: str) -> Worker | None:
        """An idle worker, by preference one whose last call was about the same thing."""
        self._idle = [worker for worker in self._idle if worker.alive]
        if not self._idle:
            return None
        warm = [worker for worker in self._idle if worker.affinity == affinity]
        chosen = (warm or self._idle)[-1]
        self._idle.remove(chosen)
        return chosen

    async def _trim(self) -> None:
        """End workers that have been idle for long, but keep one."""
        while True:
            await asyncio.sleep(self._idle_seconds / 4)
            now = asyncio.get_running_loop().time()
            for worker in self._idle[:-1]:
                if now - worker.idle_since > self._idle_seconds:
                    self._idle.remove(worker)
                    await worker.close()


def _overdue(operation: str) -> Fault:
    return Fault(Code.TIMEOUT, f"{operation} ran past its time limit and was stopped", operation=operation)


async def _died(worker: Worker, operation: str) -> Fault:
    code = await worker.kill()
    _log.error("worker died", operation=operation, exit_code=code)
    return Fault(
        Code.INTERNAL,
        "the SQL worker ended in the middle of the call, perhaps for want of memory; the next one is new",
        operation=operation,
        exit_code=code,
    )
