"""How much of a private vector its released scores tell, by how many questions a day allows (R187).

    python -m eval.trials.oracle [--dimensions 384] [--trials 20]

Prints JSON: the cosine between a private vector and what an attacker makes of it, means over the
trials. The attacker is the strongest there is: it writes a question of whatever vector it likes,
knows the space, and begins with one question whose cosine to the vector is `START`, so that with
nothing more it is that near. Its questions mix that one with directions of their own.

- `exact`, `released`: from the scores of so many questions that surfaced the vector, as they are
  and to the nearest 0.05. Each is charged.
- `floor`: from so many requests of which one in ten surfaces it. What does not surface is charged
  to nobody, and tells that the score is below the floor; requests alone bound this.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fonds.contract.allowances import Allowances

START: Final = 0.5
OWN: Final = 0.8  # how much of a question is its own direction
STEP: Final = 0.05

Vector = NDArray[np.float64]
Scores = Callable[[Vector], Vector]


def main() -> None:
    """Simulates and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.trials.oracle")
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--trials", type=int, default=20)
    asked = parser.parse_args()
    json.dump(figures(asked.dimensions, asked.trials), sys.stdout, indent=2)
    sys.stdout.write("\n")


def figures(dimensions: int, trials: int) -> dict[str, object]:
    """Cosines by number of questions charged, a day's budget first, and of requests made."""
    budget = dimensions // 2
    charged = [budget * days for days in (1, 2, 4, 8)]
    a_day = Allowances().caller_per_day
    return {
        "dimensions": dimensions,
        "budget_a_day": budget,
        "without_a_question": START,
        "exact": {n: _mean(_by_scores(n, dimensions, lambda s: s), trials) for n in charged},
        "released": {n: _mean(_by_scores(n, dimensions, _released), trials) for n in charged},
        "floor": {n: _mean(_by_floor(n, dimensions), trials) for n in (a_day // 4, a_day)},
    }


def _mean(attack: Callable[[Generator], float], trials: int) -> float:
    return round(float(np.mean([attack(np.random.default_rng(n)) for n in range(trials)])), 2)


def _by_scores(count: int, dimensions: int, seen: Scores) -> Callable[[Generator], float]:
    """The best linear guess from scores: the mean of what the vector may be, given them."""

    def attack(random: Generator) -> float:
        hidden = _hidden(random, dimensions)
        directions = _unit(random, count, dimensions)
        shared = np.sqrt(1 - OWN**2)
        told = seen(shared * START + OWN * directions @ hidden) - shared * START
        each = (1 - START**2) / dimensions  # the spread of one coordinate of what is hidden
        noise = STEP**2 / 12
        mixed = OWN**2 * directions @ directions.T * each + noise * np.eye(count)
        weights = np.asarray(np.linalg.solve(mixed, told), dtype=np.float64)
        guess: Vector = directions.T @ weights
        return _closeness(guess, hidden)

    return attack


def _by_floor(count: int, dimensions: int) -> Callable[[Generator], float]:
    """The mean direction of what surfaces, against that of what does not."""

    def attack(random: Generator) -> float:
        hidden, directions = _hidden(random, dimensions), _unit(random, count, dimensions)
        told = directions @ hidden
        # How much of the first question is mixed in decides how many surface: one in ten.
        surfaced: Vector = (told >= 1.28 * np.linalg.norm(hidden) / np.sqrt(dimensions)).astype(
            np.float64
        )
        return _closeness(directions.T @ (surfaced - surfaced.mean()), hidden)

    return attack


def _closeness(guess: Vector, hidden: Vector) -> float:
    """The cosine of the best vector made of the first question and a guess of what is beside it."""
    beside = float(guess @ hidden / np.linalg.norm(guess) / np.linalg.norm(hidden))
    return float(np.sqrt(START**2 + (1 - START**2) * beside**2))


def _released(scores: Vector) -> Vector:
    return np.floor(scores / STEP + 0.5) * STEP


def _hidden(random: Generator, dimensions: int) -> Vector:
    """What a vector holds beside the first question: square to it, in a space of its own."""
    return np.sqrt(1 - START**2) * _unit(random, 1, dimensions)[0]


def _unit(random: Generator, count: int, dimensions: int) -> Vector:
    drawn = random.standard_normal((count, dimensions))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
