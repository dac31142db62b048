"""A search that goes by an index shows what comparing every row shows, or compares every row
(R100, R114).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonds.contract.near_index import IndexShape
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.retrieve import Retrieved
from fonds.store.pools import Pool
from tests.database.index_bed import SMALL, admitted, around, both_ways, indexes_of, spread_rows
from tests.database.retrieval_bed import Bed, ids
from tests.database.retrieval_setups import NUDGED, RECENT, SETUPS, Setup
from tests.database.served_corpus import CorpusRow
from tests.database.test_retrieval_equals_brute_force import corpora

ASKED = SearchRequest("harbour word3", limit_per_raw=(("public", 4), ("private", 4)))
QUESTIONS = around(40, seed=11)


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)


def shown(found: Retrieved) -> list[tuple[str, float, float]]:
    return [(hit.fragment.fragment_id, hit.score, hit.cosine) for hit in found.hits]


def test_hits_scores_and_order_are_those_of_a_scan(bed: Bed) -> None:
    """R114: of private rows the counts as well; of public ones those that were looked at."""
    bed.serve(spread_rows(300), floor=0.1)
    admitted(bed, replace(SMALL, breadth=60))
    by_index = 0
    for vector in QUESTIONS:
        ours, exact = both_ways(bed, ASKED, vector)
        assert shown(ours) == shown(exact)
        assert ours.private_matched == exact.private_matched
        assert len(ours.hits) <= ours.matched <= exact.matched
        by_index += ours.by_index
        assert not exact.by_index
    assert by_index >= len(QUESTIONS) // 2


def test_the_background_of_a_question_is_that_of_every_public_row(bed: Bed) -> None:
    """R168: a gate's signals are made from the same figures either way."""
    bed.serve(spread_rows(300), floor=0.1)
    admitted(bed, replace(SMALL, breadth=60))
    compared = 0
    for vector in QUESTIONS:
        ours, exact = both_ways(bed, ASKED, vector)
        if not ours.by_index:
            continue
        compared += 1
        assert ours.figures is not None
        assert exact.figures is not None
        background = (exact.figures.background_mean, exact.figures.background_deviation)
        # Single precision in the sums; a gate's threshold is told to four digits.
        assert ours.figures.background_mean == pytest.approx(background[0], abs=1e-6)
        assert ours.figures.background_deviation == pytest.approx(background[1], abs=1e-6)
        assert ours.best_score == exact.best_score
        assert ours.figures.lexical_best == exact.figures.lexical_best
        assert ours.figures.lexical_second == exact.figures.lexical_second
    assert compared


SHAPES = (SMALL, replace(SMALL, breadth=3), replace(SMALL, breadth=9))
ORDERS = st.builds(
    SearchRequest,
    st.sampled_from(("harbour notes now", "on kites and patience", "wind", "nothing of that")),
    limit_per_raw=st.sampled_from(((("public", 1),), (("public", 2), ("private", 3)))),
    recency=st.sampled_from(("none", "prefer-recent")),
)
VECTORS = st.tuples(*[st.integers(-3, 3)] * 4).filter(any)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rows=corpora().filter(lambda rows: any(row.raw == "public" for row in rows)),
    asked=st.lists(st.tuples(ORDERS, VECTORS, st.sampled_from(SETUPS)), min_size=3, max_size=6),
    floor=st.sampled_from((0.2, 0.0, -1.0, 0.45)),
    shape=st.sampled_from(SHAPES),
)
def test_no_archive_and_no_question_tells_the_two_ways_apart(
    bed: Bed,
    rows: list[CorpusRow],
    asked: Sequence[tuple[SearchRequest, tuple[int, ...], Setup]],
    floor: float,
    shape: IndexShape,
) -> None:
    """R100: ties, equal vectors, phrases, words, dates and others' boosts over the index's edge."""
    bed.serve(rows, floor)
    admitted(bed, shape)
    for request, whole, setup in asked:
        ours, exact = both_ways(bed, request, tuple(map(float, whole)), setup.told)
        assert shown(ours) == shown(exact)
        assert ours.best_score == exact.best_score
        assert ours.private_matched == exact.private_matched
        if not ours.by_index:
            # Sums over all rows differ in the last digit with the order the rows come in.
            assert replace(ours, figures=None) == replace(exact, figures=None)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(raw="public"),
        Filters(raw="private"),
        Filters(types=("essay",)),
        Filters(exposures=("text",)),
        Filters(date_from="2001", undated="include"),
    ],
)
def test_under_a_filter_every_row_is_compared(bed: Bed, filters: Filters) -> None:
    """R114: an index looks at its nearest first and would throw away what a filter asks for."""
    bed.serve(spread_rows(120), floor=0.0)
    admitted(bed)
    ours, exact = both_ways(bed, replace(ASKED, filters=filters), QUESTIONS[0])
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert not ours.by_index


