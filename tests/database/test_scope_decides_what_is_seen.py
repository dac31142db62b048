"""Every policy asks api.scope(): no archive set is an error, never all rows (R094, C02)."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from fonds.contract.failures import StoreRefused
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
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
