"""The model that fuses five signals: a small logistic regression, the same on every machine (R168).

`DEFAULT_MODEL` is what an archive has whose own questions are too few to fit one. It is hand-set;
`python -m eval.trials.gate` prints what it separates beside models that were fitted: of absent
subjects AUROC .995 against .996 (squad2) and .980 against .980 (clapnq).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fonds.answering.signals import Signals
from fonds.contract.calibration import SIGNALS, FusionModel

_Numbers: TypeAlias = NDArray[np.float64]
PENALTY: Final = 1.0
"""L2, on standardised signals: keeps weights finite where the two sides do not overlap."""
STEPS: Final = 50
DEFAULT_MODEL: Final = FusionModel(
    means=(0.42, 3.4, 0.62, 0.42, 0.14),
    deviations=(0.14, 1.2, 0.27, 0.22, 0.16),
    weights=(1.2, 1.0, 0.9, 0.9, 0.3),
    bias=0.0,
)


def fitted_model(signals: Sequence[Signals], answerable: Sequence[bool]) -> FusionModel:
    """Weights under which answerable questions stand highest, by Newton's method.

    A signal that no question has weighs nothing. Both sides count the same, whichever has more
    questions. Raises ValueError unless there are questions of both.
    """
    sides = np.array(answerable, dtype=float)
    if not 0 < sides.sum() < len(sides):
        raise ValueError("a model is fitted on questions of both sides")
    table = np.array(
        [[np.nan if one is None else one for one in row.values] for row in signals], dtype=float
    )
    there = ~np.isnan(table)
    means = np.array([_mean(table[there[:, at], at]) for at in range(SIGNALS)])
    deviations = np.array([_deviation(table[there[:, at], at]) for at in range(SIGNALS)])
    standard = np.where(there, (table - means) / deviations, 0.0)
    weights = _newton(np.column_stack([standard, np.ones(len(sides))]), sides)
    return FusionModel(
        tuple(map(float, means)),
        tuple(map(float, deviations)),
        tuple(float(one) for one in weights[:-1]),
        float(weights[-1]),
        fitted=True,
    )


def _newton(table: _Numbers, sides: _Numbers) -> _Numbers:
    share = float(sides.mean())
    counted: _Numbers = np.where(sides == 1, 0.5 / share, 0.5 / (1 - share))
    ridge: _Numbers = np.diag([PENALTY] * SIGNALS + [1e-6])
    weights: _Numbers = np.zeros(SIGNALS + 1)
    for _ in range(STEPS):
        likely: _Numbers = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope: _Numbers = table.T @ (counted * (likely - sides)) + ridge @ weights
        curve: _Numbers = (table * (counted * likely * (1 - likely))[:, None]).T @ table + ridge
        step: NDArray[np.floating[Any]] = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def _mean(column: _Numbers) -> float:
    return float(column.mean()) if len(column) else 0.0


def _deviation(column: _Numbers) -> float:
    spread = float(column.std()) if len(column) else 0.0
    return spread if spread > 1e-9 else 1.0
