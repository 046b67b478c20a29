"""The whole product on the real Pi, whose model is a scripted one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.stack import Stack
from tests import stack as product
from tests.realpi.flow_script import FlowScript
from tests.realpi.scripted_model import ScriptedModel, write_agent_folder


@pytest.fixture(scope="module")
def flow_model() -> Iterator[ScriptedModel]:
    """A model that works out the demo question, asking with every tool it has."""
    with ScriptedModel(FlowScript()) as server:
        yield server


@pytest.fixture(scope="module")
def operator_folder(tmp_path_factory: pytest.TempPathFactory, flow_model: ScriptedModel) -> Path:
    """The operator's Pi folder, with that model's provider."""
    return write_agent_folder(tmp_path_factory.mktemp("operator"), flow_model.base_url)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, operator_folder: Path) -> Iterator[Stack]:
    """The three services with the real Pi."""
    with product.running(tmp_path_factory.mktemp("product"), product.real_pi(operator_folder)) as running:
        yield running


@pytest.fixture
def reviewer(stack: Stack) -> Iterator[product.Reviewer]:
    """A reviewer at that product."""
    with product.Reviewer(stack.url) as person:
        yield person