def test_what_would_be_refused_or_short_is_compared_with_every_row(bed: Bed) -> None:
    """R114: a floor nothing clears, and a list no index can fill."""
    bed.serve(spread_rows(120), floor=0.999)
    admitted(bed)
    ours, exact = both_ways(bed, ASKED, QUESTIONS[0])
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert (ours.hits, ours.by_index) == ((), False)
    assert ours.best_score is not None
    bed.serve(spread_rows(120), floor=0.0)
    admitted(bed)
    ours, exact = both_ways(bed, replace(ASKED, limit_per_raw=(("public", 30),)), QUESTIONS[0])
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert len(ours.hits) > SMALL.breadth


@pytest.mark.parametrize("setup", [NUDGED, RECENT])
def test_what_a_boost_could_lift_past_the_edge_is_compared(bed: Bed, setup: Setup) -> None:
    """R100: a row that was not looked at is shown where a boost makes up for its distance."""
    bed.serve(spread_rows(60), floor=0.0)
    admitted(bed)
    for vector in QUESTIONS[:10]:
        ours, exact = both_ways(bed, replace(ASKED, recency="prefer-recent"), vector, setup.told)
        assert shown(ours) == shown(exact)


def test_a_named_row_far_from_the_question_is_shown(bed: Bed) -> None:
    """R108: phrases are looked up, whatever the index names."""
    rows = [*spread_rows(120, private_every=1000)]
    far = tuple(-part for part in QUESTIONS[0])
    rows.append(CorpusRow("essay:far", far, title="The Drowned Bell", text="A word."))
    bed.serve(rows, floor=-1.0 + 0.01)
    admitted(bed)
    request = SearchRequest("the drowned bell", limit_per_raw=(("public", 2),))
    ours, exact = both_ways(bed, request, QUESTIONS[0])
    assert shown(ours) == shown(exact)


def test_an_index_that_is_not_admitted_or_gone_is_not_asked(bed: Bed) -> None:
    """R114: it answers from the moment it is admitted to the moment it is dropped."""
    bed.serve(spread_rows(120), floor=0.0)
    indexes, vector = indexes_of(bed), QUESTIONS[3]
    build_id = admitted(bed)
    assert both_ways(bed, ASKED, vector)[0].by_index
    indexes.note_check(build_id, questions=1, by_index=1, recall=0.5, admitted=False)
    assert not both_ways(bed, ASKED, vector)[0].by_index
    admitted(bed)
    assert indexes.drop(build_id)
    assert indexes.index_of(build_id) is None
    ours, exact = both_ways(bed, ASKED, vector)
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert not indexes.drop(build_id)


def test_another_archive_of_the_same_rows_is_scanned(
    bed: Bed, archive: Callable[[str], int]
) -> None:
    """R114: an index is one build's of one archive; ids of both are the same here."""
    bed.serve(spread_rows(120), floor=0.0)
    admitted(bed)
    other = Bed(bed.build_pool, bed.reader_pool, archive("other"))
    other.serve(spread_rows(120, seed=8), floor=0.0)
    assert both_ways(bed, ASKED, QUESTIONS[0])[0].by_index
    ours, exact = both_ways(other, ASKED, QUESTIONS[0])
    assert replace(ours, figures=None) == replace(exact, figures=None)
    assert ids(ours) != ids(both_ways(bed, ASKED, QUESTIONS[0])[1])
