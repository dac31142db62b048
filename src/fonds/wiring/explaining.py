"""What an answer or a refusal was made from, for the author's eyes (R164, R168)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.answering.gate import GateState, gate_state
from fonds.answering.refusal import Answered, Refused
from fonds.answering.signals import WeighedSignal, fused_signal, signals_of, weighed_signals
from fonds.contract.calibration import Calibration
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import Searched
from fonds.wiring.calibrator import gate_terms
from fonds.wiring.house import House
from fonds.wiring.outcome import outcome_of


@dataclass(frozen=True, slots=True)
class WeighedGate:
    """How the gate of a build looks at one question. `signals` are those of what may be quoted,
    none without such a hit or a calibration that holds; they are shown where a floor decided too.
    """

    state: GateState
    calibration: Calibration | None = field(repr=False)
    signals: tuple[WeighedSignal, ...] = ()
    fused: float | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """What a reader is given, and behind it what was found: None where no search came about.

    Figures of private rows are the released ones: exact ones never leave the database (R122).
    """

    given: Answered | Refused
    found: Searched | None
    gate: WeighedGate


def explained(house: House, request: SearchRequest) -> Explained:
    """Asks as a reader does and leaves no refusal record; raises what `House.ask` raises."""
    seen: list[Searched] = []
    given = house.ask_unrecorded(request, on_found=seen.append)
    found = seen[-1] if seen else None
    return Explained(given, found, _gate(house, request, found))


def _gate(house: House, request: SearchRequest, found: Searched | None) -> WeighedGate:
    terms = gate_terms(house.config, house.retrieval)
    calibration = None if found is None else found.build.calibration
    state = gate_state(calibration, terms)
    if found is None or calibration is None or state not in ("provisional", "fitted", "infinite"):
        return WeighedGate(state, calibration)
    signals = signals_of(request.query, outcome_of(found), author=house.config.author)
    if signals is None:
        return WeighedGate(state, calibration)
    model = calibration.model
    return WeighedGate(
        state, calibration, weighed_signals(model, signals), fused_signal(model, signals)
    )
