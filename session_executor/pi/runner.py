"""The runner that continues a session with the real Pi."""

import json
import os
import uuid
from pathlib import Path

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.files import create_file
from session_executor.pi.agent_directory import make_agent_directory
from session_executor.pi.conversation import Conversation, Expected, require_success
from session_executor.pi.installation import Installation, find_pi
from session_executor.pi.process import PiProcess
from session_executor.pi.session_file import Session, fork_session, parse_session, session_models
from session_executor.plan import Plan, timestamp
from session_executor.runner import ContinuationRequest, ContinuationResult

_EXTENSION = Path(__file__).parent / "extension/index.js"
_TOOLS_VARIABLE = "SESSION_EXECUTOR_TOOLS"
_SYSTEM_PROMPT = """\
You are an expert coding assistant. You continue an earlier conversation in a fresh checkout of the project:
the present directory holds the files of one commit, which may differ from what was seen earlier, so read a
file before you change it. You can only use the tools you are given, on files below this directory; you cannot
run commands. When the work is done, say briefly what you changed."""


class PiRunner:
    """Continues with `pi --mode rpc`. `model` is provider and model id, None for the session's own.

    `agent_directory` holds the credentials and models, None for the user's. `maximum_seconds` shortens the
    plan's limit.
    """

    def __init__(
        self,
        *,
        pi: str | None = None,
        model: tuple[str, str] | None = None,
        agent_directory: Path | None = None,
        maximum_seconds: float | None = None,
    ) -> None:
        self._pi = pi
        self._model = model
        self._credentials = agent_directory
        self._maximum_seconds = maximum_seconds
        self._installation: Installation | None = None

    def preflight(self, plan: Plan) -> None:
        """Raises ExecutorError PI_SDK_UNAVAILABLE when there is no Pi that fits."""
        del plan
        self._installation = find_pi(self._pi)

    def run(self, request: ContinuationRequest) -> ContinuationResult:
        """Fork the frozen session, continue it and wait until Pi has ended.

        Raises ExecutorError PI_CHECKPOINT_FORK_FAILED, PI_TOOL_BOUNDARY_FAILED, PI_TOOL_CALL_LIMIT,
        PI_EXECUTION_TIMEOUT, PI_CONTINUATION_FAILED, PI_SESSION_NOT_PERSISTED or EXECUTION_FAILED.
        """
        plan = request.plan
        source = parse_session(Path(request.source_session).read_bytes())
        session_id = str(uuid.uuid4())
        session_file = _write_fork(request, source, session_id)
        expected = Expected(
            session_id=session_id,
            session_file=session_file,
            root=request.worktree,
            tools=plan.limits.tools,
            branch=plan.checkpoint.branch_entry_ids,
            models=(self._model,) if self._model else session_models(source, plan.checkpoint.entry_id),
        )
        request.progress("starting-pi", "")
        process = self._start(request, session_file)
        try:
            conversation = Conversation(process, expected, request.progress, request.stop)
            conversation.verify()
            seconds = min(plan.limits.maximum_seconds, self._maximum_seconds or plan.limits.maximum_seconds)
            conversation.prompt(plan.continuation.prompt, plan.limits.maximum_tool_calls, seconds)
        finally:
            status = process.close()
        outcome = conversation.outcome
        require_success(outcome)
        if status != 0:
            message = f"Pi ended with status {status}: {process.last_words()}"
            raise ExecutorError(ErrorCode.PI_CONTINUATION_FAILED, message)
        if not Path(session_file).is_file():
            raise ExecutorError(ErrorCode.PI_SESSION_NOT_PERSISTED, "Pi left no session file")
        return ContinuationResult(
            session_id=session_id,
            session_file=session_file,
            model=outcome.model,
            tool_calls=tuple(outcome.tool_calls),
            output=outcome.output,
            written_paths=frozenset(outcome.written),
        )

    def _start(self, request: ContinuationRequest, session_file: str) -> PiProcess:
        installation = self._installation or find_pi(self._pi)
        agent_directory = str(Path(request.temporary_root, "agent"))
        make_agent_directory(agent_directory, self._credentials)
        limits = request.plan.limits
        options = {
            "root": request.worktree,
            "tools": list(limits.tools),
            "submodules": list(request.submodules),
            "maximumToolCalls": limits.maximum_tool_calls,
        }
        options_file = str(Path(request.temporary_root, "tools.json"))
        create_file(options_file, json.dumps(options).encode())
        environment = {
            **_environment(installation),
            "PI_CODING_AGENT_DIR": agent_directory,
            "TMPDIR": request.cache_directory,
            _TOOLS_VARIABLE: options_file,
        }
        return PiProcess(
            [*installation.command, *_arguments(session_file, request.session_directory, limits.tools)],
            cwd=request.worktree,
            environment=environment,
            inherit=request.inherit,
        )


def _write_fork(request: ContinuationRequest, source: Session, session_id: str) -> str:
    now = timestamp()
    name = f"{now.replace(':', '-').replace('.', '-')}_{session_id}.jsonl"
    path = Path(os.path.realpath(request.session_directory), name)
    try:
        fork = fork_session(
            source,
            request.plan.checkpoint.entry_id,
            session_id=session_id,
            timestamp=now,
            cwd=request.worktree,
            parent_session=request.source_session,
        )
        create_file(str(path), fork)
    except (OSError, ExecutorError) as error:
        raise ExecutorError(
            ErrorCode.PI_CHECKPOINT_FORK_FAILED, f"the session could not be forked: {error}"
        ) from error
    return str(path)


def _arguments(session_file: str, session_directory: str, tools: tuple[str, ...]) -> list[str]:
    """Each flag closes a way by which the user's or the repository's files could reach the model."""
    return [
        *("--mode", "rpc", "--session", session_file, "--session-dir", session_directory),
        *("--no-extensions", "-e", str(_EXTENSION)),
        *("--no-builtin-tools", "--tools", ",".join(tools)),
        *("--exclude-tools", "bash,powershell,grep,find"),
        *("--no-skills", "--no-prompt-templates", "--no-themes", "--no-context-files", "--no-approve"),
        *("--offline", "--system-prompt", _SYSTEM_PROMPT, "--append-system-prompt", ""),
    ]


def _environment(installation: Installation) -> dict[str, str]:
    """The caller's environment (provider keys are in it) without what could steer git, Node or Pi.

    Nor does the child see ThothII's own settings: the services' token is one.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "PI_", "NODE_", "THOTHII_")) or name == "NODE_EXTRA_CA_CERTS"
    }
    environment["PATH"] = os.pathsep.join((installation.node_directory, environment.get("PATH", "")))
    environment["PI_OFFLINE"] = "1"
    return environment
