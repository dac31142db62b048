"""From rows to ranked hits: boosts, floor, order, passes, caps (R100, R103, R113).

Scores are added in one order, disclosure and the lexical boost right after the cosine: sums in
floating point then never fall below the base the database counted with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite

from fonds.contract.disclosure import Raw
from fonds.contract.failures import Misconfigured
from fonds.contract.near_query import NearRow
from fonds.contract.released_score import released_score
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import Boost, QueryContext
from fonds.retrieval.recall import ActiveBoosts
from fonds.retrieval.recency import recency_factor
from fonds.retrieval.retrieval_settings import PostRankPass


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row with its score; for a private row the released one, which everything compares by.

    `base` is what the database counted it with: the cosine, the disclosure and the lexical
    boost.
    """

    fragment_id: str
    raw: Raw
    cosine: float = field(repr=False)
    base: float = field(repr=False)
    score: float = field(repr=False)
    breakdown: dict[str, float] = field(repr=False)


def scored_row(
    row: NearRow, active: ActiveBoosts, others: Sequence[tuple[str, float]] = ()
) -> ScoredRow:
    """The row's score, of the built-ins and of what a consumer's boosts gave it."""
    base = row.cosine
    breakdown = {"cosine": row.cosine}
    if row.raw == "public" and "public" in active.disclosure.layers:
        base += active.disclosure.max_boost
        breakdown["disclosure"] = active.disclosure.max_boost
    if row.lexical and active.lexical.max_boost:
        breakdown["lexical"] = active.lexical.max_boost * row.lexical
        base += breakdown["lexical"]
    total = base
    for name, value in (*_built_in(row, active), *others):
        if value:
            total += value
            breakdown[name] = value
    return ScoredRow(
        row.fragment_id, row.raw, row.cosine, base, released_score(row.raw, total), breakdown
    )


def checked_boost(boost: Boost, value: float) -> tuple[str, float]:
    """The name and the value; raises Misconfigured when a boost leaves its range (R113)."""
    if not (isfinite(value) and 0 <= value <= boost.max_boost):
        raise Misconfigured(
            f"boost '{boost.name}': scored outside 0 and its max_boost: mend it or declare more"
        )
    return boost.name, value


def ranked(rows: Iterable[ScoredRow], floor: float) -> list[ScoredRow]:
    """Rows at or above the floor, best first; equal scores by id in code point order (R102)."""
    kept = [row for row in rows if row.score >= floor]
    kept.sort(key=lambda row: (-row.score, row.fragment_id))
    return kept


def passed(
    hits: Sequence[ScoredHit], passes: Sequence[PostRankPass], context: QueryContext
) -> list[ScoredHit]:
    """What the passes leave, in their order; raises Misconfigured when one invents (R113)."""
    kept = list(hits)
    for step in passes:
        known = {id(hit) for hit in kept}
        left = list(step.rearrange(tuple(kept), context))
        if len({id(hit) for hit in left}) != len(left) or any(id(hit) not in known for hit in left):
            raise Misconfigured(f"pass '{step.name}': gave a hit it was not given, or one twice")
        kept = left
    return kept


def capped_positions(raws: Sequence[Raw], request: SearchRequest) -> list[int]:
    """Which positions of a ranked list are shown: of one list, or of each layer alone (R103)."""
    if request.limit is not None:
        return list(range(min(request.limit, len(raws))))
    left = {"public": request.cap("public"), "private": request.cap("private")}
    shown: list[int] = []
    for position, raw in enumerate(raws):
        if left[raw] > 0:
            left[raw] -= 1
            shown.append(position)
    return shown


def _built_in(row: NearRow, active: ActiveBoosts) -> tuple[tuple[str, float], ...]:
    title, theme, recency = active.exact_match, active.theme, active.recency
    factor = recency_factor(row.date_start, active.as_of) if row.raw in recency.layers else 0.0
    return (
        (title.name, title.max_boost if row.titled and row.raw in title.layers else 0.0),
        (theme.name, theme.max_boost if row.themed and row.raw in theme.layers else 0.0),
        (recency.name, recency.max_boost * factor),
    )
