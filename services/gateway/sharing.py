"""Readers who ask for the same at once share an answer: of a final SQL all who watch want the first page.

For each question one call is out. Those who ask meanwhile wait for the next call, which all of them share: it
is sent after the last of them asked, so that nobody hears what was true before they asked.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

PATIENCE_S = 0.1
"""Seconds that a reader waits for the call before the shared one; then the reader asks alone."""


class _Waiter(Generic[Answer]):
    """One who waits for the next call. Its future gives None to one who waited too long."""

    def __init__(self, patience: float) -> None:
        loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Answer | None] = loop.create_future()
        self.timer = loop.call_later(patience, self._lose_patience)

    def _lose_patience(self) -> None:
        if not self.answer.done():
            self.answer.set_result(None)


class Sharing(Generic[Answer]):
    """Questions, told apart by their keys, and who waits for which."""

    def __init__(self, patience: float = PATIENCE_S) -> None:
        self._patience = patience
        self._waiting: dict[bytes, list[_Waiter[Answer]]] = {}
        """Of each question of which a call is out: those who wait for the next."""
        self._calls: set[asyncio.Task[None]] = set()

    async def ask(self, key: bytes, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """What `call` gives, or another one's call of the same key that was sent after this began.

        Raises what that call raises. A shared call is cancelled once nobody waits for it any more.
        """
        waiting = self._waiting.get(key)
        if waiting is None:
            self._waiting[key] = []
            try:
                return await call()
            finally:
                self._go_on(key, call)
        waiter: _Waiter[Answer] = _Waiter(self._patience)
        waiting.append(waiter)
        try:
            answer = await waiter.answer
        finally:
            waiter.timer.cancel()
            if waiter.answer.done() and not waiter.answer.cancelled():
                # One who is cancelled in this moment has been told all the same.
                waiter.answer.exception()
        return await call() if answer is None else answer

    def _go_on(self, key: bytes, call: Callable[[], Awaitable[Answer]]) -> None:
        """A call has ended: send the next one for those who wait."""
        sharing = [waiter for waiter in self._waiting.pop(key) if not waiter.answer.done()]
        if not sharing:
            return
        self._waiting[key] = []
        for waiter in sharing:
            waiter.timer.cancel()
        answers = [waiter.answer for waiter in sharing]
        task = asyncio.create_task(self._share(key, call, answers))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

        def gone(_: asyncio.Future[Answer | None]) -> None:
            if all(answer.done() for answer in answers):
                task.cancel()

        for answer in answers:
            answer.add_done_callback(gone)

    async def _share(
        self,
        key: bytes,
        call: Callable[[], Awaitable[Answer]],
        answers: list[asyncio.Future[Answer | None]],
    ) -> None:
        try:
            given = await call()
        except Exception as error:  # told to all who asked
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
        else:
            for answer in answers:
                if not answer.done():
                    answer.set_result(given)
        finally:
            self._go_on(key, call)
