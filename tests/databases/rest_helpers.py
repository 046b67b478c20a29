"""What the tests of the rest transport share."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Fault
from tests.databases.endpoints import Endpoint, Exchange, endpoint
from tht import sql
from tht.workspaces import Workspace, parse_workspace

HELLO = {"contract": "thothii-sql/1", "dialect": "sqlite", "read_only": True}


def workspace_of(url: str, dialect: str = "sqlite", connection: str = "", more: str = "") -> Workspace:
    text = f"dialect: {dialect}\ntransport: rest\nconnection: {{url: '{url}'{connection}}}\n{more}"
    return parse_workspace("w", text, Path("/"))


def page_of(workspace: Workspace, text: str, folder: Path, **more: Any) -> dict[str, Any]:
    return json.loads(sql.preview(workspace, text, home_results=folder, **{"draft": True, **more}))


def fault_of(call: Callable[[], Any]) -> Fault:
    with pytest.raises(Fault) as caught:
        call()
    assert "\n" not in caught.value.message
    return caught.value


def csv_of(workspace: Workspace, text: str, folder: Path) -> bytes:
    return b"".join(sql.export(workspace, text, home_results=folder))


def sqlite_answer(exchange: Exchange, database: sqlite3.Connection, lock: threading.Lock) -> None:
    """What a small endpoint of the contract does: it runs the text on SQLite, read-only."""
    asked = exchange.request.json()
    try:
        with lock:
            cursor = database.execute(asked["sql"])
            rows = cursor.fetchall()
    except sqlite3.Error as error:
        exchange.json({"error": {"code": "database_error", "message": str(error)}}, 400)
        return
    limit = asked["limit"]
    columns = [{"name": column[0]} for column in cursor.description]
    cut = limit is not None and len(rows) > limit
    exchange.json({"columns": columns, "rows": rows[:limit] if cut else rows, "truncated": cut})


@contextmanager
def own_endpoint(answering: Callable[[Exchange], None] | None = None, **hello: Any) -> Iterator[Endpoint]:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a')")
    lock = threading.Lock()

    def answer(exchange: Exchange) -> None:
        if exchange.request.method == "GET":
            exchange.json({**HELLO, **hello})
        elif answering is not None:
            answering(exchange)
        else:
            sqlite_answer(exchange, database, lock)

    with endpoint(answer) as running:
        yield running
    database.close()
