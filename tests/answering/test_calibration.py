"""The conformal rules, in exact arithmetic, against the examples they are specified by (R168)."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.answering.calibration import (
    INFINITE,
    conformal_rank,
    conformal_threshold,
    exact,
    fewest_questions,
    promise,
)


@pytest.mark.parametrize(
    ("count", "alpha", "rank"),
    [
        (19, 0.05, 19),  # ceil(20 * 0.95): one more by a float's error would be infinite
        (18, 0.05, 19),
        (20, 0.05, 20),
        (99, 0.1, 90),
        (9, 0.1, 9),
        (8, 0.1, 9),
        (999, 0.001, 999),
    ],
)
def test_the_plain_rank_is_the_rounded_up_share(count: int, alpha: float, rank: int) -> None:
    """R168: k = ceil((n + 1)(1 - alpha)), in rational arithmetic."""
    assert conformal_rank(count, alpha, "plain") == rank


@pytest.mark.parametrize(
    ("count", "rank"), [(58, 59), (59, 59), (92, 92), (93, 92), (100, 99), (200, 196)]
)
def test_the_strict_rank_holds_for_the_calibration_at_hand(count: int, rank: int) -> None:
    """R168: the smallest k with P(Beta(n + 1 - k, k) <= alpha) >= 0.95; from 59 questions on."""
    assert conformal_rank(count, 0.05, "strict") == rank


@given(st.integers(1, 120), st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5]))
def test_the_strict_rank_is_the_smallest_that_suffices(count: int, alpha: float) -> None:
    """R168: at the rank the tail reaches 95%, at the one below it does not."""
    rank = conformal_rank(count, alpha, "strict")
    if rank <= count:
        assert _beta_below(alpha, count, rank) >= Fraction(19, 20)
    if rank > 1:
        assert _beta_below(alpha, count, rank - 1) < Fraction(19, 20)


@given(st.integers(0, 300), st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_the_strict_rule_never_lets_more_through(count: int, alpha: float) -> None:
    assert conformal_rank(count, alpha, "strict") >= conformal_rank(count, alpha, "plain")


@pytest.mark.parametrize(("rule", "fewest"), [("plain", 19), ("strict", 59)])
def test_too_few_questions_abstain_on_everything(rule: str, fewest: int) -> None:
    """R168: k > n is infinity; one question more gives the largest signal."""
    signals = [one / 100 for one in range(fewest)]
    assert fewest_questions(0.05, rule) == fewest  # pyright: ignore[reportArgumentType]
    assert conformal_threshold(signals[1:], 0.05, rule) == INFINITE  # pyright: ignore[reportArgumentType]
    assert conformal_threshold(signals, 0.05, rule) == max(signals)  # pyright: ignore[reportArgumentType]


def test_the_threshold_is_the_kth_smallest_whatever_the_order() -> None:
    """R168."""
    signals = [float(one) for one in range(99)]
    assert conformal_threshold(signals[::-1], 0.1, "plain") == 89.0


def test_questions_that_match_nothing_leave_the_floors_alone() -> None:
    """R168: nothing matched is minus infinity, and a threshold may be that."""
    assert conformal_threshold([-INFINITE] * 19, 0.05, "plain") == -INFINITE


def test_a_share_is_the_decimal_that_was_written() -> None:
    assert exact(0.05) == Fraction(1, 20)
    assert exact(0.1) == Fraction(1, 10)


def test_each_rule_says_what_it_promises() -> None:
    """R168, R196: neither sentence may be taken for the other."""
    assert "on average" in promise(0.05, "plain")
    assert "95% confidence in this calibration" in promise(0.05, "strict")
    assert all("5%" in promise(0.05, rule) for rule in ("plain", "strict"))


def _beta_below(alpha: float, count: int, rank: int) -> Fraction:
    """P(Beta(n + 1 - k, k) <= alpha), by the upper tail of the binomial."""
    share = exact(alpha)
    return sum(
        (
            comb(count, won) * share**won * (1 - share) ** (count - won)
            for won in range(count + 1 - rank, count + 1)
        ),
        Fraction(0),
    )
