"""Scores, floors, order, passes and caps over rows (R102, R103, R108-R113)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from fonds.contract.disclosure import Raw
from fonds.contract.failures import Misconfigured
from fonds.contract.near_query import NearRow
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.search_request import SearchRequest
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.retrieval.boosts import (
    DisclosureBoost,
    ExactMatch,
    Lexical,
    QueryContext,
    RecencyBoost,
    ServedStatistics,
    Theme,
)
from fonds.retrieval.ranking import (
    ScoredRow,
    capped_positions,
    checked_boost,
    passed,
    ranked,
    scored_row,
)
from fonds.retrieval.recall import ActiveBoosts
from tests.factories import a_scored_hit, a_served_fragment, chapter

DAY = date(2025, 12, 1)
CONTEXT = QueryContext("harbour notes", "harbour notes", DAY, "none")
BOTH: tuple[Raw, ...] = ("public", "private")


def active(
    *,
    exact: tuple[Raw, ...] = ("public",),
    theme: tuple[Raw, ...] = ("public",),
    recency: tuple[Raw, ...] = (),
    disclosure: tuple[Raw, ...] = (),
) -> ActiveBoosts:
    return ActiveBoosts(
        ExactMatch(exact),
        Theme(theme),
        RecencyBoost(recency),
        DisclosureBoost(disclosure),
        DAY,
        (),
        None,
        Lexical(),
        (),
    )


def near(
    cosine: float,
    raw: Raw = "public",
    *,
    titled: bool = False,
    themed: bool = False,
    dated: date | None = None,
    fragment_id: str = "essay:a#whole",
) -> NearRow:
    return NearRow(fragment_id, raw, dated, cosine, titled, themed)


def test_words_add_their_share_of_the_boost_and_count_as_certain() -> None:
    """R112, R113: what the database knows exactly is in the base; no rank, no entry."""
    row = scored_row(replace(near(0.5), lexical=0.5), active())
    share = Lexical().max_boost * 0.5
    assert row.breakdown == {"cosine": 0.5, "lexical": share}
    assert row.base == row.score == 0.5 + share
    assert "lexical" not in scored_row(near(0.5), active()).breakdown
    off = replace(active(), lexical=Lexical(0.0))
    assert scored_row(replace(near(0.5), lexical=0.5), off).breakdown == {"cosine": 0.5}


def test_a_title_in_the_question_adds_its_boost_once() -> None:
    """R113: "harbour notes" at .53 makes .83, with both parts told."""
    row = scored_row(near(0.53, titled=True), active())
    assert row.breakdown == {"cosine": 0.53, "exactMatch": 0.30}
    assert row.score == pytest.approx(0.83)


def test_a_breakdown_leaves_zeros_out_but_the_cosine() -> None:
    """R113: `cosine` always, a boost only where it gave something."""
    full = active(recency=BOTH, disclosure=BOTH)
    assert scored_row(near(0.0), full).breakdown == {"cosine": 0.0, "disclosure": 0.15}
    old = scored_row(near(0.4, "private", dated=date(2019, 1, 1)), full)
    assert old.breakdown == {"cosine": 0.4}


def test_every_boost_adds_up() -> None:
    """R108-R111: the full set on one public row."""
    row = scored_row(
        near(0.1, titled=True, themed=True, dated=date(2025, 11, 1)),
        active(recency=BOTH, disclosure=BOTH),
    )
    assert row.breakdown == {
        "cosine": 0.1,
        "disclosure": 0.15,
        "exactMatch": 0.30,
        "theme": 0.15,
        "recency": 0.10,
    }
    assert row.score == pytest.approx(0.8)


def test_private_rows_ride_on_their_cosine_by_default() -> None:
    """R112: the default set counts on public rows only."""
    row = scored_row(near(0.35, "private", titled=True, themed=True), active())
    assert (row.score, row.breakdown) == (0.35, {"cosine": 0.35})


def test_a_layer_that_is_asked_for_boosts_private_rows_and_releases_the_sum() -> None:
    """R112, R122: the score is a step of 0.05 again; disclosure favours public rows only."""
    row = scored_row(
        near(0.35, "private", titled=True, dated=date(2025, 1, 1)),
        active(exact=BOTH, recency=BOTH, disclosure=BOTH),
    )
    assert row.breakdown.keys() == {"cosine", "exactMatch", "recency"}
    assert row.score == 0.7


@pytest.mark.parametrize(
    ("cosine", "titled", "stays"), [(0.10, True, True), (0.199, False, False), (0.2, False, True)]
)
def test_the_floor_is_inclusive_and_on_the_boosted_score(
    cosine: float, titled: bool, stays: bool
) -> None:
    """R102: .10 with a title stays, .199 without goes, .2 stays."""
    row = scored_row(near(cosine, titled=titled), active())
    assert bool(ranked([row], 0.2)) == stays


def test_a_title_of_three_tenths_lifts_to_four() -> None:
    """R102: cosine .10 and the title's .30."""
    assert scored_row(near(0.10, titled=True), active()).score == pytest.approx(0.40)


