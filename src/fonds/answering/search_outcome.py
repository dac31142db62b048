"""What one search hands to the answer path (R164, R165)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fonds.contract.sealed import sealed

if TYPE_CHECKING:
    from fonds.contract.calibration import Calibration
    from fonds.contract.disclosure import Raw
    from fonds.contract.evidence_hit import EvidenceHit
    from fonds.contract.question_figures import QuestionFigures


@sealed
@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """`hits` are best first. Both floors are the answer path's, of the build that answered.

    `best_score`, `best_raw` and `best_cosine` describe the best candidate before any floor and are
    None when the filters leave none. `has_lexical_match` says that some candidate shares words with
    the question, so that a cosine of zero is not yet "nothing" (R165). `figures` are what a gate's
    signals are made from, `calibration` what it was calibrated to on that build (R168). `by_index`
    says that not every row was compared: nothing is refused before that was done (R114).
    """

    hits: tuple[EvidenceHit, ...] = field(repr=False)
    score_floor: float
    coverage_floor: float
    build_id: str
    best_cosine: float | None = None
    best_score: float | None = None
    best_raw: Raw | None = None
    has_lexical_match: bool = False
    figures: QuestionFigures | None = None
    calibration: Calibration | None = None
    by_index: bool = False
