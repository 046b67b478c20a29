"""Workspaces: one YAML file for each database an operator may ask about."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from contracts.errors import Code, Fault
from tht.connections import Connection, parse_connection, reject_unknown
from tht.files import settled, stamp_of
from tht.home import Home

Dialect = Literal["duckdb", "sqlite", "postgres", "mysql", "mariadb", "clickhouse", "trino"]
Transport = Literal["direct", "rest"]

DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql", "mariadb", "clickhouse", "trino")
TRANSPORTS: tuple[Transport, ...] = ("direct", "rest")
SCHEMES: Mapping[str, Dialect] = {
    "duckdb": "duckdb",
    "sqlite": "sqlite",
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mariadb",
}
"""What the scheme of a connection URL says about the dialect."""
ADAPTERS: Mapping[str, tuple[Dialect, ...]] = {
    "thothii": ("duckdb", "sqlite", "postgres", "mysql", "mariadb"),
    "datasette": ("sqlite",),
    "clickhouse": ("clickhouse",),
    "trino": ("trino",),
}
"""Kinds of endpoints of the rest transport, each with the dialects that it may speak."""

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
FILE_CAP = 1 << 20
"""Bytes of a workspace file."""

_SIZE = re.compile(r"(\d{1,15})\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?")
_UNITS = {"B": 1} | {
    f"{letter}{suffix}": base**power
    for power, letter in enumerate("KMGT", start=1)
    for suffix, base in (("B", 1000), ("iB", 1024))
}
_KEYS = {
    "name",
    "dialect",
    "transport",
    "connection",
    "allow",
    "accept_writable_role",
    "limits",
    "notes",
    "subagents",
}


@dataclass(frozen=True, slots=True)
class Allow:
    """What of the database may be read; patterns as in a shell, compared without case."""

    schemas: tuple[str, ...] | None = None
    """None: every schema but the engine's own."""
    tables: tuple[str, ...] = ("*",)
    """`table` or `schema.table`."""
    deny_columns: tuple[str, ...] = ()
    """`column`, `table.column` or `schema.table.column`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps of one workspace."""

    rows: int = 10_000
    """Rows of a kept result, the most that pages can show."""
    bytes: int = 16 << 20
    """Bytes of one page or of a draft's answer."""
    timeout_s: float = 30.0
    """Seconds a statement may run; a caller may ask for less, not for more."""
    export_rows: int | None = None
    """Rows of one export; None: all."""
    cell_bytes: int = 1 << 20
    """Bytes of one value; a longer one is cut and marked in a page."""
    memory: int = 1 << 30
    """Bytes of memory a worker may use for this workspace's statements."""
    result_bytes: int = 1 << 30
    """Bytes of one kept result on disk."""
    result_age_s: float = 3600.0
    """Seconds a kept result can be paged."""
    approval_hours: float | None = None
    """Hours for which an approval lets the final SQL run; None: until it is withdrawn."""


