"""Tasks whose failure ends the process, as an unhandled rejection ends Pi."""

import asyncio
from collections.abc import Coroutine
from typing import Any


def start_task(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Starts `work`; what it raises goes to the loop's exception handler at once."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_report)
    return task


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a task failed", "exception": error, "task": task})
