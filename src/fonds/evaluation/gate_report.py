"""What may be said of a calibration: state, promise, thresholds and price; no question (R184)."""

from __future__ import annotations

from math import isfinite

from fonds.answering.calibration import fewest_questions, promise
from fonds.answering.gate import GateState
from fonds.contract.calibration import Calibration, GatePrice
from fonds.evaluation.interval import rate_interval

PROVISIONAL = (
    "provisional: the questions are the bundled ones, which hold for no archive in particular; "
    "no promise is made for questions near this archive's subjects"
)
NOT_MEASURED = "not measured"


def calibration_json(state: GateState, calibration: Calibration | None) -> dict[str, object]:
    """Every figure by name; an infinite threshold is a word, JSON has no number for it."""
    if calibration is None:
        return {"state": state}
    one = calibration
    return {
        "state": state,
        "source": one.source,
        "rule": one.rule,
        "alpha": one.alpha,
        "promise": promise_of(one),
        "counted": one.counted,
        "nearMisses": one.near_misses,
        "needed": fewest_questions(one.alpha, one.rule),
        "threshold": _number(one.threshold),
        "hintThreshold": _number(one.hint_threshold),
        "publicHintThreshold": _number(one.public_hint_threshold),
        "signal": one.signal,
        "weights": "fitted" if one.model.fitted else "bundled",
        "madeAt": None if one.made_at is None else one.made_at.isoformat(),
        "price": NOT_MEASURED if one.price is None else price_json(one.price),
    }


def promise_of(calibration: Calibration) -> str:
    """One sentence; a provisional calibration says what it is before what it promises."""
    said = promise(calibration.alpha, calibration.rule)
    return f"{PROVISIONAL}; {said}" if calibration.source == "bank" else said


def price_json(price: GatePrice) -> dict[str, object]:
    """Each rate with what it was counted on and its 95% interval; none carries a guarantee."""
    return {
        "refusedAnswerable": _rate(price.refused, price.answerable),
        "belowFloors": price.below_floors,
        "nearMissAnswered": _rate(price.near_miss_passed, price.near_miss),
        "absentAnswered": _rate(price.absent_passed, price.absent),
        "falseRoutes": _rate(price.routed, price.near_miss + price.absent),
    }


def gate_lines(state: GateState, calibration: Calibration | None) -> list[str]:
    """What a person reads."""
    if calibration is None:
        return [f"gate: {state}"]
    one = calibration
    label = " (provisional)" if one.source == "bank" and state != "provisional" else ""
    asked = "bundled questions" if one.source == "bank" else "questions of the archive"
    lines = [
        f"gate: {state}{label}",
        f"  rule: {one.rule} at {one.alpha:g}: {promise_of(one)}",
        f"  calibrated on {one.counted} unanswerable {asked}, {one.near_misses} near misses",
        f"  threshold {_shown(one.threshold)}, for hints {_shown(one.hint_threshold)}, "
        f"for public hints {_shown(one.public_hint_threshold)}; "
        f"weights {'fitted' if one.model.fitted else 'bundled'}",
    ]
    if state == "infinite":
        needed = fewest_questions(one.alpha, one.rule)
        lines.append(
            f"  {needed} unanswerable questions are needed: nothing is answered until then"
        )
    return [*lines, *price_lines(one.price)]


def price_lines(price: GatePrice | None) -> list[str]:
    """Both ways to be wrong side by side, before any model and without a guarantee (R170)."""
    if price is None:
        return [f"  price: {NOT_MEASURED}"]
    unanswerable = price.near_miss + price.absent
    return [
        "  price, on questions it was not calibrated on, before any model; no guarantee:",
        f"    answerable refused: {_rated(price.refused, price.answerable)}, "
        f"{price.below_floors} of them by a floor",
        f"    near misses let through: {_rated(price.near_miss_passed, price.near_miss)}",
        f"    out of the archive let through: {_rated(price.absent_passed, price.absent)}",
        f"    routed to hints for nothing: {_rated(price.routed, unanswerable)}",
    ]


def _rate(count: int, of: int) -> dict[str, object]:
    low, high = rate_interval(count, of)
    return {"count": count, "of": of, "low": round(low, 4), "high": round(high, 4)}


def _rated(count: int, of: int) -> str:
    if of == 0:
        return "none asked"
    low, high = rate_interval(count, of)
    return f"{count} of {of} ({count / of:.1%}, 95% interval {low:.1%} to {high:.1%})"


def _number(figure: float) -> float | str:
    return figure if isfinite(figure) else _shown(figure)


def _shown(figure: float) -> str:
    if isfinite(figure):
        return f"{figure:.3f}"
    return "infinite" if figure > 0 else "none"