def test_order_is_by_score_and_then_by_id_in_code_points() -> None:
    """R100, A14: capitals before small letters before accents, as in the database."""
    ids = ["essay:é#whole", "essay:a#whole", "essay:Z#whole", "essay:b#whole"]
    rows = [scored_row(near(0.5, fragment_id=id_), active()) for id_ in ids]
    rows.append(scored_row(near(0.6, fragment_id="essay:zz#whole"), active()))
    assert [row.fragment_id for row in ranked(rows, 0.2)] == [
        "essay:zz#whole",
        "essay:Z#whole",
        "essay:a#whole",
        "essay:b#whole",
        "essay:é#whole",
    ]


def layers(public: int, private: int) -> list[Raw]:
    return [*["public"] * public, *["private"] * private]  # pyright: ignore[reportReturnType]


def test_either_cap_counts_as_the_contract_says() -> None:
    """R103: 12 public and 3 private: 8 + 3 by default, 5 of a limit, private capped alone."""
    raws = layers(12, 3)
    assert len(capped_positions(raws, SearchRequest("x"))) == 11
    assert capped_positions(raws, SearchRequest("x", limit=5)) == [0, 1, 2, 3, 4]
    only_private = SearchRequest("x", limit_per_raw=(("private", 1),))
    assert capped_positions(raws, only_private) == [*range(8), 12]


@pytest.mark.parametrize(("n", "cap"), [(8, 4), (80, 4), (81, 5), (100, 5), (101, 6), (800, 40)])
def test_the_cap_of_common_themes_grows_with_the_archive(n: int, cap: int) -> None:
    """R109: max(4, ceil(n/20)) in whole numbers; off and set by hand."""
    assert Theme().frequency_cap(n) == cap
    assert Theme(cap="off").frequency_cap(n) is None
    assert Theme(cap=2).frequency_cap(n) == 2


@dataclass(frozen=True)
class Odd:
    """A consumer's boost that answers what it was told."""

    answer: float
    name: str = "odd"
    max_boost: float = 0.2

    def prepare(self, index: ServedStatistics, context: QueryContext) -> object:
        return None

    def score(
        self,
        fragment: ServedFragment,
        entity: ServedEntity,
        context: QueryContext,
        prepared: object,
    ) -> float:
        return self.answer


@pytest.mark.parametrize("answer", [0.21, -0.01, math.nan, math.inf])
def test_a_boost_outside_its_range_is_an_error_that_names_it(answer: float) -> None:
    """R113: exceeding the declared maximum would make the candidates incomplete."""
    with pytest.raises(Misconfigured, match="boost 'odd'"):
        checked_boost(Odd(answer), answer)
    assert checked_boost(Odd(0.2), 0.2) == ("odd", 0.2)


@dataclass(frozen=True)
class Step:
    """A pass that gives back the hits at these positions, of these or of others."""

    positions: tuple[int, ...]
    own: tuple[ScoredHit, ...] = ()
    name: str = "step"

    def rearrange(self, hits: Sequence[ScoredHit], context: QueryContext) -> Sequence[ScoredHit]:
        return [(*hits, *self.own)[position] for position in self.positions]


def hits(count: int) -> list[ScoredHit]:
    return [
        a_scored_hit(fragment=a_served_fragment(place=chapter(number))) for number in range(count)
    ]


def test_passes_drop_and_reorder_in_turn() -> None:
    """R113: each sees what the one before it left."""
    given = hits(4)
    assert passed(given, (Step((3, 2, 0)), Step((1, 0))), CONTEXT) == [given[2], given[3]]
    assert passed(given, (), CONTEXT) == given


@pytest.mark.parametrize("step", [Step((0, 0)), Step((0, 4), own=tuple(hits(1)))])
def test_a_pass_may_not_invent(step: Step) -> None:
    """R113: neither a hit of its own nor one twice."""
    with pytest.raises(Misconfigured, match="pass 'step'"):
        passed(hits(4), (step,), CONTEXT)


def test_a_row_tells_its_score_to_nobody_by_accident() -> None:
    """R010: figures stand in no repr."""
    row = ScoredRow("note:a#whole", "private", 0.6123, 0.6123, 0.6123, {"cosine": 0.6123})
    assert "6123" not in repr(row)
