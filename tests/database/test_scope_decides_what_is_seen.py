"""Every policy asks api.scope(): no archive set is an error, never all rows (R094, C02)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import LiteralString

import psycopg
import pytest

from fonds.contract.failures import StoreRefused
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from fonds.store.scope import ASK_MOMENT, SET_BOUNDED_SCOPE, SET_SCOPE, moment_of
from tests.servers import Database


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator"])
def test_without_an_archive_private_rows_are_an_error(database: Database, role: str) -> None:
    with (
        psycopg.connect(database.url(role)) as session,
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
    ):
        session.execute("SELECT entity_id FROM private.entity")


def test_without_an_archive_served_rows_are_an_error(database: Database) -> None:
    with (
        psycopg.connect(database.url("fonds_reader")) as session,
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
    ):
        session.execute("SELECT fragment_id FROM served.fragment")


def test_a_scope_ends_with_its_transaction(pool_of: Callable[..., Pool], archive_id: int) -> None:
    """A pool of one connection: the next borrower inherits no archive (C02)."""
    pool = pool_of("fonds_ingest", size=1)
    with transaction(pool, archive_id) as first:
        assert first.execute("SELECT api.scope()").fetchone() == (archive_id,)
    with pytest.raises(StoreRefused, match="55000"), translated(), pool.connection() as second:
        second.execute("SELECT entity_id FROM private.entity")


@pytest.mark.parametrize("setting", [SET_SCOPE, SET_BOUNDED_SCOPE])
def test_a_scope_leaves_nothing_on_its_session(database: Database, setting: LiteralString) -> None:
    """Committed, the session names no archive any more, not even one that no seal would open, and
    has its own patience again.
    """
    login = database.login("fonds_reader")
    asked = "SELECT current_setting('fonds.archive', true), current_setting('statement_timeout')"
    with psycopg.connect(login.url) as session:
        patience = session.execute("SHOW statement_timeout").fetchone()
        session.rollback()
        with session.transaction():
            seal = login.sealed(1, moment_of(session.execute(ASK_MOMENT)))
            session.execute(setting, {"archive": seal, "longest": "41s"})
            during = session.execute(asked).fetchone()
            assert during is not None
            assert during[0].startswith("1:")
            assert (during[1] == "41s") == (setting == SET_BOUNDED_SCOPE)
        after = session.execute(asked).fetchone()
    assert after is not None
    assert after[0] in (None, "")
    assert after[1:] == patience


def test_two_that_register_one_archive_get_one(
    database: Database, archive: Callable[[str], int]
) -> None:
    """Who comes second waits for the first, finds the archive, and renews it in its scope."""
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = %s"
    with (
        psycopg.connect(database.url("fonds_ingest")) as first,
        psycopg.connect(database.admin_url, autocommit=True) as admin,
        ThreadPoolExecutor(1) as threads,
    ):
        made = first.execute(
            "SELECT api.register_archive('example', 'Before', 'A', 'https://e.org')"
        ).fetchone()
        second = threads.submit(archive, "example")
        while admin.execute(waits, (database.name,)).fetchone() != (1,):
            assert not second.done()
        first.commit()
        assert (second.result(),) == made
        names = admin.execute("SELECT name FROM private.archive").fetchall()
    assert names == [("Archive example",)]
