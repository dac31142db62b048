"""What is asked of the scan for a set of boosts (R100, R110, R112, R113)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import Misconfigured
from fonds.contract.near_query import LiveBuild, NearBoosts, NearFilters, NearQuery
from fonds.contract.search_request import Filters, Recency, SearchRequest
from fonds.retrieval.boosts import (
    FULL_BOOSTS,
    LEXICAL_BOOST,
    BuiltIn,
    ExactMatch,
    QueryContext,
    RecencyBoost,
    Theme,
)
from fonds.retrieval.filtering import drops_undated, near_filters
from fonds.retrieval.recall import active_boosts, best_query, near_query
from fonds.retrieval.retrieval_settings import RetrievalSettings, today
from tests.retrieval.test_ranking import Odd, Step

DAY = date(2025, 12, 1)
BUILD = LiveBuild(
    build_id=3,
    space=EmbeddingSpace("scripted", "by-hand", 2),
    score_floor=0.2,
    coverage_floor=0.5,
    built_at=datetime(2025, 1, 1, tzinfo=UTC),
    entity_count=130,
    fragment_count=500,
    public_entity_count=101,
    phrase_word_lengths=(1, 2),
    phrase_char_lengths=(2,),
    narrowing=0,
    text_count=400,
)


def query_for(
    settings: RetrievalSettings, words: str = "kites now", recency: Recency = "auto"
) -> NearQuery:
    request = SearchRequest(words, limit=5, recency=recency)
    context = QueryContext(words, words, DAY, recency)
    active = active_boosts(settings, BUILD, context)
    filters = near_filters(request.filters)
    return near_query(request, (1.0, 0.0), filters, active, settings, BUILD)


def test_the_default_set_asks_for_phrases_and_words() -> None:
    """R112: title, theme and words, on public rows; nothing else widens the scan."""
    assert query_for(RetrievalSettings()) == NearQuery(
        vector=(1.0, 0.0),
        phrases=("kites", "now", "kites now"),
        floor=0.2,
        public_cap=5,
        private_cap=5,
        boosts=NearBoosts(
            title_max=0.30,
            theme_max=0.15,
            phrase_raws=("public",),
            theme_cap=6,
            recency_raws=(),
            recent_after=date(2023, 12, 2),
            lexical_max=LEXICAL_BOOST,
        ),
        words=("kit", "now"),
        texts=400,
    )


def test_the_full_set_bounds_every_row() -> None:
    """R110, R111, R113: recency where the question asks for it, disclosure on public rows."""
    boosts = query_for(RetrievalSettings(boosts=FULL_BOOSTS)).boosts
    assert (boosts.recency_max, boosts.recency_raws) == (0.10, ("public",))
    assert boosts.disclosure_max == 0.15
    assert query_for(RetrievalSettings(boosts=FULL_BOOSTS), "kites").boosts.recency_max == 0.0


def test_a_caller_who_asks_for_recent_material_gets_it() -> None:
    """R110: `prefer-recent` always counts, unless the archive has the boost on no layer."""
    asked = query_for(RetrievalSettings(), "kites", "prefer-recent").boosts
    assert (asked.recency_max, asked.recency_raws) == (0.10, ("public",))
    boosts: tuple[BuiltIn, ...] = (ExactMatch(), RecencyBoost(()))
    off = query_for(RetrievalSettings(boosts=boosts), "kites", "prefer-recent").boosts
    assert off.recency_max == 0.0


def test_without_phrase_boosts_no_phrase_is_looked_up() -> None:
    """R113: a boost that is off costs nothing."""
    query = query_for(RetrievalSettings(boosts=()))
    assert query.phrases == ()
    assert (query.boosts.title_max, query.boosts.theme_max) == (0.0, 0.0)


def test_a_consumers_boost_raises_what_rows_may_reach_and_a_pass_sees_all() -> None:
    """R113: maxima of consumers' boosts are summed; passes get every row above the floor."""
    query = query_for(RetrievalSettings(others=(Odd(0.1), Odd(0.1, "even", 0.3))))
    assert query.boosts.other_max == pytest.approx(0.5)
    assert not query.everything
    passing = query_for(RetrievalSettings(passes=(Step((0,)),)))
    assert passing.everything
    assert not best_query(passing).everything
    assert (best_query(passing).floor, best_query(passing).public_cap) == (-1.0, 1)


def test_phrase_layers_are_bounded_together() -> None:
    """R112: the looser bound of two layers; the exact one is scored afterwards."""
    boosts: tuple[BuiltIn, ...] = (ExactMatch(("private",)), Theme(("public",), cap="off"))
    asked = query_for(RetrievalSettings(boosts=boosts)).boosts
    assert (asked.phrase_raws, asked.theme_cap) == (("private", "public"), None)


@dataclass(frozen=True)
class Named(Odd):
    """A consumer's boost of this name and maximum."""


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"others": (Named(0.0, "cosine"),)}, "the name is a built-in's"),
        ({"others": (Named(0.0, "exactMatch"),)}, "the name is a built-in's"),
        ({"others": (Named(0.0), Named(0.0))}, "listed twice"),
        ({"boosts": (Theme(), Theme())}, "listed twice"),
        ({"others": (Named(0.0, "odd", -0.1),)}, "max_boost"),
        ({"others": (Named(0.0, "odd", float("nan")),)}, "max_boost"),
        ({"boosts": (Theme(max_boost=float("inf")),)}, "max_boost"),
    ],
)
def test_settings_that_would_break_the_bound_are_refused(
    settings: dict[str, object], said: str
) -> None:
    """R113: one name each, a finite maximum from 0."""
    with pytest.raises(Misconfigured, match=said):
        RetrievalSettings(**settings)  # pyright: ignore[reportArgumentType]


def test_filters_reach_the_database_as_days_and_normalised_names() -> None:
    """R104-R106: intervals as their outer days, names as they are stored."""
    asked = Filters(
        types=("essay",),
        date_from="2019-06",
        date_to="2020",
        undated="include",
        creator="Mina  OKAFOR",
        speaker="!!",
        exposures=("text",),
        raw="public",
    )
    assert near_filters(asked) == NearFilters(
        raws=("public",),
        types=("essay",),
        exposures=("text",),
        first_day=date(2019, 6, 1),
        last_day=date(2020, 12, 31),
        include_undated=True,
        creator="mina okafor",
        speaker="",
    )
    assert near_filters(Filters()) == NearFilters()


def test_undated_rows_are_counted_only_where_they_are_left_out() -> None:
    """R104: under a bound, unless they are asked for."""
    assert drops_undated(near_filters(Filters(date_to="2020")))
    assert not drops_undated(near_filters(Filters(date_to="2020", undated="include")))
    assert not drops_undated(near_filters(Filters()))


def test_a_day_long_ago_has_a_beginning() -> None:
    """R110: a calendar that starts within two years of its first day is no error."""
    settings = RetrievalSettings(as_of=lambda: date(1, 6, 1))
    context = QueryContext("x", "x", settings.as_of(), "none")
    active = active_boosts(settings, BUILD, context)
    asked = near_query(SearchRequest("x"), (1.0, 0.0), NearFilters(), active, settings, BUILD)
    assert asked.boosts.recent_after == date.min
    assert today() >= date(2025, 1, 1)
