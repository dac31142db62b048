"""Thresholds, weights and price each come from questions of their own (R168-R170)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.answering.calibration import INFINITE, conformal_threshold, fewest_questions
from fonds.answering.gate import GateTerms
from fonds.answering.search_outcome import SearchOutcome
from fonds.answering.signals import Signals, fused_signal
from fonds.contract.calibration import GatePrice, QuestionKind
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.evaluation.calibrating import (
    CalibrationTerms,
    calibrated,
    gate_price,
    price_set,
    questions_hash,
)
from fonds.evaluation.fusing import DEFAULT_MODEL, fitted_model
from fonds.evaluation.interval import rate_interval
from fonds.evaluation.splits import FEWEST_TO_FIT, split_questions
from tests.answering.hits import outcome, semantic_hit, text_hit

TERMS = CalibrationTerms(GateTerms(), "own", "space")


def questions(answerable: int, near: int, absent: int) -> list[CalibrationQuestion]:
    counts: dict[QuestionKind, int] = {
        "answerable": answerable,
        "near-miss": near,
        "out-of-archive": absent,
    }
    return [
        CalibrationQuestion(f"{kind}-{number}", f"{kind} question {number}", kind)
        for kind, count in counts.items()
        for number in range(count)
    ]


def scored(score: float) -> SearchOutcome:
    """A question whose best passage holds its words, with this score."""
    return outcome(text_hit(score=score, text="Question near miss answerable out of archive."))


@given(st.integers(0, 200), st.integers(0, 80), st.integers(0, 200))
def test_no_question_is_in_two_splits_and_none_is_lost(
    answerable: int, near: int, absent: int
) -> None:
    """R168: code refuses overlap by making none."""
    asked = questions(answerable, near, absent)
    split = split_questions(asked, 0.05, "plain")
    parts = (split.fusion, split.conformal, split.price)
    assert sum(map(len, parts)) == len({key for part in parts for key in part}) == len(asked)
    kinds = {one.key: one.kind for one in asked}
    assert all(kinds[key] != "answerable" for key in split.conformal)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_threshold_is_finite_wherever_the_questions_suffice(
    answerable: int, near: int, absent: int
) -> None:
    """R168: the price never takes the question that the threshold needs."""
    split = split_questions(questions(answerable, near, absent), 0.05, "plain")
    enough = near + absent >= fewest_questions(0.05, "plain")
    assert (len(split.conformal) >= fewest_questions(0.05, "plain")) == enough


def test_a_split_depends_on_the_questions_alone() -> None:
    asked = questions(90, 40, 200)
    shuffled = list(asked)
    random.Random(3).shuffle(shuffled)  # noqa: S311
    assert split_questions(asked, 0.05, "plain") == split_questions(shuffled, 0.05, "plain")
    assert questions_hash(asked) == questions_hash(shuffled) != questions_hash(asked[1:])


def test_weights_are_fitted_where_both_sides_are_large_enough() -> None:
    """R168: else the bundled ones, and the calibration says which."""
    few, many = questions(40, 10, 60), questions(2 * FEWEST_TO_FIT, 80, 160)
    assert split_questions(few, 0.05, "plain").fusion == frozenset()
    assert len(split_questions(many, 0.05, "plain").fusion) == 2 * FEWEST_TO_FIT + 30
    looked = calibrated(many, _look, TERMS).calibration
    assert looked.model.fitted
    assert not calibrated(few, _look, TERMS).calibration.model.fitted


def test_the_same_questions_give_the_same_calibration() -> None:
    """R168, R199: deterministic, whatever the order."""
    asked = questions(70, 80, 160)
    assert calibrated(asked, _look, TERMS) == calibrated(asked[::-1], _look, TERMS)


def test_too_few_questions_let_nothing_pass() -> None:
    """R168: infinite, for hints as well, and every answerable question is counted as refused."""
    done = calibrated(questions(8, 4, 14), _look, TERMS)
    assert (done.calibration.threshold, done.calibration.hint_threshold) == (INFINITE, INFINITE)
    assert done.calibration.counted == 18
    assert done.passed == frozenset()
    assert done.calibration.price is not None
    assert done.calibration.price.refused == 8


def test_the_price_counts_what_a_visitor_meets_before_a_model() -> None:
    """R170: floors and gate, near misses and absent ones side by side, false routes apart."""
    said = ["record", "gate", "floor", "record", "hint", "gate", "hint", "floor"]
    kinds: list[QuestionKind] = [
        *("answerable", "answerable", "answerable", "near-miss", "near-miss"),
        *("out-of-archive", "out-of-archive", "out-of-archive"),
    ]
    asked = [CalibrationQuestion(f"q{n}", f"question {n}", kind) for n, kind in enumerate(kinds)]
    assert gate_price(list(zip(asked, said, strict=True))) == GatePrice(
        refused=2,
        below_floors=1,
        answerable=3,
        near_miss_passed=1,
        near_miss=2,
        absent_passed=0,
        absent=3,
        routed=2,
    )
    assert gate_price([(asked[-1], "gate")]) is None


def test_hints_have_a_threshold_from_the_same_questions() -> None:
    """R168, R170: released scores of the best hint, whatever stood beside it."""

    def look(question: CalibrationQuestion) -> SearchOutcome:
        high = question.kind == "near-miss"
        return outcome(semantic_hit(score=0.45 if high else 0.3), best_cosine=0.3)

    done = calibrated(questions(0, 1, 38), look, TERMS)
    assert done.calibration.hint_threshold == 0.3
    assert done.calibration.counted == 39


def test_the_price_set_is_what_the_calibration_left() -> None:
    asked = questions(40, 10, 60)
    kept = {one.key for one in price_set(asked, TERMS.gate)}
    assert kept == split_questions(asked, 0.05, "plain").price


def test_a_fitted_model_puts_answerable_questions_highest() -> None:
    """R168: and says nothing by a signal that no question has."""
    low = [Signals(0.1 + n / 100, None, 0.2, None, None) for n in range(30)]
    high = [Signals(0.4 + n / 100, None, 0.8, None, None) for n in range(30)]
    model = fitted_model([*low, *high], [False] * 30 + [True] * 30)
    assert min(fused_signal(model, one) for one in high) > max(
        fused_signal(model, one) for one in low
    )
    assert (model.weights[1], model.weights[3], model.weights[4]) == (0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="both sides"):
        fitted_model(low, [False] * 30)


def test_the_bundled_model_rises_with_every_signal() -> None:
    assert min(DEFAULT_MODEL.weights) > 0
    assert not DEFAULT_MODEL.fitted


@pytest.mark.parametrize(("rule", "most"), [("plain", 0.055), ("strict", 0.035)])
def test_the_rules_keep_what_they_promise(rule: str, most: float) -> None:
    """R168: over 200 splits plain lets 5% through on average, strict exceeds 5% in at most 7%."""
    chance = random.Random(5)  # noqa: S311
    rates: list[float] = []
    for _ in range(200):
        drawn = [chance.gauss(0, 1) for _ in range(1200)]
        threshold = conformal_threshold(drawn[:200], 0.05, rule)  # pyright: ignore[reportArgumentType]
        rates.append(_above(drawn[200:], threshold))
    assert sum(rates) / len(rates) <= most
    if rule == "plain":
        assert sum(rates) / len(rates) >= 0.045
    else:
        # The rest of a split is a sample itself, of a thousand: half a deviation is allowed for.
        assert sum(rate > 0.05 + 0.0035 for rate in rates) / len(rates) <= 0.07


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 20, 0.0, 0.161), (10, 20, 0.299, 0.701), (20, 20, 0.839, 1.0)],
)
def test_a_rate_comes_with_its_interval(count: int, of: int, low: float, high: float) -> None:
    """R170: Wilson's, at 95%."""
    found = rate_interval(count, of)
    assert (round(found[0], 3), round(found[1], 3)) == (low, high)


def _above(signals: Sequence[float], threshold: float) -> float:
    return sum(one > threshold for one in signals) / len(signals)


def _look(question: CalibrationQuestion) -> SearchOutcome:
    place = int(question.key[:4], 16) / 65536
    return scored(0.25 + place / 4 if question.kind != "answerable" else 0.4 + place / 4)
