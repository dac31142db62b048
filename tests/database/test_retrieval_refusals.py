"""What a search refuses, and in which words: no vector, no space, no build, no database."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from fonds.contract.allowances import Allowances
from fonds.contract.attribution import Attribution
from fonds.contract.failures import (
    Failure,
    Misconfigured,
    NothingServed,
    ProviderMisbehaved,
    StoreRefused,
)
from fonds.contract.near_query import NearQuery
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.search import search, searched
from fonds.store.pools import Pool
from fonds.store.revision import is_at_head
from fonds.store.served_store import PostgresServedStore
from fonds.store.standing_store import read_standing
from fonds.store.statements import statements
from tests.database.retrieval_bed import Bed, ScriptedEmbedder, ids
from tests.database.served_corpus import CorpusRow, a_space
from tests.servers import Database

EAST = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader", size=1), archive_id)


def row_at(cosine: float, entity_id: str, **changes: object) -> CorpusRow:
    """A row at about this cosine to the east, as near as half precision comes."""
    vector = (cosine, math.sqrt(1 - cosine * cosine), 0.0, 0.0)
    return CorpusRow(entity_id, vector, **changes)  # pyright: ignore[reportArgumentType]


def test_a_zero_question_is_refused_and_matches_nothing(bed: Bed) -> None:
    """C06, R044: refused before the database and by it; never everything."""
    bed.serve([row_at(0.9, "essay:a")])
    request = SearchRequest("anything")
    for vector in ((0.0,) * 4, (-0.0, 0.0, 1e-9, 0.0), (math.nan, 1.0, 0.0, 0.0), (7e4, 0, 0, 0)):
        with pytest.raises(ProviderMisbehaved, match="vector"):
            search(request, bed.store, ScriptedEmbedder(vector, a_space(4)))
    with pytest.raises(ProviderMisbehaved, match="3 dimensions, by-hand has 4"):
        search(request, bed.store, ScriptedEmbedder((1.0, 0.0, 0.0), a_space(4)))
    with pytest.raises(StoreRefused, match="22023"), bed.store.reading() as reader:
        reader.nearest(NearQuery((0.0,) * 4, (), 0.2, 5, 5))


def test_a_zero_passage_is_not_stored(bed: Bed) -> None:
    """C06: it would sort above every number."""
    with pytest.raises(StoreRefused, match="a_vector_is_not_zero"):
        bed.serve([CorpusRow("essay:a", (0.0,) * 4)])


def test_a_question_in_another_space_is_refused_with_the_remedy(bed: Bed) -> None:
    """R044, C05: both models, both dimensions, the commands; the served build answers on."""
    bed.serve([row_at(0.9, "essay:a")])
    with pytest.raises(Misconfigured) as refused:
        search(SearchRequest("anything"), bed.store, ScriptedEmbedder((1.0, 0.0)))
    for said in ("by-hand (2 dimensions)", "by-hand (4 dimensions)", "fonds ingest", "fonds build"):
        assert said in str(refused.value)
    assert search(SearchRequest("anything"), bed.store, ScriptedEmbedder(EAST)).matched == 1


def test_without_a_live_build_the_remedy_is_named(bed: Bed) -> None:
    """R095: nothing is served before the first build."""
    with pytest.raises(NothingServed, match="run fonds build"):
        search(SearchRequest("anything"), bed.store, ScriptedEmbedder(EAST))
    bed.serve([row_at(0.9, "essay:a")], live=False)
    with pytest.raises(NothingServed):
        search(SearchRequest("anything"), bed.store, ScriptedEmbedder(EAST))


def test_a_question_of_unspaced_script_finds_titles_and_themes(bed: Bed) -> None:
    """C20, R107: by containment of two characters, and never by one."""
    bed.serve(
        [
            row_at(0.1, "essay:a", title="潮の石"),
            row_at(0.1, "essay:b", themes=("灯台",)),
            row_at(0.1, "essay:c", title="石"),
        ]
    )
    found = bed.ask(SearchRequest("潮の石と灯台について"), EAST)
    assert ids(found) == ["essay:a#whole", "essay:b#whole"]
    assert [set(hit.breakdown) for hit in found.hits] == [
        {"cosine", "exactMatch", "lexical"},
        {"cosine", "theme", "lexical"},
    ]


def test_search_projects_and_tells_no_exact_private_figure(bed: Bed) -> None:
    """R120, R122, R164: hits are projected; figures of private rows are steps of 0.05."""
    bed.serve(
        [
            row_at(0.613, "note:a", raw="private", exposure="semantic"),
            row_at(0.55, "essay:b", date="2019"),
            row_at(0.05, "essay:c"),
        ]
    )
    found = searched(SearchRequest("anything"), bed.store, ScriptedEmbedder(EAST))
    assert found.hits[0].provenance.score == 0.6
    assert [hit.exposure for hit in found.hits] == ["semantic", "text"]
    assert (found.best_score, found.best_raw, found.best_cosine) == (0.6, "private", 0.6)
    response = found.response
    assert (response.matched, response.index.entity_count, response.query) == (2, 3, "anything")


def test_every_statement_of_the_reader_runs_as_the_reader(bed: Bed, database: Database) -> None:
    """Named statements are run under the role that runs them in production."""
    bed.serve([row_at(0.9, "essay:a")])
    request = SearchRequest("anything", filters=Filters(date_from="2019"))
    assert bed.ask(request, EAST).excluded_undated == 1
    with bed.store.reading() as reader:
        assert reader.holdings().types == (("essay", 1),)
    assert is_at_head(bed.reader_pool)
    assert read_standing(bed.reader_pool, bed.archive_id, 7).allowances == Allowances()
    assert set(statements("served")) == {
        "holdings",
        "live_build",
        "nearest",
        "undated",
        "content",
        "note_refusal",
        "revision",
        "standing",
    }


def test_a_failure_of_the_store_says_nothing_of_the_question(bed: Bed) -> None:
    """R097: SQLSTATE and names, no value."""
    bed.serve([row_at(0.9, "essay:a", creators=(Attribution("zebrawood"),))])
    request = SearchRequest("quillfeather", filters=Filters(creator="zebrawood"))
    with pytest.raises(Failure) as refused:
        bed.ask(request, (1.0, 0.0))
    for word in ("quillfeather", "zebrawood"):
        assert word not in f"{refused.value!r} {refused.value}"
    assert refused.value.__cause__ is None


def test_a_store_over_nothing_is_unavailable(bed: Bed) -> None:
    """R095: a closed pool is an outage in one line, not a driver's error."""
    bed.reader_pool.close()
    with (
        pytest.raises(Failure) as refused,
        PostgresServedStore(bed.reader_pool, bed.archive_id).reading(),
    ):
        pass
    assert "\n" not in str(refused.value)
