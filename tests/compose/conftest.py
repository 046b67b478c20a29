"""The containers that `make test-compose` brought up, and a reviewer at their gateway."""

import os
import shlex
from collections.abc import Iterator

import pytest

from tests.compose.containers import SERVICES, Containers
from tests.stack import Reviewer


@pytest.fixture(scope="session")
def containers() -> Containers:
    """The running project."""
    if "THOTHII_COMPOSE" not in os.environ:
        pytest.skip("no containers are up: run make test-compose")
    project = Containers(shlex.split(os.environ["THOTHII_COMPOSE"]))
    assert {name: project.health(name) for name in SERVICES} == dict.fromkeys(SERVICES, "healthy")
    return project


@pytest.fixture
def reviewer(containers: Containers) -> Iterator[Reviewer]:
    """A reviewer who reaches the gateway as a browser on this machine would."""
    with Reviewer(containers.url) as person:
        yield person
