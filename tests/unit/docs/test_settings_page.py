"""Every setting is documented: the page is what the code declares."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def generator() -> dict:
    return runpy.run_path(str(DOCS / "generate_settings.py"))


def test_the_page_is_what_the_code_declares(generator: dict) -> None:
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == generator["document"](), "run `make docs`"


def test_every_setting_has_a_description(generator: dict) -> None:
    for settings in generator["GROUPS"].values():
        bare = [name for name, field in settings.model_fields.items() if not field.description]
        assert not bare
