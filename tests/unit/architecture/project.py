"""The project as its own page describes it, and as its files are."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[3]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/contracts.md", "docs/session-executor.md")

_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Room:
    """A row of the table of rooms."""

    path: str
    """Folder, with a slash at its end."""
    may_import: tuple[str, ...]
    """Folders (with a slash) and files."""
    everything: bool
    extras: tuple[str, ...]

    def admits(self, path: str) -> bool:
        """True when a module of this room may import the module at `path`."""
        if self.everything:
            return True
        return any(path.startswith(allowed) for allowed in (self.path, *self.may_import))


@dataclass(frozen=True)
class Import:
    """One imported module."""

    module: str
    line: int


@cache
def files() -> tuple[str, ...]:
    """Every file that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(name for name in listed.stdout.splitlines() if (PROJECT / name).is_file())


@cache
def rooms() -> tuple[Room, ...]:
    """The table of ARCHITECTURE.md."""
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## Rooms")[1].split("## ")[0]
    found: list[Room] = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and (path := _QUOTED.fullmatch(cells[0])):
            may_import, extras = (tuple(_QUOTED.findall(cell)) for cell in cells[2:])
            found.append(Room(path[1], may_import, cells[2] == "everything", extras))
    return tuple(found)


def room_of(path: str) -> Room:
    """The innermost room that a file lies in. Raises ValueError when it lies in none."""
    around = [room for room in rooms() if path.startswith(room.path)]
    if not around:
        raise ValueError(f"{path} lies in no room of ARCHITECTURE.md")
    return max(around, key=lambda room: len(room.path))


def modules() -> tuple[str, ...]:
    """Every Python file of the project; the stubs are generated and not among them."""
    return tuple(name for name in files() if name.endswith(".py"))


def file_of(module: str) -> str | None:
    """The file of a module of the project, or None. Generated stubs lie in `thothii/`."""
    if module.split(".")[0] == "thothii":
        return "thothii/" + "/".join(module.split(".")[1:])
    place = module.replace(".", "/")
    known = set(files())
    return next((name for name in (f"{place}.py", f"{place}/__init__.py") if name in known), None)


@cache
def imports_of(path: str) -> tuple[Import, ...]:
    """What a module imports when it runs, at any depth; `from a import b` is `a.b` where that is a module."""
    tree = ast.parse((PROJECT / path).read_text(encoding="utf-8"))
    return tuple(_imports(tree, of_functions=True))


@cache
def imports_at_load(path: str) -> tuple[Import, ...]:
    """What a module imports when it is imported itself."""
    tree = ast.parse((PROJECT / path).read_text(encoding="utf-8"))
    return tuple(_imports(tree, of_functions=False))


def _imports(node: ast.AST, of_functions: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(name.name, child.lineno) for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.module and not child.level, "imports are absolute"
            for name in child.names:
                inner = f"{child.module}.{name.name}"
                yield Import(inner if file_of(inner) else child.module, child.lineno)
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for statement in child.orelse:
                yield from _imports(statement, of_functions)
        elif of_functions or not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _imports(child, of_functions)


@cache
def described() -> dict[str, Any]:
    """The `project` table of pyproject.toml."""
    return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def distributions(extras: tuple[str, ...]) -> frozenset[str]:
    """Names of the distributions that the project with `extras` asks for, in small letters with hyphens."""
    return frozenset(_of_requirements(described()["dependencies"])) | frozenset(
        name for extra in extras for name in _of_requirements(described()["optional-dependencies"][extra])
    )


def _of_requirements(requirements: list[str]) -> Iterator[str]:
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name, requirement
        inner = re.match(r"thothii\[([^]]+)\]", requirement)
        if inner:
            yield from distributions(tuple(inner[1].split(",")))
        else:
            yield plain_name(name[0])


def plain_name(distribution: str) -> str:
    """The name of a distribution as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def paths_on(page: str) -> Iterator[str]:
    """What a page names in backquotes or links that lies in the project, as paths from its root."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    # A fenced block is commands or a drawing, not prose.
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    top = {name.split("/")[0] for name in files()}
    for quoted in _QUOTED.findall(text):
        if re.fullmatch(r"[\w./-]+", quoted) and "/" in quoted and quoted.split("/")[0] in top:
            yield quoted
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        yield str(((PROJECT / page).parent / target).resolve().relative_to(PROJECT))
