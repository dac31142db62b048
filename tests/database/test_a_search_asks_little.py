"""What a search costs beside its scan: trips to the server, and checks of whose archive it is. Both
are counted, not timed (R094).
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from eval.benchmarks.search import QUESTION, GivenVector
from eval.benchmarks.served_bench import serve, vectors_and_questions
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.search import search
from fonds.store import pools
from fonds.store.pools import Pool
from fonds.store.served_store import PostgresServedStore
from tests.round_trips import traced
from tests.servers import Database

FRAGMENTS = 60
# The moment of the transaction; archive and build; the scan with what it shows; the end of it all.
TRIPS = 4
# The scan asks, and then each of five tables it looks at, one by a word of its own; what is shown
# and how the build stands come out of five more, four of which ask for the live build as well.
CHECKS = 16
VECTORS, QUESTIONS = vectors_and_questions(FRAGMENTS, 1)
_CHECKS = "SELECT pg_stat_get_function_calls('api.scope()'::regprocedure)"


@pytest.fixture
def served(
    database: Database, pool_of: Callable[..., Pool], archive: Callable[[str], int]
) -> tuple[Pool, int]:
    """A live archive, and the one connection it is asked by, which counts its calls."""
    archive_id = archive("one")
    serve(pool_of("fonds_build"), archive_id, VECTORS)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        counted = f"ALTER ROLE fonds_reader IN DATABASE {database.name} SET track_functions = 'pl'"
        admin.execute(counted.encode())
    return pool_of("fonds_reader", size=1), archive_id


def asked(pool: Pool, archive_id: int) -> None:
    embedder = GivenVector()
    embedder.vector = tuple(map(float, QUESTIONS[0].tolist()))
    store = PostgresServedStore(pool, archive_id)
    found = search(SearchRequest(QUESTION, limit=10), store, embedder)
    assert len(found.hits) >= 1


def test_a_search_is_four_trips(served: tuple[Pool, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a wait for another process; content comes with the scan, the wiping with the end."""
    monkeypatch.setattr(pools, "ASKED_AFTER_SECONDS", float("inf"))  # however long it rests here
    pool, archive_id = served
    asked(pool, archive_id)  # the first one connects
    with traced(reader=pool) as trips:
        asked(pool, archive_id)
        assert trips.since() == {"reader": TRIPS}


def test_a_search_is_checked_few_times(served: tuple[Pool, int]) -> None:
    """Every table it reads asks whose rows it may see; no row does."""
    pool, archive_id = served
    asked(pool, archive_id)
    before = checks(pool)
    asked(pool, archive_id)
    assert 0 < checks(pool) - before <= CHECKS


def checks(pool: Pool) -> int:
    """How often the scope was worked out so far, by anybody."""
    with pool.connection() as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
    with pool.connection() as connection:
        row = connection.execute(_CHECKS).fetchone()
        assert row is not None
        return int(row[0] or 0)
