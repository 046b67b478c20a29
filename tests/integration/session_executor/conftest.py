"""A repository and a session file for every test that asks."""

import tempfile
from pathlib import Path

import pytest

from tests.unit.session_executor.executor_fixtures import Repository, make_repository, write_session


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "repository")


@pytest.fixture
def session(tmp_path: Path, repository: Repository) -> Path:
    return write_session(tmp_path / "sessions/source.jsonl", repository.root)


@pytest.fixture(autouse=True)
def private_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory
