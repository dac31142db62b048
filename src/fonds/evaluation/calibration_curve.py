"""What a gate promises beside what it lets through: shares of questions without an answer that
pass, at one threshold after another (R168, R170).

Each question is held out once: its signal is compared with the threshold that the questions of the
other folds give. No question is counted on a threshold, or on weights, that it had a part in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from fonds.answering.calibration import conformal_rank, conformal_threshold
from fonds.answering.signals import fused_signal, signals_of
from fonds.contract.calibration import Calibration, CalibrationSource, ConformalRule
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed
from fonds.evaluation.calibrating import Look
from fonds.evaluation.interval import rate_interval
from fonds.evaluation.splits import split_questions

FOLDS: Final = 5
ALPHAS: Final = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Promises that are looked at beside the one of the calibration itself."""


@sealed
@dataclass(frozen=True, slots=True)
class CurvePoint:
    """At the promise `alpha`, `passed` of the `of` questions without an answer passed."""

    alpha: float
    passed: int
    of: int

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise MisauthoredInput("calibrationCurve: alpha is above 0 and below 1")
        if not 0 <= self.passed <= self.of or self.of == 0:
            raise MisauthoredInput("calibrationCurve: passed is at most of, and of is above 0")

    @property
    def rate(self) -> float:
        return self.passed / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, at 95%."""
        return rate_interval(self.passed, self.of)

    def as_json(self) -> dict[str, object]:
        low, high = self.interval
        return {
            "alpha": self.alpha,
            "passed": self.passed,
            "of": self.of,
            "low": round(low, 4),
            "high": round(high, 4),
        }


@sealed
@dataclass(frozen=True, slots=True)
class CalibrationCurve:
    """Points by rising promise, all over the same questions. `alpha` is the calibration's own.

    A promise that the questions are too few for has no point: its threshold lets nothing pass.
    """

    source: CalibrationSource
    rule: ConformalRule
    alpha: float
    folds: int
    points: tuple[CurvePoint, ...]

    def __post_init__(self) -> None:
        if self.source not in get_args(CalibrationSource) or self.rule not in get_args(
            ConformalRule
        ):
            raise MisauthoredInput("calibrationCurve: source and rule are those of a calibration")
        if not self.points or self.folds < 2:
            raise MisauthoredInput("calibrationCurve: at least two folds and one point")
        if len({point.of for point in self.points}) > 1:
            raise MisauthoredInput("calibrationCurve: every point is over the same questions")
        pairs = list(zip(self.points, self.points[1:], strict=False))
        if any(not one.alpha < other.alpha for one, other in pairs):
            raise MisauthoredInput("calibrationCurve: alphas rise")
        if any(one.passed > other.passed for one, other in pairs):
            raise MisauthoredInput("calibrationCurve: a larger promise lets no fewer pass")

    def as_json(self) -> dict[str, object]:
        return {
            "source": self.source,
            "rule": self.rule,
            "alpha": self.alpha,
            "folds": self.folds,
            "points": [point.as_json() for point in self.points],
        }


def calibration_curve(
    questions: Sequence[CalibrationQuestion], look: Look, calibration: Calibration, *, author: str
) -> CalibrationCurve | None:
    """Asks every question without an answer once, over the calibrated build.

    None where the questions are too few for any promise. The same questions over the same build
    give the same curve; raises what `look` raises.
    """
    asked = held_out_questions(questions, calibration)
    signals = {
        one.key: fused_signal(calibration.model, signals_of(one.question, look(one), author=author))
        for one in asked
    }
    points = [
        CurvePoint(alpha, passed, len(signals))
        for alpha in sorted({*ALPHAS, calibration.alpha})
        if (passed := passed_held_out(signals, alpha, calibration.rule)) is not None
    ]
    if not points:
        return None
    return CalibrationCurve(
        calibration.source, calibration.rule, calibration.alpha, FOLDS, tuple(points)
    )


def held_out_questions(
    questions: Sequence[CalibrationQuestion], calibration: Calibration
) -> tuple[CalibrationQuestion, ...]:
    """Those without an answer that no weight was fitted on, in the order of their keys."""
    fitted = split_questions(questions, calibration.alpha, calibration.rule).fusion
    return tuple(
        one
        for one in sorted(questions, key=lambda one: one.key)
        if one.kind != "answerable" and one.key not in fitted
    )


def passed_held_out(signals: Mapping[str, float], alpha: float, rule: ConformalRule) -> int | None:
    """How many of the signals lie strictly above the threshold of the folds they are not in; None
    where a threshold would be infinite.
    """
    folds: list[list[float]] = [[] for _ in range(FOLDS)]
    for at, key in enumerate(sorted(signals, key=_shuffled)):
        folds[at % FOLDS].append(signals[key])
    passed = 0
    for held in folds:
        others = [one for fold in folds if fold is not held for one in fold]
        if conformal_rank(len(others), alpha, rule) > len(others):
            return None
        threshold = conformal_threshold(others, alpha, rule)
        passed += sum(one > threshold for one in held)
    return passed


def _shuffled(key: str) -> str:
    """Another order than the one the splits go by, the same on every machine."""
    return hashlib.sha256(f"fold {key}".encode()).hexdigest()
