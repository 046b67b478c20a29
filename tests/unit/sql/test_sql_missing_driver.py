"""What is said when the driver of a workspace's database is not installed."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tht.sql import warm
from tht.workspaces import parse_workspace

PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "text",
    [
        "dialect: sqlite\nconnection: {path: /x}\n",
        "dialect: duckdb\nconnection: {path: /x}\n",
        "dialect: postgres\nconnection: {url: 'postgresql://h/d'}\n",
        "dialect: mysql\nconnection: {url: 'mysql://h/d'}\n",
        "dialect: mariadb\nconnection: {url: 'mysql://h/d'}\n",
        "dialect: trino\ntransport: rest\nconnection: {url: 'https://h', catalog: c}\n",
    ],
)
def test_a_driver_that_is_missing_is_in_the_extra_that_is_named(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(warm, "import_module", missing)
    with pytest.raises(Fault) as caught:
        warm.connect(parse_workspace("w", text, Path("/")))
    assert caught.value.code is Code.WORKSPACE_BROKEN
    extra = re.search(r"pip install thothii\[(.+)\]", caught.value.message)
    assert extra is not None
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    assert extra[1] in project["project"]["optional-dependencies"]
