"""What a search walks is its own archive, once, whatever statistics say and whoever else is there:
counted in the plans that were run, not timed (R094, R100).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import psycopg
import pytest

from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import serve, vectors_and_questions
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.boosts import FULL_BOOSTS
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import search
from fonds.store.pools import Pool
from fonds.store.served_store import PostgresServedStore
from tests.database.plan_rows import ShownPlans, shown_plans
from tests.servers import Database

SMALL, LARGE = 100, 600
OTHERS = 6
NO_FILTERS = Filters()
_NAMED = b"""
    INSERT INTO served.name (archive_id, build_id, kind, name, unspaced, fragment_id)
    SELECT archive_id, build_id, 'creator', 'person a', false, fragment_id FROM served.fragment
    ON CONFLICT DO NOTHING
    """
VECTORS, QUESTIONS = vectors_and_questions(LARGE, 1)


@dataclass
class Ground:
    """Archives are written as the build role writes them; nothing is analysed but by a test."""

    database: Database
    archive: Callable[[str], int]
    build: Pool
    reader: Pool
    plans: ShownPlans

    def served(self, slug: str, fragments: int) -> int:
        archive_id = self.archive(slug)
        serve(self.build, archive_id, VECTORS[:fragments])
        return archive_id

    def undated(self, slug: str, fragments: int) -> int:
        """The same, each fragment by somebody of a name and of no date."""
        archive_id = self.served(slug, fragments)
        self.administer(_NAMED)
        self.administer(b"UPDATE served.embedding SET date_start = NULL, date_end = NULL")
        return archive_id

    def walked(self, archive_id: int, filters: Filters = NO_FILTERS) -> tuple[int, int]:
        """Rows and pages of one search, by the plans a session comes to: it plans the first five
        times for what is asked, and then for whatever may be asked.
        """
        embedder = GivenVector()
        embedder.vector = tuple(map(float, QUESTIONS[0].tolist()))
        settings = RetrievalSettings(boosts=FULL_BOOSTS)
        store = PostgresServedStore(self.reader, archive_id)
        for _ in range(7):
            self.plans.forget()
            request = SearchRequest(QUESTION, limit=10, filters=filters)
            found = search(request, store, embedder, settings)
            assert found.hits or found.excluded_undated
        return self.plans.taken()

    def administer(self, statement: bytes) -> None:
        with psycopg.connect(self.database.admin_url, autocommit=True) as admin:
            admin.execute(statement)


@pytest.fixture
def ground(
    database: Database, pool_of: Callable[..., Pool], archive: Callable[[str], int]
) -> Generator[Ground]:
    with shown_plans(database, "fonds_reader") as (reader, plans):
        made = Ground(database, archive, pool_of("fonds_build"), reader, plans)
        for table in ("embedding", "phrase", "name", "posting", "fragment", "entity", "build"):
            made.administer(f"ALTER TABLE served.{table} SET (autovacuum_enabled = off)".encode())
        yield made


def test_a_search_right_after_the_first_build_walks_rows_in_proportion(ground: Ground) -> None:
    """No statistics are there yet: eight times the archive is about eight times the rows."""
    small = ground.served("small", SMALL)
    few, _ = ground.walked(small)
    large = ground.served("large", LARGE)
    many, _ = ground.walked(large)
    assert many <= 1.5 * few * LARGE / SMALL


def test_looking_at_an_archive_row_by_row_would_be_seen(ground: Ground) -> None:
    """The count can fail: what each row of a scan asks of all others grows with the square."""
    ground.administer(
        b"ALTER POLICY archive_is_searched ON served.embedding USING (archive_id = (SELECT"
        b" api.scope()) AND 0 < (SELECT count(*) FROM served.phrase p"
        b" WHERE p.archive_id = embedding.archive_id))"
    )
    few, _ = ground.walked(ground.served("small", SMALL))
    many, _ = ground.walked(ground.served("large", LARGE))
    assert many > 1.5 * few * LARGE / SMALL


def test_undated_fragments_of_somebody_are_counted_in_proportion(ground: Ground) -> None:
    """R104: whose they are is looked up once, also by a plan that is made for any question."""
    asked = Filters(date_from="1990", creator="Person A")
    few, _ = ground.walked(ground.undated("small", SMALL), asked)
    many, _ = ground.walked(ground.undated("large", LARGE), asked)
    assert many <= 1.5 * few * LARGE / SMALL


@pytest.mark.parametrize("analysed", [False, True])
def test_a_search_walks_no_row_of_another_archive(ground: Ground, *, analysed: bool) -> None:
    """R094: archives beside it add no row, and no more pages than indexes get deeper."""
    own = ground.served("own", SMALL)
    rows, pages = ground.walked(own)
    for number in range(OTHERS):
        ground.served(f"other-{number}", 2 * SMALL)
    if analysed:
        ground.administer(b"ANALYZE")
    more_rows, more_pages = ground.walked(own)
    # Another plan may pass the same rows through a step more; the others hold twelve times as many.
    assert more_rows <= 1.5 * rows
    assert more_pages <= 1.5 * pages
