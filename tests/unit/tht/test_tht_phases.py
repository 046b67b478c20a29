"""The phase of a session is a function of its ledger and of the hashes of its artifacts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht import phases

A, B = "a" * 64, "b" * 64
LINKING, CTES, FINAL = "schema_linking.json", "ctes.json", "sql_final.sql"
ALL_A = {LINKING: A, CTES: A, FINAL: A}


def ledger(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**line, "seq": number} for number, line in enumerate(lines, start=1)]


def reading() -> dict[str, Any]:
    return {"kind": "reading", "phase": "F1"}


def selection(phase: str = "F2") -> dict[str, Any]:
    return {"kind": "selection", "phase": phase}


def judged(kind: str, name: str, sha256: str = A) -> dict[str, Any]:
    return {"kind": kind, "phase": phases.PHASE_OF[name], "artifact": {"name": name, "sha256": sha256}}


def reopened(phase: str) -> dict[str, Any]:
    return {"kind": "reopen", "phase": phase}


def through(phase: str) -> list[dict[str, Any]]:
    """The decisions that lead to `phase`."""
    steps = [[reading()], [selection(), judged("approval", LINKING)], [judged("approval", CTES)]]
    steps.append([judged("approval", FINAL)])
    return [line for step in steps[: phases.PHASES.index(phase)] for line in step]


@pytest.mark.parametrize("phase", phases.PHASES)
def test_each_closing_decision_leads_to_the_next_phase(phase: str) -> None:
    state = phases.derive(ledger(*through(phase)), ALL_A)
    assert state.phase == phase
    assert state.closed == list(phases.PHASES[: phases.PHASES.index(phase)])


@pytest.mark.parametrize(
    ("lines", "hashes", "missing"),
    [
        ([], {}, ["reading"]),
        ([reading()], {}, ["selection", f"artifact:{LINKING}", f"approval:{LINKING}"]),
        ([reading(), selection()], {}, [f"artifact:{LINKING}", f"approval:{LINKING}"]),
        ([reading(), selection()], {LINKING: A}, [f"approval:{LINKING}"]),
        (through("F3"), {LINKING: A}, [f"artifact:{CTES}", f"approval:{CTES}"]),
        (through("F4"), ALL_A, [f"approval:{FINAL}"]),
        (through("F5"), ALL_A, []),
    ],
)
def test_what_is_missing_is_named(
    lines: list[dict[str, Any]], hashes: dict[str, str], missing: list[str]
) -> None:
    assert phases.derive(ledger(*lines), hashes).missing == missing


@pytest.mark.parametrize("phase", ["F2", "F3", "F4"])
def test_an_approval_counts_while_the_file_has_the_approved_hash(phase: str) -> None:
    name = phases.ARTIFACT_OF[phase]
    lines = ledger(*through("F5"))
    assert phases.derive(lines, {**ALL_A, name: B}).phase == phase
    assert "not the text that was approved" in phases.derive(lines, {**ALL_A, name: B}).reason
    assert phases.derive(lines, {key: value for key, value in ALL_A.items() if key != name}).phase == phase
    assert phases.derive(lines, ALL_A).phase == "F5"


def test_the_latest_approval_decides_and_an_older_text_does_not_come_back() -> None:
    lines = ledger(*through("F5"), judged("approval", FINAL, B))
    assert phases.derive(lines, {**ALL_A, FINAL: B}).phase == "F5"
    assert phases.derive(lines, ALL_A).phase == "F4"


def test_an_edit_closes_like_an_approval() -> None:
    assert phases.derive(ledger(*through("F4"), judged("edit", FINAL, B)), {**ALL_A, FINAL: B}).phase == "F5"


@pytest.mark.parametrize("phase", ["F2", "F3", "F4"])
def test_a_rejection_opens_its_phase_and_what_followed_must_be_approved_again(phase: str) -> None:
    name = phases.ARTIFACT_OF[phase]
    rejected = [*through("F5"), judged("rejection", name)]
    assert phases.derive(ledger(*rejected), ALL_A).phase == phase
    again = phases.derive(ledger(*rejected, judged("approval", name)), ALL_A)
    assert again.phase == phases.PHASES[phases.PHASES.index(phase) + 1]


@pytest.mark.parametrize("phase", phases.PHASES)
def test_reopening_opens_a_phase_and_the_later_ones(phase: str) -> None:
    state = phases.derive(ledger(*through("F5"), reopened(phase)), ALL_A)
    assert state.phase == phase
    assert phase == "F5" or state.reason == f"the reviewer reopened {phase}"


def test_after_reopening_f2_candidates_are_selected_again() -> None:
    lines = [*through("F5"), reopened("F2")]
    assert "selection" in phases.derive(ledger(*lines), ALL_A).missing
    unselected = phases.derive(ledger(*lines, judged("approval", LINKING)), ALL_A)
    assert unselected.phase == "F2"
    selected = phases.derive(ledger(*lines, selection(), judged("approval", LINKING)), ALL_A)
    assert selected.phase == "F3"


def test_another_reading_makes_everything_after_it_be_decided_again() -> None:
    state = phases.derive(ledger(*through("F5"), reading()), ALL_A)
    assert (state.phase, state.missing) == ("F2", ["selection", f"approval:{LINKING}"])


def test_an_approval_before_the_phase_before_it_was_closed_does_not_count() -> None:
    assert phases.derive(ledger(judged("approval", FINAL), *through("F4")), ALL_A).phase == "F4"


def test_a_selection_elsewhere_is_no_selection_of_candidates() -> None:
    lines = ledger(reading(), selection("F1"), judged("approval", LINKING))
    assert phases.derive(lines, ALL_A).missing == ["selection", f"approval:{LINKING}"]


def test_a_changed_ledger_counts_for_nothing() -> None:
    state = phases.derive(ledger(*through("F5")), ALL_A, changed_at=3)
    assert (state.phase, state.closed, state.missing) == ("F1", [], ["history"])
    assert "line 3" in state.reason


_hashes = st.sampled_from([A, B])
_lines = st.lists(
    st.one_of(
        st.just(reading()),
        st.builds(selection, st.sampled_from(phases.PHASES)),
        st.builds(
            judged,
            st.sampled_from(["approval", "edit", "rejection"]),
            st.sampled_from([LINKING, CTES, FINAL]),
            _hashes,
        ),
        st.builds(reopened, st.sampled_from(phases.PHASES)),
        st.sampled_from([{"kind": "answer"}, {"kind": "plain", "phase": "F3"}, {"kind": "verdict"}]),
        st.fixed_dictionaries({"kind": st.sampled_from(["approval", "reopen"]), "artifact": st.none()}),
    ),
    max_size=25,
)
_files = st.dictionaries(st.sampled_from([LINKING, CTES, FINAL]), _hashes)


@given(_lines, _files)
def test_the_state_is_always_whole(lines: list[dict[str, Any]], hashes: dict[str, str]) -> None:
    state = phases.derive(ledger(*lines), hashes)
    assert [*state.closed, state.phase] == list(phases.PHASES[: len(state.closed) + 1])
    assert bool(state.missing) == (state.phase != "F5")
    assert state.reason and "\n" not in state.reason
    sequence = [state.closings[phase]["seq"] for phase in state.closed]
    assert sequence == sorted(sequence)


@given(_lines, _files)
def test_f5_means_that_every_file_is_what_was_approved_last(
    lines: list[dict[str, Any]], hashes: dict[str, str]
) -> None:
    numbered = ledger(*lines)
    if phases.derive(numbered, hashes).phase != "F5":
        return
    for name, sha256 in hashes.items():
        judgements = [line for line in numbered if (line.get("artifact") or {}).get("name") == name]
        assert judgements[-1]["kind"] in phases.APPROVALS
        assert judgements[-1]["artifact"]["sha256"] == sha256


@given(_lines, _files, st.sampled_from(phases.PHASES))
def test_nothing_stays_closed_after_reopening(
    lines: list[dict[str, Any]], hashes: dict[str, str], phase: str
) -> None:
    before = phases.derive(ledger(*lines), hashes)
    after = phases.derive(ledger(*lines, reopened(phase)), hashes)
    assert phases.PHASES.index(after.phase) <= phases.PHASES.index(phase)
    assert after.closed == before.closed[: phases.PHASES.index(phase)]
