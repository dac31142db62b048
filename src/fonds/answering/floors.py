"""Which hits may become evidence, and the figures when none may (R164, R165, R167)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fonds.answering.coverage import covered_fraction, meaningful_words, quotable_words
from fonds.answering.refusal import FailedFloor, RefusalRecord
from fonds.contract.evidence_hit import EvidenceHit, TextHit
from fonds.contract.released_score import released_score
from fonds.contract.sealed import sealed
from fonds.words.units import all_units

if TYPE_CHECKING:
    from fonds.answering.search_outcome import SearchOutcome

FloorReason: TypeAlias = Literal["no_relevant_context", "below_score_floor", "below_coverage_floor"]
DEFAULT_COVERAGE_FLOOR: Final = 0.5
"""Hand-set: half of a question's meaningful words. `python -m eval.trials.answering` counts what it
refuses of answerable questions on their own passage: 5 of 60 (squad2), 1 (jaquad), 8 (clapnq)."""
LEXICAL_BOOSTS: Final = frozenset(("exactMatch", "theme", "lexical"))
"""Parts of a breakdown that say a passage shares words with the question."""
ROUNDING: Final = 1e-9
"""A score that equals its floor passes, although 0.1 + 0.1 + 0.1 is not 0.3 in binary."""


@sealed
@dataclass(frozen=True, slots=True)
class FloorVerdict:
    """`reason` is None iff `passing` holds something; `record` tells of the best passage."""

    passing: tuple[EvidenceHit, ...] = field(repr=False)
    record: RefusalRecord
    reason: FloorReason | None = None


@sealed
@dataclass(frozen=True, slots=True)
class _Weighed:
    hit: EvidenceHit = field(repr=False)
    coverage: float | None
    failed: tuple[FailedFloor, ...]


def weigh_floors(
    question: str,
    outcome: SearchOutcome,
    *,
    author: str = "",
    min_margin: float | None = None,
    hint_floor: float | None = None,
) -> FloorVerdict:
    """Both floors for quotable passages, the score floor alone for hints (A6); both must pass.

    `hint_floor` is a higher score floor for hints, which no coverage holds back; None asks the same
    of them as of passages. A margin, where one is asked for, has to lie between the two best hits
    before the floors; one hit alone has no rival.
    """
    if _found_nothing(outcome):
        return FloorVerdict((), _record(outcome, None), "no_relevant_context")
    words = meaningful_words(question, author=author)
    for_hints = max(outcome.score_floor, hint_floor or 0.0)
    weighed = tuple(_weighed(hit, words, outcome, for_hints) for hit in outcome.hits)
    best = max(weighed, key=lambda one: one.hit.provenance.score, default=None)
    record = _record(outcome, best)
    passing = tuple(one.hit for one in weighed if not one.failed)
    if not passing:
        return FloorVerdict((), record, _reason(record))
    if min_margin is not None and _margin(outcome.hits) < min_margin - ROUNDING:
        return FloorVerdict((), _record(outcome, best, ("margin",)), "below_score_floor")
    return FloorVerdict(passing, _record(outcome, best, ()))


def _found_nothing(outcome: SearchOutcome) -> bool:
    if outcome.best_cosine is None:
        return not outcome.hits and outcome.best_score is None
    return outcome.best_cosine <= 0 and not _has_lexical_match(outcome)


def _has_lexical_match(outcome: SearchOutcome) -> bool:
    return outcome.has_lexical_match or any(
        LEXICAL_BOOSTS & set(hit.provenance.breakdown or ()) for hit in outcome.hits
    )


def _weighed(
    hit: EvidenceHit, words: frozenset[str], outcome: SearchOutcome, for_hints: float
) -> _Weighed:
    covered = (
        covered_fraction(words, all_units(quotable_words(hit)))
        if isinstance(hit, TextHit)
        else None
    )
    failed: list[FailedFloor] = []
    floor = outcome.score_floor if covered is not None else for_hints
    if hit.provenance.score < floor - ROUNDING:
        failed.append("score")
    if covered is not None and covered < outcome.coverage_floor - ROUNDING:
        failed.append("coverage")
    return _Weighed(hit, covered, tuple(failed))


def _record(
    outcome: SearchOutcome, best: _Weighed | None, failed: tuple[FailedFloor, ...] | None = None
) -> RefusalRecord:
    """The figures of the best hit, or of the best candidate where no hit was shipped."""
    raw, score, coverage = outcome.best_raw, outcome.best_score, None
    fell: tuple[FailedFloor, ...] = ("score",) if score is not None else ()
    if best is not None:
        raw, score = best.hit.provenance.raw, best.hit.provenance.score
        coverage = best.coverage if raw == "public" else None
        fell = best.failed
    if score is not None and raw is not None:
        score = released_score(raw, score)
    return RefusalRecord(
        best_score=score,
        best_raw=raw,
        coverage=coverage,
        score_floor=outcome.score_floor,
        coverage_floor=outcome.coverage_floor,
        failed=fell if failed is None else failed,
    )


def _reason(record: RefusalRecord) -> FloorReason:
    return "below_coverage_floor" if record.failed == ("coverage",) else "below_score_floor"


def _margin(hits: tuple[EvidenceHit, ...]) -> float:
    scores = sorted((hit.provenance.score for hit in hits), reverse=True)
    return scores[0] - scores[1] if len(scores) > 1 else float("inf")
