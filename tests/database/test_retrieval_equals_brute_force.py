"""Retrieval answers what scoring every row would: ids, order, scores, counts (R100)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Raw, ServedExposure
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRows
from fonds.contract.ports import ServedReader
from fonds.contract.search_request import Filters, SearchRequest
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.retrieval.retrieve import Retrieved, retrieve
from fonds.store.pools import Pool
from tests.database.brute_force import Expected, Rules, expected
from tests.database.retrieval_bed import Bed
from tests.database.retrieval_setups import NUDGED, RECENT, SETUPS, Setup, told
from tests.database.served_corpus import CorpusRow

TITLES = ("Harbour Notes", "On Kites", "Kites", "Still Water", "潮の石", "石", "Low Tide kite 7")
THEMES = ("wind", "patience", "tide tables", "潮", "harbour notes")
TEXTS = (
    "A passage that is public.",
    "Kites, more kites, and the wind over the harbour.",
    "She noted each kite. Nothing else was noted that day, and nobody asked for patience.",
    "潮が引くと石が見える。",
)
NAMES = ("Mina Okafor", "Okafor", "R. Adeyemi", "森 鷗外", "O'Brien%_\\")
DATES = (None, None, "2025", "2025-06-04", "2024-06-01", "2023", "2019-03-14", "1901-02")
QUERIES = (
    "harbour notes now",
    "on kites and patience these days",
    "wind",
    "潮の石は harbour notes ですか",
    "nothing of that kind",
)
CELLS: tuple[tuple[Raw, ServedExposure], ...] = (
    ("public", "text"),
    ("public", "semantic"),
    ("public", "locator"),
    ("private", "semantic"),
    ("private", "locator"),
)


FLOORS = (0.2, 0.175, 0.1749, 0.0, -1.0, 0.45, 1.0)

vectors = st.tuples(*[st.integers(-3, 3)] * 4).filter(any)


@st.composite
def corpora(draw: st.DrawFn) -> list[CorpusRow]:
    """Few directions, so that there are ties; few words, so that questions name them."""
    rows: list[CorpusRow] = []
    for number in range(draw(st.integers(1, 28))):
        raw, exposure = draw(st.sampled_from(CELLS))
        people = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
        kind = draw(st.sampled_from(("essay", "book", "note")))
        rows.append(
            CorpusRow(
                entity_id=f"{kind}:{draw(st.sampled_from(('kites', 'x', 'Z', 'é')))}-{number}",
                vector=tuple(map(float, draw(vectors))),
                raw=raw,
                exposure=exposure,
                title=draw(st.sampled_from(TITLES)),
                themes=tuple(draw(st.lists(st.sampled_from(THEMES), max_size=2, unique=True))),
                fragment_themes=tuple(draw(st.lists(st.sampled_from(THEMES), max_size=1))),
                creators=tuple(Attribution(name) for name in draw(people)),
                speakers=tuple(
                    Attribution(name, placeholder=draw(st.sampled_from((None, "unnamed"))))
                    for name in draw(people)
                ),
                date=draw(st.sampled_from(DATES)),
                text=draw(st.sampled_from(TEXTS)),
            )
        )
    return rows


filters = st.builds(
    Filters,
    types=st.sampled_from((None, None, None, ("essay",), ("book", "note"), ("essay') OR 1=1 --",))),
    date_from=st.sampled_from((None, None, "2019", "2024-06-01", "2025")),
    date_to=st.sampled_from((None, None, "2025-06", "2026")),
    undated=st.sampled_from(("include", "exclude")),
    creator=st.sampled_from((None, None, None, "okafor", "oka", "鷗", "外", "O'Brien%_\\", "!!")),
    speaker=st.sampled_from((None, None, None, None, "adeyemi", "森 鷗外", "mina okafor")),
    exposures=st.sampled_from((None, None, ("text",), ("semantic", "locator"))),
    raw=st.sampled_from((None, None, None, "public", "private")),
)
PER_RAW: tuple[tuple[tuple[Raw, int], ...], ...] = (
    (("private", 1),),
    (("public", 1), ("private", 2)),
)
requests = st.one_of(
    st.builds(
        SearchRequest,
        st.sampled_from(QUERIES),
        limit=st.sampled_from((None, 1, 2, 20, 50)),
        filters=filters,
        recency=st.sampled_from(("none", "auto", "prefer-recent")),
    ),
    st.builds(
        SearchRequest,
        st.sampled_from(QUERIES),
        limit_per_raw=st.sampled_from(PER_RAW),
        recency=st.just("none"),
    ),
)


def said(found: Retrieved) -> Expected:
    """What retrieval answered, in the brute force's words."""
    return Expected(
        hits=tuple((hit.fragment.fragment_id, hit.score) for hit in found.hits),
        breakdowns={hit.fragment.fragment_id: dict(hit.breakdown) for hit in found.hits},
        matched=found.matched,
        excluded_undated=found.excluded_undated,
        best_score=found.best_score,
    )


