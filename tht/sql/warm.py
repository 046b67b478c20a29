"""Connections that stay open between calls, one statement at a time each."""

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module

from contracts.errors import Code, Fault
from tht.sql.engines.base import CONNECT_S, Engine
from tht.workspaces import Workspace

WARM = 8
"""Connections kept open in one process, over all workspaces."""

_ENGINES = {
    "sqlite": ("sqlite", "SqliteEngine", "sql"),
    "duckdb": ("duckdb", "DuckdbEngine", "sql"),
    "postgres": ("postgres", "PostgresEngine", "postgres"),
    "mysql": ("mariadb", "MariadbEngine", "mysql"),
    "mariadb": ("mariadb", "MariadbEngine", "mysql"),
}
_REST = ("rest.engine", "RestEngine", "sql")
"""Module and class of an engine, and the extra of the package that its driver comes with."""

_lock = threading.Lock()
_idle: OrderedDict[str, list[Engine]] = OrderedDict()


def connect(workspace: Workspace, *, checked: bool = True, within_s: float = CONNECT_S) -> Engine:
    """A new connection, to a server within `within_s` seconds; `checked` looks at what its account may do.
    Raises Fault DATABASE_UNAVAILABLE, WORKSPACE_BROKEN, or REFUSED for a role that may write."""
    module, name, extra = _REST if workspace.transport == "rest" else _ENGINES[workspace.dialect]
    try:
        factory: type[Engine] = getattr(import_module(f"tht.sql.engines.{module}"), name)
    except ModuleNotFoundError as error:
        message = f"the driver for {workspace.dialect} is not installed: pip install thothii[{extra}]"
        raise Fault(Code.WORKSPACE_BROKEN, message) from error
    server = workspace.connection.path is None
    waiting = (within_s,) if server and workspace.transport == "direct" else ()
    try:
        opened = factory(workspace, *waiting)
    except Fault as fault:
        if workspace.dialect != "duckdb" or fault.code is not Code.DATABASE_UNAVAILABLE or not _idle:
            raise
        # a process has one configuration for a DuckDB file, and one that waits may have other limits
        close_all()
        opened = factory(workspace, *waiting)
    if checked and server and not workspace.accept_writable_role:
        try:
            _refuse_writable(opened)
        except BaseException:
            opened.close()
            raise
    return opened


def _refuse_writable(opened: Engine) -> None:
    """The role is the third layer: on a server an account that could write is not used unless the workspace
    says so."""
    for _, ok, message in opened.checks():
        if not ok:
            raise Fault(Code.REFUSED, f"{message} (or set accept_writable_role: true in the workspace)")


@contextmanager
def engine(workspace: Workspace, within_s: float = CONNECT_S) -> Generator[Engine]:
    """A connection for the block's use alone, a new one within `within_s` seconds; it is kept for the next
    block unless its state is in doubt."""
    taken = _take(workspace, within_s)
    try:
        yield taken
    except BaseException:
        taken.doubtful = True
        raise
    finally:
        if taken.doubtful:
            taken.close()
        else:
            _give(workspace, taken)


def _take(workspace: Workspace, within_s: float) -> Engine:
    while True:
        with _lock:
            waiting = _idle.get(workspace.fingerprint)
            found = waiting.pop() if waiting else None
        if found is None:
            return connect(workspace, within_s=within_s)
        if found.current:
            return found
        found.close()


def _give(workspace: Workspace, engine_: Engine) -> None:
    surplus: list[Engine] = []
    with _lock:
        _idle.setdefault(workspace.fingerprint, []).append(engine_)
        _idle.move_to_end(workspace.fingerprint)
        while sum(map(len, _idle.values())) > WARM:
            oldest = next(iter(_idle))
            surplus.append(_idle[oldest].pop(0))
            if not _idle[oldest]:
                del _idle[oldest]
    for old in surplus:
        old.close()


def close_all() -> None:
    """Ends every idle connection."""
    with _lock:
        engines = [found for waiting in _idle.values() for found in waiting]
        _idle.clear()
    for found in engines:
        found.close()
