"""What a gate promises beside what passed it, on questions its threshold has not seen (R170)."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fonds.answering.calibration import fewest_questions
from fonds.answering.search_outcome import SearchOutcome
from fonds.contract.calibration import Calibration
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.failures import MisauthoredInput
from fonds.evaluation import page
from fonds.evaluation.calibrating import CalibrationTerms, calibrated
from fonds.evaluation.calibration_curve import (
    ALPHAS,
    FOLDS,
    CalibrationCurve,
    CurvePoint,
    calibration_curve,
    held_out_questions,
    passed_held_out,
)
from fonds.evaluation.interval import rate_interval
from fonds.evaluation.page import report_page
from fonds.evaluation.plots import calibration_plot
from fonds.evaluation.report_file import read_report, report_text
from fonds.evaluation.splits import FEWEST_TO_FIT, split_questions
from tests.answering.hits import outcome, text_hit
from tests.evaluation.doubles import PASSED, TERMS, a_report
from tests.evaluation.test_a_calibration_keeps_its_splits_apart import TERMS as GATE_TERMS
from tests.evaluation.test_a_calibration_keeps_its_splits_apart import questions

CURVE = CalibrationCurve(
    "own",
    "plain",
    0.05,
    5,
    (CurvePoint(0.05, 3, 80), CurvePoint(0.1, 7, 80), CurvePoint(0.2, 17, 80)),
)
REPORT = a_report(PASSED, calibration_curve=CURVE, terms=replace(TERMS, gate="fitted"))


def signals(count: int, seed: int = 11) -> dict[str, float]:
    chance = random.Random(seed)  # noqa: S311
    return {f"{chance.getrandbits(64):016x}": chance.gauss(0, 1) for _ in range(count)}


def look(question: CalibrationQuestion) -> SearchOutcome:
    place = int(question.key[:6], 16) / 2**24
    return outcome(text_hit(score=0.3 + place / 3, text="Question near miss out of archive."))


def made(asked: list[CalibrationQuestion]) -> Calibration:
    return calibrated(asked, look, CalibrationTerms(GATE_TERMS.gate, "own", "space")).calibration


def test_what_passes_is_near_what_was_promised_where_questions_are_alike() -> None:
    """R168: the promise of the plain rule, on signals of one distribution."""
    found = signals(2000)
    for alpha in ALPHAS:
        passed = passed_held_out(found, alpha, "plain")
        assert passed is not None
        low, high = rate_interval(passed, 2000)
        assert low - 0.01 <= alpha <= high + 0.01


def test_every_question_is_held_out_once() -> None:
    """A promise to let half pass lets half of each fold pass: none is counted twice or left out."""
    found = {f"{number:04x}": float(number) for number in range(100)}
    assert passed_held_out(found, 0.5, "plain") in range(44, 57)
    assert passed_held_out(dict.fromkeys(found, 1.0), 0.5, "plain") == 0
    assert passed_held_out(found, 0.5, "plain") == passed_held_out(
        dict(reversed(found.items())), 0.5, "plain"
    )


def test_a_promise_the_questions_are_too_few_for_has_no_point() -> None:
    needed = fewest_questions(0.05, "plain")
    enough = FOLDS * needed // (FOLDS - 1) + FOLDS
    assert passed_held_out(signals(needed), 0.05, "plain") is None
    assert passed_held_out(signals(enough), 0.05, "plain") is not None
    assert passed_held_out(signals(enough), 0.05, "strict") is None


def test_a_curve_asks_what_no_weight_was_fitted_on_and_each_question_once() -> None:
    """R168: neither answerable questions nor those of the fusion."""
    asked = questions(2 * FEWEST_TO_FIT, 80, 160)
    calibration = made(asked)
    assert calibration.model.fitted
    seen: Counter[str] = Counter()

    def counted(question: CalibrationQuestion) -> SearchOutcome:
        seen[question.key] += 1
        return look(question)

    curve = calibration_curve(asked, counted, calibration, author="")
    assert curve is not None
    split = split_questions(asked, calibration.alpha, calibration.rule)
    absent = {one.key for one in asked if one.kind != "answerable"}
    assert seen == Counter(absent - split.fusion)
    assert {one.of for one in curve.points} == {len(seen)}
    assert [one.alpha for one in curve.points] == list(ALPHAS)
    assert curve == calibration_curve(asked[::-1], look, calibration, author="")


def test_an_alpha_of_the_archives_own_stands_among_the_points() -> None:
    asked = questions(4, 20, 60)
    calibration = replace(made(asked), alpha=0.07)
    curve = calibration_curve(asked, look, calibration, author="")
    assert curve is not None
    assert 0.07 in [one.alpha for one in curve.points]
    few = asked[:2]
    assert calibration_curve(few, look, calibration, author="") is None
    assert held_out_questions(few, calibration) == ()


@pytest.mark.parametrize(
    ("points", "rule"),
    [
        ((), "at least two folds and one point"),
        ((CurvePoint(0.1, 1, 80), CurvePoint(0.05, 1, 80)), "alphas rise"),
        ((CurvePoint(0.1, 1, 80), CurvePoint(0.1, 1, 80)), "alphas rise"),
        ((CurvePoint(0.05, 2, 80), CurvePoint(0.1, 1, 80)), "lets no fewer pass"),
        ((CurvePoint(0.05, 2, 80), CurvePoint(0.1, 3, 81)), "the same questions"),
    ],
)
def test_a_curve_that_no_questions_give_is_none(points: tuple[CurvePoint, ...], rule: str) -> None:
    with pytest.raises(MisauthoredInput, match=rule):
        replace(CURVE, points=points)


@pytest.mark.parametrize(("alpha", "passed", "of"), [(0.0, 0, 9), (1.0, 0, 9), (0.1, 10, 9)])
def test_a_point_counts_some_of_its_questions(alpha: float, passed: int, of: int) -> None:
    with pytest.raises(MisauthoredInput, match="calibrationCurve"):
        CurvePoint(alpha, passed, of)


def test_a_report_keeps_its_curve_and_reads_one_of_before_there_was_any(tmp_path: Path) -> None:
    """R184: additive; the same bytes again."""
    file = tmp_path / "report.json"
    file.write_text(report_text(REPORT), encoding="utf-8")
    assert read_report(file) == REPORT
    assert report_text(read_report(file)) == report_text(REPORT)
    document = json.loads(report_text(REPORT))
    del document["calibrationCurve"]
    file.write_text(json.dumps(document), encoding="utf-8")
    assert read_report(file) == replace(REPORT, calibration_curve=None)


@pytest.mark.parametrize(
    ("point", "changes", "said"),
    [
        (0, {"passed": 4}, r"points\[0\]: the interval is not that of its counts"),
        (1, {"low": 0.0}, r"points\[1\]: the interval is not that of its counts"),
        (1, {"passed": 81}, "passed is at most of"),
        (1, {"passed": 2, "low": 0.0069, "high": 0.0866}, "lets no fewer pass"),
        (2, {"of": 0, "passed": 0}, "passed is at most of"),
        (2, {"alpha": "0.2"}, r"points\.2\.alpha: not of a report's form"),
        (0, {"alpha": 1.5}, "alpha is above 0 and below 1"),
    ],
)
def test_a_curve_whose_counts_do_not_agree_is_refused(
    tmp_path: Path, point: int, changes: dict[str, object], said: str
) -> None:
    """R184: the loader believes no figure of it."""
    document: Any = json.loads(report_text(REPORT))
    document["calibrationCurve"]["points"][point] |= changes
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(MisauthoredInput, match=said):
        read_report(file)


def test_a_page_shows_the_curve_as_a_plot_and_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    text = report_page(REPORT, None)
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())
    assert "Rule plain, on 80 of the archive's own questions that have no answer here." in words
    assert "0.05 3 of 80 0.037 0.013 to 0.105" in words
    assert text.count('id="calibration-') > 3
    assert text == report_page(REPORT, None)
    monkeypatch.setattr(page, "can_plot", lambda: False)
    bare = report_page(REPORT, None)
    assert "<svg" not in bare
    assert "3 of 80" in bare


def test_a_drawing_of_a_curve_is_the_same_twice_and_of_another_is_not() -> None:
    assert calibration_plot(CURVE) == calibration_plot(CURVE)
    other = replace(CURVE, points=(*CURVE.points[:2], CurvePoint(0.2, 18, 80)))
    assert calibration_plot(other) != calibration_plot(CURVE)


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("off", "There is no calibration to measure: the gate of this build is off."),
        ("missing", "There is no calibration to measure: the gate of this build is missing."),
        ("infinite", "There is no calibration to measure: the gate of this build is infinite."),
        ("fitted", "This run measured no calibration curve."),
    ],
)
def test_a_page_without_a_curve_says_why_in_one_sentence(gate: str, said: str) -> None:
    report = replace(REPORT, calibration_curve=None, terms=replace(TERMS, gate=gate))
    text = report_page(report, None)
    assert said in text
    assert "calibration-" not in text
