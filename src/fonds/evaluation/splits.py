"""Labelled questions parted into three disjoint sets: for the weights, the threshold, the price
(R168, R170).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonds.answering.calibration import fewest_questions
from fonds.contract.calibration import ConformalRule
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.sealed import sealed

FEWEST_TO_FIT = 30  # of either side; weights fitted on fewer are worse than the bundled ones
_KINDS = ("answerable", "near-miss", "out-of-archive")


@sealed
@dataclass(frozen=True, slots=True)
class Split:
    """Keys of questions. `conformal` holds unanswerable ones alone; `fusion` is empty when the
    bundled weights are taken.
    """

    fusion: frozenset[str]
    conformal: frozenset[str]
    price: frozenset[str]


def split_questions(
    questions: Sequence[CalibrationQuestion], alpha: float, rule: ConformalRule
) -> Split:
    """The same for the same questions, in whatever order: a question's hash decides its place.

    The threshold comes first: of each unanswerable kind half is counted, or more where half would
    be too few for a finite threshold. What is left is shared by weights and price.
    """
    by_kind = {kind: _ordered(questions, kind) for kind in _KINDS}
    unanswerable = len(by_kind["near-miss"]) + len(by_kind["out-of-archive"])
    needed = fewest_questions(alpha, rule)
    answerable = by_kind["answerable"]
    # Without answerable questions there is neither a weight to fit nor a price to tell.
    share = min(1.0, max(0.5, needed / unanswerable)) if unanswerable and answerable else 1.0
    conformal: list[str] = []
    left: list[str] = []
    for kind in ("near-miss", "out-of-archive"):
        # Rounded up, so that the kinds together are not one too few.
        cut = min(len(by_kind[kind]), -int(-share * len(by_kind[kind]) // 1))
        conformal += by_kind[kind][:cut]
        left += by_kind[kind][cut:]
    if min(len(left), len(answerable)) < 2 * FEWEST_TO_FIT:
        return Split(frozenset(), frozenset(conformal), frozenset((*left, *answerable)))
    fusion = (*_every_second(left), *_every_second(answerable))
    price = frozenset((*left, *answerable)) - frozenset(fusion)
    return Split(frozenset(fusion), frozenset(conformal), price)


def _ordered(questions: Sequence[CalibrationQuestion], kind: str) -> list[str]:
    return sorted(one.key for one in questions if one.kind == kind)


def _every_second(keys: Sequence[str]) -> Sequence[str]:
    return keys[::2]
