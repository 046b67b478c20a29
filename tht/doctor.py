"""`tht doctor`: what is wrong with a harness folder, before it is in somebody's way."""

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from contracts.errors import Fault
from tht import ledger, manifest, sessions
from tht.home import Home
from tht.workspaces import Workspace, load_workspace, workspace_names

DRIVERS = {
    "duckdb": ("duckdb", "thothii[sql]"),
    "postgres": ("psycopg", "thothii[postgres]"),
    "mysql": ("pymysql", "thothii[mysql]"),
    "mariadb": ("pymysql", "thothii[mysql]"),
}
"""By dialect, the module of its driver and what to install for it; SQLite comes with Python."""


def examine(home: Home) -> dict[str, Any]:
    """`{ok, checks: [{name, ok, message}]}`; `ok` when every check is. No database is reached: that is for
    `tht workspace check`."""
    checks = [*_folders(home), *_command(), *_workspaces(home), *_sessions(home)]
    return {"ok": all(check["ok"] for check in checks), "checks": checks}


def _check(name: str, ok: bool, message: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "message": message}


def _folders(home: Home) -> Iterator[dict[str, Any]]:
    yield _check(
        "workspaces folder",
        home.workspaces.is_dir(),
        "there" if home.workspaces.is_dir() else f"make the folder workspaces in {home.root}",
    )
    place = home.sessions if home.sessions.is_dir() else home.sessions.parent
    writable = os.access(place, os.W_OK)
    yield _check("sessions folder", writable, "writable" if writable else f"{place} cannot be written")


def _command() -> Iterator[dict[str, Any]]:
    found = shutil.which("tht") is not None
    message = "on the PATH" if found else "not on the PATH: an agent in a terminal cannot reach it"
    yield _check("tht command", found, message)


def _workspaces(home: Home) -> Iterator[dict[str, Any]]:
    names = workspace_names(home)
    if not names:
        yield _check("workspaces", False, "there is none: write workspaces/NAME.yaml")
    for name in names:
        try:
            workspace = load_workspace(home, name)
        except Fault as fault:
            yield _check(f"workspace {name}", False, fault.message)
        else:
            yield from _workspace(workspace)


def _workspace(workspace: Workspace) -> Iterator[dict[str, Any]]:
    name = f"workspace {workspace.name}"
    problems: list[str] = []
    module, package = DRIVERS.get(workspace.dialect, ("", ""))
    if workspace.transport == "direct" and module and find_spec(module) is None:
        problems.append(f"the driver is not installed: pip install '{package}'")
    try:
        path = workspace.connection.resolve().path
        if path is not None and not path.is_file():
            problems.append("its database file is not there")
    except Fault as fault:
        problems.append(fault.message)
    yield _check(name, not problems, "; ".join(problems) or "can be read")
    for warning in workspace.warnings:
        yield _check(name, True, f"warning: {warning}")


def _sessions(home: Home) -> Iterator[dict[str, Any]]:
    ids = sessions.ids(home)
    troubled = 0
    for session_id in ids:
        found = list(_session(home, session_id))
        troubled += any(not check["ok"] for check in found)
        yield from found
    yield _check("sessions", not troubled, f"{len(ids)} sessions, {troubled} with trouble")
    if home.sessions.is_dir():
        for path in home.sessions.iterdir():
            if path.name.startswith(sessions.UNFINISHED):
                yield _check("unfinished session", True, f"{path.name} was never finished: delete it")


def _session(home: Home, session_id: str) -> Iterator[dict[str, Any]]:
    name = f"session {session_id}"
    try:
        with sessions.opened(home, session_id) as session:
            manifest.read(session, session_id)
            history = ledger.read(session)
    except Fault as fault:
        yield _check(name, False, fault.message)
        return
    if history.changed_at is not None:
        yield _check(name, False, f"its ledger was changed at line {history.changed_at}: no decision counts")
    if history.torn:
        message = (
            f"the last line of its ledger was cut short ({history.torn} bytes); the next one replaces it"
        )
        yield _check(name, True, message)
