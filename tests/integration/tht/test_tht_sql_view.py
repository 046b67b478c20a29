"""Sorted and filtered pages and files from the command line."""

import csv
import io
from pathlib import Path

import pytest

from tests.integration.tht.conftest import Tht, approve, as_json, lead_to_f4, one_line
from tht.home import Home


@pytest.fixture
def approved(home: Home, session: str) -> str:
    """The session, with its SQL approved."""
    lead_to_f4(home, session)
    approve(home, session, "sql_final.sql", "SELECT name, price, NULL AS n FROM product ORDER BY name")
    return session


def test_c28_a_page_and_a_file_are_sorted_and_filtered_alike(home: Home, tht: Tht, approved: str) -> None:
    view = ("--sort", "c1:desc", "--sort", "c0", "--filter", "c1:ge:2", "--filter", "c0:not_null")
    page = as_json(tht("sql", "preview", "--session", approved, *view, "--json"))
    assert page["rows"] == [["ink", 3, None], ["pen", 2, None]]
    assert (page["row_count"], page["truncated"]) == (2, False)
    told = tht("sql", "export", "--session", approved, "--result-id", page["result_id"], *view)
    assert list(csv.reader(io.StringIO(told.stdout)))[1:] == [["ink", "3", ""], ["pen", "2", ""]]
    assert "(2 rows of 2)" in tht("sql", "preview", "--session", approved, *view).stdout


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("c0:contains:N", ["ink", "nib", "pen"]),
        ("c0:starts:ni", ["nib"]),
        ('c0:eq:"pen"', ["pen"]),
        ("c0:eq:pen", ["pen"]),
        ('c0:in:["ink","pen"]', ["ink", "pen"]),
        ("c1:in:[1,3]", ["ink", "nib"]),
        ("c2:null", ["ink", "nib", "pen"]),
        ("c0:eq:a:b", []),
    ],
)
def test_a_condition_is_key_operator_and_value(
    tht: Tht, approved: str, condition: str, names: list[str]
) -> None:
    page = as_json(tht("sql", "preview", "--session", approved, "--filter", condition, "--json"))
    assert [row[0] for row in page["rows"]] == names


@pytest.mark.parametrize(
    "view",
    [
        ("--sort", "c9"),
        ("--sort", "c1:down"),
        ("--sort", "c1", "--sort", "c1:desc"),
        ("--filter", "c1"),
        ("--filter", "c1:like:x"),
        ("--filter", "c1:eq:dear"),
        ("--filter", "c0:eq:1"),
    ],
)
def test_a_view_that_cannot_be_is_one_line(tht: Tht, approved: str, view: tuple[str, ...]) -> None:
    for command in ("preview", "export"):
        one_line(tht("sql", command, "--session", approved, *view), 2)


def test_a_draft_is_neither_sorted_nor_filtered(home: Home, tht: Tht) -> None:
    path = Path(home.root) / "draft.sql"
    path.write_text("SELECT name FROM product")
    for command in ("preview", "export"):
        told = one_line(
            tht("sql", command, "--workspace", "shop", "--sql-file", str(path), "--sort", "c0"), 2
        )
        assert "draft" in told


def test_an_export_of_a_cut_result_says_that_it_ran_again(home: Home, tht: Tht, approved: str) -> None:
    workspace = Path(home.root) / "workspaces" / "shop.yaml"
    workspace.write_text(workspace.read_text() + "limits: {rows: 2}\n")
    page = as_json(tht("sql", "preview", "--session", approved, "--json"))
    place = ("sql", "export", "--session", approved, "--result-id", page["result_id"])
    out = ("--out", str(Path(home.root) / "all.csv"))
    assert "note: the result was cut at 2 rows; this file is a fresh run in full" in tht(*place, *out).stdout
    told = as_json(tht(*place, *out, "--json"))
    assert (told["row_count"], len(told["warnings"])) == (3, 1)
    one_line(tht(*place, *out, "--sort", "c0"), 10)


def test_options_of_csv_are_refused_for_other_formats(home: Home, tht: Tht, approved: str) -> None:
    out = str(Path(home.root) / "x.parquet")
    told = one_line(
        tht("sql", "export", "--session", approved, "--format", "parquet", "--out", out, "--bom"), 2
    )
    assert "CSV" in told
