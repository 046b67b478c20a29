"""Repositories, sessions and plans that the tests of the session executor share."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan, create_plan

TIMESTAMP = "2026-08-16T00:00:00.000Z"
CREATED_AT = datetime(2026, 8, 16, 1, 0, tzinfo=UTC)
ROOT_ENTRY = "root0001"
TARGET_ENTRY = "target02"
PROMPT = "Continue the fixture from the selected checkpoint."
MESSAGE = "feat(session): continue checkpoint"


def git(directory: Path, *arguments: str, allowed: Sequence[int] = (0,), text: str = "") -> str:
    """Run the test's own git and return what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=directory, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode in allowed, f"git {arguments}: {done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Repository:
    """A repository with one commit on `main`."""

    root: Path
    base: str

    def git(self, *arguments: str, allowed: Sequence[int] = (0,)) -> str:
        return git(self.root, *arguments, allowed=allowed)

    def commit(self, files: dict[str, str | bytes], message: str = "more") -> str:
        """Write and commit `files`; the new commit becomes HEAD."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD").strip()

    def snapshot(self) -> dict[str, Any]:
        """All that a run must leave byte for byte: branches, HEAD, index, status, files and their mtimes."""
        files = {
            str(path.relative_to(self.root)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.parts
        }
        return {
            "index": (self.root / ".git/index").read_bytes(),
            "head": (self.root / ".git/HEAD").read_bytes(),
            "refs": self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"),
            "config": (self.root / ".git/config").read_bytes(),
            "files": files,
        }

    def leftovers(self) -> list[str]:
        """Worktree registrations beside the main one, and locks and temporary files of executions."""
        found = self.git("worktree", "list", "--porcelain").split("worktree ")[2:]
        root = self.root / ".git/better-harness"
        found += [str(path) for path in root.rglob("*") if path.suffix in {".lock", ".tmp"}]
        found += [str(path) for path in root.rglob("run.json")]
        return found


def make_repository(root: Path) -> Repository:
    """A new repository at `root` with an identity, one file and one commit."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "--initial-branch=main")
    git(root, "config", "user.name", "Harness Test")
    git(root, "config", "user.email", "harness-test@example.com")
    (root / "README.md").write_text("# fixture\n")
    git(root, "add", "README.md")
    git(root, "commit", "-qm", "test: seed fixture")
    return Repository(Path(os.path.realpath(root)), git(root, "rev-parse", "HEAD").strip())


def entry(identifier: str, parent: str | None, **more: Any) -> dict[str, Any]:
    """One `custom` session entry; `more` overrides and adds."""
    base = {"type": "custom", "id": identifier, "parentId": parent, "timestamp": TIMESTAMP}
    return {**base, "customType": "fixture", "data": {"step": identifier}, **more}


def session_lines(cwd: Path, *entries: dict[str, Any]) -> list[dict[str, Any]]:
    """A header and its entries; without any, a small tree with a sibling and a later entry."""
    header = {
        "type": "session",
        "version": 3,
        "id": "source-session-1",
        "timestamp": TIMESTAMP,
        "cwd": str(cwd),
    }
    default = (
        entry(ROOT_ENTRY, None),
        entry(TARGET_ENTRY, ROOT_ENTRY),
        entry("sibling3", ROOT_ENTRY),
        entry("later004", TARGET_ENTRY),
    )
    return [header, *(entries or default)]


def encode(lines: Sequence[dict[str, Any]]) -> bytes:
    """The lines of a session file."""
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def write_session(path: Path, cwd: Path, *entries: dict[str, Any]) -> Path:
    """Write a session file at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(session_lines(cwd, *entries)))
    return path


def make_plan(repository: Repository, session: Path, **more: Any) -> Plan:
    """A plan for the target entry; `more` overrides the arguments of `create_plan`."""
    arguments: dict[str, Any] = {
        "workspace": str(repository.root),
        "base": repository.base,
        "session_file": str(session),
        "entry_id": TARGET_ENTRY,
        "prompt": PROMPT,
        "commit_message": MESSAGE,
        "inspect": inspect_session,
        "now": CREATED_AT,
    }
    return create_plan(**{**arguments, **more})
