"""What a signal can tell apart, and what a threshold set on it keeps of its promise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SPLITS = 200
STEPS = 400  # of the descent that fits a fusion; it has settled by then
RIDGE = 1e-2


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """The share of pairs in which the answerable question stands higher; a tie counts half."""
    if not answerable or not unanswerable:
        return None
    low = np.sort(np.asarray(unanswerable, dtype=np.float64))
    high = np.asarray(answerable, dtype=np.float64)
    below = np.searchsorted(low, high, side="left")
    not_above = np.searchsorted(low, high, side="right")
    return float((below + not_above).sum() / (2 * len(low) * len(high)))


def answered_at(
    answerable: Sequence[float], unanswerable: Sequence[float], alpha: float
) -> float | None:
    """The share of answerable questions above the lowest threshold that lets at most `alpha` of
    the unanswerable ones through. Chosen and measured on the same questions: no promise.
    """
    if not answerable or not unanswerable:
        return None
    allowed = math.floor(alpha * len(unanswerable))
    threshold = sorted(unanswerable, reverse=True)[allowed]
    return sum(one > threshold for one in answerable) / len(answerable)


def ndcg(relevant: Sequence[bool], total: int, depth: int = 10) -> float:
    """Of one question: hits in order, of `total` relevant passages in all."""
    gain = sum(1 / math.log2(rank + 2) for rank, one in enumerate(relevant[:depth]) if one)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(total, depth)))
    return gain / best if best else 0.0


@dataclass(frozen=True, slots=True)
class Promise:
    """False answers over many splits into calibration and rest: `exceeded` is the share of splits
    in which more than alpha of the rest were let through.
    """

    alpha: float
    calibrated_on: int
    splits: int
    mean: float
    low: float
    high: float
    exceeded: float
    answered: float

    def as_json(self) -> dict[str, float | int]:
        return {
            "alpha": self.alpha,
            "calibratedOn": self.calibrated_on,
            "splits": self.splits,
            "falseAnswersMean": round(self.mean, 4),
            "falseAnswers5": round(self.low, 4),
            "falseAnswers95": round(self.high, 4),
            "exceeded": round(self.exceeded, 4),
            "answered": round(self.answered, 4),
        }


def promise_kept(
    answerable: Floats, unanswerable: Floats, alpha: float, *, splits: int = SPLITS, seed: int = 1
) -> Promise | None:
    """Columns are signals, rows questions. Each split fits a fusion on a third, sets the conformal
    threshold on a second third of the unanswerable, and measures on what is left (R168).

    None where there are too few questions for the threshold to be finite.
    """
    third = len(unanswerable) // 3
    rank = math.ceil((third + 1) * (1 - alpha) - 1e-9)
    if rank > third or len(answerable) < 3:
        return None
    random = np.random.default_rng(seed)
    false: list[float] = []
    answered: list[float] = []
    for _ in range(splits):
        low = unanswerable[random.permutation(len(unanswerable))]
        high = answerable[random.permutation(len(answerable))]
        fused = fusion(high[: len(high) // 3], low[:third])
        threshold = np.sort(fused(low[third : 2 * third]))[rank - 1]
        false.append(float((fused(low[2 * third :]) > threshold).mean()))
        answered.append(float((fused(high[len(high) // 3 :]) > threshold).mean()))
    rates = np.asarray(false)
    return Promise(
        alpha=alpha,
        calibrated_on=third,
        splits=splits,
        mean=float(rates.mean()),
        low=float(np.quantile(rates, 0.05)),
        high=float(np.quantile(rates, 0.95)),
        exceeded=float((rates > alpha).mean()),
        answered=float(np.mean(answered)),
    )


@dataclass(frozen=True, slots=True)
class Fusion:
    """Standardised signals, weighted and added."""

    centre: Floats
    scale: Floats
    weights: Floats

    def __call__(self, signals: Floats) -> Floats:
        return ((signals - self.centre) / self.scale) @ self.weights


def fusion(answerable: Floats, unanswerable: Floats) -> Fusion:
    """Logistic weights by gradient descent with a small ridge; of one signal, the signal itself."""
    both = np.concatenate([answerable, unanswerable])
    scale = both.std(axis=0)
    scale[scale == 0] = 1.0
    centre = both.mean(axis=0)
    given = (both - centre) / scale
    wanted = np.concatenate([np.ones(len(answerable)), np.zeros(len(unanswerable))])
    weights = np.ones(given.shape[1])
    bias = 0.0
    if given.shape[1] > 1:
        for _ in range(STEPS):
            error = 1 / (1 + np.exp(-(given @ weights + bias))) - wanted
            weights = weights - 0.5 * (given.T @ error / len(given) + RIDGE * weights)
            bias -= 0.5 * float(error.mean())
    return Fusion(centre, scale, weights)
