"""A withdrawal beside whoever makes, drops or checks the index of a build (R114, R191)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Thread

import psycopg
import pytest
from psycopg import sql

from fonds.retrieval.retrieve import retrieve
from fonds.store.calibration_store import PostgresCalibrationStore
from fonds.store.pools import Pool
from tests.database.index_bed import SMALL, admitted, both_ways, indexes_of, spread_rows
from tests.database.retrieval_bed import Bed, at_day, ids
from tests.database.rows import Session
from tests.database.test_an_index_shows_what_a_scan_shows import ASKED, QUESTIONS
from tests.scopes import scoped
from tests.servers import Database

CEILING = 60.0  # ends a test that hangs, and decides nothing
GONE = "essay:1#whole"
MAKE = "SELECT api.make_index(%s, 8, 64, 20, 1)"


@pytest.fixture
def bed(pool_of: Callable[..., Pool], archive_id: int) -> Bed:
    found = Bed(pool_of("fonds_build"), pool_of("fonds_reader"), archive_id)
    found.serve(spread_rows(60), floor=0.1)
    return found


@contextmanager
def session_of(database: Database, bed: Bed, role: str) -> Generator[Session]:
    with scoped(database.url(role), bed.archive_id, autocommit=False) as session:
        session.prepare_threshold = None
        yield session


def withdraw(session: Session) -> None:
    """Up to the commit: what waits for it is done already."""
    session.execute("SELECT api.narrow_fragment(%s, 'none')", (GONE,))
    session.execute("SET CONSTRAINTS ALL IMMEDIATE")


def held(database: Database, build_id: int) -> list[object]:
    with psycopg.connect(database.admin_url) as session:
        named = sql.SQL("SELECT fragment_id FROM indexes.{}")
        rows = session.execute(named.format(sql.Identifier(f"near_1_{build_id}"))).fetchall()
    return [row[0] for row in rows]


@contextmanager
def beside(database: Database, call: Callable[[], object]) -> Generator[list[BaseException]]:
    """Runs the call in a thread that has come to wait for a lock, or to its end, where the block
    begins, and is over after it; what it raised.
    """
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except psycopg.Error as trouble:
            raised.append(trouble)

    thread = Thread(target=run)
    thread.start()
    with psycopg.connect(database.admin_url, autocommit=True) as watching:
        waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database()"
        waiting += " AND wait_event_type = 'Lock'"
        while thread.is_alive() and watching.execute(waiting.encode()).fetchone() is None:
            thread.join(0.01)
    yield raised
    thread.join(CEILING)
    assert not thread.is_alive()


def test_what_is_withdrawn_while_an_index_is_made_is_not_in_it(
    database: Database, bed: Bed
) -> None:
    """R191: whoever withdraws finds no copy yet, so whoever makes it looks again."""
    build_id = indexes_of(bed).live_build_id() or 0
    with session_of(database, bed, "fonds_ingest") as author:
        withdraw(author)

        def make() -> None:
            with session_of(database, bed, "fonds_build") as builder:
                builder.execute(MAKE, (build_id,))

        with beside(database, make) as raised:
            author.commit()
    assert raised == []
    assert GONE not in held(database, build_id)


def test_what_is_withdrawn_while_an_index_is_dropped_is_withdrawn(
    database: Database, bed: Bed
) -> None:
    """R191: no withdrawal fails for want of a copy that was there a moment ago."""
    build_id = admitted(bed)
    assert GONE in held(database, build_id)
    with session_of(database, bed, "fonds_build") as builder:
        builder.execute("SELECT api.drop_index(%s)", (build_id,))

        def withdrawn() -> None:
            with session_of(database, bed, "fonds_ingest") as author:
                withdraw(author)

        with beside(database, withdrawn) as raised:
            builder.commit()
    assert raised == []
    assert all(GONE not in ids(found) for found in both_ways(bed, ASKED, QUESTIONS[0]))


def test_no_search_waits_for_an_index_that_is_made_anew(database: Database, bed: Bed) -> None:
    """R114: none is made over one that searches hold; it is dropped before, and that is done."""
    build_id = admitted(bed)
    with session_of(database, bed, "fonds_build") as builder:
        with pytest.raises(psycopg.errors.DuplicateTable):
            builder.execute(MAKE, (build_id,))
        builder.rollback()
        indexes_of(bed).drop(build_id)
        builder.execute(MAKE, (build_id,))
        ours, exact = both_ways(bed, ASKED, QUESTIONS[0])
        assert (ours.by_index, ids(ours)) == (False, ids(exact))
    assert indexes_of(bed).make(build_id, SMALL) == len(held(database, build_id))


def test_what_is_withdrawn_while_an_index_is_checked_leaves_it_unadmitted(
    database: Database, bed: Bed
) -> None:
    """R114, R191: the check ends well, admits nothing, and the next one measures anew."""
    indexes = indexes_of(bed)
    build_id = indexes.live_build_id() or 0
    indexes.make(build_id, SMALL)
    with session_of(database, bed, "fonds_ingest") as author:
        withdraw(author)
    store = PostgresCalibrationStore(bed.build_pool, bed.archive_id)
    with store.as_if_live(build_id, by_index=True) as served, served.reading() as reader:
        assert not retrieve(reader, ASKED, QUESTIONS[0], at_day()).by_index
    for is_measured in (False, True):
        if is_measured:
            indexes.measure_background(build_id)
        indexes.note_check(build_id, questions=1, by_index=1, recall=1.0, admitted=True)
        kept = indexes.index_of(build_id)
        assert kept is not None
        assert kept.admitted is is_measured
