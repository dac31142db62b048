"""A question's words rank public text, and private text shifts nothing (R100, R112, R168)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import replace

import pytest

from fonds.contract.failures import StoreRefused
from fonds.contract.near_query import NearQuery
from fonds.contract.question_figures import QuestionFigures
from fonds.contract.search_request import MAX_QUERY_CHARS, Filters, SearchRequest
from fonds.retrieval.boosts import Lexical
from fonds.store.pools import Pool
from tests.database.brute_force import Rules, cosine, expected, word_ranks
from tests.database.retrieval_bed import Bed
from tests.database.retrieval_setups import told
from tests.database.served_corpus import CorpusRow
from tests.database.test_retrieval_equals_brute_force import said

EAST = (2.0, 1.0, 0.0, 0.0)
TEXTS = (
    "The quern stood by the door, and flour lay on the sill.",
    "She mended the door twice that winter, and the sill once.",
    "Nobody asked about the flour. The door stayed shut.",
    "石臼は戸口にあり、粉が窓辺に積もっていた。",
)
PUBLIC = [
    CorpusRow(f"essay:{number}", (float(number % 3), 1.0, float(number % 2), 0.0), text=text)
    for number, text in enumerate(TEXTS * 2)
]
LOCATED = CorpusRow("book:p", (1.0, 0.0, 1.0, 0.0), exposure="locator")
PRIVATE = [
    CorpusRow(f"note:{number}", EAST, "private", "locator", title="quern", text="quern quern flour")
    for number in range(9)
]


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)


def test_private_rows_shift_nothing_public(bed: Bed) -> None:
    """R112: the same archive with and without private rows gives the same public reply."""
    for question in ("Where did the quern stand?", "石臼はどこにあった?", "flour, or the door"):
        replies: list[object] = []
        for rows in ([*PUBLIC, LOCATED], [*PRIVATE[:4], *PUBLIC, LOCATED, *PRIVATE[4:]]):
            bed.serve(rows)
            found = bed.ask(SearchRequest(question), EAST)
            public = [hit for hit in found.hits if hit.entity.raw == "public"]
            assert any("lexical" in hit.breakdown for hit in public)
            shown = [(hit.fragment, hit.score, hit.breakdown) for hit in public]
            replies.append((shown, found.figures))
        assert replies[0] == replies[1]


def test_a_rare_word_lifts_its_text_over_a_nearer_one(bed: Bed) -> None:
    """R112: the signal is worth having: what the vectors confuse, a word tells apart."""
    near = CorpusRow("essay:near", EAST, text="A door in winter, and a sill.")
    right = CorpusRow("essay:right", (2.0, 1.0, 0.5, 0.0), text=TEXTS[0])
    bed.serve([near, right])
    ranked = [hit.fragment.fragment_id for hit in bed.ask(SearchRequest("the quern"), EAST).hits]
    assert ranked == ["essay:right#whole", "essay:near#whole"]
    plain = bed.ask(SearchRequest("the quern"), EAST, told(boosts=()))
    assert [hit.fragment.fragment_id for hit in plain.hits] == ranked[::-1]


@pytest.mark.parametrize("asked", [Filters(), Filters(types=("essay",)), Filters(raw="public")])
def test_the_figures_are_of_public_rows_under_the_filters(bed: Bed, asked: Filters) -> None:
    """R112, R168: background, ranks, frequencies; worked out over every row."""
    rows = [*PUBLIC, LOCATED, *PRIVATE]
    bed.serve(rows)
    request = SearchRequest("quern, zyx, flour", filters=asked)
    figures = bed.ask(request, EAST).figures
    kept = [r for r in rows if r.raw == "public" and (not asked.types or r.type in asked.types)]
    cosines = [cosine(row.vector, EAST) for row in kept]
    first, second, *_ = sorted(word_ranks(rows, request.query).values(), reverse=True)
    assert figures is not None
    most = figures.lexical_most
    assert most == pytest.approx(_rarity(2) + _rarity(0) + _rarity(4), abs=2e-3)
    assert figures.background_mean == pytest.approx(statistics.fmean(cosines), abs=1e-12)
    assert figures.background_deviation == pytest.approx(statistics.pstdev(cosines), abs=1e-12)
    assert figures == QuestionFigures(
        background_mean=figures.background_mean,
        background_deviation=figures.background_deviation,
        lexical_best=most * first,
        lexical_second=most * second,
        lexical_most=most,
        document_frequencies={"quern": 2, "zyx": 0, "flour": 4},
        public_fragments=len(PUBLIC),
    )


def _rarity(frequency: int) -> float:
    return math.log1p((len(PUBLIC) - frequency + 0.5) / (frequency + 0.5))


def test_no_word_in_common_says_so(bed: Bed) -> None:
    """R165, R168: all ranks are 0, and the question's words are counted nevertheless."""
    bed.serve([*PUBLIC, *PRIVATE])
    figures = bed.ask(SearchRequest("Zyxwv?"), EAST).figures
    assert figures is not None
    assert (figures.lexical_best, figures.lexical_second, figures.lexical_most) == (0, 0, 0)
    assert figures.document_frequencies == {"zyxwv": 0}


