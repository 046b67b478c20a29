"""The dialogs of Pi's RPC mode: requests out, answers in, exactly as little checked as Pi checks them."""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fake_pi.templates import UNDEFINED

Emit = Callable[[dict[str, Any]], None]


@dataclass(slots=True)
class Pending:
    """One dialog that waits. `endless`: nothing but an answer can end it."""

    method: str
    answer: asyncio.Future[Any]
    endless: bool
    in_run: bool


class Dialogs:
    """All dialogs that wait for an answer."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._pending: dict[str, Pending] = {}

    def hopeless(self) -> bool:
        """True while a dialog of the run without timeout and signal waits: it holds up abort and SIGTERM."""
        return any(pending.endless and pending.in_run for pending in self._pending.values())

    def endless(self) -> bool:
        """True while any dialog waits that only an answer can end."""
        return any(pending.endless for pending in self._pending.values())

    async def ask(
        self,
        method: str,
        fields: dict[str, Any],
        timeout_ms: int | None,
        abort: asyncio.Event | None,
        in_run: bool,
    ) -> tuple[Any, str]:
        """Shows a dialog: what the extension gets, and how it ended (answered, cancelled, timeout, aborted).

        Nothing on stdout says that a dialog is over. `editor` takes neither timeout nor signal.
        """
        if method == "editor":
            timeout_ms = abort = None
        request: dict[str, Any] = {
            "type": "extension_ui_request",
            "id": str(uuid.uuid4()),
            "method": method,
            **fields,
        }
        if timeout_ms is not None:
            request["timeout"] = timeout_ms
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[request["id"]] = Pending(method, future, timeout_ms is None and abort is None, in_run)
        nothing = False if method == "confirm" else UNDEFINED
        try:
            self._emit(request)
            return await _first(future, timeout_ms, abort, nothing)
        finally:
            del self._pending[request["id"]]

    def answer(self, record: dict[str, Any]) -> None:
        """Takes an `extension_ui_response`; late, second and unknown ones are dropped."""
        key = record.get("id")
        pending = self._pending.get(key) if isinstance(key, str) else None
        if pending is None or pending.answer.done():
            return
        confirm = pending.method == "confirm"
        if record.get("cancelled"):
            pending.answer.set_result((False if confirm else UNDEFINED, "cancelled"))
        elif confirm:
            pending.answer.set_result((record.get("confirmed", False), "answered"))
        else:
            pending.answer.set_result((record.get("value", UNDEFINED), "answered"))


async def _first(
    answer: asyncio.Future[Any], timeout_ms: int | None, abort: asyncio.Event | None, nothing: Any
) -> tuple[Any, str]:
    waits: set[asyncio.Future[Any]] = {answer}
    aborted = asyncio.ensure_future(abort.wait()) if abort is not None else None
    if aborted is not None:
        waits.add(aborted)
    try:
        timeout = None if timeout_ms is None else timeout_ms / 1000
        done, _ = await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if aborted is not None:
            aborted.cancel()
    if answer in done:
        return answer.result()
    return nothing, "aborted" if done else "timeout"
