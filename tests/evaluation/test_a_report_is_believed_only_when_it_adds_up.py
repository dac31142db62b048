"""Reports as files and the relations between their figures (R184)."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.failures import MisauthoredInput, Misconfigured, QueryRefused
from fonds.evaluation.kept_reports import kept_page
from fonds.evaluation.report import CaseResult, EvalReport, Rate, Rates
from fonds.evaluation.report_file import (
    MAX_BYTES,
    default_report_name,
    read_report,
    report_text,
    report_to_repeat,
    write_report,
)
from tests.evaluation.doubles import FAILED, NOON, PASSED, SKIPPED, TERMS, a_report

TERMS_JSON = {
    "archive": "example",
    "build": 7,
    "embedding": {
        "provider": "hashing",
        "model": "hash-256",
        "dimensions": 256,
        "queryPrefix": "",
        "passagePrefix": "",
        "centring": "",
    },
    "floors": {"score": 0.2, "coverage": 0.5},
    "gate": "off",
    "writer": "extractive",
    "models": {"answer": None, "gist": None},
    "answerPromptVersion": "answer.v1",
    "gistPromptVersion": None,
}
RESULTS_JSON: list[dict[str, object]] = [
    {
        "id": "kites",
        "query": "How is a kite let out?",
        "pass": True,
        "issues": [],
        "mode": "partial",
        "reason": None,
        "expected": "partial",
        "skipped": None,
    },
    {
        "id": "tides",
        "query": "Who counts the tides?",
        "pass": False,
        "issues": ["mode: not-found expected, partial given"],
        "mode": "partial",
        "reason": None,
        "expected": "not-found",
        "skipped": None,
    },
    {
        "id": "moon",
        "query": "Why does the moon pull?",
        "pass": False,
        "issues": [],
        "mode": None,
        "reason": None,
        "expected": "partial",
        "skipped": "needs-model",
    },
]
REMOVED = object()
REPORT = a_report(PASSED, FAILED, SKIPPED)


def edited(tmp_path: Path, changes: Mapping[str, object]) -> Path:
    """The report with other values at some places of its JSON; REMOVED takes the key out."""
    document: Any = json.loads(report_text(REPORT))
    for place, value in changes.items():
        *around, last = [int(part) if part.isdigit() else part for part in place.split(".")]
        inside = document
        for part in around:
            inside = inside[part]
        if value is REMOVED:
            del inside[last]
        else:
            inside[last] = value
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_a_report_says_what_r184_asks() -> None:
    """R184: every figure, the terms, and the rates of R170 side by side."""
    assert REPORT.as_json() == {
        "ranAt": "2031-05-04T12:00:00.000000+00:00",
        "full": True,
        "selectedTotal": 3,
        "total": 3,
        "passed": 1,
        "failed": 1,
        "skipped": 1,
        "aborted": None,
        "note": None,
        "canaries": 2,
        "canaryIssues": [],
        "rates": {
            "falseAnswers": {"count": 1, "of": 1},
            "falseRefusals": {"count": 0, "of": 1},
            "falseRoutes": {"count": 0, "of": 1},
        },
        "calibrationCurve": None,
        "terms": TERMS_JSON,
        "results": RESULTS_JSON,
    }


def test_a_written_report_reads_back_whole_and_is_its_owners_alone(tmp_path: Path) -> None:
    """R180, R184."""
    for report in (
        REPORT,
        a_report(full=False, note="nothing failed in that report"),
        a_report(PASSED, selected_total=4, aborted="fail-fast"),
        a_report(selected_total=4, aborted="canaries", canary_issues=("canaries[0]: there",)),
        a_report(terms=replace(TERMS, answer_model="m", gist_model="g", gist_prompt_version="v")),
    ):
        file = tmp_path / "report.json"
        write_report(report, file)
        assert read_report(file) == report
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["report.json"]


def test_a_report_that_cannot_be_written_is_a_failure_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot write the report x\.json"):
        write_report(REPORT, tmp_path / "absent" / "x.json")
    with pytest.raises(Misconfigured, match="cannot read the report"):
        read_report(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"total": 4}, "total: 4, and the results give 3"),
        ({"passed": 2}, "passed: 2, and the results give 1"),
        ({"failed": 0}, "failed: 0, and the results give 1"),
        ({"skipped": 0}, "skipped: 0, and the results give 1"),
        ({"selectedTotal": 4}, "selectedTotal: differs from total"),
        ({"selectedTotal": 2, "aborted": "fail-fast"}, "total: more than selectedTotal"),
        ({"aborted": "canaries"}, "aborted: canaries, exactly when"),
        ({"canaryIssues": ["x"]}, "aborted: canaries, exactly when"),
        ({"results.1.id": "kites"}, "results: an id stands twice"),
        ({"results.0.pass": False}, r"results\[0\].pass: does not follow"),
        ({"results.2.mode": "partial"}, "a skipped case has neither"),
        ({"rates.falseAnswers.count": 0}, "rates: not those of the results"),
        ({"rates": None}, "rates: not those of the results"),
        ({"extra": 1}, "extra: not of a report's form"),
        ({"terms": REMOVED}, "terms: not of a report's form"),
        ({"total": "3"}, "total: not of a report's form"),
        ({"ranAt": "2031-05-04T12:00:00"}, "ranAt: not of a report's form"),
        ({"results.2": 3}, r"results\.2: not of a report's form"),
        ({"terms.floors.score": REMOVED}, r"terms\.floors\.score: not of a report's form"),
        ({"terms.embedding.dimensions": 0}, r"report\.json: embedding\.dimensions"),
    ],
)
def test_figures_that_do_not_agree_are_refused(
    tmp_path: Path, changes: Mapping[str, object], said: str
) -> None:
    """R184: the loader validates every count relation."""
    with pytest.raises(MisauthoredInput, match=said):
        read_report(edited(tmp_path, changes))


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000, b"[]", b"null"])
def test_what_is_no_report_is_refused(tmp_path: Path, content: bytes) -> None:
    """R184."""
    file = tmp_path / "report.json"
    file.write_bytes(content)
    with pytest.raises(MisauthoredInput, match=r"report\.json: "):
        read_report(file)


def test_a_file_too_large_for_a_report_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    with file.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(MisauthoredInput, match="larger than"):
        read_report(file)


def test_the_page_beside_it_is_bound_alike(tmp_path: Path) -> None:
    write_report(REPORT, tmp_path / "report.json", page="<p>Read.</p>")
    assert kept_page(tmp_path, "report.json") == "<p>Read.</p>"
    with (tmp_path / "report.html").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(MisauthoredInput, match=r"report\.html: larger than"):
        kept_page(tmp_path, "report.json")


def test_latest_is_the_youngest_run_whatever_its_file_is_called(tmp_path: Path) -> None:
    """R183: newest by time."""
    old = a_report(FAILED, ran_at=NOON - timedelta(days=1))
    write_report(REPORT, tmp_path / "eval-aaa.json")
    write_report(old, tmp_path / "eval-zzz.json")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    assert report_to_repeat("latest", tmp_path) == REPORT
    assert report_to_repeat(str(tmp_path / "eval-zzz.json"), tmp_path / "absent") == old


def test_an_aborted_report_is_not_repeated_nor_passed_over(tmp_path: Path) -> None:
    """R183: aborted reports refused, the youngest one too."""
    with pytest.raises(QueryRefused, match="none has been kept yet"):
        report_to_repeat("latest", tmp_path)
    write_report(REPORT, tmp_path / default_report_name(REPORT))
    later = a_report(
        FAILED, selected_total=9, aborted="fail-fast", ran_at=NOON + timedelta(seconds=1)
    )
    write_report(later, tmp_path / default_report_name(later))
    with pytest.raises(QueryRefused, match=r"broken off \(fail-fast\)"):
        report_to_repeat("latest", tmp_path)


def test_a_name_tells_the_moment_of_the_run() -> None:
    assert default_report_name(REPORT) == "eval-20310504T120000.000000Z.json"


def test_the_rates_count_answers_and_nothing_else() -> None:
    """R170: false answers, false refusals and false routes, each of its own kind of question."""

    def result(case_id: str, expected: str, mode: str | None) -> CaseResult:
        issues = () if expected == mode else ("mode",)
        return CaseResult(case_id, "q", expected, issues, mode)  # pyright: ignore[reportArgumentType]

    report = a_report(
        result("a", "not-found", "supported"),
        result("b", "not-found", "related-material"),
        result("c", "not-found", "not-found"),
        result("d", "partial", "not-found"),
        result("e", "related-material", "partial"),
        SKIPPED,
    )
    assert report.rates == Rates(Rate(1, 3), Rate(1, 2), Rate(1, 3))


def test_a_time_without_a_zone_is_refused() -> None:
    """Newest by time needs one clock (R183)."""
    with pytest.raises(MisauthoredInput, match="ranAt"):
        a_report(ran_at=NOON.replace(tzinfo=None))


@settings(max_examples=30)
@given(outcomes=st.lists(st.sampled_from([PASSED, FAILED, SKIPPED]), max_size=9))
def test_passed_failed_and_skipped_always_make_the_total(outcomes: list[CaseResult]) -> None:
    """R184."""
    results = [replace(one, case_id=f"case-{at}") for at, one in enumerate(outcomes)]
    report: EvalReport = a_report(*results)
    assert report.passed + report.failed + report.skipped == report.total == len(outcomes)
    assert report.exit_code == (1 if report.failed else 0)