def test_the_figures_are_there_when_nothing_clears_the_floor(bed: Bed) -> None:
    """R164, R168: a refusal has them too; without a row under the filters there are none."""
    bed.serve([*PUBLIC, *PRIVATE], floor=1.5)
    found = bed.ask(SearchRequest("the quern"), EAST)
    assert not found.hits
    assert found.figures is not None
    assert found.figures.lexical_best > 0
    assert bed.ask(SearchRequest("quern", filters=Filters(types=("x",))), EAST).figures is None


@pytest.mark.parametrize(
    "question",
    [
        "石臼は戸口にあり粉が窓辺に積もっていた朝の話を" * 30,
        "quern door sill flour winter " * 30,
        " ".join(f"w{number}" for number in range(200)),
        "x" * MAX_QUERY_CHARS,
    ],
)
def test_a_long_question_is_bounded_and_answered_like_any_other(bed: Bed, question: str) -> None:
    """R100: words beyond what one question may look up are left out, and the result is exact."""
    rows = [*PUBLIC, *PRIVATE]
    bed.serve(rows)
    request = SearchRequest(question[:MAX_QUERY_CHARS].strip())
    assert said(bed.ask(request, EAST, told())) == expected(rows, request, EAST, 0.2, Rules())


def test_common_words_are_left_out_when_a_question_would_read_too_much(bed: Bed) -> None:
    """R100: rarest first, until they stand in a fifth of the texts, or a thousand times."""
    words = "anvil bellow candle dagger ember"
    rows = [
        CorpusRow(f"essay:{n}", EAST, text=f"{words} {'quern' if n == 7 else ''}")
        for n in range(400)
    ]
    bed.serve(rows)
    request = SearchRequest(f"{words} quern", limit=3)
    found = bed.ask(request, EAST)
    assert found.hits[0].fragment.fragment_id == "essay:7#whole"
    assert said(found) == expected(rows, request, EAST, 0.2, Rules())


def test_a_caller_cannot_ask_for_words_by_the_thousand(bed: Bed) -> None:
    """R100: the function bounds what it is asked, whoever asks."""
    bed.serve(PUBLIC)
    asked = NearQuery(EAST, (), 0.2, 5, 5, words=tuple(map(str, range(257))), texts=8)
    for refused in (asked, replace(asked, words=(), texts=-1)):
        with pytest.raises(StoreRefused, match="22023"), bed.store.reading() as reader:
            reader.nearest(refused)


def test_words_alone_lift_a_far_text_over_the_floor(bed: Bed) -> None:
    """R100: a scan cut by distance would lose it; the boosts are off and it is gone."""
    far = CorpusRow("essay:far", (0.0, 1.0, 0.0, 0.0), title="Quern", text="quern")
    rows = [*PUBLIC, far]
    bed.serve(rows)
    north = (1.0, 0.0, 0.0, 0.0)
    request = SearchRequest("quern", limit=20)
    found = said(bed.ask(request, north, told(boosts=(Lexical(),))))
    assert found == expected(rows, request, north, 0.2, Rules(exact=(), theme=()))
    assert dict(found.hits)["essay:far#whole"] == found.breakdowns["essay:far#whole"]["lexical"]
    assert "essay:far#whole" not in dict(said(bed.ask(request, north, told(boosts=()))).hits)
