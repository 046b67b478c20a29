"""A whole session over gRPC alone: ask, answer every question, read the rows.

set -a; . .run/env; set +a        # where `make run` listens
.venv/bin/python examples/grpc_client.py "Which carrier had the worst average arrival delay in 2013?"
"""

import asyncio
import json
import os
import sys
from typing import Any

import grpc

from thothii.events.v1 import events_pb2
from thothii.executor.v1 import executor_service_pb2 as executor_pb
from thothii.executor.v1 import executor_service_pb2_grpc as executor_grpc
from thothii.orchestrator.v1 import orchestrator_service_pb2 as orchestrator_pb
from thothii.orchestrator.v1 import orchestrator_service_pb2_grpc as orchestrator_grpc

ORCHESTRATOR = os.environ.get("THOTHII_ORCHESTRATOR_ADDRESS", "127.0.0.1:50151")
EXECUTOR = os.environ.get("THOTHII_EXECUTOR_ADDRESS", "127.0.0.1:50152")
AUTHOR = "grpc-example"


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The recommended options, else the first; approval for an artifact; yes; a short text."""
    options = [option["id"] for option in question["options"] or ()]
    recommended = [option["id"] for option in question["options"] or () if option.get("recommended")]
    by_widget: dict[str, dict[str, Any]] = {
        "select": {"value": (recommended or options or [""])[0]},
        "multiselect": {"values": recommended or options[: question["max"]]},
        "confirm": {"confirmed": True},
        "artifact_gate": {"decision": "approve"},
    }
    return {"id": question["id"], **by_widget.get(question["widget"], {"text": "as you think best"})}


async def main(question: str) -> None:
    """Run one session to its rows."""
    async with (
        grpc.aio.insecure_channel(ORCHESTRATOR) as to_orchestrator,
        grpc.aio.insecure_channel(EXECUTOR) as to_executor,
    ):
        orchestrator = orchestrator_grpc.OrchestratorServiceStub(to_orchestrator)
        executor = executor_grpc.ExecutorServiceStub(to_executor)
        created = await orchestrator.CreateSession(
            orchestrator_pb.CreateSessionRequest(workspace="flights", question=question, author=AUTHOR)
        )
        session = created.live.session_id
        print(f"session {session}, {'scripted model' if created.live.scripted else created.live.model}")
        answered: set[str] = set()
        async for response in orchestrator.Subscribe(orchestrator_pb.SubscribeRequest(session_id=session)):
            for kind, data in zip(response.batch.kinds, response.batch.json, strict=True):
                event = json.loads(data)
                if kind == events_pb2.EVENT_KIND_TEXT_DELTA:
                    print(event["delta"], end="", flush=True)
                elif kind == events_pb2.EVENT_KIND_UI_REQUEST and event["id"] not in answered:
                    answered.add(event["id"])
                    print(f"\n? {event['title']}")
                    await orchestrator.Respond(
                        orchestrator_pb.RespondRequest(
                            session_id=session, answer_json=json.dumps(answer(event)).encode(), author=AUTHOR
                        )
                    )
                elif kind == events_pb2.EVENT_KIND_LIFECYCLE and event["state"] in {"crashed", "closed"}:
                    sys.exit(f"the agent ended: {event['reason']}")
                elif kind == events_pb2.EVENT_KIND_LIFECYCLE and event["state"] == "idle":
                    found = await executor.PreviewSql(executor_pb.PreviewSqlRequest(session_id=session))
                    page = json.loads(found.page_json)
                    print("\n" + "\t".join(column["name"] for column in page["columns"]))
                    for row in page["rows"]:
                        print("\t".join("" if cell is None else str(cell) for cell in row))
                    await orchestrator.CloseSession(
                        orchestrator_pb.CloseSessionRequest(session_id=session, author=AUTHOR)
                    )
                    return


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Which carrier had the worst average arrival delay in 2013?"))
