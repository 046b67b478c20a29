"""Every setting and every error is documented: the pages are what the code declares."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def generator() -> dict:
    return runpy.run_path(str(DOCS / "generate.py"))


@pytest.mark.parametrize("name", ["settings.md", "errors.md"])
def test_the_page_is_what_the_code_declares(generator: dict, name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == generator["PAGES"][name](), "run `make docs`"


def test_every_setting_has_a_description(generator: dict) -> None:
    for settings in generator["GROUPS"].values():
        bare = [name for name, field in settings.model_fields.items() if not field.description]
        assert not bare
