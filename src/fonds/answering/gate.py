"""The calibrated gate: what the floors let through is held against the build's threshold
(R160, R168-R171).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fonds.answering.calibration import INFINITE
from fonds.answering.signals import (
    SIGNAL_DEFINITION,
    best_of,
    fused_signal,
    hint_signal,
    signals_of,
)
from fonds.contract.calibration import Calibration, ConformalRule
from fonds.contract.evidence_hit import EvidenceHit, TextHit
from fonds.contract.sealed import sealed

if TYPE_CHECKING:
    from fonds.answering.search_outcome import SearchOutcome

GateState: TypeAlias = Literal["off", "provisional", "fitted", "stale", "infinite", "missing"]
GateReason: TypeAlias = Literal[
    "below_calibrated_threshold", "calibration_infinite", "calibration_missing", "calibration_stale"
]
WhenStale: TypeAlias = Literal["refuse", "floors"]
DEFAULT_ALPHA: Final = 0.05


@sealed
@dataclass(frozen=True, slots=True)
class GateTerms:
    """What the owner asks of the gate, and under which plugins a question is searched.

    A calibration made for other terms is stale (R169). `when_stale` floors answers by the floors
    alone, and calls the gate off.
    """

    alpha: float = DEFAULT_ALPHA
    rule: ConformalRule = "plain"
    plugins: str = ""
    when_stale: WhenStale = "refuse"


@sealed
@dataclass(frozen=True, slots=True)
class GateFigures:
    """What the gate went by. Where a private hit is the best one, its released score and the
    threshold for hints; None is a figure that does not exist or is infinite.
    """

    state: GateState
    signal: float | None = None
    threshold: float | None = None

    def as_json(self) -> dict[str, object]:
        return {"state": self.state, "signal": self.signal, "threshold": self.threshold}


@sealed
@dataclass(frozen=True, slots=True)
class GateVerdict:
    """`passing` is what both floors and the gate let through; empty exactly when `reason` says
    why.
    """

    passing: tuple[EvidenceHit, ...] = field(repr=False)
    figures: GateFigures
    reason: GateReason | None = None


def gate_state(calibration: Calibration | None, terms: GateTerms | None) -> GateState:
    """How the gate stands towards a build; without terms it is off."""
    if terms is None:
        return "off"
    if calibration is None:
        return "missing"
    if _is_stale(calibration, terms):
        return "off" if terms.when_stale == "floors" else "stale"
    if calibration.threshold == INFINITE:
        return "infinite"
    return "fitted" if calibration.source == "own" else "provisional"


def weigh_gate(
    question: str,
    outcome: SearchOutcome,
    passing: tuple[EvidenceHit, ...],
    terms: GateTerms | None,
    *,
    author: str = "",
) -> GateVerdict:
    """What of the hits that passed the floors may become evidence.

    Quotable hits pass together when the fused signal of the question lies strictly above the
    threshold; each other hit when its released score lies strictly above the one for hints, which
    have no lexical signals (R168).
    """
    calibration = outcome.calibration
    state = gate_state(calibration, terms)
    if calibration is None or state not in ("provisional", "fitted"):
        return GateVerdict(
            passing if state == "off" else (), GateFigures(state), _closed_reason(state)
        )
    signal = fused_signal(calibration.model, signals_of(question, outcome, author=author))
    figures = _figures(state, signal, outcome, calibration)
    kept = tuple(
        hit
        for hit in passing
        if (
            signal > calibration.threshold
            if isinstance(hit, TextHit)
            else hit.provenance.score > _hint_threshold(hit, calibration)
        )
    )
    return GateVerdict(kept, figures, None if kept else "below_calibrated_threshold")


def _is_stale(calibration: Calibration, terms: GateTerms) -> bool:
    """Content and space cannot differ: a calibration is stored with the build it was made on."""
    made_for = (calibration.alpha, calibration.rule, calibration.plugins, calibration.signal)
    return made_for != (terms.alpha, terms.rule, terms.plugins, SIGNAL_DEFINITION)


def _closed_reason(state: GateState) -> GateReason | None:
    reasons: dict[GateState, GateReason] = {
        "missing": "calibration_missing",
        "stale": "calibration_stale",
        "infinite": "calibration_infinite",
    }
    return reasons.get(state)


def _figures(
    state: GateState, signal: float, outcome: SearchOutcome, calibration: Calibration
) -> GateFigures:
    if outcome.best_raw == "private" or best_of(outcome.hits, quotable=True) is None:
        best = best_of(outcome.hits, quotable=False)
        signal, threshold = hint_signal(outcome), _hint_threshold(best, calibration)
    else:
        threshold = calibration.threshold
    return GateFigures(state, _finite(signal), _finite(threshold))


def _hint_threshold(hit: EvidenceHit | None, calibration: Calibration) -> float:
    """Of public layers no private row says what passes."""
    if hit is not None and hit.provenance.raw == "public":
        return calibration.public_hint_threshold
    return calibration.hint_threshold


def _finite(figure: float) -> float | None:
    return figure if abs(figure) != INFINITE else None
