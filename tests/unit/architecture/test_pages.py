"""What the pages name is there."""

import re

import pytest

from services.gateway.routes import ENDPOINTS
from tests.unit.architecture.project import PAGES, PROJECT, described, files, paths_on, rooms

MADE = ("harness/sessions/", "harness/node_modules/", "thothii/")
"""Folders that running or installing makes."""


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_a_page_exists(page: str) -> None:
    named = [path for path in paths_on(page) if not path.startswith(MADE)]
    assert not [path for path in named if not (PROJECT / path).exists()]


def test_every_folder_at_the_top_is_a_room() -> None:
    top = {name.split("/")[0] for name in files() if "/" in name}
    assert top == {room.path.split("/")[0] for room in rooms()}


def test_no_room_stands_twice_in_the_table() -> None:
    names = [room.path for room in rooms()]
    assert len(names) == len(set(names)) > 10


def test_every_room_is_a_folder_with_files() -> None:
    assert not [room.path for room in rooms() if not any(name.startswith(room.path) for name in files())]


def test_what_a_room_may_import_is_a_room_or_a_file_of_one() -> None:
    named = {path for room in rooms() for path in room.may_import}
    assert not [path for path in named if not (PROJECT / path).exists() and path != "thothii/"]


def test_every_extra_that_a_room_names_is_one() -> None:
    extras = set(described()["optional-dependencies"])
    assert {extra for room in rooms() for extra in room.extras} <= extras


def test_every_route_is_in_the_table_of_the_readme() -> None:
    table = (PROJECT / "README.md").read_text(encoding="utf-8").split("## The interface")[1].split("## ")[0]
    named = set(re.findall(r"/([\w.]+)", " ".join(re.findall(r"`([^`]+)`", table))))
    routes = [
        [part for part in endpoint.path.split("/") if part[:1] not in ("", "{")] for endpoint in ENDPOINTS
    ]
    assert {parts[-1] for parts in routes if parts} - named == set()