def rules_for(setup: Setup, request: SearchRequest) -> Rules:
    """A caller who asks for recent material gets it on public rows, where the set has no boost."""
    if request.recency == "prefer-recent" and not setup.rules.recency:
        return replace(setup.rules, recency=("public",))
    return setup.rules


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rows=corpora(),
    asked=st.lists(st.tuples(requests, vectors, st.sampled_from(SETUPS)), min_size=3, max_size=8),
    floor=st.sampled_from(FLOORS),
)
def test_retrieval_equals_scoring_every_row(
    bed: Bed,
    rows: list[CorpusRow],
    asked: list[tuple[SearchRequest, tuple[int, ...], Setup]],
    floor: float,
) -> None:
    """R100, R102-R113: to the bit, ties and bucket edges included."""
    bed.serve(rows, floor)
    for request, direction, setup in asked:
        vector = tuple(map(float, direction))
        found = bed.ask(request, vector, setup.told)
        wanted = expected(rows, request, vector, floor, rules_for(setup, request))
        assert said(found) == wanted, setup.name


def a_large_corpus() -> list[CorpusRow]:
    """Three hundred rows in few directions; one in a hundred is a book of 1901."""
    return [
        CorpusRow(
            entity_id=f"{'book' if number % 100 == 7 else 'essay'}:n{number:03}",
            vector=(float(number % 7 - 3), float(number % 5 - 2), float(number % 3), 1.0),
            raw="private" if number % 4 == 0 else "public",
            exposure="locator" if number % 4 == 0 else "text",
            title=TITLES[number % len(TITLES)],
            themes=(THEMES[number % len(THEMES)],),
            date="1901" if number % 100 == 7 else DATES[number % len(DATES)],
            text=TEXTS[number % len(TEXTS)],
        )
        for number in range(300)
    ]


def test_a_filter_that_leaves_one_in_a_hundred_loses_nothing(bed: Bed) -> None:
    """R100, C01: filtered or not, at every limit, the same as scoring every row."""
    rows = a_large_corpus()
    bed.serve(rows)
    vector = (1.0, 1.0, 1.0, 0.0)
    for setup in SETUPS:
        for asked in (Filters(), Filters(types=("book",)), Filters(date_to="1950")):
            for limit in (1, 20, 50):
                request = SearchRequest("harbour notes and wind", limit=limit, filters=asked)
                found = bed.ask(request, vector, setup.told)
                assert said(found) == expected(rows, request, vector, 0.2, setup.rules), setup.name
                assert found.hits


def test_edges_that_chance_seldom_meets(bed: Bed) -> None:
    """R100, R104, R110, R122: lifted over the last row shown by a date or a rounding; last days."""
    rows = [
        CorpusRow("essay:near", (4.0, 2.0, 2.0, 1.0), date="2020"),
        CorpusRow("essay:fresh", (3.0, 2.0, 1.0, 1.0), date="2025-11", title="Still Water"),
        CorpusRow("note:z", (1.0, 1.0, 1.0, 1.0), "private", "locator"),
        CorpusRow("note:a", (2.0, 3.0, 3.0, 2.0), "private", "locator", title="Kites"),
    ]
    bed.serve(rows)
    east = (1.0, 0.0, 0.0, 0.0)
    cases = (
        (RECENT, SearchRequest("water", limit=1, recency="prefer-recent"), "essay:fresh#whole"),
        (NUDGED, SearchRequest("water", limit_per_raw=(("private", 1),)), "note:a#whole"),
        (
            RECENT,
            SearchRequest("water", filters=Filters(date_from="2020-12-31")),
            "essay:near#whole",
        ),
        (RECENT, SearchRequest("x", filters=Filters(date_to="2020-01-01")), "essay:near#whole"),
    )
    for setup, request, lifted in cases:
        found = bed.ask(request, east, setup.told)
        assert said(found) == expected(rows, request, east, 0.2, setup.rules), setup.name
        assert lifted in dict(said(found).hits), setup.name


class NearestOnly:
    """A reader whose scan is cut to the k nearest rows, as a LIMIT in the statement would."""

    def __init__(self, reader: ServedReader, k: int) -> None:
        self._reader = reader
        self._k = k

    @property
    def build(self) -> LiveBuild:
        return self._reader.build

    def nearest(self, query: NearQuery) -> NearRows:
        found = self._reader.nearest(query)
        nearest = sorted(found.rows, key=lambda row: -row.cosine)[: self._k]
        return replace(found, rows=tuple(nearest))

    def excluded_undated(self, filters: NearFilters) -> int:
        return self._reader.excluded_undated(filters)

    def content(
        self, fragment_ids: Sequence[str]
    ) -> Mapping[str, tuple[ServedFragment, ServedEntity]]:
        return self._reader.content(fragment_ids)

    def done(self) -> None:
        self._reader.done()


def test_the_comparison_notices_candidates_cut_to_the_nearest(bed: Bed) -> None:
    """R100: a LIMIT hides what a title would lift; the brute force has to see it missing."""
    near = [CorpusRow(f"essay:near-{n}", (3.0, float(n % 2), 0.0, 0.0)) for n in range(12)]
    lifted = CorpusRow("essay:far", (1.0, 1.0, 1.0, 0.0), title="Harbour Notes")
    bed.serve([*near, lifted], 0.2)
    request = SearchRequest("the harbour notes", limit=20)
    vector = (3.0, 0.0, 0.0, 0.0)
    wanted = expected([*near, lifted], request, vector, 0.2, Rules())
    assert "essay:far#whole" in dict(wanted.hits)
    assert said(bed.ask(request, vector, told())) == wanted
    with bed.store.reading() as reader:
        cut = retrieve(NearestOnly(reader, 10), request, vector, told())
    assert said(cut) != wanted
    assert "essay:far#whole" not in dict(said(cut).hits)
