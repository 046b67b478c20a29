"""An orchestrator with continuations and a gateway before it, on a repository of their own."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.checkpoints.served import Served
from tests.unit.session_executor.executor_fixtures import Repository, make_repository, write_session

Serve = Callable[..., Awaitable[Served]]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "allowed" / "repository")


@pytest.fixture
def session(tmp_path: Path, repository: Repository) -> Path:
    return write_session(tmp_path / "sessions" / "source.jsonl", repository.root)


@pytest.fixture
async def serve(tmp_path: Path, repository: Repository, session: Path) -> AsyncIterator[Serve]:
    """Starts orchestrators; settings override those that allow the repository and the session's folder."""
    all_served: list[Served] = []

    async def start(**settings: Any) -> Served:
        served = Served(
            tmp_path / f"service-{len(all_served)}",
            repository,
            session,
            {
                "checkpoint_repositories": [repository.root],
                "checkpoint_sessions": [session.parent],
                **settings,
            },
        )
        all_served.append(served)
        await served.start()
        return served

    yield start
    for served in all_served:
        await served.stop()
