"""Five named signals of one question, and the number they are fused into (R168, decision 14).

Each is made before any floor, of public material and of released scores alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from fonds.answering.coverage import (
    covered_fraction,
    meaningful_words,
    quotable_words,
    weighted_coverage,
)
from fonds.contract.evidence_hit import EvidenceHit, TextHit
from fonds.contract.sealed import sealed
from fonds.words.units import all_units

if TYPE_CHECKING:
    from fonds.answering.search_outcome import SearchOutcome
    from fonds.contract.calibration import FusionModel
    from fonds.contract.question_figures import QuestionFigures

SIGNAL_DEFINITION: Final = "fused/3"
"""Counts up when a signal is made otherwise: calibrations made under another are stale (R169)."""
FEWEST_BACKGROUND: Final = 10
"""Public fragments below which their cosines are no background: two alike have no deviation, and a
distance of hundreds from them would outweigh every other signal."""
MOST_DISTANCE: Final = 10.0
"""Deviations beyond which a top stands out no further; 5 is usual for a passage that answers."""
NOTHING: Final = float("-inf")
"""The signal of a question that nothing matched: below every threshold but minus infinity."""


@sealed
@dataclass(frozen=True, slots=True)
class Signals:
    """None stands for a signal the search brought no figures for, or too few; it weighs nothing.

    `top_score` is the best quotable hit's, else the best candidate's, a private one's released.
    `top_distance` counts it in deviations from the background of public cosines. `coverage` is the
    share of the question's words on the best quotable hit, weighted by idf where figures tell.
    `lexical_score` and `lexical_margin` are the best rank, and its lead over the second, of the
    most possible.
    """

    top_score: float
    top_distance: float | None
    coverage: float
    lexical_score: float | None
    lexical_margin: float | None

    @property
    def values(self) -> tuple[float | None, ...]:
        """In the order of a model's weights."""
        return (
            self.top_score,
            self.top_distance,
            self.coverage,
            self.lexical_score,
            self.lexical_margin,
        )


def signals_of(question: str, outcome: SearchOutcome, *, author: str = "") -> Signals | None:
    """None when nothing quotable matched: hints have a threshold of their own, and no private row
    moves a signal (R112).
    """
    quotable = best_of(outcome.hits, quotable=True)
    if quotable is None:
        return None
    top = quotable.provenance.score
    figures = outcome.figures
    covered = 0.0
    if isinstance(quotable, TextHit):
        words = meaningful_words(question, author=author)
        held = all_units(quotable_words(quotable))
        covered = (
            covered_fraction(words, held)
            if figures is None
            else weighted_coverage(words, held, figures)
        )
    return Signals(
        top_score=top,
        top_distance=None if figures is None else _distance(top, figures),
        coverage=covered,
        lexical_score=None if figures is None else _share(figures.lexical_best, figures),
        lexical_margin=None
        if figures is None
        else _share(figures.lexical_best - figures.lexical_second, figures),
    )


@sealed
@dataclass(frozen=True, slots=True)
class WeighedSignal:
    """One signal of a question with its weight, and what it adds to the fused number."""

    name: str
    value: float | None
    weight: float
    part: float


def weighed_signals(model: FusionModel, signals: Signals) -> tuple[WeighedSignal, ...]:
    """In the order of a model's weights; what has no value adds nothing."""
    names = (one.name for one in fields(signals))
    parts = zip(names, signals.values, model.means, model.deviations, model.weights, strict=True)
    return tuple(
        WeighedSignal(
            name, value, weight, 0.0 if value is None else weight * (value - mean) / deviation
        )
        for name, value, mean, deviation, weight in parts
    )


def fused_signal(model: FusionModel, signals: Signals | None) -> float:
    """One number, higher where an answer is likelier to be there; NOTHING without signals."""
    if signals is None:
        return NOTHING
    return model.bias + sum(one.part for one in weighed_signals(model, signals))


def hint_signal(outcome: SearchOutcome) -> float:
    """The score of the best hit that may only be pointed at; NOTHING without one."""
    return _score_of(best_of(outcome.hits, quotable=False))


def public_hint_signal(outcome: SearchOutcome) -> float:
    """The same of public hits alone."""
    public = tuple(hit for hit in outcome.hits if hit.provenance.raw == "public")
    return _score_of(best_of(public, quotable=False))


def best_of(hits: tuple[EvidenceHit, ...], *, quotable: bool) -> EvidenceHit | None:
    """The best hit that may be quoted, or that may not."""
    kept = [hit for hit in hits if isinstance(hit, TextHit) == quotable]
    return max(kept, key=lambda hit: hit.provenance.score, default=None)


def _score_of(hit: EvidenceHit | None) -> float:
    return NOTHING if hit is None else hit.provenance.score


def _distance(top: float, figures: QuestionFigures) -> float | None:
    if figures.public_fragments < FEWEST_BACKGROUND or figures.background_deviation <= 0:
        return None
    distance = (top - figures.background_mean) / figures.background_deviation
    return max(-MOST_DISTANCE, min(MOST_DISTANCE, distance))


def _share(rank: float, figures: QuestionFigures) -> float:
    return rank / figures.lexical_most if figures.lexical_most > 0 else 0.0
