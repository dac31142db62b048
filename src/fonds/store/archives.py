"""Which archive a slug names, and the one run of a job it allows at a time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from fonds.contract.failures import Busy, NothingServed
from fonds.store.errors import translated
from fonds.store.pools import SET_SCOPE, Pool, single_connection
from fonds.store.statements import statements


def register_archive(pool: Pool, *, slug: str, name: str, author: str, base_url: str) -> int:
    """The archive's id, registering it or renewing what is said of it (ingest role)."""
    with translated(), pool.connection() as connection:
        row = connection.execute(
            statements("archives")["register_archive"],
            {"slug": slug, "name": name, "author": author, "base_url": base_url},
        ).fetchone()
    assert row is not None  # noqa: S101 - a function call answers one row
    return int(row[0])


def open_archive(pool: Pool, slug: str) -> int:
    """The archive's id; raises NothingServed when the slug was never ingested."""
    with translated(), pool.connection() as connection:
        row = connection.execute(statements("archives")["open_archive"], {"slug": slug}).fetchone()
    if row is None or row[0] is None:
        raise NothingServed(
            f"no archive '{slug}' in this database: run fonds ingest, then fonds build"
        )
    return int(row[0])


@contextmanager
def job_lock(url: str, archive_id: int, job: str) -> Generator[None]:
    """Holds the archive's row of one job until the block ends or the process dies; raises Busy.

    A row of ours, not an advisory key, which any login could take.
    """
    with single_connection(url) as connection:
        connection.execute(SET_SCOPE, {"archive": str(archive_id)})
        try:
            connection.execute(statements("archives")["take_job_lock"], {"job": job})
        except psycopg.errors.LockNotAvailable:
            raise Busy(
                f"another {job} of this archive is running: try again when it has ended"
            ) from None
        yield
