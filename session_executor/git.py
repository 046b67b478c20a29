"""Run git so that nothing of the caller's environment, hooks, filters or replace refs has a say."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from session_executor.errors import ErrorCode, ExecutorError

_ENVIRONMENT = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "SSH_ASKPASS_REQUIRE": "never",
    "LC_ALL": "C.UTF-8",
}

_CONFIGURATION = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.sparseCheckout", "false"),
    ("index.sparse", "false"),
    ("core.splitIndex", "false"),
    ("core.autocrlf", "false"),
    ("core.excludesFile", os.devnull),
    ("core.attributesFile", os.devnull),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("i18n.commitEncoding", "UTF-8"),
    ("worktree.useRelativePaths", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
)


@dataclass(frozen=True, slots=True)
class GitOutput:
    """What one git command printed and its exit status."""

    status: int
    stdout: bytes
    stderr: str


class Git:
    """git in one directory.

    `git_dir` and `work_tree` name the repository explicitly, so that a `.git` file which a model may have
    changed is never read. `filters` are the configured filter drivers to switch off. `inherit` are file
    descriptors that the children keep open (the lock of a run, which an orphaned git so holds to its end).
    """

    def __init__(
        self,
        directory: str,
        *,
        git_dir: str | None = None,
        work_tree: str | None = None,
        filters: Sequence[str] = (),
        inherit: Sequence[int] = (),
    ) -> None:
        self.directory = directory
        self._git_dir = git_dir
        self._work_tree = work_tree
        self._inherit = tuple(inherit)
        self._environment = _environment(git_dir, work_tree, filters)

    def without_filters(self, *, inherit: Sequence[int] = ()) -> "Git":
        """The same git with every filter driver switched off that its configuration names."""
        return Git(
            self.directory,
            git_dir=self._git_dir,
            work_tree=self._work_tree,
            filters=self.filter_drivers(),
            inherit=inherit,
        )

    def filter_drivers(self) -> list[str]:
        """Names of the filter drivers (`filter.<name>.*`) in the configuration that applies here."""
        listed = self.run("config", "--null", "--name-only", "--get-regexp", r"^filter\.", allowed=(0, 1))
        names = {
            key[len("filter.") :].rpartition(".")[0]
            for key in os.fsdecode(listed.stdout).split("\0")
            if key.startswith("filter.")
        }
        return sorted(names - {""})

    def run(self, *arguments: str, stdin: bytes = b"", allowed: Sequence[int] = (0,)) -> GitOutput:
        """Run one git command and collect its output.

        Raises ExecutorError PROCESS_START_FAILED when git cannot be started and PROCESS_FAILED when it
        ends with a status outside `allowed`.
        """
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.directory,
                env=self._environment,
                input=stdin,
                capture_output=True,
                pass_fds=self._inherit,
                start_new_session=True,
                check=False,
            )
        except (OSError, ValueError) as error:
            raise ExecutorError(ErrorCode.PROCESS_START_FAILED, "could not start git") from error
        stderr = done.stderr.decode("utf-8", "replace")
        if done.returncode not in allowed:
            raise ExecutorError(
                ErrorCode.PROCESS_FAILED,
                f"git {arguments[0]} ended with status {done.returncode}: {stderr or 'no message'}",
            )
        return GitOutput(done.returncode, done.stdout, stderr)

    def line(self, *arguments: str, stdin: bytes = b"") -> str:
        """The output without its one final newline; blanks that belong to a path stay."""
        return os.fsdecode(self.run(*arguments, stdin=stdin).stdout.removesuffix(b"\n"))

    def paths(self, *arguments: str, stdin: bytes = b"") -> list[str]:
        """The NUL-separated names that a command with `-z` printed."""
        return [name for name in os.fsdecode(self.run(*arguments, stdin=stdin).stdout).split("\0") if name]

    def ref_value(self, ref: str) -> str | None:
        """The object id that `ref` holds, or None when there is no such ref."""
        found = self.run("show-ref", "--verify", "--hash", ref, allowed=(0, 1, 128))
        return found.stdout.decode("ascii").strip() if found.status == 0 else None


def _environment(git_dir: str | None, work_tree: str | None, filters: Sequence[str]) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(_ENVIRONMENT)
    if git_dir is not None:
        environment["GIT_DIR"] = git_dir
    if work_tree is not None:
        environment["GIT_WORK_TREE"] = work_tree
    settings = list(_CONFIGURATION)
    for name in filters:
        settings += [(f"filter.{name}.{key}", "") for key in ("smudge", "clean", "process")]
        settings.append((f"filter.{name}.required", "false"))
    environment["GIT_CONFIG_COUNT"] = str(len(settings))
    for index, (key, value) in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{index}"] = key
        environment[f"GIT_CONFIG_VALUE_{index}"] = value
    return environment


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository is, as real paths."""

    root: str
    common_dir: str


@dataclass(frozen=True, slots=True)
class Base:
    """A commit and its tree as full ids."""

    commit: str
    tree: str


def locate_repository(workspace: str) -> Repository:
    """The repository around the directory `workspace`.

    Raises ExecutorError WORKSPACE_NOT_FOUND, PROCESS_FAILED (no repository, or a bare one) and INVALID_UTF8
    (a path that a plan cannot hold).
    """
    try:
        directory = Path(workspace).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise ExecutorError(ErrorCode.WORKSPACE_NOT_FOUND, "the workspace does not exist") from error
    if not directory.is_dir():
        raise ExecutorError(ErrorCode.WORKSPACE_NOT_FOUND, "the workspace is not a directory")
    root = str(Path(Git(str(directory)).line("rev-parse", "--show-toplevel")).resolve())
    common_dir = str(Path(root, Git(root).line("rev-parse", "--git-common-dir")).resolve())
    for path in (root, common_dir):
        if not _is_utf8(path):
            raise ExecutorError(ErrorCode.INVALID_UTF8, "the path of the workspace is not valid UTF-8")
    return Repository(root, common_dir)


def resolve_base(root: str, revision: str) -> Base:
    """The commit that `revision` names in the repository at `root`, tags peeled, replace refs ignored.

    Raises ExecutorError PROCESS_FAILED when there is no such commit.
    """
    git = Git(root)
    commit = git.line("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    tree = git.line("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")
    return Base(commit, tree)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
