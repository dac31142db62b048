"""What a change did, case by case (R185)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.contract.failures import QueryRefused
from fonds.evaluation.comparison import ChangedCase, compared
from tests.evaluation.doubles import FAILED, PASSED, SKIPPED, TERMS, a_report


def test_a_case_that_passes_no_longer_is_worse_however_it_got_lost() -> None:
    """R185: failed, skipped or absent, it is no longer shown to hold."""
    before = a_report(*(replace(PASSED, case_id=one) for one in "abcd"))
    after = a_report(
        replace(FAILED, case_id="a"), replace(SKIPPED, case_id="b"), replace(PASSED, case_id="d")
    )
    change = compared(before, after)
    assert change.worse == ("a", "b", "c")
    assert change.exit_code == 1
    assert change.changed == (
        ChangedCase("a", "passed", "failed"),
        ChangedCase("b", "passed", "skipped"),
        ChangedCase("c", "passed", "absent"),
    )


def test_a_repaired_case_and_an_added_one_admit_the_change() -> None:
    before = a_report(FAILED, SKIPPED)
    after = a_report(replace(PASSED, case_id="tides"), SKIPPED, PASSED)
    change = compared(before, after)
    assert [(one.case_id, one.before, one.after) for one in change.changed] == [
        ("tides", "failed", "passed"),
        ("kites", "absent", "passed"),
    ]
    assert change.exit_code == 0


def test_a_case_that_comes_to_fail_worse_is_seen_in_the_rates() -> None:
    """R170: first declined for a trouble, then answered from nothing: it failed both times."""
    troubled = replace(FAILED, mode="not-found", reason="model_unavailable", issues=("reason",))
    change = compared(a_report(PASSED, troubled), a_report(PASSED, FAILED))
    assert (change.worse, change.worse_rates) == ((), ("false answers",))
    assert change.exit_code == 1
    assert compared(a_report(PASSED, FAILED), a_report(PASSED, troubled)).exit_code == 0


def test_other_terms_and_another_question_under_the_same_id_are_named() -> None:
    """R185: two runs are compared with what was changed between them in sight."""
    before = a_report(PASSED, FAILED)
    after = a_report(
        replace(PASSED, query="Another?"),
        FAILED,
        terms=replace(TERMS, score_floor=0.3, build_id=8),
    )
    document = compared(before, after).as_json()
    assert document["changedTerms"] == ["build", "floors"]
    assert document["changedWords"] == ["kites"]
    assert document["changed"] == document["worse"] == []
    assert document["before"] == {
        "ranAt": "2031-05-04T12:00:00.000000+00:00",
        "build": 7,
        "passed": 1,
        "failed": 1,
        "skipped": 0,
        "rates": before.as_json()["rates"],
    }


def test_only_whole_runs_of_one_tier_are_compared() -> None:
    whole = a_report(PASSED)
    broken = a_report(PASSED, selected_total=2, aborted="interrupted")
    for pair in ((broken, whole), (whole, broken)):
        with pytest.raises(QueryRefused, match="broken off"):
            compared(*pair)
    with pytest.raises(QueryRefused, match="the same tier"):
        compared(whole, a_report(PASSED, full=False))
    assert compared(a_report(full=False), a_report(full=False)).changed == ()
