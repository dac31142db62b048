"""Retrieval against what has gone wrong for others: filters, pools, distances, roundings."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from pgvector import HalfVector

from fonds.contract.attribution import Attribution
from fonds.contract.failures import (
    QueryRefused,
    StoreRefused,
)
from fonds.contract.near_query import NearQuery
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.wire_request import parsed_search
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from tests.database.brute_force import Rules, expected
from tests.database.retrieval_bed import Bed, at_day, ids
from tests.database.served_corpus import CorpusRow, a_space

EAST = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader", size=1), archive_id)


def row_at(cosine: float, entity_id: str, **changes: object) -> CorpusRow:
    """A row at about this cosine to the east, as near as half precision comes."""
    vector = (cosine, math.sqrt(1 - cosine * cosine), 0.0, 0.0)
    return CorpusRow(entity_id, vector, **changes)  # pyright: ignore[reportArgumentType]


def test_a_small_archive_beside_a_large_one_loses_no_hit(
    bed: Bed, archive: Callable[[str], int]
) -> None:
    """C01: 200 fragments beside 20,000 of another archive; the same set as an exact scan."""
    large = archive("large")
    _fill_large(bed.build_pool, large)
    rows = [
        CorpusRow(
            f"essay:n{n:03}",
            (*(float((n * k) % 7 - 3) for k in range(1, 32)), 1.0),
            raw="private" if n % 5 == 0 else "public",
            exposure="locator" if n % 5 == 0 else "text",
        )
        for n in range(200)
    ]
    bed.serve(rows)
    for turn in range(6):
        vector = (*(float((turn + k) % 3 - 1) for k in range(31)), 1.0)
        for limit in (10, 50):
            request = SearchRequest("anything at all", limit=limit)
            found = bed.ask(request, vector, at_day())
            wanted = expected(rows, request, vector, 0.2, Rules())
            assert ids(found) == [fragment_id for fragment_id, _ in wanted.hits]
            assert found.matched == wanted.matched


def _fill_large(pool: Pool, archive_id: int) -> None:
    """Twenty thousand random rows of 32 dimensions, made inside the server."""
    with transaction(pool, archive_id) as connection:
        for statement in _LARGE:
            connection.execute(
                statement, {"a": archive_id, "space": a_space(32).space_id, "count": 20_000}
            )


_LARGE = (
    """
    INSERT INTO served.build (archive_id, build_id, state, provider, model, dimensions,
        query_prefix, passage_prefix, centring, space_id, score_floor, coverage_floor,
        fingerprint, narrowing)
    VALUES (%(a)s, 1, 'checked', 'scripted', 'by-hand', 32, '', '', '', %(space)s, 0.2, 0, 'x', 0)
    """,
    """
    INSERT INTO served.entity VALUES (%(a)s, 1, 'essay:one', 'public', 'essay', 'One',
        'https://example.org/one', '[]', NULL, NULL, '[]', NULL, '{}')
    """,
    """
    INSERT INTO served.fragment
    SELECT %(a)s, 1, 'essay:one#p' || n, 'essay:one', 'public', 'text',
           '[{"scheme": "whole", "value": ""}]', 'whole record', 'Words.', '', '{}', NULL, NULL,
           NULL, '[]', NULL, NULL, NULL, '{}'
      FROM generate_series(1, %(count)s) AS n
    """,
    """
    INSERT INTO served.embedding
    SELECT %(a)s, 1, 'essay:one#p' || n, 'essay:one', 'public', 'text', 'essay', NULL, NULL, 32,
           (SELECT array_agg(random() - 0.5) FROM generate_series(1, 32) WHERE n > 0)::ext.halfvec
      FROM generate_series(1, %(count)s) AS n
    """,
    "INSERT INTO served.live VALUES (%(a)s, 1)",
)


def test_a_pool_of_one_connection_carries_no_archive_over(
    bed: Bed, archive: Callable[[str], int]
) -> None:
    """C02: exceptions in the middle of one archive's request, then another's, then none."""
    other = Bed(bed.build_pool, bed.reader_pool, archive("other"))
    bed.serve([row_at(0.9, "essay:mine")])
    other.serve([row_at(0.9, "essay:theirs")])
    request = SearchRequest("anything", limit=5)
    for turn in range(12):
        one, name = ((bed, "mine"), (other, "theirs"))[turn % 2]
        if turn % 3 == 0:
            with pytest.raises(ZeroDivisionError), one.store.reading() as reader:
                _fail_after(reader.content([f"essay:{name}#whole"]))
        if turn % 3 == 1:
            with pytest.raises(StoreRefused), one.store.reading() as reader:
                reader.nearest(NearQuery((1.0, 0.0), (), 0.2, 5, 5))
        with (
            pytest.raises(StoreRefused, match="55000"),
            translated(),
            bed.reader_pool.connection() as unscoped,
        ):
            unscoped.execute("SELECT fragment_id FROM served.fragment")
        assert ids(one.ask(request, EAST)) == [f"essay:{name}#whole"]


def _fail_after(_read: object) -> None:
    raise ZeroDivisionError


def test_another_archives_ids_answer_nothing(bed: Bed, archive: Callable[[str], int]) -> None:
    """R094: asking for a foreign fragment by its id gives no row."""
    other = Bed(bed.build_pool, bed.reader_pool, archive("other"))
    bed.serve([row_at(0.9, "essay:mine")])
    other.serve([row_at(0.9, "essay:theirs")])
    with bed.store.reading() as reader:
        assert reader.content(["essay:theirs#whole"]) == {}
        assert list(reader.content(["essay:mine#whole", "essay:theirs#whole"])) == [
            "essay:mine#whole"
        ]


def test_a_filter_value_matches_literally(bed: Bed) -> None:
    """C22, R106: quotes, wildcards and backslashes are letters or nothing, never syntax."""
    bed.serve(
        [
            row_at(0.9, "essay:a", creators=(Attribution("O'Brien%_\\"),)),
            row_at(0.9, "essay:b", speakers=(Attribution("back\\slash"),)),
        ]
    )
    cases: tuple[tuple[Filters, list[str]], ...] = (
        (Filters(creator="O'Brien%_\\"), ["a"]),
        (Filters(creator="%"), []),
        (Filters(creator="O_Brien"), ["a"]),
        (Filters(creator="' OR 1=1 --"), []),
        (Filters(speaker="back\\slash"), ["b"]),
        (Filters(types=("essay') OR 1=1 --",)), []),
        (Filters(types=("essay", "{essay}", '"')), ["a", "b"]),
        (Filters(creator="!!"), []),
    )
    for filters, wanted in cases:
        found = ids(bed.ask(SearchRequest("anything", filters=filters), EAST))
        assert found == [f"essay:{name}#whole" for name in wanted], filters


def test_a_filter_key_is_refused_and_a_list_is_bounded() -> None:
    """C22, R130: keys are a closed set, lists hold twenty values."""
    with pytest.raises(QueryRefused, match=r"^filters: has no such key$"):
        parsed_search({"q": "kites", "filters": {"type') OR 1=1 --": ["x"]}})
    with pytest.raises(QueryRefused, match=r"^filters.type: "):
        parsed_search({"q": "kites", "filters": {"type": ["x"] * 10_000}})


def test_a_similarity_is_no_distance(bed: Bed) -> None:
    """C23: known cosines and a floor of .32 give exactly the first three, in that order."""
    known = {"a": 0.95, "b": 0.60, "c": 0.33, "d": 0.31, "e": -0.2}
    bed.serve([row_at(cosine, f"essay:{name}") for name, cosine in known.items()], 0.32)
    found = bed.ask(SearchRequest("anything", limit=10), EAST)
    assert ids(found) == ["essay:a#whole", "essay:b#whole", "essay:c#whole"]
    for hit, cosine in zip(found.hits, (0.95, 0.60, 0.33), strict=True):
        assert hit.cosine == pytest.approx(cosine, abs=1e-3)
        assert hit.cosine == pytest.approx(_stored_cosine(cosine), abs=1e-5)
    assert found.matched == 3


def _stored_cosine(cosine: float) -> float:
    x, y = HalfVector([cosine, math.sqrt(1 - cosine * cosine)]).to_list()
    return x / math.hypot(x, y)


def test_a_negative_cosine_passes_no_floor_of_zero(bed: Bed) -> None:
    """C23: nothing at or above the floor, and the best is still told (R164)."""
    bed.serve([row_at(-0.2, "essay:a"), row_at(-0.9, "essay:b")], 0.0)
    found = bed.ask(SearchRequest("anything"), EAST)
    assert (found.hits, found.matched) == ((), 0)
    assert found.best_score == pytest.approx(-0.2, abs=1e-3)
    assert (found.best_raw, found.best_cosine) == ("public", found.best_score)


def test_a_private_row_is_floored_by_its_released_score(bed: Bed) -> None:
    """R100: floor .2, a private .175 stays and .1749 goes; public rows by the exact figure."""
    edge = (7.0, 39.0, 5.0, 2.0, 1.0)  # 7/40 = 0.175 exactly
    below = (0.1749, math.sqrt(1 - 0.1749**2), 0.0, 0.0, 0.0)
    bed.serve(
        [
            CorpusRow("note:edge", edge, raw="private", exposure="locator"),
            CorpusRow("note:below", below, raw="private", exposure="locator"),
            CorpusRow("essay:edge", edge),
        ]
    )
    found = bed.ask(SearchRequest("anything"), (1.0, 0.0, 0.0, 0.0, 0.0))
    assert [(hit.fragment.fragment_id, hit.score) for hit in found.hits] == [
        ("note:edge#whole", 0.2)
    ]


def test_no_floor_a_caller_sets_tells_two_private_rows_of_one_step_apart(bed: Bed) -> None:
    """R122: the exact cosine of a private row shifts nothing, whatever floor is asked for."""
    bed.serve(
        [
            row_at(0.176, "note:low", raw="private", exposure="locator"),
            row_at(0.224, "note:high", raw="private", exposure="locator"),
        ]
    )
    with bed.store.reading() as reader:
        for step in range(-20, 60):
            asked = NearQuery(EAST, (), step / 100, 5, 5)
            seen = {row.fragment_id: row.cosine for row in reader.nearest(asked).rows}
            assert len(seen) in {0, 2}, step
            assert set(seen.values()) <= {0.2}
