"""Workspace files: liberal on what is absent, exact on what is wrong, silent on secrets."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tht.home import Home
from tht.workspaces import Workspace, load_workspace, parse_workspace, workspace_names

FOLDER = Path("/srv/harness/workspaces")


def parsed(text: str, name: str = "shop") -> Workspace:
    return parse_workspace(name, text, FOLDER)


def refusal(text: str) -> str:
    with pytest.raises(Fault) as raised:
        parsed(text)
    assert raised.value.code is Code.WORKSPACE_BROKEN
    assert raised.value.message.startswith("workspace shop: ")
    assert "\n" not in raised.value.message
    return raised.value.message


def test_a_url_alone_is_enough() -> None:
    workspace = parsed('connection: {url: "postgresql://reader@db/shop"}')
    assert (workspace.name, workspace.dialect, workspace.transport) == ("shop", "postgres", "direct")
    assert workspace.allow.schemas is None and workspace.allow.tables == ("*",)
    assert workspace.limits.rows == 10_000 and workspace.limits.bytes == 16 << 20
    assert workspace.warnings == ()


def test_everything_that_can_be_said() -> None:
    workspace = parsed(
        """
        name: shop
        dialect: duckdb
        transport: direct
        connection: {path: ../data/shop.duckdb}
        allow: {schemas: [main], tables: ["order*"], deny_columns: [card]}
        accept_writable_role: true
        subagents: true
        limits: {rows: 5, bytes: 2KiB, timeout_s: 0.5, export_rows: null, approval_hours: 24}
        notes: |
          two
          lines
        """
    )
    assert workspace.allow.deny_columns == ("card",)
    assert (workspace.limits.rows, workspace.limits.bytes, workspace.limits.timeout_s) == (5, 2048, 0.5)
    assert workspace.limits.approval_hours == 24
    assert workspace.subagents and workspace.accept_writable_role and workspace.notes == "two\nlines\n"
    assert workspace.connection.resolve({}).path == FOLDER / "../data/shop.duckdb"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must hold keys and values"),
        ("- shop", "must hold keys and values"),
        ("connection: [", "line 1, column 14"),
        ("connection: {path: a}\nconnection: {path: b}", "key 'connection' twice"),
        ("connection: {path: a, path: b}", "key 'path' twice"),
        ("connection: !!python/object:os.system {path: a}", "YAML is broken"),
        ("name: other\nconnection: {path: a}\ndialect: sqlite", "name must be 'shop'"),
        ("dialect: sqlite", "connection is missing"),
        ("dialect: sqlite\nconnection: {}", "either path or url"),
        ("dialect: sqlite\nconnection: {path: a, url: 'sqlite:///a'}", "either path or url"),
        ("dialect: sqlite\nconnection: {path: 7}", "connection.path must be text"),
        ("dialect: sqlite\nconnection: {path: a, host: b}", "unknown key connection.host"),
        ("connection: {path: a}", "dialect is missing; it must be one of duckdb"),
        ("dialect: oracle\nconnection: {path: a}", "dialect is 'oracle'; it must be one of"),
        ("dialect: sqlite\nconnection: {url: 'mysql://h/d'}", "dialect is sqlite but connection.url begins"),
        ("dialect: postgres\nconnection: {path: a}", "give connection.url for postgres"),
        ("dialect: sqlite\ntransport: carrier\nconnection: {path: a}", "transport is 'carrier'"),
        ("dialect: sqlite\ntransport: rest\nconnection: {path: a}", "rest transport needs connection.url"),
        ("connection: {url: 'sqlite://a.db'}", "sqlite:///FILE"),
        ("connection: {url: 'sqlite:///a.db?mode=rwc'}", "without parameters"),
        ("dialect: sqlite\nconnection: {path: a}\nnotess: x", "unknown key notess; known are"),
        ("dialect: sqlite\nconnection: {path: a}\nnotes: [x]", "notes must be text"),
        ("dialect: sqlite\nconnection: {path: a}\naccept_writable_role: maybe", "must be true or false"),
        ("dialect: sqlite\nconnection: {path: a}\nsubagents: 1", "subagents must be true or false"),
        ("dialect: sqlite\nconnection: {path: a}\nallow: [main]", "allow must hold keys and values"),
        ("dialect: sqlite\nconnection: {path: a}\nallow: {table: [a]}", "unknown key allow.table"),
        (
            "dialect: sqlite\nconnection: {path: a}\nallow: {tables: a}",
            "allow.tables must be a list of names",
        ),
        (
            "dialect: sqlite\nconnection: {path: a}\nallow: {tables: [1]}",
            "allow.tables must be a list of names",
        ),
        (
            "dialect: sqlite\nconnection: {path: a}\nlimits: {bytes: 16Mi}",
            "limits.bytes must be a size such as",
        ),
        (
            "dialect: sqlite\nconnection: {path: a}\nlimits: {bytes: -1}",
            "limits.bytes must be a size such as",
        ),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {bytes: 0}", "limits.bytes must be a size such as"),
        (
            "dialect: sqlite\nconnection: {path: a}\nlimits: {bytes: true}",
            "limits.bytes must be a size such as",
        ),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {rows: 1e4}", "limits.rows must be a whole number"),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {rows: 0}", "limits.rows must be a whole number"),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {rows: null}", "limits.rows has no value"),
        (
            "dialect: sqlite\nconnection: {path: a}\nlimits: {timeout_s: 0}",
            "timeout_s must be a number above 0",
        ),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {timeout_s: .nan}", "timeout_s must be a number"),
        ("dialect: sqlite\nconnection: {path: a}\nlimits: {speed: 1}", "unknown key limits.speed"),
        ("a: &a [*a]", "unknown key a"),
        ("[" * 5000, "YAML is broken"),
        ("dialect: sqlite\nconnection: {path: a}\n? [a]\n: b", "YAML is broken"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, says: str) -> None:
    assert says in refusal(text)


@pytest.mark.parametrize(
    ("size", "expected"),
    [("16MiB", 16 << 20), ("1 GB", 10**9), ("512", 512), ("7B", 7), ("2KB", 2000), (" 3KiB ", 3072)],
)
def test_sizes(size: str, expected: int) -> None:
    text = f"dialect: sqlite\nconnection: {{path: a}}\nlimits: {{bytes: '{size}'}}"
    assert parsed(text).limits.bytes == expected


@pytest.mark.parametrize(
    ("connection", "places"),
    [
        ("url: 'postgresql://u:hunter2@h/d'", ["url"]),
        ("url: 'postgresql://h/d?user=u&password=hunter2'", ["url"]),
        ("url: 'https://h/sql', token: hunter2", ["token"]),
        ("url: 'https://h/sql', user: u, password: hunter2", ["password"]),
        ("url: 'postgresql://u:${PW}@h/d'", []),
        ("url: 'postgresql://h/d?password=${PW}'", []),
        ("url: '${DATABASE_URL}'", []),
        ("url: 'postgresql://u@h/d'", []),
        ("path: hunter2", []),
    ],
)
def test_a_secret_in_clear_is_warned_of_and_never_shown(connection: str, places: list[str]) -> None:
    dialect = "sqlite" if "path" in connection else "postgres"
    workspace = parsed(f"dialect: {dialect}\nconnection: {{{connection}}}")
    assert [re.findall(r"connection\.(\w+) holds", warning) for warning in workspace.warnings] == [
        [place] for place in places
    ]
    shown = (
        f"{workspace!r} {workspace.warnings} {workspace.connection!r} {workspace.connection.resolve(ENV)!r}"
    )
    assert "hunter2" not in shown and ENV["PW"] not in shown


ENV = {"PW": "p@ss:/w#rd%41", "DATABASE_URL": "postgresql://u:x@h/d", "HOST": "db.example:5432"}


@pytest.mark.parametrize(
    ("url", "resolved"),
    [
        ("postgresql://u:${PW}@${HOST}/d", "postgresql://u:p%40ss%3A%2Fw%23rd%2541@db.example:5432/d"),
        ("${DATABASE_URL}", "postgresql://u:x@h/d"),
        ("postgresql://${HOST}/d?application_name=${HOST}", None),
        ("postgresql://u:$PW@h/d", "postgresql://u:$PW@h/d"),
    ],
)
def test_variables_are_filled_in_when_connecting(url: str, resolved: str | None) -> None:
    connection = parsed(f"dialect: postgres\nconnection: {{url: '{url}'}}").connection
    expected = resolved or url.replace("${HOST}", ENV["HOST"])
    assert connection.resolve(ENV).url == expected


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_any_password_arrives_whole(password: str) -> None:
    connection = parsed("connection: {url: 'mysql://reader:${PW}@db/shop'}").connection
    url = connection.resolve({"PW": password}).url
    split = urlsplit(url or "")
    assert unquote(split.password or "") == password
    assert (split.hostname, split.path) == ("db", "/shop")


@pytest.mark.parametrize("environment", [{}, {"PW": ""}])
def test_an_unset_variable_is_told_when_connecting_and_not_before(environment: dict[str, str]) -> None:
    workspace = parsed("connection: {url: 'postgresql://u:${PW}@h/d'}")
    with pytest.raises(Fault) as raised:
        workspace.connection.resolve(environment)
    assert raised.value.code is Code.WORKSPACE_BROKEN
    assert "PW" in raised.value.message and "is not set" in raised.value.message


@pytest.mark.parametrize(
    ("connection", "path"),
    [
        ("url: 'sqlite:///shop.db'", FOLDER / "shop.db"),
        ("url: 'sqlite:////data/shop.db'", Path("/data/shop.db")),
        ("url: 'duckdb:////data/s h%20op.duckdb'", Path("/data/s h%20op.duckdb")),
        ("path: /data/shop.db", Path("/data/shop.db")),
        ("path: '${PLACE}/shop.db'", Path("/vol/shop.db")),
        ("url: '${SHOP}'", Path("/vol/x.db")),
    ],
)
def test_paths_are_relative_to_the_workspaces_folder(connection: str, path: Path) -> None:
    dialect = "duckdb" if "duckdb" in connection else "sqlite"
    workspace = parsed(f"dialect: {dialect}\nconnection: {{{connection}}}")
    resolved = workspace.connection.resolve({"PLACE": "/vol", "SHOP": "sqlite:////vol/x.db"})
    assert resolved.path == path and resolved.url is None


def test_the_fingerprint_tells_where_it_runs_and_what_it_may_see() -> None:
    text = "connection: {url: 'postgresql://u:${PW}@h/d'}\n"
    same = parsed(text).fingerprint
    assert parsed(text + "limits: {rows: 7}\nnotes: new").fingerprint == same
    for other in (
        "connection: {url: 'postgresql://u:${PW}@h/e'}",
        "connection: {url: 'postgresql://u:${PW}@h/d?options=-csearch_path%3Dx'}",
        text + "allow: {tables: [a]}",
        text + "allow: {deny_columns: [a]}",
    ):
        assert parsed(other).fingerprint != same
    assert parsed(text, "other").fingerprint != same


@pytest.mark.parametrize(
    "name", ["nope", "../shop", "a/b", "", ".", "shop\0", "x" * 65, "shop\n", "SHOP.yaml", "-shop"]
)
def test_an_unknown_workspace_is_not_found_and_the_known_ones_are_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "workspaces").mkdir()
    (tmp_path / "workspaces" / "shop.yaml").write_text("dialect: sqlite\nconnection: {path: a}\n")
    (tmp_path / "secret.yaml").write_text("dialect: sqlite\nconnection: {path: a}\n")
    with pytest.raises(Fault) as raised:
        load_workspace(Home(tmp_path), name)
    assert raised.value.code is Code.NOT_FOUND
    assert "there are: shop" in raised.value.message


def test_files_that_cannot_be_read_are_broken_workspaces(tmp_path: Path) -> None:
    folder = tmp_path / "workspaces"
    folder.mkdir()
    (folder / "latin.yaml").write_bytes(b"notes: \xe8")
    (folder / "huge.yaml").write_bytes(b"#" * (1 << 20) + b"\n")
    (folder / "README.md").write_text("no workspace")
    home = Home(tmp_path)
    assert workspace_names(home) == ["huge", "latin"]
    for name, says in (("latin", "not UTF-8"), ("huge", "larger than")):
        with pytest.raises(Fault) as raised:
            load_workspace(home, name)
        assert raised.value.code is Code.WORKSPACE_BROKEN and says in raised.value.message
