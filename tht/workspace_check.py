"""`tht workspace check`: can this workspace be used, and could its account write?"""

from typing import Any

from contracts.errors import Code, Fault
from tht.home import Home
from tht.workspaces import Workspace, load_workspace


def check(home: Home, name: str) -> dict[str, Any]:
    """`{ok, checks: [{name, ok, message}]}`. Raises Fault NOT_FOUND for an unknown workspace; whatever else
    is wrong with it is a check that failed."""
    checks: list[dict[str, Any]] = []
    try:
        workspace = load_workspace(home, name)
    except Fault as fault:
        if fault.code is Code.NOT_FOUND:
            raise
        checks.append(_check("file", False, fault.message))
    else:
        checks.append(_check("file", True, f"{workspace.dialect}, {workspace.transport}"))
        checks += [_check("secrets", True, f"warning: {warning}") for warning in workspace.warnings]
        checks += _database(workspace)
    return {"ok": all(entry["ok"] for entry in checks), "checks": checks}


def _database(workspace: Workspace) -> list[dict[str, Any]]:
    from tht import sql

    try:
        path = workspace.connection.resolve().path
        if path is not None and not path.is_file():
            return [_check("database", False, "its file is not there: correct connection.path")]
        role = sql.role_checks(workspace)
    except Fault as fault:
        return [_check("database", False, fault.message)]
    return [_check("database", True, "reached"), *(_accepted(workspace, entry) for entry in role)]


def _accepted(workspace: Workspace, entry: dict[str, Any]) -> dict[str, Any]:
    """A check of the role; what the workspace accepts is no failure."""
    if entry["ok"] or not workspace.accept_writable_role or not entry["name"].startswith("role_"):
        return entry
    return _check(entry["name"], True, f"accepted by accept_writable_role: {entry['message']}")


def _check(name: str, ok: bool, message: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "message": message}
