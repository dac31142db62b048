"""What a search found, as the answer path takes it."""

from __future__ import annotations

from fonds.answering.search_outcome import SearchOutcome
from fonds.retrieval.search import Searched


def outcome_of(found: Searched) -> SearchOutcome:
    """Floors and calibration are those of the build that was searched (R102, R169)."""
    return SearchOutcome(
        hits=found.hits,
        score_floor=found.build.score_floor,
        coverage_floor=found.build.coverage_floor,
        build_id=str(found.build.build_id),
        best_cosine=found.best_cosine,
        best_score=found.best_score,
        best_raw=found.best_raw,
        has_lexical_match=found.figures is not None and found.figures.lexical_best > 0,
        figures=found.figures,
        calibration=found.build.calibration,
        by_index=found.by_index,
    )
