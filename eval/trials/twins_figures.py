"""How well the time of replies tells two archives apart: .5 is a guess, 1 or 0 every time right.

`auc` is the chance that a reply of the other archive took longer than one of the first: what the
best threshold goes by, whose share of right guesses is `accuracy`. `ofMany` is the same of what a
caller makes of many replies: their median, or their tenth percentile, which is less disturbed.
`paired` is the chance that the median of as many differences, each of two replies to the same
question in the same round, is above zero. Each has the interval that nineteen in twenty samples of
the rounds lie in: one that holds .5 tells nothing apart that these rounds could show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

MANY = 100
RESAMPLED = 200
GUESSES = 100  # callers with so many replies each
_SEED = 20250402
Times: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Times, Times, Generator], float]


def separation(one: Sequence[float], other: Sequence[float]) -> dict[str, Any]:
    """All figures of two archives that were asked the same, in seconds."""
    ours, theirs = np.asarray(one, np.float64), np.asarray(other, np.float64)
    report = {
        "medianMs": [_milliseconds(np.median(times)) for times in (ours, theirs)],
        "differenceMs": _with_interval(ours, theirs, _difference, 1000),
        "auc": _with_interval(ours, theirs, lambda a, b, _: auc(a, b)),
        "accuracy": round(accuracy(ours, theirs), 3),
    }
    return report | many(ours, theirs)


def work(one: Sequence[float], other: Sequence[float]) -> dict[str, Any]:
    """What the server's processor spent on each, in the same rounds."""
    ours, theirs = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return {
        "serverMs": [_milliseconds(np.median(times)) for times in (ours, theirs)],
        "serverDifferenceMs": _with_interval(ours, theirs, _difference, 1000),
    }


def many(ours: Times, theirs: Times) -> dict[str, Any]:
    """What is told by so many replies."""
    return {
        "ofMany": {
            "median": _with_interval(ours, theirs, _of_many(50)),
            "tenth": _with_interval(ours, theirs, _of_many(10)),
        },
        "paired": _with_interval(ours, theirs, _paired),
    }


def auc(one: Times, other: Times) -> float:
    """The chance that one of the second is the larger; a tie is half of it."""
    ordered = np.sort(one)
    below = np.searchsorted(ordered, other, side="left")
    upto = np.searchsorted(ordered, other, side="right")
    return float((below + upto).mean() / 2 / len(one))


def accuracy(one: Times, other: Times) -> float:
    """The share of right guesses by the best threshold there is, whichever side it says is which;
    found in the same times, so that it is above .5 where there is nothing to find.
    """
    at = np.concatenate([one, other])
    shares = [
        np.searchsorted(np.sort(times), at, side="right") / len(times) for times in (one, other)
    ]
    return float(0.5 + np.abs(shares[0] - shares[1]).max() / 2)


def tells(figure: dict[str, Any]) -> bool:
    """Whether the interval of a figure leaves a guess out."""
    low, high = figure["interval"]
    return not low <= 0.5 <= high


def _of_many(percent: int) -> Statistic:
    """What so many callers make of so many replies each."""

    def chance(one: Times, other: Times, random: Generator) -> float:
        made = [_ranked(_drawn(times, random), percent) for times in (one, other)]
        return auc(made[0], made[1])

    return chance


def _paired(one: Times, other: Times, random: Generator) -> float:
    return auc(np.zeros(1), _ranked(_drawn(other - one, random), 50))


def _drawn(times: Times, random: Generator) -> Times:
    return times[random.integers(0, len(times), (GUESSES, MANY))]


def _ranked(drawn: Times, percent: int) -> Times:
    """The value of each row that so many in a hundred lie below."""
    place = MANY * percent // 100
    return np.partition(drawn, place, axis=1)[:, place]


def _difference(one: Times, other: Times, _random: Generator) -> float:
    return float(np.median(other - one))


def _with_interval(
    one: Times, other: Times, statistic: Statistic, unit: float = 1
) -> dict[str, Any]:
    random = np.random.default_rng(_SEED)
    found = statistic(one, other, random) * unit
    again: list[float] = []
    for _ in range(RESAMPLED):
        rounds = random.integers(0, len(one), len(one))
        again.append(statistic(one[rounds], other[rounds], random) * unit)
    low, high = np.percentile(again, [2.5, 97.5])
    return {"value": round(found, 3), "interval": [round(float(low), 3), round(float(high), 3)]}


def _milliseconds(seconds: float | np.floating[Any]) -> float:
    return round(float(seconds) * 1000, 3)
