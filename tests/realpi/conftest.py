"""Fixtures of the tests on the real Pi, which are skipped only where Pi is not installed (`make pi`)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.realpi.agent_stub import AgentStub, StubSession
from tests.realpi.pi_process import GATE, GATE_TOOLS, HARNESS, PI_CLI, PiProcess, find_node
from tests.realpi.scripted_model import MODEL, PROVIDER, ScriptedModel, write_agent_folder

HERE = Path(__file__).parent
SESSION_ID = "20261130t161035-3f9a1c"

StartPi = Callable[..., PiProcess]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = "Pi is not installed: run `make pi`" if not PI_CLI.exists() or find_node() is None else None
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.realpi)
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A scripted model whose script a test sets with `model.script(...)`."""
    with ScriptedModel() as server:
        yield server


@pytest.fixture
def agent_folder(tmp_path: Path, model: ScriptedModel) -> Path:
    """A PI_CODING_AGENT_DIR of its own, with the scripted model as its provider."""
    return write_agent_folder(tmp_path / "agent", model.base_url)


@pytest.fixture
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentStub]:
    """An agent endpoint with one session. Its path is short, as a Unix socket's must be."""
    folder = tmp_path_factory.mktemp("ep")
    with AgentStub(folder / "s", StubSession(SESSION_ID)) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def pi_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One TMPDIR for all Pis of a test run: it keeps Node's compile cache."""
    return tmp_path_factory.mktemp("pi-cache")


@pytest.fixture
def start_pi(tmp_path: Path, agent_folder: Path, stub: AgentStub, pi_cache: Path) -> Iterator[StartPi]:
    """Starts the real Pi as the orchestrator does, in the project's harness folder."""
    with ExitStack() as running:

        def start(
            *extra: str,
            cwd: Path = HARNESS,
            gate: str | None = GATE,
            approve: bool = True,
            tools: tuple[str, ...] | None = GATE_TOOLS,
            environment: dict[str, str] | None = None,
        ) -> PiProcess:
            arguments = [
                *(["--approve"] if approve else []),
                *(["-e", gate] if gate else []),
                *(["--tools", ",".join(tools)] if tools else []),
                *("-nc", "--session-dir", str(tmp_path / "pi"), "--session-id", SESSION_ID),
                *("--provider", PROVIDER, "--model", MODEL, *extra),
            ]
            surroundings = {
                "PI_CODING_AGENT_DIR": str(agent_folder),
                "TMPDIR": str(pi_cache),
                **stub.environment(),
                **(environment or {}),
            }
            return running.enter_context(PiProcess(arguments, cwd=cwd, environment=surroundings))

        yield start
