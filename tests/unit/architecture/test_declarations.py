"""What is declared is used: a code nobody raises, a setting nobody reads, is a promise that is not kept."""

import re

import pytest

from contracts.errors import Code
from services.gateway.config import GatewaySettings
from services.orchestrator.config import OrchestratorSettings
from services.runtime.settings import ServiceSettings
from services.tht_executor.config import ExecutorSettings
from tests.unit.architecture.project import PROJECT, described, modules

SOURCES = {
    path: (PROJECT / path).read_text(encoding="utf-8") for path in modules() if not path.startswith("tests/")
}


def test_every_error_of_the_taxonomy_is_raised_somewhere() -> None:
    raised = {
        name
        for path, text in SOURCES.items()
        if path != "contracts/errors.py"
        for name in re.findall(r"\bCode\.([A-Z_]+)\b", text)
    }
    assert {code.name for code in Code} - raised == set()


@pytest.mark.parametrize("settings", [GatewaySettings, OrchestratorSettings, ExecutorSettings])
def test_every_setting_is_read_somewhere(settings: type[ServiceSettings]) -> None:
    read = {
        name
        for path, text in SOURCES.items()
        if path.startswith("services/")
        for name in re.findall(r"\.(\w+)", text)
    }
    assert set(settings.model_fields) - read == set()


def test_what_a_message_says_to_install_can_be_installed() -> None:
    named = {extra for text in SOURCES.values() for extra in re.findall(r"thothii\[([a-z]+)\]", text)}
    assert named
    assert named - set(described()["optional-dependencies"]) == set()
