"""A repository, a session and a scripted model for the executor on the real Pi."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.realpi.scripted_model import MODEL, PROVIDER, ScriptedModel, write_agent_folder
from tests.unit.session_executor.executor_fixtures import Repository, entry, make_repository, write_session


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "repository")


@pytest.fixture
def session(tmp_path: Path, repository: Repository) -> Path:
    user = {"role": "user", "content": "hello", "timestamp": 1}
    return write_session(
        tmp_path / "sessions/source.jsonl",
        repository.root,
        entry("model001", None, type="model_change", provider=PROVIDER, modelId=MODEL),
        entry("target02", "model001", type="message", message=user),
        entry("later003", "target02", type="message", message={**user, "content": "NEVER SEEN"}),
    )


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    return tmp_path / "agent"


@pytest.fixture
def model(agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A model server that the user's agent folder names, and a private temporary directory."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(agent))
    with ScriptedModel() as server:
        write_agent_folder(agent, server.base_url)
        yield server
