"""Continuations over HTTP: gateway and orchestrator for real; every answer is held against /openapi.json."""

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import httpx_sse
import pytest

from contracts.errors import Code
from tests.helpers import assert_eventually
from tests.integration.checkpoints.conftest import Serve
from tests.integration.checkpoints.served import Held, Served
from tests.integration.gateway.contract import assert_problem, validator
from tests.integration.gateway.running import serving
from tests.unit.session_executor.executor_fixtures import MESSAGE, PROMPT, TARGET_ENTRY
from tests.unit.session_executor.executor_runner import ScriptedRunner, write_files

UNKNOWN = "sep_" + "0" * 64


class Http:
    """A client of the gateway before `served`."""

    def __init__(self, served: Served, client: httpx.AsyncClient) -> None:
        self.served = served
        self.client = client
        self.name = str(served.repository.root)

    def planned(self, **fields: Any) -> dict[str, Any]:
        given = {
            "repository": self.name,
            "base": "main",
            "session_file": str(self.served.session),
            "entry_id": TARGET_ENTRY,
            "prompt": PROMPT,
            "commit_message": MESSAGE,
        } | fields
        return {name: value for name, value in given.items() if value is not None}

    async def post(self, path: str, document: Any) -> httpx.Response:
        return await self.client.post(f"/checkpoints/{path}", json=document)

    async def get(self, path: str = "", repository: str = "") -> httpx.Response:
        return await self.client.get(f"/checkpoints{path}", params={"repository": repository or self.name})

    async def plan(self, **fields: Any) -> dict[str, Any]:
        answer = await self.post("plan", self.planned(**fields))
        assert answer.status_code == 200, answer.text
        return answer.json()["plan"]

    async def run(self, plan: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The events of a run to its end."""
        body = {"repository": self.name, "plan": plan}
        async with httpx_sse.aconnect_sse(self.client, "POST", "/checkpoints/run", json=body) as source:
            assert source.response.status_code == 200
            return [(event.event, event.json()) async for event in source.aiter_sse()]


@pytest.fixture
async def http(serve: Serve) -> AsyncIterator[Http]:
    served = await serve(max_checkpoint_runs=1)
    async with serving(cast(Any, served), gateway_heartbeat_s=0.2) as gateway:
        yield Http(served, gateway.client)


async def test_from_a_plan_to_a_branch_and_back(http: Http) -> None:
    repository = http.served.repository
    assert (await http.get()).json() == {"executions": []}
    plan = await http.plan()
    events = await http.run(plan)
    assert {name for name, _ in events[:-1]} == {"progress"}
    assert [data["step"] for _, data in events[:3]] == ["validating", "locking", "recovering"]
    assert all(data["elapsed_ms"] >= 0 for _, data in events[:-1])
    name, receipt = events[-1]
    assert (name, receipt["status"], receipt["planId"]) == ("receipt", "complete", plan["planId"])

    [listed] = (await http.get()).json()["executions"]
    assert (listed["plan_id"], listed["status"]) == (plan["planId"], "complete")
    shown = (await http.get(f"/{plan['planId'][:14]}")).json()
    assert shown["execution"] == listed
    assert shown["receipt"] == receipt
    assert "+continued from checkpoint" in shown["patch"]

    answer = await http.post(f"{plan['planId']}/adopt", {"repository": http.name, "branch": "try/it"})
    assert answer.json() == {"ref": "refs/heads/try/it", "commit": listed["commit"]}
    assert repository.git("rev-parse", "try/it").strip() == listed["commit"]
    again = await http.post(f"{plan['planId']}/adopt", {"repository": http.name, "branch": "try/it"})
    assert_problem(again, Code.CONFLICT, executor_code="OUTPUT_EXISTS")

    answer = await http.post(f"{plan['planId']}/discard", {"repository": http.name})
    assert answer.json() == {"plan_id": plan["planId"], "commit": listed["commit"]}
    assert_problem(
        await http.post(f"{plan['planId']}/discard", {"repository": http.name}),
        Code.NOT_FOUND,
        executor_code="PLAN_NOT_FOUND",
    )


async def test_a_plan_runs_once(http: Http) -> None:
    plan = await http.plan()
    await http.run(plan)
    answer = await http.post("run", {"repository": http.name, "plan": plan})
    assert_problem(answer, Code.CONFLICT, executor_code="OUTPUT_EXISTS")


async def test_a_failure_after_the_checks_is_the_last_event(http: Http) -> None:
    http.served.runner = ScriptedRunner(write_files({}))
    name, problem = (await http.run(await http.plan()))[-1]
    assert name == "problem"
    assert not list(validator({"$ref": "#/components/schemas/Problem"}).iter_errors(problem))
    assert (problem["code"], problem["executor_code"]) == ("pi_failed", "NO_CHANGES")
    assert problem["instance"] == "/checkpoints/run"
    assert http.served.repository.leftovers() == []


async def test_a_client_that_goes_stops_its_run(http: Http) -> None:
    held = Held(write_files({"a.txt": "a\n"}))
    http.served.runner = ScriptedRunner(held)
    plan = await http.plan()
    body = {"repository": http.name, "plan": plan}
    other = await http.plan(prompt="something else")
    async with http.client.stream("POST", "/checkpoints/run", json=body) as answer:
        lines = answer.aiter_lines()
        # A silent run keeps its connection by comments.
        while await anext(lines) != ":":
            pass
        assert held.working.is_set()
        refused = await http.post("run", {"repository": http.name, "plan": other})
        assert_problem(refused, Code.BUSY, limit=1)
    await assert_eventually(lambda: http.served.orchestrator.runs.active == 0)
    assert (await http.get()).json() == {"executions": []}
    assert http.served.repository.leftovers() == []
    held.let_go.set()
    assert (await http.run(plan))[-1][0] == "receipt"


async def test_an_orchestrator_that_stops_ends_the_stream_with_a_problem(http: Http) -> None:
    held = Held(write_files({"a.txt": "a\n"}))
    http.served.runner = ScriptedRunner(held)
    body = {"repository": http.name, "plan": await http.plan()}
    async with httpx_sse.aconnect_sse(http.client, "POST", "/checkpoints/run", json=body) as source:
        events = source.aiter_sse()
        while (await anext(events)).json()["step"] != "continuing":
            pass
        await http.served.stop_orchestrator()
        last = [event async for event in events][-1]
    assert (last.event, last.json()["code"]) == ("problem", "cancelled")
    assert http.served.repository.leftovers() == []


async def test_checkpoints_are_off_unless_a_repository_is_allowed(serve: Serve) -> None:
    served = await serve(checkpoint_repositories=[])
    async with serving(cast(Any, served)) as gateway:
        http = Http(served, gateway.client)
        answers = [
            await http.get(),
            await http.get(f"/{UNKNOWN}"),
            await http.post("plan", http.planned()),
            await http.post("run", {"repository": http.name, "plan": {}}),
            await http.post(f"{UNKNOWN}/adopt", {"repository": http.name, "branch": "b"}),
            await http.post(f"{UNKNOWN}/discard", {"repository": http.name}),
        ]
    for answer in answers:
        assert "THOTHII_CHECKPOINT_REPOSITORIES" in assert_problem(answer, Code.NOT_FOUND)["detail"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"repository": "other"}, Code.NOT_FOUND),
        ({"repository": ""}, Code.INVALID_ARGUMENT),
        ({"repository": None}, Code.INVALID_ARGUMENT),
        ({"repository": 1}, Code.INVALID_ARGUMENT),
        ({"repository": "a\0"}, Code.INVALID_ARGUMENT),
        ({"session_id": "s1"}, Code.INVALID_ARGUMENT),
        ({"session_file": None}, Code.INVALID_ARGUMENT),
        ({"session_file": None, "session_id": "missing"}, Code.NOT_FOUND),
        ({"session_file": None, "session_id": ""}, Code.NOT_FOUND),
        ({"session_file": ""}, Code.INVALID_ARGUMENT),
        ({"session_file": "/etc/passwd"}, Code.NOT_FOUND),
        ({"base": "nothing"}, Code.NOT_FOUND),
        ({"entry_id": "nothing"}, Code.NOT_FOUND),
        ({"prompt": ""}, Code.INVALID_ARGUMENT),
        ({"commit_message": "x\n\nHarness-Checkpoint: y"}, Code.INVALID_ARGUMENT),
        ({"check": "make test"}, Code.INVALID_ARGUMENT),
    ],
)
async def test_a_plan_that_cannot_be_is_a_problem(http: Http, fields: dict[str, Any], code: Code) -> None:
    assert_problem(await http.post("plan", http.planned(**fields)), code)


@pytest.mark.parametrize("plan", [None, [], "x", {}, {"schemaVersion": "session-execution-plan-v1"}])
async def test_what_is_no_plan_is_a_problem(http: Http, plan: Any) -> None:
    assert_problem(await http.post("run", {"repository": http.name, "plan": plan}), Code.INVALID_ARGUMENT)


async def test_unknown_executions_and_missing_parameters_are_problems(http: Http) -> None:
    assert_problem(await http.client.get("/checkpoints"), Code.INVALID_ARGUMENT, parameter="repository")
    assert_problem(await http.get(repository="/"), Code.NOT_FOUND)
    assert_problem(await http.get(f"/{UNKNOWN}"), Code.NOT_FOUND)
    assert_problem(await http.get("/x%00y"), Code.INVALID_ARGUMENT)
    adopt = {"repository": http.name, "branch": "b"}
    assert_problem(await http.post(f"{UNKNOWN}/adopt", adopt), Code.NOT_FOUND)
    assert_problem(await http.post(f"{UNKNOWN}/discard", {}), Code.INVALID_ARGUMENT)
    assert_problem(await http.client.post(f"/checkpoints/{UNKNOWN}/discard"), Code.UNSUPPORTED_MEDIA_TYPE)
    assert_problem(await http.client.delete(f"/checkpoints/{UNKNOWN}"), Code.METHOD_NOT_ALLOWED)
