"""A question as one scan: what to compare, how far a boost may still lift a row (R100, R113)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from fonds.contract.disclosure import Raw
from fonds.contract.near_query import LiveBuild, NearBoosts, NearFilters, NearQuery
from fonds.contract.ports import Vector
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.boosts import (
    DisclosureBoost,
    ExactMatch,
    Lexical,
    QueryContext,
    RecencyBoost,
    Theme,
)
from fonds.retrieval.phrases import query_phrases
from fonds.retrieval.recency import FADED_DAYS, asks_for_recent
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.words.lexical import asked_words

BELOW_EVERY_SCORE = -1.0  # no cosine is lower and no boost is negative


@dataclass(frozen=True, slots=True)
class ActiveBoosts:
    """The built-ins as this question has them; one that is off has no layers."""

    exact_match: ExactMatch
    theme: Theme
    recency: RecencyBoost
    disclosure: DisclosureBoost
    as_of: date
    phrases: tuple[str, ...] = field(repr=False)
    theme_cap: int | None
    lexical: Lexical
    words: tuple[str, ...] = field(repr=False)


def active_boosts(
    settings: RetrievalSettings, build: LiveBuild, context: QueryContext
) -> ActiveBoosts:
    """Which built-ins count for this question, and the phrases it can name."""
    exact_match, theme = settings.exact_match, settings.theme
    recency = settings.recency(context.recency)
    if not asks_for_recent(context.recency, context.normalised_query):
        recency = RecencyBoost(())
    phrases: tuple[str, ...] = ()
    if exact_match.layers or theme.layers:
        phrases = query_phrases(
            context.normalised_query,
            word_lengths=build.phrase_word_lengths,
            char_lengths=build.phrase_char_lengths,
        )
    return ActiveBoosts(
        exact_match=exact_match,
        theme=theme,
        recency=recency,
        disclosure=settings.disclosure,
        as_of=context.as_of,
        phrases=phrases,
        theme_cap=theme.frequency_cap(build.public_entity_count),
        lexical=settings.lexical,
        words=asked_words(context.query),
    )


def near_query(
    request: SearchRequest,
    vector: Vector,
    filters: NearFilters,
    active: ActiveBoosts,
    settings: RetrievalSettings,
    build: LiveBuild,
) -> NearQuery:
    """The scan whose rows are complete for this request: none of those it leaves out can be shown.

    A consumer's boost raises what every row may still reach; passes see all that clear the floor.
    """
    return NearQuery(
        vector=vector,
        phrases=active.phrases,
        floor=build.score_floor,
        public_cap=request.cap("public"),
        private_cap=request.cap("private"),
        filters=filters,
        boosts=_near_boosts(active, settings),
        everything=bool(settings.passes),
        words=active.words,
        texts=build.text_count,
    )


def best_query(query: NearQuery) -> NearQuery:
    """The same scan for the one best row of each layer, however low."""
    return replace(query, floor=BELOW_EVERY_SCORE, public_cap=1, private_cap=1, everything=False)


def _near_boosts(active: ActiveBoosts, settings: RetrievalSettings) -> NearBoosts:
    title, theme, recency = active.exact_match, active.theme, active.recency
    # One list of layers bounds both phrase boosts: looser than either, and scored exactly later.
    phrase_raws: tuple[Raw, ...] = tuple(sorted({*title.layers, *theme.layers}))
    return NearBoosts(
        title_max=title.max_boost if title.layers else 0.0,
        theme_max=theme.max_boost if theme.layers else 0.0,
        phrase_raws=phrase_raws,
        theme_cap=active.theme_cap,
        recency_max=recency.max_boost if recency.layers else 0.0,
        recency_raws=recency.layers,
        recent_after=_day_before(active.as_of, FADED_DAYS),
        disclosure_max=active.disclosure.max_boost if "public" in active.disclosure.layers else 0.0,
        lexical_max=active.lexical.max_boost,
        other_max=sum(boost.max_boost for boost in settings.others),
    )


def _day_before(day: date, days: int) -> date:
    return day - timedelta(days=days) if day.toordinal() > days else date.min
