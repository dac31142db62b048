"""Selection, tiers, skipping and breaking off (R183)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fonds.contract.failures import (
    NothingServed,
    ProviderMisbehaved,
    ProviderUnavailable,
    QueryRefused,
    Unavailable,
)
from fonds.contract.swept_string import SweptString
from fonds.evaluation.gold import GoldCase, GoldSuite
from fonds.evaluation.report import CaseResult, EvalReport
from fonds.evaluation.report_file import report_text
from fonds.evaluation.selection import Selection, selected_cases
from fonds.evaluation.suite import Run, run_suite
from tests.evaluation.doubles import (
    FAILED,
    NOON,
    PASSED,
    SKIPPED,
    TERMS,
    Asking,
    a_case,
    a_report,
    answered,
    found,
    private_hit,
    public_hit,
    refused,
)

CASES = tuple(a_case(one, query=f"What of {one}?") for one in ("a", "b", "c", "d"))
SUITE = GoldSuite(CASES, ("quillfeather",))
SOURCED = GoldSuite((a_case("a", expect=("essay:kites",)), a_case("b", forbid=("essay:kites",))))


def run(
    suite: GoldSuite,
    asking: Asking,
    *,
    selection: Selection | None = None,
    swept: tuple[SweptString, ...] = (),
    model: str | None = None,
    fail_fast: bool = False,
) -> EvalReport:
    return run_suite(
        suite,
        selection or selected_cases(suite),
        asking.engine,
        swept=swept,
        run=Run(replace(TERMS, answer_model=model), NOON, fail_fast),
    )


def one(case: GoldCase, asking: Asking, *, model: str | None = None) -> CaseResult:
    return run(GoldSuite((case,)), asking, model=model).results[0]


def test_without_a_wish_every_case_is_selected_and_a_full_run_is_warned_of() -> None:
    """R183: warned when run on more than 3 queries without selection."""
    everything = selected_cases(SUITE)
    assert everything.cases == CASES
    assert everything.warning(full=True) is not None
    assert everything.warning(full=False) is None
    assert selected_cases(GoldSuite(CASES[:3])).warning(full=True) is None
    assert selected_cases(SUITE, ids=["a", "b", "c", "d"]).warning(full=True) is None


def test_ids_select_in_the_order_of_the_suite() -> None:
    """R183."""
    assert selected_cases(SUITE, ids=["d", "b", "d"]).cases == (CASES[1], CASES[3])


def test_an_id_that_is_no_case_is_refused_by_its_position() -> None:
    """R183."""
    with pytest.raises(QueryRefused, match=r"ids\[1\]: the id of a gold case"):
        selected_cases(SUITE, ids=["a", "quillfeather"])
    with pytest.raises(QueryRefused, match="either ids or from-report"):
        selected_cases(SUITE, ids=["a"], failed_in=a_report())


def test_a_report_selects_what_failed_in_it() -> None:
    """R183: failures only, neither passed nor skipped ones."""
    suite = GoldSuite((*CASES, a_case("tides"), a_case("kites"), a_case("moon")))
    again = selected_cases(suite, failed_in=a_report(PASSED, FAILED, SKIPPED))
    assert [case.case_id for case in again.cases] == ["tides"]
    assert again.note is None
    with pytest.raises(QueryRefused, match=r"from-report\[0\]"):
        selected_cases(SUITE, failed_in=a_report(FAILED))


def test_a_report_without_failures_selects_nothing_and_says_so() -> None:
    """R183: nothing failed -> says so, exit 0."""
    selection = selected_cases(SUITE, failed_in=a_report(PASSED, SKIPPED))
    asking = Asking(reply=answered())
    report = run(SUITE, asking, selection=selection)
    assert (report.note, report.total, report.exit_code) == ("nothing failed in that report", 0, 0)
    assert asking.questions == []


def test_a_canary_ends_the_run_before_any_question() -> None:
    """R182, R183: keyless, before any call, exit 4."""
    swept = (SweptString("note:a#p1", "note:a", "gist", "A Quillfeather bill"),)
    asking = Asking(reply=answered())
    report = run(SUITE, asking, swept=swept)
    assert report.canary_issues == ("canaries[0]: in the gist of note:a#p1",)
    assert (report.aborted, report.exit_code, report.total) == ("canaries", 4, 0)
    assert asking.questions == asking.searches == []


def test_the_retrieval_tier_judges_sources_and_asks_no_writer() -> None:
    """R183."""
    report = run(SOURCED, Asking(found(public_hit(), private_hit())))
    assert [result.issues for result in report.results] == [(), ("forbidSources[0]: retrieved",)]
    assert [result.mode for result in report.results] == [None, None]
    assert (report.full, report.passed, report.failed, report.exit_code) == (False, 1, 1, 1)
    assert report.rates is None


def test_a_case_that_the_retrieval_tier_cannot_judge_is_no_pass() -> None:
    """R183: skipped, counted apart."""
    result = one(a_case(mode="not-found"), Asking())
    assert (result.skipped, result.passed) == ("needs-answers", False)


def test_a_question_that_needs_a_model_is_skipped_without_one() -> None:
    """R183 [Q]: counted apart, never a pass; asked when there is a model."""
    case = a_case(requires_model=True, expect=("essay:kites",))
    for asking in (Asking(found(public_hit())), Asking(found(public_hit()), answered())):
        result = one(case, asking)
        assert (result.skipped, result.passed, result.failed) == ("needs-model", False, False)
        assert asking.searches == asking.questions == []
    assert one(case, Asking(found(public_hit()), answered()), model="m").passed


def test_the_answers_tier_judges_hits_and_answer() -> None:
    """R183."""
    case = a_case(expect=("essay:boats",), expect_patterns=("anchor",))
    result = one(case, Asking(found(public_hit()), answered()))
    assert result.issues == ("expectSources[0]: not retrieved", "expectAnswerPatterns[0]: no match")
    assert (result.mode, result.reason) == ("partial", None)


def test_a_refusal_is_reported_with_its_reason() -> None:
    """R184."""
    result = one(a_case(mode="not-found"), Asking(reply=refused("below_coverage_floor")))
    assert (result.passed, result.mode, result.reason) == (
        True,
        "not-found",
        "below_coverage_floor",
    )


def test_a_provider_that_is_down_passes_no_refusal() -> None:
    """R185."""
    result = one(a_case(mode="not-found"), Asking(reply=refused("model_unavailable", build=None)))
    assert result.issues == ("reason: model_unavailable is a trouble, not a finding",)


@pytest.mark.parametrize("failure", [ProviderUnavailable("x"), ProviderMisbehaved("x")])
def test_an_embedder_that_fails_is_a_failed_case(failure: Exception) -> None:
    """R185."""
    result = one(a_case(forbid=("essay:kites",)), Asking(failure))
    assert result.issues == (f"search: {type(failure).__name__}",)
    assert result.reason == "embedder_unavailable"


@pytest.mark.parametrize("failure", [Unavailable("x"), NothingServed("x"), TypeError("x")])
def test_a_dead_database_and_a_defect_end_the_run(failure: Exception) -> None:
    """R161: neither is a finding on a case."""
    with pytest.raises(type(failure)):
        run(SOURCED, Asking(failure))
    with pytest.raises(type(failure)):
        run(SUITE, Asking(reply=failure))


def test_a_build_that_changes_in_the_middle_fails_the_case() -> None:
    """R184: a report is about one build."""
    other = "build: another one than the run began with"
    assert one(a_case(), Asking(reply=answered(build="8"))).issues == (other,)
    searched = found(public_hit())
    moved = replace(searched, build=replace(searched.build, build_id=8))
    case = a_case(expect=("essay:kites",))
    assert one(case, Asking(moved, answered(build="8"))).issues == (other,)


def test_fail_fast_stops_behind_the_first_failure() -> None:
    """R183, R184: aborted, and fewer asked than selected."""
    asking = Asking(reply=refused())
    report = run(SUITE, asking, fail_fast=True)
    assert (report.total, report.selected_total, report.aborted) == (1, 4, "fail-fast")
    assert len(asking.questions) == 1
    last = run(GoldSuite(CASES[:1]), Asking(reply=refused()), fail_fast=True)
    assert (last.failed, last.aborted) == (1, None)


def test_an_interrupted_run_keeps_what_was_judged_and_is_no_success() -> None:
    """R183."""
    report = run(SUITE, Asking(reply=KeyboardInterrupt()))
    assert (report.total, report.aborted, report.exit_code) == (0, "interrupted", 1)


def test_each_result_is_told_as_it_comes() -> None:
    told: list[str] = []
    run_suite(
        SUITE,
        selected_cases(SUITE, ids=["a", "c"]),
        Asking(reply=answered()).engine,
        swept=(),
        run=Run(TERMS, NOON, on_result=lambda result: told.append(result.case_id)),
    )
    assert told == ["a", "c"]


def test_two_runs_differ_in_their_time_alone() -> None:
    """R184: byte for byte, but for the line that tells the time."""
    asking = Asking(found(public_hit(), private_hit()), answered())
    first = run(SOURCED, asking)
    second = replace(run(SOURCED, asking), ran_at=NOON + timedelta(hours=1))
    lines = zip(report_text(first).splitlines(), report_text(second).splitlines(), strict=True)
    different = [one for one, other in lines if one != other]
    assert different == ['  "ranAt": "2031-05-04T12:00:00.000000+00:00",']
