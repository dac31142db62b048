"""The served store: one build a request, whole values, refusals appended (R092, R095, R164)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import disclosure
from fonds.contract.failures import StoreRefused
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist
from fonds.store.pools import Pool, transaction
from fonds.store.refusal_store import PostgresRefusalLog
from tests.database.retrieval_bed import Bed
from tests.database.served_corpus import CorpusRow, a_space
from tests.servers import Database

EAST = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    return Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)


def test_content_comes_back_as_it_was_served(bed: Bed) -> None:
    """R092, R121: every field of a fragment and its entity, by id; an id not served is left out."""
    bed.serve([CorpusRow("essay:a", EAST), CorpusRow("note:b", EAST, "private", "semantic")])
    with transaction(bed.build_pool, bed.archive_id) as connection:
        for statement in _FULL:
            connection.execute(statement)
    with bed.store.reading() as reader:
        content = reader.content(["essay:a#whole", "note:b#whole", "essay:gone#whole"])
    assert content == {
        "essay:a#whole": (_PUBLIC_FRAGMENT, _PUBLIC_ENTITY),
        "note:b#whole": (_PRIVATE_FRAGMENT, _PRIVATE_ENTITY),
    }


_FULL = (
    """
    UPDATE served.entity
       SET date = '2019-03', version = 'second', parent = 'book:p', themes = '{wind,patience}',
           attribution = '[{"name": "R. Adeyemi", "role": "author",
                            "identifiers": [{"scheme": "orcid", "value": "0000"}]}]',
           identifiers = '[{"scheme": "doi", "value": "10.1/x"}]'
     WHERE entity_id = 'essay:a'
    """,
    """
    UPDATE served.fragment
       SET place = '[{"scheme": "chapter", "value": "4"},
                     {"scheme": "page", "value": "9", "end": "11"}]',
           text = 'Let the line out.', summary = 'On patience.', trail = '{Flying,Lines}',
           attribution = '[{"name": "Other", "placeholder": "unnamed"}]', date = '2020',
           date_start = '2020-01-01', date_end = '2020-12-31', themes = '{line}'
     WHERE fragment_id = 'essay:a#whole'
    """,
    """
    UPDATE served.fragment SET gist_source = 'edited', gist_review = 'reviewed'
     WHERE fragment_id = 'note:b#whole'
    """,
)
_PUBLIC_FRAGMENT = ServedFragment(
    fragment_id="essay:a#whole",
    entity_id="essay:a",
    place=(Locator("chapter", "4"), Locator("page", "9", "11")),
    disclosure=disclosure("public", "text"),
    text="Let the line out.",
    summary="On patience.",
    attribution=(Attribution("Other", placeholder="unnamed"),),
    date="2020",
    themes=("line",),
    trail=("Flying", "Lines"),
)
_PUBLIC_ENTITY = ServedEntity(
    entity_id="essay:a",
    type="essay",
    title="Untitled",
    url="https://example.org/essay:a",
    raw="public",
    attribution=(Attribution("R. Adeyemi", "author", (Identifier("orcid", "0000"),)),),
    date="2019-03",
    version="second",
    identifiers=(Identifier("doi", "10.1/x"),),
    parent="book:p",
    themes=("wind", "patience"),
)
_PRIVATE_FRAGMENT = ServedFragment(
    fragment_id="note:b#whole",
    entity_id="note:b",
    place=(Locator("whole", ""),),
    disclosure=disclosure("private", "semantic"),
    gist=ServedGist("What the passage is about.", "edited", "reviewed"),
)
_PRIVATE_ENTITY = ServedEntity(
    entity_id="note:b",
    type="note",
    title="Untitled",
    url="https://example.org/note:b",
    raw="private",
)


def test_the_live_build_says_its_space_its_floors_and_its_counts(bed: Bed) -> None:
    """R044, R102: all that a request needs to know of the build, and its own floor."""
    rows = [
        CorpusRow("essay:a", EAST, title="On Kites"),
        CorpusRow("note:b", EAST, "private", "locator"),
    ]
    bed.serve(rows, 0.31)
    with bed.store.reading() as reader:
        build = reader.build
    assert build.space == a_space(4).__class__("scripted", "by-hand", 4, default_floor=0.31)
    assert build.space.space_id == a_space(4).space_id
    assert (build.score_floor, build.coverage_floor) == (0.31, 0.0)
    assert (build.entity_count, build.fragment_count, build.public_entity_count) == (2, 2, 1)
    assert (build.phrase_word_lengths, build.phrase_char_lengths) == ((1, 2), (1, 8))


def test_a_request_keeps_its_build_when_another_goes_live(bed: Bed) -> None:
    """R095: readers see the old build or the next, never a mixture."""
    bed.serve([CorpusRow("essay:old", EAST)])
    with bed.store.reading() as reader:
        before = reader.build.build_id
        bed.serve([CorpusRow("essay:fresh", EAST)])
        assert list(reader.content(["essay:old#whole", "essay:fresh#whole"])) == ["essay:old#whole"]
    with bed.store.reading() as reader:
        assert reader.build.build_id == before + 1
        assert list(reader.content(["essay:old#whole", "essay:fresh#whole"])) == [
            "essay:fresh#whole"
        ]


def test_a_refusal_is_appended_and_cannot_be_read_back(bed: Bed, database: Database) -> None:
    """R164: reason and figures land in the archive's own records; the session stays read-only."""
    bed.serve([CorpusRow("essay:a", EAST)])
    log = PostgresRefusalLog(bed.reader_pool, bed.archive_id)
    figures = {"bestScore": 0.15, "bestRaw": "public", "failed": ["score"]}
    log.note_refusal("below_score_floor", figures)
    assert _refusals(database) == [(bed.archive_id, "below_score_floor", figures)]
    with (
        pytest.raises(StoreRefused, match="42501"),
        transaction(bed.reader_pool, bed.archive_id) as connection,
    ):
        connection.execute("SELECT reason FROM private.refusal")
    with transaction(bed.reader_pool, bed.archive_id) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)


def test_a_refusal_that_cannot_be_kept_leaves_the_session_as_it_was(bed: Bed) -> None:
    """A record Postgres cannot hold is a store's refusal, and the pool serves on."""
    bed.serve([CorpusRow("essay:a", EAST)])
    log = PostgresRefusalLog(bed.reader_pool, bed.archive_id)
    with pytest.raises(StoreRefused):
        log.note_refusal("below_score_floor", {"note": "a\x00b"})
    with transaction(bed.reader_pool, bed.archive_id) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)


def _refusals(database: Database) -> list[Any]:
    with psycopg.connect(database.admin_url) as session:
        return session.execute("SELECT archive_id, reason, record FROM private.refusal").fetchall()
