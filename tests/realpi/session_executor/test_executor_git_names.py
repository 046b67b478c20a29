"""No name that git refuses gets past the contained tools: one such file would make the whole run fail."""

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from session_executor.errors import ExecutorError
from session_executor.git import Git
from session_executor.pi.installation import find_pi
from tests.unit.session_executor.executor_fixtures import Repository

pytestmark = pytest.mark.realpi

BASES = [
    ".git",
    ".GIT",
    ".Git",
    "git~1",
    "GIT~1",
    "git~2",
    ".g\u200cit",
    "\u200d.git",
    "\uff0egit",
    "git",
    ".gi",
]
ENDS = ["", " ", ".", " . .", ":x", "::$DATA", "\u200c", "\ufeff", "\\x", "~1", "x", "t", "/x"]
NAMES = ["".join(parts) for parts in itertools.product(BASES, ENDS)] + ["a\\.git", "a\\git~1\\b", "a/.git/b"]
HARMLESS = [".gitignore", ".github", ".gitx", "git", "digit~1", "a.git", "x.git/y", "git~1x", ".gitmodules"]


def refused_by_tools(names: list[str]) -> list[bool]:
    node = Path(find_pi().node_directory, "node")
    program = Path(__file__).with_name("git_names.mjs")
    done = subprocess.run(
        [node, program], input=json.dumps(names), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return json.loads(done.stdout)


def test_what_git_refuses_the_tools_refuse(repository: Repository) -> None:
    git = Git(str(repository.root))
    blob = git.line("hash-object", "-w", "--stdin", stdin=b"x")
    for name, refused in zip(NAMES, refused_by_tools(NAMES), strict=True):
        try:
            git.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
        except ExecutorError:
            assert refused, name
        else:
            git.run("read-tree", "HEAD")


def test_other_names_are_allowed() -> None:
    assert refused_by_tools(HARMLESS) == [False] * len(HARMLESS)
