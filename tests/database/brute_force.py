"""What a search has to answer, worked out over every row by the rules of the contract alone.

Vectors of small whole numbers make the sums of the database exact, so that results compare equal
to the bit. Nothing here shares code with the retrieval it judges, but for the contract's own rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from fonds.contract.disclosure import Raw
from fonds.contract.normalised_text import contains_phrase, normalised_text
from fonds.contract.search_request import Filters, SearchRequest
from fonds.words.lexical import asked_words
from tests.database.served_corpus import CorpusRow, theme_frequencies

TRIGGERS = [
    "current",
    "currently",
    "now",
    "today",
    "recent",
    "recently",
    "latest",
    "present",
    "still",
]
LAYERS: tuple[Raw, ...] = ("public", "private")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which boosts count where, with their maxima."""

    exact: tuple[Raw, ...] = ("public",)
    theme: tuple[Raw, ...] = ("public",)
    recency: tuple[Raw, ...] = ()
    disclosure: bool = False
    exact_max: float = 0.30
    theme_max: float = 0.15
    recency_max: float = 0.10
    disclosure_max: float = 0.15
    lexical_max: float = 0.30
    theme_cap: int | None = None
    capped_by_size: bool = True
    other: Callable[[CorpusRow], float] | None = None
    pass_over: Callable[[list[str]], list[str]] | None = None
    as_of: date = date(2025, 12, 1)


@dataclass(frozen=True, slots=True)
class Expected:
    """Ids in order with their scores and breakdowns, and the counts."""

    hits: tuple[tuple[str, float], ...]
    breakdowns: dict[str, dict[str, float]] = field(repr=False)
    matched: int
    excluded_undated: int
    best_score: float | None


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """As pgvector computes it, for components whose sums are exact: by way of the distance."""
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    similarity = dot / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))
    return 1 - (1 - max(-1.0, min(1.0, similarity)))


def rounded(raw: Raw, score: float) -> float:
    """A private figure to the nearest 0.05, halves upwards."""
    return score if raw == "public" else math.floor(score * 20 + 0.5) / 20


def expected(
    rows: Sequence[CorpusRow],
    request: SearchRequest,
    vector: Sequence[float],
    floor: float,
    rules: Rules,
) -> Expected:
    """Every row filtered, scored, floored, sorted, passed over, counted, capped."""
    kept = [row for row in rows if _kept(row, request.filters, dated=True)]
    undated = [row for row in rows if _kept(row, request.filters, dated=False)]
    bounded = request.filters.date_from is not None or request.filters.date_to is not None
    boosting = _boosting_themes(rows, rules)
    ranks = word_ranks(rows, request.query)
    breakdowns = {
        row.fragment_id: _breakdown(
            row,
            boosting,
            request,
            cosine(row.vector, vector),
            rules.lexical_max * ranks.get(row.fragment_id, 0.0),
            rules,
        )
        for row in kept
    }
    scores = {
        row.fragment_id: rounded(row.raw, _total(breakdowns[row.fragment_id])) for row in kept
    }
    order = sorted(scores, key=lambda id_: (-scores[id_], id_))
    ranked = [id_ for id_ in order if scores[id_] >= floor]
    if rules.pass_over is not None:
        ranked = rules.pass_over(ranked)
    raws: dict[str, Raw] = {row.fragment_id: row.raw for row in rows}
    shown = _capped(ranked, raws, request)
    return Expected(
        hits=tuple((id_, scores[id_]) for id_ in shown),
        breakdowns={id_: breakdowns[id_] for id_ in shown},
        matched=len(ranked),
        excluded_undated=len(undated) if bounded and request.filters.undated == "exclude" else 0,
        best_score=max(scores.values(), default=None),
    )


