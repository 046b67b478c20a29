"""Calls to Pi and their responses."""

import asyncio
import json
from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.records import Reply, decode
from services.orchestrator.rpc_client import RpcClient


class Pi:
    """Takes lines, answers when told."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.rpc = RpcClient(lambda line: self.heard.append(json.loads(line)))

    def answer(self, index: int, **fields: Any) -> None:
        given = {"id": self.heard[index]["id"], "success": True, "data": {}} | fields
        self.rpc.resolve(decode(json.dumps(given).encode(), Reply))


async def turn() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_responses_are_matched_by_id_in_any_order() -> None:
    pi = Pi()
    first = asyncio.create_task(pi.rpc.call("get_state"))
    second = asyncio.create_task(pi.rpc.call("get_entries", since="x"))
    await turn()
    assert pi.heard[1] == {"id": pi.heard[1]["id"], "type": "get_entries", "since": "x"}
    pi.answer(1, data={"n": 2})
    pi.answer(1, data={"n": 9})
    pi.answer(0, data={"n": 1})
    assert (await first, await second) == ({"n": 1}, {"n": 2})
    pi.rpc.resolve(Reply(id={"not": "ours"}, success=True))


async def test_a_refusal_is_told_in_one_line() -> None:
    pi = Pi()
    calling = asyncio.create_task(pi.rpc.call("prompt"))
    await turn()
    pi.answer(0, success=False, error="No API key\nfound")
    with pytest.raises(Fault, match=r"Pi refused prompt: No API key found") as refused:
        await calling
    assert refused.value.code is Code.AGENT_REFUSED


async def test_a_call_has_a_deadline() -> None:
    with pytest.raises(Fault) as late:
        await Pi().rpc.call("get_state", 0.01)
    assert late.value.code is Code.TIMEOUT


async def test_b03_waiting_and_later_calls_fail_at_once_when_the_child_ends() -> None:
    pi = Pi()
    calls = [asyncio.create_task(pi.rpc.call("get_state")) for _ in range(3)]
    await turn()
    ended = Fault(Code.PI_FAILED, "Pi ended (SIGKILL)", signal="SIGKILL")
    pi.rpc.fail(ended)
    assert await asyncio.gather(*calls, return_exceptions=True) == [ended] * 3
    with pytest.raises(Fault, match="SIGKILL"):
        await pi.rpc.call("get_state")


async def test_prompts_go_one_after_the_other() -> None:
    pi = Pi()
    prompts = [asyncio.create_task(pi.rpc.prompt(f"p{n}", "steer" if n else None)) for n in range(3)]
    for index in range(3):
        await turn()
        assert [line["message"] for line in pi.heard] == [f"p{n}" for n in range(index + 1)]
        pi.answer(index, data={"disposition": "queued"})
    assert await asyncio.gather(*prompts) == ["queued"] * 3
    assert "streamingBehavior" not in pi.heard[0] and pi.heard[1]["streamingBehavior"] == "steer"
