"""A running executor: real gRPC on a Unix socket, real workers, a small SQLite database."""

import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.tht_executor.pool import WorkerPool
from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

FINAL_SQL = "SELECT name, price FROM fruit ORDER BY price DESC, name"
ARTIFACTS = {
    "schema_linking.json": {
        "reading": "fruit by price",
        "tables": [{"name": "fruit"}],
        "columns": [{"table": "fruit", "column": "price"}],
    },
    "ctes.json": {"steps": [{"name": "priced", "purpose": "prices", "sql": "SELECT name, price FROM fruit"}]},
}


@dataclass
class Executor:
    """A stub of the running executor, and what tests do with it over and over."""

    stub: pb_grpc.ExecutorServiceStub
    pool: WorkerPool
    home: Path

    async def new_session(self, workspace: str = "shop") -> str:
        created = await self.stub.CreateSession(
            pb.CreateSessionRequest(workspace=workspace, question="Which fruit is dear?", author="ann")
        )
        return created.session_id

    async def decide(self, session: str, **decision: Any) -> dict[str, Any]:
        document = {"widget": "select", "title": "?", "by": "ann", **decision}
        added = await self.stub.AddDecision(
            pb.AddDecisionRequest(session_id=session, decision_json=json.dumps(document).encode())
        )
        return json.loads(added.phase_json)

    async def put(self, session: str, name: str, content: bytes) -> dict[str, str]:
        written = await self.stub.PutArtifact(
            pb.PutArtifactRequest(session_id=session, name=name, content=content)
        )
        assert written.sha256 == hashlib.sha256(content).hexdigest()
        return {"name": name, "sha256": written.sha256}

    async def approve_all(self, session: str, final_sql: str = FINAL_SQL) -> dict[str, Any]:
        """Walk the session to F5. Returns the phase."""
        await self.decide(session, kind="reading", answer={"value": "a"})
        await self.decide(session, kind="selection", answer={"values": ["fruit"]}, phase="F2")
        for name, document in ARTIFACTS.items():
            artifact = await self.put(session, name, json.dumps(document).encode())
            await self.decide(session, kind="approval", answer={"decision": "approve"}, artifact=artifact)
        artifact = await self.put(session, "sql_final.sql", final_sql.encode())
        return await self.decide(session, kind="approval", answer={"decision": "approve"}, artifact=artifact)


def write_home(home: Path) -> None:
    """Workspaces `shop` and `fruits` (the same SQLite file) and `broken`."""
    (home / "workspaces").mkdir(parents=True)
    for name in ("shop", "fruits"):
        (home / "workspaces" / f"{name}.yaml").write_text(
            f"name: {name}\ndialect: sqlite\nconnection: {{path: ../shop.sqlite}}\n"
            "limits: {timeout_s: 30}\n"
        )
    (home / "workspaces" / "broken.yaml").write_text("name: [unclosed\n")
    with sqlite3.connect(home / "shop.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE fruit (name TEXT PRIMARY KEY, price NUMERIC);"
            "INSERT INTO fruit VALUES ('apple', 2), ('fig', 5), ('plum', 3);"
        )
    connection.close()