def _kept(row: CorpusRow, filters: Filters, *, dated: bool) -> bool:
    """Whether a row satisfies the filters; with `dated` off, all but the date's, undated."""
    if filters.types is not None and row.type not in filters.types:
        return False
    if filters.exposures is not None and row.exposure not in filters.exposures:
        return False
    if filters.raw is not None and row.raw != filters.raw:
        return False
    for asked, people in ((filters.creator, row.creators), (filters.speaker, row.speakers)):
        if asked is not None and not any(
            contains_phrase(normalised_text(person.name), normalised_text(asked))
            for person in people
            if person.placeholder is None
        ):
            return False
    first, last = filters.first_day, filters.last_day
    if not dated:
        return row.days is None
    if first is None and last is None:
        return True
    if row.days is None:
        return filters.undated == "include"
    return row.days.intersects(first, last)


def _breakdown(
    row: CorpusRow,
    boosting: frozenset[str],
    request: SearchRequest,
    exact: float,
    lexical: float,
    rules: Rules,
) -> dict[str, float]:
    """In the order the sum is made; zeros are left out."""
    query = normalised_text(request.query)
    parts = {"cosine": rounded(row.raw, exact)}
    if rules.disclosure and row.raw == "public":
        parts["disclosure"] = rules.disclosure_max
    parts["lexical"] = lexical
    if row.raw in rules.exact and any(contains_phrase(query, p) for p in row.title_phrases):
        parts["exactMatch"] = rules.exact_max
    if row.raw in rules.theme and any(
        contains_phrase(query, phrase) for phrase in row.theme_phrases & boosting
    ):
        parts["theme"] = rules.theme_max
    if row.raw in rules.recency and _wants_recent(request, query) and row.days is not None:
        parts["recency"] = rules.recency_max * _factor((rules.as_of - row.days.start).days)
    if rules.other is not None:
        parts["other"] = rules.other(row)
    return {name: value for name, value in parts.items() if value or name == "cosine"}


def word_ranks(rows: Sequence[CorpusRow], question: str) -> dict[str, float]:
    """Fragments that hold a word of the question, by how much they do for how rare it is."""
    lists = {row.fragment_id: row.words for row in rows if row.is_text}
    asked = {word: sum(word in words for words in lists.values()) for word in asked_words(question)}
    rarities: dict[str, int] = {}
    read = 0
    for word, frequency in sorted(asked.items(), key=lambda one: (one[1], one[0])):
        read += frequency
        if read <= max(len(lists), 1000):
            odds = (len(lists) - frequency + 0.5) / (frequency + 0.5)
            rarities[word] = round(1000 * math.log(1 + odds))
    ranks = {
        fragment_id: sum(rarity * words.get(word, 0) for word, rarity in rarities.items())
        / (1023 * max(1, sum(rarities.values())))
        for fragment_id, words in lists.items()
    }
    return {fragment_id: rank for fragment_id, rank in ranks.items() if rank}


def _total(breakdown: dict[str, float]) -> float:
    """Term by term: `sum` compensates for what it loses from Python 3.12 on."""
    total = 0.0
    for value in breakdown.values():
        total += value
    return total


def _boosting_themes(rows: Sequence[CorpusRow], rules: Rules) -> frozenset[str]:
    """Themes that are not on too many public entities."""
    cap = rules.theme_cap
    if rules.capped_by_size:
        cap = max(4, math.ceil(sum(row.raw == "public" for row in rows) / 20))
    frequencies = theme_frequencies(rows)
    return frozenset(p for p, count in frequencies.items() if cap is None or count <= cap)


def _wants_recent(request: SearchRequest, query: str) -> bool:
    if request.recency == "auto":
        words = query.split()
        return bool(set(words) & set(TRIGGERS)) or "these days" in query or "right now" in query
    return request.recency == "prefer-recent"


def _factor(days: int) -> float:
    if days <= 180:
        return 1.0
    return 0.0 if days >= 730 else (730 - days) / 550


def _capped(ranked: list[str], raws: dict[str, Raw], request: SearchRequest) -> list[str]:
    if request.limit is not None:
        return ranked[: request.limit]
    allowed = {
        raw: [id_ for id_ in ranked if raws[id_] == raw][: request.cap(raw)] for raw in LAYERS
    }
    return [id_ for id_ in ranked if id_ in allowed[raws[id_]]]