@dataclass(frozen=True)
class Workspace:
    """One database, its rules and its caps, as its file says."""

    name: str
    dialect: Dialect
    transport: Transport
    connection: Connection
    allow: Allow = field(default_factory=Allow)
    accept_writable_role: bool = False
    """True: statements run though the account could write."""
    limits: Limits = field(default_factory=Limits)
    notes: str = ""
    """What a newcomer to this database should know; given to the agent."""
    subagents: bool = False
    """True: the agent may start read-only sub-agents that search the schema beside it."""
    warnings: tuple[str, ...] = ()
    """What is doubtful in the file, such as a secret in clear; never the secret."""

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of what decides where a statement runs and what it may see. `${ENV}` stays unexpanded, so
        that a new password changes nothing."""
        document = {
            "name": self.name,
            "dialect": self.dialect,
            "transport": self.transport,
            "connection": self.connection.template(),
            "allow": [self.allow.schemas, self.allow.tables, self.allow.deny_columns],
        }
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


_loaded: dict[str, tuple[tuple[int, ...], Workspace]] = {}
"""Workspaces that were read, by file, each with the stamp of the file it was read from."""


def workspace_names(home: Home) -> list[str]:
    """Names of the workspace files, sorted; files with other names are no workspaces."""
    if not home.workspaces.is_dir():
        return []
    files = [path for path in home.workspaces.iterdir() if path.suffix == ".yaml" and path.is_file()]
    return sorted(path.stem for path in files if NAME.fullmatch(path.stem))


def load_workspace(home: Home, name: str) -> Workspace:
    """The workspace `name`. Raises Fault NOT_FOUND, or WORKSPACE_BROKEN with what to correct."""
    path = f"{home.root}/workspaces/{name}.yaml"
    if not NAME.fullmatch(name):
        raise _unknown(home, name)
    try:
        status = os.stat(path)  # noqa: PTH116 - a page that is read asks for it each time
        if not stat.S_ISREG(status.st_mode):
            raise _unknown(home, name)
        stamp = stamp_of(status)
        known_stamp, workspace = _loaded.get(path, (None, None))
        if workspace is not None and known_stamp == stamp:
            return workspace
        if status.st_size > FILE_CAP:
            raise _broken(name, f"the file is larger than {FILE_CAP} bytes")
        text = (home.workspaces / f"{name}.yaml").read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _unknown(home, name) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise _broken(name, f"the file cannot be read: {reason}") from error
    workspace = parse_workspace(name, text, home.workspaces)
    if settled(stamp):
        _loaded[path] = (stamp, workspace)
    return workspace


def _unknown(home: Home, name: str) -> Fault:
    known = ", ".join(workspace_names(home)[:10]) or "none"
    return Fault(Code.NOT_FOUND, f"there is no workspace {name[:64]!r}; there are: {known}")


def parse_workspace(name: str, text: str, folder: Path) -> Workspace:
    """The workspace that the YAML `text` of file `<name>.yaml` in `folder` describes.

    Raises Fault WORKSPACE_BROKEN; the message names the key and says what would do.
    """
    try:
        return _workspace(name, _document(text), folder)
    except Fault as fault:
        raise _broken(name, fault.message) from fault


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key given twice is an error, as YAML 1.2 asks."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"key {key.value!r} twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return cast("dict[Any, Any]", super().construct_mapping(node, deep))


def _document(text: str) -> dict[str, Any]:
    try:
        document: Any = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = " ".join(str(error.problem).split())
        raise _fault(f"the YAML is broken: {place}{problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _fault("the YAML is broken: it holds something that cannot be read") from error
    if not isinstance(document, dict):
        raise _fault("the file must hold keys and values: name, dialect, connection")
    return cast("dict[str, Any]", document)


def _workspace(name: str, document: dict[str, Any], folder: Path) -> Workspace:
    reject_unknown(document, _KEYS, "")
    if document.get("name") not in (None, name):
        raise _fault(f"name must be {name!r}, as the file is named")
    transport = _choice(document, "transport", TRANSPORTS, "direct")
    connection, warnings = parse_connection(document.get("connection"), transport, folder)
    implied = SCHEMES.get(connection.scheme or "")
    dialect = _choice(document, "dialect", DIALECTS, implied)
    families = {"mysql": "mysql", "mariadb": "mysql"}
    if implied and families.get(implied, implied) != families.get(dialect, dialect):
        raise _fault(f"dialect is {dialect} but connection.url begins with {connection.scheme}:")
    if connection.path is not None and dialect not in ("duckdb", "sqlite"):
        raise _fault(f"connection.path is for duckdb and sqlite; give connection.url for {dialect}")
    if transport == "rest":
        _check_endpoint(connection, dialect)
    elif dialect in ADAPTERS:
        raise _fault(f"{dialect} is reached over HTTP: write transport: rest")
    return Workspace(
        name=name,
        dialect=cast("Dialect", dialect),
        transport=cast("Transport", transport),
        connection=connection,
        allow=_allow(document.get("allow")),
        accept_writable_role=_flag(document, "accept_writable_role"),
        limits=_limits(document.get("limits")),
        notes=_notes(document.get("notes")),
        subagents=_flag(document, "subagents"),
        warnings=tuple(warnings),
    )


def _check_endpoint(connection: Connection, dialect: str) -> None:
    if connection.path is not None or connection.scheme not in (None, "http", "https"):
        raise _fault("connection.url of the rest transport must begin with http:// or https://")
    adapter = _adapter(connection, dialect)
    if adapter not in ADAPTERS:
        raise _fault(f"connection.adapter is {adapter[:40]!r}; it must be one of {', '.join(ADAPTERS)}")
    if dialect not in ADAPTERS[adapter]:
        speaks = " or ".join(ADAPTERS[adapter])
        raise _fault(f"an endpoint of connection.adapter {adapter} speaks {speaks}, not {dialect}")
    if dialect == "trino" and not connection.template().get("catalog"):
        raise _fault("trino needs connection.catalog, the catalog of names without one")


def _adapter(connection: Connection, dialect: str) -> str:
    return connection.template().get("adapter") or (dialect if dialect in ADAPTERS else "thothii")


def adapter_of(workspace: Workspace) -> str:
    """The kind of endpoint behind a workspace of the rest transport, one of ADAPTERS."""
    return _adapter(workspace.connection, workspace.dialect)


def _choice(document: dict[str, Any], key: str, choices: tuple[str, ...], default: str | None) -> str:
    value = document.get(key, default)
    if value not in choices:
        shown = "missing" if value is None else f"{str(value)[:40]!r}"
        raise _fault(f"{key} is {shown}; it must be one of {', '.join(choices)}")
    return str(value)


def _flag(document: dict[str, Any], key: str) -> bool:
    value = document.get(key)
    if value is not None and not isinstance(value, bool):
        raise _fault(f"{key} must be true or false")
    return bool(value)


def _notes(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise _fault("notes must be text")
    return value or ""


def _allow(value: Any) -> Allow:
    section = _section(value, "allow", {"schemas", "tables", "deny_columns"})
    patterns: dict[str, tuple[str, ...]] = {}
    for key, given in section.items():
        if given is None:
            continue
        items = cast("list[Any]", given) if isinstance(given, list) else [None]
        if not all(isinstance(item, str) and item for item in items):
            raise _fault(f"allow.{key} must be a list of names")
        patterns[key] = tuple(cast("list[str]", items))
    return Allow(**patterns)


def _limits(value: Any) -> Limits:
    section = _section(value, "limits", set(Limits.__slots__))
    defaults = Limits()
    limits: dict[str, Any] = {}
    for key, given in section.items():
        if given is None:
            if getattr(defaults, key) is not None:
                raise _fault(f"limits.{key} has no value")
        elif key.endswith(("_s", "_hours")):
            limits[key] = _positive(key, given)
        elif key in ("rows", "export_rows"):
            limits[key] = _count(key, given)
        else:
            limits[key] = _size(key, given)
    return Limits(**limits)


def _section(value: Any, key: str, known: set[str]) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _fault(f"{key} must hold keys and values: {', '.join(sorted(known))}")
    section = cast("dict[str, Any]", value)
    reject_unknown(section, known, f"{key}.")
    return section


def _positive(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise _fault(f"limits.{key} must be a number above 0")
    return float(value)


def _count(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _fault(f"limits.{key} must be a whole number of rows above 0")
    return value


def _size(key: str, value: Any) -> int:
    match = None if isinstance(value, bool) else _SIZE.fullmatch(str(value).strip())
    size = int(match[1]) * _UNITS[match[2] or "B"] if match else 0
    if size < 1:
        raise _fault(f"limits.{key} must be a size such as 16MiB or a number of bytes above 0")
    return size


def _fault(message: str) -> Fault:
    return Fault(Code.WORKSPACE_BROKEN, message)


def _broken(name: str, message: str) -> Fault:
    return Fault(Code.WORKSPACE_BROKEN, f"workspace {name}: {message}", workspace=name)
