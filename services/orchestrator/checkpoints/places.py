"""Where continuations may happen: which repositories, and from which sessions."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from contracts.errors import Code, Fault
from contracts.identifiers import check_session_id
from services.orchestrator.transcript import history_file
from session_executor.errors import ErrorCode, ExecutorError
from session_executor.git import Repository, locate_repository
from session_executor.plan import Plan

_NO_REPOSITORY = {ErrorCode.WORKSPACE_NOT_FOUND, ErrorCode.PROCESS_FAILED}


class AllowedPlaces:
    """The repositories and session folders that the operator has allowed, compared as real paths.

    Args:
        repositories: work trees; what lies in or below one is allowed. Without any, nothing is.
        sessions: the folder of ThothII's sessions, whose Pi files are always allowed.
        session_folders: folders with further Pi session files.
    """

    def __init__(
        self, repositories: Sequence[Path], sessions: Path, session_folders: Sequence[Path] = ()
    ) -> None:
        self._repositories = repositories
        self._sessions = sessions
        self._session_folders = (sessions, *session_folders)

    def repository(self, name: str) -> Repository:
        """The repository that `name` means: an absolute path, or the folder name of an allowed one.

        Raises Fault NOT_FOUND when checkpoints are off, when the place is not allowed, and when there is no
        repository; ExecutorError when git cannot say, such as PROCESS_START_FAILED without a git.
        """
        if not self._repositories:
            raise Fault(
                Code.NOT_FOUND,
                "checkpoints are off: THOTHII_CHECKPOINT_REPOSITORIES of the orchestrator is empty",
            )
        place = self._place(name)
        around = [each for each in _real(self._repositories) if place and place.is_relative_to(each)]
        if place is None or not around:
            raise self._not_allowed(name)
        try:
            found = locate_repository(str(place))
            if not self._covers(found, around):
                raise self._not_allowed(name)
        except ExecutorError as error:
            if error.code not in _NO_REPOSITORY:
                raise
            raise Fault(Code.NOT_FOUND, f"git knows no work tree at {name}: {error.message}"[:600]) from error
        return found

    def session_of(self, session_id: str) -> str:
        """The Pi session file of a session of ThothII. Raises Fault NOT_FOUND."""
        path = history_file(self._sessions / check_session_id(session_id) / "pi", session_id)
        if path is None:
            raise Fault(Code.NOT_FOUND, f"the session {session_id} has no Pi session file")
        return self.session_file(str(path))

    def session_file(self, path: str) -> str:
        """The real path of a Pi session file in an allowed folder. Raises Fault NOT_FOUND."""
        place = _resolved(path)
        folders = list(_real(self._session_folders))
        if place is None or not any(place.is_relative_to(folder) for folder in folders):
            raise Fault(
                Code.NOT_FOUND,
                "there is no such session file in ThothII's sessions or in THOTHII_CHECKPOINT_SESSIONS",
            )
        return str(place)

    def check_plan(self, plan: Plan, repository: Repository) -> None:
        """A plan is for `repository` and for an allowed session; its digests say nothing of who made it.

        Raises Fault INVALID_ARGUMENT or NOT_FOUND.
        """
        planned = (plan.workspace.root, plan.workspace.git_common_dir)
        if planned != (repository.root, repository.common_dir):
            raise Fault(Code.INVALID_ARGUMENT, "the plan is for another repository", field="plan_json")
        self.session_file(plan.checkpoint.session_file)

    def _place(self, name: str) -> Path | None:
        if "/" in name:
            return _resolved(name)
        named = [each for each in self._repositories if each.name == name]
        return _resolved(str(named[0])) if len(named) == 1 else None

    def _covers(self, found: Repository, around: Sequence[Path]) -> bool:
        """True when work tree and Git directory are the operator's choice.

        An allowed folder may lie in a larger repository, and a `.git` file below one may lead anywhere.
        """
        root, common_dir = Path(found.root), Path(found.common_dir)
        if not any(root.is_relative_to(each) for each in around):
            return False
        if any(common_dir.is_relative_to(each) for each in _real(self._repositories)):
            return True
        # The operator's own linked worktree or submodule has its Git directory elsewhere.
        return any(root == each for each in around)

    def _not_allowed(self, name: str) -> Fault:
        names = ", ".join(sorted({each.name for each in self._repositories}))
        return Fault(Code.NOT_FOUND, f"{name[:200]} is not an allowed repository; allowed are {names}"[:600])


def _resolved(path: str) -> Path | None:
    """The real path of what is at an absolute path; None when there is nothing."""
    try:
        return Path(path).resolve(strict=True) if Path(path).is_absolute() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _real(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        resolved = _resolved(str(path))
        if resolved is not None:
            yield resolved
