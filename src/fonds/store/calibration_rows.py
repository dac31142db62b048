"""Calibrations as rows of `served.calibration`, and back."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from fonds.contract.calibration import Calibration, FusionModel, GatePrice


def calibration_from(row: tuple[Any, ...]) -> Calibration | None:
    """None where the outer join found none."""
    source, rule, alpha, counted, near_misses, threshold, hint_threshold, public_hint, *rest = row
    (
        signal,
        means,
        deviations,
        weights,
        bias,
        fitted,
        plugins,
        space_id,
        questions,
        made_at,
        price,
    ) = rest
    if source is None:
        return None
    return Calibration(
        source=source,
        rule=rule,
        alpha=alpha,
        counted=counted,
        near_misses=near_misses,
        threshold=threshold,
        hint_threshold=hint_threshold,
        public_hint_threshold=public_hint,
        signal=signal,
        model=FusionModel(tuple(means), tuple(deviations), tuple(weights), bias, fitted),
        plugins=plugins,
        space_id=space_id,
        questions=questions,
        made_at=made_at,
        price=None if price is None else GatePrice(*price),
    )


def calibration_values(build_id: int, calibration: Calibration) -> dict[str, object]:
    """Every column that is written; the time is the database's."""
    model = calibration.model
    return {
        "build_id": build_id,
        "source": calibration.source,
        "rule": calibration.rule,
        "alpha": calibration.alpha,
        "counted": calibration.counted,
        "near_misses": calibration.near_misses,
        "threshold": calibration.threshold,
        "hint_threshold": calibration.hint_threshold,
        "public_hint_threshold": calibration.public_hint_threshold,
        "signal": calibration.signal,
        "means": list(model.means),
        "deviations": list(model.deviations),
        "weights": list(model.weights),
        "bias": model.bias,
        "fitted": model.fitted,
        "plugins": calibration.plugins,
        "space_id": calibration.space_id,
        "questions": calibration.questions,
        "price": price_values(calibration.price),
    }


def price_values(price: GatePrice | None) -> list[int] | None:
    return None if price is None else list(astuple(price))
