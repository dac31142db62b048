"""What a search of public layers walks is what is public: private rows beside it add none, so that
its time says nothing of them. Counted in the plans that were run (R097).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import psycopg
import pytest

from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import serve, vectors_and_questions
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.search import search
from fonds.store.pools import Pool
from fonds.store.served_store import PostgresServedStore
from tests.database.plan_rows import ShownPlans, shown_plans
from tests.servers import Database

PUBLIC, PRIVATE = 200, 600
EVERYTHING, PUBLIC_LAYERS = Filters(), Filters(raw="public")
VECTORS, QUESTIONS = vectors_and_questions(PUBLIC, 1)
# Each public row has so many private ones beside it.
_HIDDEN = (
    """
    INSERT INTO served.entity
    SELECT e.archive_id, e.build_id, 'note:' || n || substr(e.entity_id, 6), 'private', 'note',
           'Note ' || n, e.url, e.attribution, NULL, NULL, '[]', NULL, '{}'
      FROM served.entity e, generate_series(1, %(of_each)s) AS n WHERE e.archive_id = %(archive)s
    """,
    """
    INSERT INTO served.fragment
    SELECT e.archive_id, e.build_id, e.entity_id || '#p-4', e.entity_id, 'private', 'locator',
           '[{"scheme": "page", "value": "4"}]', 'p. 4', '', '', '{}', NULL, NULL, NULL, '[]', NULL,
           NULL, NULL, '{}'
      FROM served.entity e WHERE e.archive_id = %(archive)s AND e.raw = 'private'
    """,
    """
    INSERT INTO served.embedding
    SELECT f.archive_id, f.build_id, f.fragment_id, f.entity_id, 'private', 'locator', 'note', NULL,
           NULL, v.dimensions, v.embedding, NULL
      FROM served.fragment f JOIN served.embedding v
        ON v.archive_id = f.archive_id AND v.build_id = f.build_id
       AND v.entity_id = 'essay' || substr(f.entity_id, 7)
     WHERE f.archive_id = %(archive)s AND f.raw = 'private'
    """,
)
# All that are served say it of themselves.
_BORNE = {
    "creator": """
        INSERT INTO served.name
        SELECT archive_id, build_id, 'creator', %(said)s, false, fragment_id
          FROM served.fragment WHERE archive_id = %(archive)s ON CONFLICT DO NOTHING
        """,
    "theme": """
        INSERT INTO served.phrase
        SELECT archive_id, build_id, %(said)s, 'theme', fragment_id, 0
          FROM served.fragment WHERE archive_id = %(archive)s ON CONFLICT DO NOTHING
        """,
}


@dataclass
class Ground:
    """Archives as the build role writes them; nothing is analysed but by a test."""

    admin: psycopg.Connection[tuple[object, ...]]
    archive: Callable[[str], int]
    build: Pool
    reader: Pool
    plans: ShownPlans

    def served(self) -> int:
        """An archive beside another: which of two a page of the server holds first, it counts."""
        other, asked = self.archive("other"), self.archive("asked")
        for archive_id in (other, asked):
            serve(self.build, archive_id, VECTORS)
        return asked

    def hide(self, archive_id: int) -> None:
        """Private rows beside its public ones."""
        given = {"archive": archive_id, "of_each": PRIVATE // PUBLIC}
        for statement in _HIDDEN:
            self.admin.execute(statement.encode(), given)

    def walked(self, archive_id: int, filters: Filters) -> tuple[int, int]:
        """Rows and pages, by the plans that a session comes to after some questions."""
        embedder = GivenVector()
        embedder.vector = tuple(map(float, QUESTIONS[0].tolist()))
        store = PostgresServedStore(self.reader, archive_id)
        for _ in range(7):
            self.plans.forget()
            assert search(SearchRequest(QUESTION, limit=10, filters=filters), store, embedder).hits
        return self.plans.taken()


@pytest.fixture
def ground(
    database: Database, pool_of: Callable[..., Pool], archive: Callable[[str], int]
) -> Generator[Ground]:
    with (
        psycopg.connect(database.admin_url, autocommit=True) as admin,
        shown_plans(database, "fonds_reader") as (reader, plans),
    ):
        for table in ("embedding", "phrase", "name", "posting", "fragment", "entity", "build"):
            admin.execute(f"ALTER TABLE served.{table} SET (autovacuum_enabled = off)".encode())
        yield Ground(admin, archive, pool_of("fonds_build"), reader, plans)


@pytest.mark.parametrize("analysed", [False, True])
def test_a_search_of_public_layers_walks_no_private_row(ground: Ground, *, analysed: bool) -> None:
    """Nor a page more than indexes get deeper, with statistics and without."""
    archive_id = ground.served()
    if analysed:
        ground.admin.execute("ANALYZE")
    rows, pages = ground.walked(archive_id, PUBLIC_LAYERS)
    ground.hide(archive_id)
    if analysed:
        ground.admin.execute("ANALYZE")
    same_rows, same_pages = ground.walked(archive_id, PUBLIC_LAYERS)
    assert same_rows == rows
    assert same_pages <= pages + 5


def test_private_rows_that_are_walked_would_be_seen(ground: Ground) -> None:
    """The premise: they are there, and without the index of public rows they are passed over one
    by one.
    """
    archive_id = ground.served()
    everything, _ = ground.walked(archive_id, EVERYTHING)
    public, _ = ground.walked(archive_id, PUBLIC_LAYERS)
    ground.hide(archive_id)
    assert ground.walked(archive_id, EVERYTHING)[0] >= everything + PRIVATE
    ground.admin.execute("DROP INDEX served.embedding_of_public")
    assert ground.walked(archive_id, PUBLIC_LAYERS)[0] >= public + PRIVATE


@pytest.mark.parametrize("kind", ["creator", "theme"])
def test_a_limit_who_bears_a_name_or_a_phrase_is_looked_up_in_every_layer(
    ground: Ground, kind: str
) -> None:
    """A search of all layers, which anybody may ask as well, tells of whoever is found there."""
    archive_id = ground.served()
    said = QUESTION.split()[0].lower()
    given = {"archive": archive_id, "said": said}
    filters = Filters(raw="public", creator=said) if kind == "creator" else PUBLIC_LAYERS
    lengths = "UPDATE served.build SET phrase_word_lengths = '{1}' WHERE archive_id = %(archive)s"
    ground.admin.execute(lengths, given)
    ground.admin.execute(_BORNE[kind].encode(), given)
    walked, _ = ground.walked(archive_id, filters)
    ground.hide(archive_id)
    ground.admin.execute(_BORNE[kind].encode(), given)
    assert ground.walked(archive_id, filters)[0] >= walked + PRIVATE
