"""Orchestrators on the fake Pi: real processes, real pipes, real gRPC."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.orchestrator.rig import SCENARIOS, Rig

MakeRig = Callable[..., Awaitable[Rig]]


@pytest.fixture
async def make_rig(tmp_path: Path) -> AsyncIterator[MakeRig]:
    """Starts orchestrators. `scenario` is the name of a file of tests/scenarios, or the text of one."""
    rigs: list[Rig] = []

    async def make(
        scenario: str = "hello.yaml",
        folder: Path | None = None,
        inherited: dict[str, str] | None = None,
        **settings: Any,
    ) -> Rig:
        path = SCENARIOS / scenario
        if "\n" in scenario:
            path = tmp_path / f"scenario-{len(rigs)}.yaml"
            path.write_text(scenario, encoding="utf-8")
        environment = {**os.environ, "PI_OFFLINE": "1", **(inherited or {})}
        rig = Rig(folder or tmp_path, path, environment, settings)
        rigs.append(rig)
        await rig.start()
        return rig

    yield make
    for rig in rigs:
        await rig.stop()
