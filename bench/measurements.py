"""The table that the SQL benchmarks read, in each database, and sessions whose final SQL reads it.

A row has ten columns: integers, floats whose shortest text has up to 17 digits, short texts.
"""

import hashlib
import json
import sqlite3
from pathlib import Path

from thothii.executor.v1 import executor_service_pb2 as pb
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc

SQL = "SELECT * FROM measurement"
DEFINITION = (
    "CREATE TABLE measurement (id INTEGER PRIMARY KEY, a BIGINT, b DOUBLE PRECISION, c TEXT, "
    "d BIGINT, e DOUBLE PRECISION, f TEXT, g BIGINT, h DOUBLE PRECISION, i TEXT)"
)


def rows_of_series(series: str) -> str:
    """The rows as a SELECT, from a table expression `series` with one integer column `n`."""
    number = "CAST(n AS DOUBLE PRECISION)"
    return (
        f"SELECT n, n, {number} / 7, 'text ' || n, n, {number} / 3, 'more ' || n, n, {number} / 9, 'last' "
        f"FROM {series}"
    )


def write_sqlite(path: Path, rows: int) -> None:
    """A SQLite file."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(DEFINITION)
        series = "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s LIMIT :rows)"
        connection.execute(f"{series} INSERT INTO measurement {rows_of_series('s')}", {"rows": rows})
    connection.close()


def write_duckdb(path: Path, rows: int) -> None:
    """A DuckDB file."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(DEFINITION)
        connection.execute(f"INSERT INTO measurement {rows_of_series(f'range({rows}) AS s(n)')}")


def write_postgres(dsn: str, rows: int) -> None:
    """The table in the database that a libpq string names."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(DEFINITION.encode())
        series = f"generate_series(0, {rows - 1}) AS s(n)"
        connection.execute(f"INSERT INTO measurement {rows_of_series(series)}".encode())
        connection.execute("VACUUM ANALYZE measurement")


def write_workspace(home: Path, name: str, dialect: str, connection: dict[str, object]) -> None:
    """A workspace that keeps results of any size the benchmarks ask for."""
    document = {
        "name": name,
        "dialect": dialect,
        "connection": connection,
        "accept_writable_role": True,
        "limits": {"rows": 10_000_000, "bytes": "512MiB", "timeout_s": 600},
    }
    # JSON is YAML too.
    (home / "workspaces" / f"{name}.yaml").write_text(json.dumps(document))


def approved_session(stub: pb_grpc.ExecutorServiceStub, workspace: str, sql: str = SQL) -> str:
    """A session on `workspace` whose final SQL is `sql`, approved."""
    session = stub.CreateSession(
        pb.CreateSessionRequest(workspace=workspace, question="All of it?", author="bench")
    ).session_id
    contents = {
        "schema_linking.json": json.dumps({"reading": "all", "tables": [], "columns": []}),
        "ctes.json": json.dumps({"steps": [{"name": "a", "purpose": "all", "sql": sql}]}),
        "sql_final.sql": sql,
    }

    def decide(**decision: object) -> None:
        document = {"widget": "select", "title": "?", "by": "bench", **decision}
        stub.AddDecision(
            pb.AddDecisionRequest(session_id=session, decision_json=json.dumps(document).encode())
        )

    decide(kind="reading", answer={"value": "all"})
    decide(kind="selection", answer={"values": ["all"]}, phase="F2")
    for name, text in contents.items():
        stub.PutArtifact(pb.PutArtifactRequest(session_id=session, name=name, content=text.encode()))
        digest = hashlib.sha256(text.encode()).hexdigest()
        decide(kind="approval", answer={"decision": "approve"}, artifact={"name": name, "sha256": digest})
    return session
