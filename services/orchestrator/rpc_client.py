"""RpcClient: commands to Pi and their responses, matched by id."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import msgspec

from contracts.errors import Code, Fault
from services.orchestrator.records import Reply

CALL_SECONDS = 15.0
PROMPT_SECONDS = 60.0
"""Pi 1.6.0 answers a prompt at once, but for an extension command, whose handler is waited for."""


class RpcClient:
    """Calls one Pi child.

    Responses come in any order and are matched by id. Prompts go one after the other: two in one write to
    an idle Pi 1.6.0 are both accepted and one is lost.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._pending: dict[str, asyncio.Future[Reply]] = {}
        self._count = 0
        self._prompting = asyncio.Lock()
        self._failure: Fault | None = None

    async def call(self, command: str, seconds: float = CALL_SECONDS, **fields: Any) -> dict[str, Any]:
        """Send `command` and return the data of its response.

        Raises Fault AGENT_REFUSED with Pi's own words, TIMEOUT after `seconds`, and at once what `fail` was
        given when the child ends.
        """
        if self._failure is not None:
            raise self._failure
        self._count += 1
        identity = f"t{self._count}"
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[identity] = reply
        try:
            self._write(msgspec.json.encode({"id": identity, "type": command, **fields}) + b"\n")
            async with asyncio.timeout(seconds):
                answer = await reply
        except TimeoutError as error:
            raise Fault(Code.TIMEOUT, f"Pi did not answer {command} within {seconds:g} s") from error
        finally:
            self._pending.pop(identity, None)
        if not answer.success:
            raise Fault(Code.AGENT_REFUSED, f"Pi refused {command}: {_one_line(answer.error)}")
        data: Any = msgspec.json.decode(answer.data)
        return cast("dict[str, Any]", data) if isinstance(data, dict) else {}

    async def prompt(self, message: str, behaviour: str | None = None) -> str:
        """Send a prompt, after the response to the one before; returns Pi's disposition."""
        fields = {"message": message} | ({"streamingBehavior": behaviour} if behaviour else {})
        async with self._prompting:
            data = await self.call("prompt", PROMPT_SECONDS, **fields)
        return str(data.get("disposition", "started"))

    def resolve(self, reply: Reply) -> None:
        """Hand a response to whoever waits for it; one that nobody waits for any more is dropped."""
        waiting = self._pending.get(reply.id) if isinstance(reply.id, str) else None
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    def fail(self, fault: Fault) -> None:
        """The child has ended: every waiting and every later call fails with `fault`."""
        self._failure = fault
        for waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(fault)


def _one_line(error: Any) -> str:
    text = error if isinstance(error, str) else "no reason given"
    return " ".join(text.split())[:500]
