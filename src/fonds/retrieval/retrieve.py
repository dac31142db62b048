"""A question's hits, complete and in order (R100). They stay in the process: see `search`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fonds.contract.disclosure import Raw
from fonds.contract.near_query import LiveBuild, NearRow, NearRows
from fonds.contract.normalised_text import normalised_text
from fonds.contract.ports import ServedReader, Vector
from fonds.contract.question_figures import QuestionFigures
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import QueryContext, ServedStatistics
from fonds.retrieval.filtering import drops_undated, near_filters
from fonds.retrieval.ranking import (
    ScoredRow,
    capped_positions,
    checked_boost,
    passed,
    ranked,
    scored_row,
)
from fonds.retrieval.recall import (
    BELOW_EVERY_SCORE,
    ActiveBoosts,
    active_boosts,
    best_query,
    near_query,
)
from fonds.retrieval.retrieval_settings import RetrievalSettings

CONTENT_AT_ONCE = 500  # rows whose content a consumer's boost sees before the next are read


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One request's hits and the figures of a refusal, should it come to one (R103, R164).

    `best_*` is the best row whether or not it clears the floor, None when no row satisfies the
    filters; `best_cosine` is the highest cosine of rows that could be shown, of all rows when none
    is. Figures of private rows are released ones. `figures` are of public rows alone, None when no
    row satisfies the filters (R168). `private_matched` says whether a private row is among those
    `matched` counts, shown or not: what such a reply tells is charged (R187). `private_decides`
    says whether private rows alone decide if `best_cosine` is above zero, where nothing clears the
    floor: the reason of a refusal tells that much. `by_index` says that an index named the public
    rows: they are all there is to show, and `matched` counts no others (R114).
    """

    hits: tuple[ScoredHit, ...]
    matched: int
    excluded_undated: int
    build: LiveBuild
    best_score: float | None = field(repr=False)
    best_raw: Raw | None
    best_cosine: float | None = field(repr=False)
    figures: QuestionFigures | None = field(repr=False)
    private_matched: bool = False
    private_decides: bool = False
    by_index: bool = False


def retrieve(
    reader: ServedReader, request: SearchRequest, vector: Vector, settings: RetrievalSettings
) -> Retrieved:
    """Filters, cosine, boosts, floor, order, passes, count, caps: the same as over every row."""
    build = reader.build
    context = QueryContext(
        request.query, normalised_text(request.query), settings.as_of(), request.recency
    )
    active = active_boosts(settings, build, context)
    filters = near_filters(request.filters)
    query = near_query(request, vector, filters, active, settings, build)
    scoring = _Scoring(reader, settings, active, context)
    found = reader.nearest(query)
    rows = ranked(scoring.scored(found.rows), build.score_floor)
    hits, matched = _shown(scoring, request, rows, found)
    best, best_cosine = (rows[0] if rows else None), found.best_cosine
    figures = found.figures
    weighed: Sequence[NearRow] = ()
    if best is None or best_cosine is None or best_cosine <= 0:
        below = reader.nearest(best_query(query))
        best = best or next(iter(ranked(scoring.scored(below.rows), BELOW_EVERY_SCORE)), None)
        best_cosine, figures, weighed = below.best_cosine, below.figures, below.rows
    return Retrieved(
        hits=tuple(hits),
        matched=matched,
        excluded_undated=reader.excluded_undated(filters) if drops_undated(filters) else 0,
        build=build,
        best_score=None if best is None else best.score,
        best_raw=None if best is None else best.raw,
        best_cosine=best_cosine,
        figures=figures,
        private_matched=found.certain_private > 0 or any(row.raw == "private" for row in rows),
        private_decides=_private_decides(weighed),
        by_index=found.by_index,
    )


def _private_decides(weighed: Sequence[NearRow]) -> bool:
    has_private = any(row.raw == "private" for row in weighed)
    return has_private and not any(row.raw == "public" and row.cosine > 0 for row in weighed)


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What every row of one question is scored with."""

    reader: ServedReader
    settings: RetrievalSettings
    active: ActiveBoosts
    context: QueryContext

    def scored(self, rows: Sequence[NearRow]) -> Iterator[ScoredRow]:
        if not self.settings.others:
            yield from (scored_row(row, self.active) for row in rows)
            return
        build = self.reader.build
        statistics = ServedStatistics(
            build.entity_count, build.fragment_count, build.public_entity_count, build.space
        )
        prepared = [
            (boost, boost.prepare(statistics, self.context)) for boost in self.settings.others
        ]
        for start in range(0, len(rows), CONTENT_AT_ONCE):
            some = rows[start : start + CONTENT_AT_ONCE]
            content = self.reader.content([row.fragment_id for row in some])
            for row in some:
                fragment, entity = content[row.fragment_id]
                given = [
                    checked_boost(boost, boost.score(fragment, entity, self.context, ready))
                    for boost, ready in prepared
                ]
                yield scored_row(row, self.active, given)

    def hits(self, rows: Sequence[ScoredRow]) -> list[ScoredHit]:
        if not rows:
            return []
        content = self.reader.content([row.fragment_id for row in rows])
        found = ((row, *content[row.fragment_id]) for row in rows)
        return [
            ScoredHit(fragment, entity, row.cosine, row.score, row.breakdown)
            for row, fragment, entity in found
        ]


def _shown(
    scoring: _Scoring, request: SearchRequest, rows: Sequence[ScoredRow], found: NearRows
) -> tuple[list[ScoredHit], int]:
    """The hits under the caps and how many there are without them."""
    passes = scoring.settings.passes
    if passes:
        left = passed(scoring.hits(rows), passes, scoring.context)
        positions = capped_positions([hit.fragment.disclosure.raw for hit in left], request)
        return [left[position] for position in positions], len(left)
    floor = scoring.reader.build.score_floor
    # Rows whose base clears the floor were counted where they are, shipped or not.
    lifted = sum(row.base < floor for row in rows)
    matched = found.certain_public + found.certain_private + lifted
    shown = capped_positions([row.raw for row in rows], request)
    return scoring.hits([rows[position] for position in shown]), matched
