"""How the operator says where sessions may be continued."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from services.orchestrator.config import OrchestratorSettings


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        ("[]", []),
        ("/srv/a", [Path("/srv/a")]),
        ("/srv/with space,comma", [Path("/srv/with space,comma")]),
        ('["/srv/a", "/srv/b"]', [Path("/srv/a"), Path("/srv/b")]),
        ("~/a", [Path.home() / "a"]),
        ("a", [Path.cwd() / "a"]),
    ],
)
def test_repositories_are_a_path_or_a_list(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: list[Path]
) -> None:
    monkeypatch.setenv("THOTHII_CHECKPOINT_REPOSITORIES", value)
    monkeypatch.setenv("THOTHII_CHECKPOINT_SESSIONS", value)
    settings = OrchestratorSettings()
    assert settings.checkpoint_repositories == settings.checkpoint_sessions == expected


@pytest.mark.parametrize("value", ["[", "[1]", '[["a"]]', "[null]"])
def test_a_list_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("THOTHII_CHECKPOINT_REPOSITORIES", value)
    with pytest.raises(ValidationError):
        OrchestratorSettings()
