"""Decisions and the approval of the final SQL: what was seen, where it was approved, and no other (C-31)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contracts.errors import Code, Fault
from tests.integration.tht.conftest import SQL, WORKSPACE, approve, decide, lead_to_f4, put
from tht import artifacts, decisions, ledger, manifest, sessions
from tht.approval import approved_sql
from tht.home import Home

NAME = "sql_final.sql"
OTHER = "0" * 64


def refusal(home: Home, session: str) -> Fault:
    with pytest.raises(Fault) as raised:
        approved_sql(home, session)
    assert "\n" not in raised.value.message
    return raised.value


def test_a_decision_is_a_line_and_a_phase(home: Home, session: str) -> None:
    added = decide(
        home, session, "reading", title="Which?", options=[{"id": "a", "label": "A"}], answer={"value": "a"}
    )
    line = added["line"]
    expected = {"seq": 1, "phase": "F1", "kind": "reading", "widget": "select", "title": "Which?"}
    expected |= {"options": [{"id": "a", "label": "A"}], "answer": {"value": "a"}, "by": "ann", "prev": None}
    assert {key: line[key] for key in expected} == expected
    assert datetime.fromisoformat(line["ts"]) <= datetime.now(UTC)
    assert added["phase"]["phase"] == "F2"
    assert decisions.listing(home, session) == {"decisions": [line], "changed_at": None}


@pytest.mark.parametrize("kind", ["approval", "edit"])
def test_an_approval_of_another_text_than_the_file_holds_is_a_conflict(
    home: Home, session: str, kind: str
) -> None:
    lead_to_f4(home, session)
    current = put(home, session, NAME, SQL)["sha256"]
    before = decisions.listing(home, session)
    edit = {"edit": "SELECT 2"} if kind == "edit" else {}
    with pytest.raises(Fault) as raised:
        decide(home, session, kind, artifact={"name": NAME, "sha256": OTHER}, **edit)
    assert raised.value.code is Code.CONFLICT
    assert raised.value.details == {"approved": OTHER, "current": current}
    assert decisions.listing(home, session) == before
    with sessions.opened(home, session) as folder:
        assert artifacts.get(folder, NAME) == SQL.encode()


def test_an_edit_writes_the_reviewers_text_and_approves_that(home: Home, session: str) -> None:
    lead_to_f4(home, session)
    shown = put(home, session, NAME, SQL)
    added = decide(home, session, "edit", artifact=shown, edit="SELECT 2")
    assert added["line"]["artifact"] == {"name": NAME, "sha256": artifacts.sha256(b"SELECT 2")}
    assert added["phase"]["phase"] == "F5"
    assert approved_sql(home, session).sql == b"SELECT 2"
    history = home.sessions / session / "artifacts" / ".history"
    assert [path.read_text() for path in history.iterdir()] == [SQL]


def test_an_edit_that_is_no_artifact_records_nothing(home: Home, session: str) -> None:
    shown = put(home, session, "ctes.json", '{"steps": []}')
    for edit, code in (
        ("{", Code.INVALID_ARGUMENT),
        ("", Code.INVALID_ARGUMENT),
        ("1" * 2**21, Code.TOO_LARGE),
    ):
        with pytest.raises(Fault) as raised:
            decide(home, session, "edit", artifact=shown, edit=edit)
        assert raised.value.code is code
    assert decisions.listing(home, session)["decisions"] == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": "wish"}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "widget": "slider"}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "title": "x" * 5000}, Code.TOO_LARGE),
        ({"kind": "plain", "by": " "}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "phase": "F0"}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "options": {"a": 1}}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "edit": "x"}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "question": ""}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "question": "q" * 300}, Code.INVALID_ARGUMENT),
        ({"kind": "plain", "answer": "\ud800"}, Code.INVALID_ARGUMENT),
        ({"kind": "reopen"}, Code.INVALID_ARGUMENT),
        ({"kind": "approval"}, Code.INVALID_ARGUMENT),
        ({"kind": "rejection"}, Code.INVALID_ARGUMENT),
        ({"kind": "approval", "artifact": {"name": NAME}}, Code.INVALID_ARGUMENT),
        ({"kind": "approval", "artifact": {"name": NAME, "sha256": "A" * 64}}, Code.INVALID_ARGUMENT),
        ({"kind": "approval", "artifact": {"name": "../x", "sha256": OTHER}}, Code.NOT_FOUND),
        ({"kind": "approval", "artifact": {"name": NAME, "sha256": OTHER}}, Code.NOT_FOUND),
    ],
)
def test_a_decision_that_cannot_be_is_refused_and_not_recorded(
    home: Home, session: str, fields: dict[str, Any], code: Code
) -> None:
    with pytest.raises(Fault) as raised:
        decide(home, session, **fields)
    assert raised.value.code is code
    assert decisions.listing(home, session)["decisions"] == []


def test_a_decision_for_no_session_makes_none(home: Home) -> None:
    with pytest.raises(Fault) as raised:
        decide(home, "nope", "reading")
    assert raised.value.code is Code.NOT_FOUND
    assert not (home.sessions / "nope").exists()


def test_the_approved_sql_is_given_byte_for_byte(home: Home, session: str) -> None:
    lead_to_f4(home, session)
    text = "-- caff\u00e8\r\nSELECT 1  \n"
    approve(home, session, NAME, text)
    approved = approved_sql(home, session)
    assert (approved.sql, approved.sha256) == (text.encode(), artifacts.sha256(text.encode()))
    assert approved.workspace.name == "shop"


def test_c31_one_space_more_is_another_text(home: Home, approved: str) -> None:
    put(home, approved, NAME, SQL + " ")
    fault = refusal(home, approved)
    assert fault.code is Code.APPROVAL_MISMATCH
    expected = {"approved": artifacts.sha256(SQL.encode()), "current": artifacts.sha256(f"{SQL} ".encode())}
    assert fault.details == expected
    assert sessions.show(home, approved)["phase"]["phase"] == "F4"
    put(home, approved, NAME, SQL)
    assert approved_sql(home, approved).sql == SQL.encode()


def test_c31_a_file_that_is_gone_or_no_file_is_no_approved_text(home: Home, approved: str) -> None:
    place = home.sessions / approved / "artifacts" / NAME
    place.unlink()
    assert refusal(home, approved).code is Code.APPROVAL_MISMATCH
    place.symlink_to(home.workspaces / "shop.yaml")
    assert refusal(home, approved).code is Code.APPROVAL_MISMATCH


@pytest.mark.parametrize(
    "text",
    [
        WORKSPACE.replace("shop.db", "other.db"),
        WORKSPACE + "allow: {tables: [product]}\n",
        WORKSPACE + "allow: {deny_columns: [price]}\n",
    ],
)
def test_c31_another_database_or_another_allow_list_is_another_workspace(
    home: Home, approved: str, text: str
) -> None:
    before = approved_sql(home, approved).workspace.fingerprint
    (home.workspaces / "shop.yaml").write_text(text)
    fault = refusal(home, approved)
    assert fault.code is Code.APPROVAL_MISMATCH
    assert fault.details["approved"] == before != fault.details["current"]


def test_c31_a_session_moved_to_another_workspace_runs_nothing(home: Home, approved: str) -> None:
    (home.workspaces / "twin.yaml").write_text(WORKSPACE)
    place = home.sessions / approved / manifest.NAME
    place.write_text(place.read_text().replace('workspace: "shop"', 'workspace: "twin"'))
    assert refusal(home, approved).code is Code.APPROVAL_MISMATCH


def test_c31_limits_and_notes_may_change(home: Home, approved: str) -> None:
    (home.workspaces / "shop.yaml").write_text(WORKSPACE + "limits: {rows: 7}\nnotes: new\n")
    assert approved_sql(home, approved).workspace.limits.rows == 7


def test_c31_an_approval_lasts_as_long_as_the_workspace_says(home: Home, approved: str) -> None:
    (home.workspaces / "shop.yaml").write_text(WORKSPACE + "limits: {approval_hours: 12}\n")
    assert approved_sql(home, approved).sql == SQL.encode()
    with pytest.raises(Fault) as raised:
        approved_sql(home, approved, now=datetime.now(UTC) + timedelta(hours=13))
    assert raised.value.code is Code.NOT_APPROVED and "12 hours" in raised.value.message


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("rejection", {"artifact": {"name": NAME, "sha256": OTHER}}),
        ("rejection", {"artifact": {"name": "ctes.json", "sha256": OTHER}}),
        ("reopen", {"phase": "F4"}),
        ("reopen", {"phase": "F1"}),
        ("reading", {}),
    ],
)
def test_an_approval_that_was_withdrawn_lets_nothing_run(
    home: Home, approved: str, kind: str, fields: dict[str, Any]
) -> None:
    decide(home, approved, kind, **fields)
    fault = refusal(home, approved)
    assert fault.code is Code.NOT_APPROVED
    assert fault.details["phase"] == sessions.show(home, approved)["phase"]["phase"]


def test_before_any_approval_nothing_runs(home: Home, session: str) -> None:
    assert refusal(home, session).code is Code.NOT_APPROVED
    lead_to_f4(home, session)
    put(home, session, NAME, SQL)
    fault = refusal(home, session)
    assert fault.code is Code.NOT_APPROVED and fault.details["missing"] == [f"approval:{NAME}"]


def test_a_changed_ledger_approves_nothing(home: Home, approved: str) -> None:
    place = home.sessions / approved / ledger.NAME
    place.write_bytes(place.read_bytes().replace(b'"by":"ann"', b'"by":"bob"', 1))
    fault = refusal(home, approved)
    assert fault.code is Code.NOT_APPROVED and "ledger was changed" in fault.message


def test_an_approval_while_the_workspace_is_broken_is_kept_but_lets_nothing_run(
    home: Home, session: str
) -> None:
    lead_to_f4(home, session)
    (home.workspaces / "shop.yaml").write_text("connection: [")
    assert approve(home, session, NAME, SQL)["phase"]["phase"] == "F5"
    assert refusal(home, session).code is Code.WORKSPACE_BROKEN
    (home.workspaces / "shop.yaml").write_text(WORKSPACE)
    assert refusal(home, session).code is Code.APPROVAL_MISMATCH


@pytest.mark.parametrize("what", ["text", "ledger", "manifest", "workspace", "folder", "rewritten"])
def test_c31_an_approval_that_is_remembered_is_looked_at_again_when_a_file_changed(
    home: Home, approved: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr("tht.files.SETTLED_NS", 0)
    first = approved_sql(home, approved)
    assert approved_sql(home, approved).workspace is first.workspace
    folder = home.sessions / approved
    if what == "text":
        put(home, approved, NAME, SQL + " ")
    elif what == "ledger":
        decide(home, approved, "reopen", phase="F4")
    elif what == "manifest":
        (home.workspaces / "twin.yaml").write_text(WORKSPACE)
        place = folder / manifest.NAME
        place.write_text(place.read_text().replace('"shop"', '"twin"'))
    elif what == "workspace":
        (home.workspaces / "shop.yaml").write_text(WORKSPACE + "allow: {tables: [x]}\n")
    elif what == "folder":
        (folder / "artifacts").rename(folder / "moved")
        (folder / "artifacts").mkdir()
        (folder / "artifacts" / NAME).write_text(SQL + " ")
    else:
        (folder / "artifacts" / NAME).write_text(SQL.upper())
    assert refusal(home, approved).code in (Code.APPROVAL_MISMATCH, Code.NOT_APPROVED)


def test_a_file_that_was_changed_a_moment_ago_is_not_remembered(home: Home, approved: str) -> None:
    for _ in range(50):
        assert approved_sql(home, approved).sql == SQL.encode()
        place = home.sessions / approved / "artifacts" / NAME
        place.write_text(SQL.swapcase())
        assert refusal(home, approved).code is Code.APPROVAL_MISMATCH
        place.write_text(SQL)


def test_a_question_has_one_decision_however_often_it_is_sent(home: Home, session: str) -> None:
    first = decide(home, session, "reading", answer={"value": "a"}, question="q-1")
    again = decide(home, session, "reading", answer={"value": "a"}, question="q-1")
    other = decide(home, session, "reading", answer={"value": "b"}, by="bea", question="q-1")
    assert first == again == other and first["line"]["question"] == "q-1"
    assert decide(home, session, "reading", answer={"value": "b"}, question="q-2")["line"]["seq"] == 2
    assert len(decisions.listing(home, session)["decisions"]) == 2


def test_an_edit_that_was_cut_short_before_its_line_can_be_sent_again(home: Home, session: str) -> None:
    lead_to_f4(home, session)
    shown = put(home, session, NAME, SQL)
    put(home, session, NAME, "SELECT 2")  # what the call wrote before it was cut short
    added = decide(home, session, "edit", artifact=shown, edit="SELECT 2", question="q-9")
    assert added["line"]["artifact"]["sha256"] == artifacts.sha256(b"SELECT 2")
    assert approved_sql(home, session).sql == b"SELECT 2"
    assert decide(home, session, "edit", artifact=shown, edit="SELECT 2", question="q-9") == added
