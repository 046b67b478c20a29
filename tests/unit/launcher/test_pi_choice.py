"""Which Pi `make run` takes, and what it says of it."""

import json
from pathlib import Path

import pytest

from launcher import pi_choice

WITH_A_MODEL = """\
provider  model     context  max-out  thinking  images
acme      large-1   100K     1K       no        no
"""
WITHOUT_MODELS = "No models available.\nConfigure a provider first.\n"


@pytest.fixture
def install_pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a program in the place of the real Pi that prints `text` and exits with `code`."""

    def install(text: str, code: int = 0) -> None:
        program = tmp_path / "node_modules" / ".bin" / "pi"
        program.parent.mkdir(parents=True)
        output = ">&2" if code else ""
        program.write_text(f"#!/bin/sh\ncat <<'END' {output}\n{text}END\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setattr(pi_choice, "REAL_PI", program)

    monkeypatch.setattr(pi_choice, "REAL_PI", tmp_path / "nowhere")
    return install


def test_auto_takes_the_real_one_when_it_has_a_model(install_pi) -> None:
    install_pi(WITH_A_MODEL)
    choice = pi_choice.choose("auto")
    assert choice.runner == "pi"
    assert json.loads(choice.environment["THOTHII_PI_COMMAND"]) == [str(pi_choice.REAL_PI)]


def test_auto_says_why_it_takes_the_fake_one(install_pi) -> None:
    assert "not installed" in pi_choice.choose("auto").reason
    install_pi(WITHOUT_MODELS)
    choice = pi_choice.choose("auto")
    assert choice.runner == "fake_pi"
    assert "no model" in choice.reason
    assert choice.environment["THOTHII_FAKE_PI_SCENARIO"].endswith("worst_carrier.yaml")


def test_a_real_one_that_does_not_start_is_told_with_its_last_words(install_pi) -> None:
    install_pi("Error: first line\nSyntaxError: old Node\n", code=1)
    with pytest.raises(pi_choice.NoUsablePi, match="SyntaxError: old Node"):
        pi_choice.choose("real")
    assert pi_choice.choose("auto").runner == "fake_pi"


def test_real_is_never_replaced_in_silence(install_pi) -> None:
    with pytest.raises(pi_choice.NoUsablePi, match="make pi"):
        pi_choice.choose("real")


def test_fake_is_taken_when_asked_for_though_the_real_one_would_run(install_pi) -> None:
    install_pi(WITH_A_MODEL)
    assert pi_choice.choose("fake").runner == "fake_pi"
