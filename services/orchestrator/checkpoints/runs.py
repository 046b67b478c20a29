"""Runs of plans, each in a thread: at most so many at once, watched while they last, stopped in order."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import structlog

from contracts.errors import Code, Fault

STOP_SECONDS = 10.0
"""How long runs have to clean up after themselves when the orchestrator stops; a later run of the plan would
do it as well."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """A step or event of a run."""

    name: str
    detail: str
    elapsed_ms: int


class Run:
    """One run, seen from the loop that began it."""

    def __init__(self, plan_id: str) -> None:
        self.plan_id = plan_id
        self.stop = threading.Event()
        """When set, the run ends at its next step before the ref exists, and cleans up."""
        self.work: asyncio.Future[dict[str, Any]]
        """Gives the receipt; set when the thread is asked for."""
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._steps: asyncio.Queue[Step | None] = asyncio.Queue()

    def tell(self, name: str, detail: str) -> None:
        """Called in the thread of the run."""
        step = Step(name, detail, round((time.monotonic() - self._began) * 1000))
        self._loop.call_soon_threadsafe(self._steps.put_nowait, step)

    def end(self) -> None:
        """No step follows."""
        self._steps.put_nowait(None)

    async def steps(self) -> AsyncIterator[Step]:
        """The steps as they come, for one reader."""
        while (step := await self._steps.get()) is not None:
            yield step


class Runs:
    """All runs of this orchestrator.

    Args:
        limit: runs at the same time.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # Threads of their own: a run takes minutes, and what others do in threads must not wait for it.
        self._threads = ThreadPoolExecutor(limit, "continuation")
        self._active: set[Run] = set()
        self._stopping = False

    @property
    def active(self) -> int:
        """Runs whose thread works."""
        return len(self._active)

    def begin(self, plan_id: str, execute: Callable[[Run], dict[str, Any]]) -> Run:
        """Start `execute` in a thread; it gives the receipt. Its place is free when the thread has ended.

        Raises Fault BUSY or UNAVAILABLE.
        """
        if self._stopping:
            raise Fault(Code.UNAVAILABLE, "the orchestrator stops; try again")
        if self.active >= self._limit:
            message = f"{self._limit} continuations run already; try again when one has ended"
            raise Fault(Code.BUSY, message, limit=self._limit)
        run = Run(plan_id)
        self._active.add(run)
        run.work = asyncio.get_running_loop().run_in_executor(self._threads, execute, run)
        run.work.add_done_callback(lambda _work: self._ended(run))
        _log.info("continuation begins", plan=plan_id)
        return run

    async def stop(self) -> None:
        """Take no others, stop those that run and wait for their cleanup."""
        self._stopping = True
        for run in self._active:
            run.stop.set()
        if self._active:
            await asyncio.wait([run.work for run in self._active], timeout=STOP_SECONDS)
        self._threads.shutdown(wait=False)

    def _ended(self, run: Run) -> None:
        self._active.discard(run)
        run.end()
        # Asked for also when the caller has gone and nobody awaits it.
        error = None if run.work.cancelled() else run.work.exception()
        _log.info("continuation ended", plan=run.plan_id, error=str(error) if error else None)
