"""Thresholds from questions that have no answer, by rules that say what they promise (R168).

Ranks are counted in exact arithmetic: a float may turn ceil(20 * 0.95) into 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Final, assert_never

if TYPE_CHECKING:
    from fonds.contract.calibration import ConformalRule

INFINITE: Final = float("inf")
"""The threshold of a calibration with too few questions: nothing is answered."""
CONFIDENCE: Final = Fraction(19, 20)
"""How sure the strict rule is that its promise holds for the calibration at hand."""


def conformal_threshold(signals: Sequence[float], alpha: float, rule: ConformalRule) -> float:
    """What a signal has to lie strictly above; INFINITE where the questions are too few."""
    rank = conformal_rank(len(signals), alpha, rule)
    return INFINITE if rank > len(signals) else sorted(signals)[rank - 1]


def conformal_rank(count: int, alpha: float, rule: ConformalRule) -> int:
    """Which smallest of `count` signals the threshold is; `count` + 1 where none will do."""
    share = exact(alpha)
    match rule:
        case "plain":
            return min(_plain_rank(count, share), count + 1)
        case "strict":
            return _strict_rank(count, share)
        case unreachable:
            assert_never(unreachable)


def fewest_questions(alpha: float, rule: ConformalRule) -> int:
    """How many unanswerable questions make the threshold finite."""
    count = 1
    while conformal_rank(count, alpha, rule) > count:
        count += 1
    return count


def promise(alpha: float, rule: ConformalRule) -> str:
    """What a threshold of this rule promises, in one sentence."""
    share = f"{float(exact(alpha)) * 100:g}%"
    alike = "questions without an answer that are like those it was calibrated on"
    match rule:
        case "plain":
            return f"on average over calibrations, at most {share} of {alike} pass"
        case "strict":
            return f"with 95% confidence in this calibration, at most {share} of {alike} pass"
        case unreachable:
            assert_never(unreachable)


def exact(alpha: float) -> Fraction:
    """The decimal that was written: 0.05 is one twentieth."""
    return Fraction(repr(alpha))


def _plain_rank(count: int, alpha: Fraction) -> int:
    wanted = (count + 1) * (1 - alpha)
    return -(-wanted.numerator // wanted.denominator)


def _strict_rank(count: int, alpha: Fraction) -> int:
    """The smallest k with P(Beta(n + 1 - k, k) <= alpha) >= CONFIDENCE.

    That is P(Bin(n, alpha) >= n + 1 - k): the fewest tolerated successes are counted upwards for
    as long as their tail stays within 1 - CONFIDENCE.
    """
    won, lost = alpha.numerator, alpha.denominator - alpha.numerator
    allowed = (1 - CONFIDENCE) * alpha.denominator**count
    tail, tolerated = 0, 0
    while tolerated <= count:
        tail += comb(count, tolerated) * won**tolerated * lost ** (count - tolerated)
        if tail > allowed:
            break
        tolerated += 1
    return count + 1 - tolerated
