"""What a score floor can and cannot separate, measured on questions with a known answer (R173)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fonds.contract.disclosure import Raw
from fonds.contract.sealed import sealed
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import GoldCase
from fonds.retrieval.search import Searched

SAME_SCORE = 1e-9


@sealed
@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question's best candidate before any floor; the score of a private one is released.

    `best_score` is None when nothing matched, `passage` when the best candidate is below the floor
    that admits hits.
    """

    case_id: str
    best_score: float | None
    raw: Raw | None
    passage: str | None
    requires_model: bool

    @property
    def height(self) -> float:
        """Nothing matched is below every score."""
        return float("-inf") if self.best_score is None else self.best_score

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.case_id,
            "bestScore": self.best_score,
            "raw": self.raw,
            "passage": self.passage,
            "requiresModel": self.requires_model,
        }


@sealed
@dataclass(frozen=True, slots=True)
class Inversion:
    """An answerable question that does not stand above these unanswerable ones: no threshold
    separates them, a model has to.
    """

    answerable: str
    unanswerable: tuple[str, ...]


@sealed
@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Answerable questions lowest first, unanswerable ones highest first.

    Gap and suggested floor leave out what the suite says only a model can tell.
    """

    answerable: tuple[ScoredQuestion, ...]
    unanswerable: tuple[ScoredQuestion, ...]
    build_id: int | None
    score_floor: float | None

    @property
    def gap(self) -> float | None:
        """Lowest answerable minus highest unanswerable; None unless both have a score."""
        ends = self._ends()
        return None if ends is None else ends[0] - ends[1]

    @property
    def suggested_floor(self) -> float | None:
        """The middle of the gap; None where there is no gap to stand in."""
        ends = self._ends()
        return None if ends is None or ends[0] <= ends[1] else (ends[0] + ends[1]) / 2

    @property
    def inversions(self) -> tuple[Inversion, ...]:
        """Lowest first. Equal scores are an inversion: a floor passes both or neither."""
        found = (
            Inversion(low.case_id, tuple(self._not_below(low.height))) for low in self.answerable
        )
        return tuple(inversion for inversion in found if inversion.unanswerable)

    def as_json(self) -> dict[str, object]:
        return {
            "build": self.build_id,
            "scoreFloor": self.score_floor,
            "gap": self.gap,
            "suggestedFloor": self.suggested_floor,
            "answerable": [question.as_json() for question in self.answerable],
            "unanswerable": [question.as_json() for question in self.unanswerable],
            "needsModel": [
                {"answerable": one.answerable, "unanswerable": list(one.unanswerable)}
                for one in self.inversions
            ],
        }

    def _ends(self) -> tuple[float, float] | None:
        lowest = next((one for one in self.answerable if not one.requires_model), None)
        highest = next((one for one in self.unanswerable if not one.requires_model), None)
        if lowest is None or highest is None:
            return None
        if lowest.best_score is None or highest.best_score is None:
            return None
        return lowest.best_score, highest.best_score

    def _not_below(self, height: float) -> Iterable[str]:
        return (high.case_id for high in self.unanswerable if high.height >= height)


def score_table(
    cases: Iterable[GoldCase], search: Callable[[SearchRequest], Searched]
) -> ScoreTable:
    """Ask each question without filters. A case that expects `not-found` counts as unanswerable.

    Raises what `search` raises: a table with holes would suggest a wrong floor.
    """
    answerable: list[ScoredQuestion] = []
    unanswerable: list[ScoredQuestion] = []
    last: Searched | None = None
    for case in cases:
        last = search(case.request)
        group = unanswerable if case.expect_mode == "not-found" else answerable
        group.append(_scored(case, last))
    return ScoreTable(
        tuple(sorted(answerable, key=lambda one: (one.height, one.case_id))),
        tuple(sorted(unanswerable, key=lambda one: (-one.height, one.case_id))),
        None if last is None else last.build.build_id,
        None if last is None else last.build.score_floor,
    )


def _scored(case: GoldCase, searched: Searched) -> ScoredQuestion:
    best = max(searched.hits, key=lambda hit: hit.provenance.score, default=None)
    passage = None
    if (
        best is not None
        and searched.best_score is not None
        and abs(best.provenance.score - searched.best_score) <= SAME_SCORE
    ):
        passage = best.provenance.fragment_id
    return ScoredQuestion(
        case.case_id, searched.best_score, searched.best_raw, passage, case.requires_model
    )
