"""Which archive a slug names, and the one run of a job it allows at a time."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

import psycopg
from psycopg import Cursor

from fonds.contract.allowances import Allowances
from fonds.contract.failures import Busy, NothingServed, StoreRefused
from fonds.store.errors import translated
from fonds.store.pools import Pool, scoped_connection, transaction
from fonds.store.scope import Login
from fonds.store.statements import dict_rows, statements

CLOSED: Final = Allowances()  # what an archive has whose owner says nothing
NOT_IN_SCOPE: Final = "55000"


def register_archive(
    pool: Pool,
    *,
    slug: str,
    name: str,
    author: str,
    base_url: str,
    allowances: Allowances = CLOSED,
) -> int:
    """The archive's id, registering it or renewing what is said of it (ingest or host role).

    One that is there is renewed in its own scope. Raises Busy while the archive is being removed.
    """
    values = {
        "slug": slug,
        "name": name,
        "author": author,
        "base_url": base_url,
        "anonymous": allowances.anonymous,
        "minute": allowances.caller_per_minute,
        "day": allowances.caller_per_day,
        "archive_day": allowances.archive_per_day,
        "private_day": allowances.private_per_day,
    }
    made = _registered(pool, slug, values)
    if made is None:
        raise Busy(f"archive '{slug}' is being removed: end that first, fonds archive remove")
    return made


def _registered(pool: Pool, slug: str, values: Mapping[str, object]) -> int | None:
    found = _found(pool, slug)
    if found is None:
        try:
            with translated(), pool.connection() as connection:
                return _id_of(
                    connection.execute(statements("archives")["register_archive"], values)
                )
        except StoreRefused as refused:
            found = _found(pool, slug)  # somebody else may have registered it in between
            if refused.sqlstate != NOT_IN_SCOPE or found is None:
                raise
    with transaction(pool, found) as connection:
        return _id_of(connection.execute(statements("archives")["register_archive"], values))


def open_archive(pool: Pool, slug: str) -> int:
    """The archive's id; raises NothingServed when the slug was never ingested."""
    found = _found(pool, slug)
    if found is None:
        raise NothingServed(
            f"no archive '{slug}' in this database: run fonds ingest, then fonds build"
        )
    return found


def _found(pool: Pool, slug: str) -> int | None:
    with translated(), pool.connection() as connection:
        return _id_of(connection.execute(statements("archives")["open_archive"], {"slug": slug}))


def _id_of(cursor: Cursor[Any]) -> int | None:
    """What a function answered: an archive's id, or NULL."""
    row = cursor.fetchone()
    return None if row is None or row[0] is None else int(row[0])


@contextmanager
def job_lock(login: Login, archive_id: int, job: str) -> Generator[None]:
    """Holds the archive's row of one job until the block ends or the process dies, or is
    not heard of for a minute; raises Busy.

    A row of ours, not an advisory key, which any login could take.
    """
    with scoped_connection(login, archive_id) as connection:
        connection.execute(statements("archives")["notice_a_death"])
        try:
            connection.execute(statements("archives")["take_job_lock"], {"job": job})
        except psycopg.errors.LockNotAvailable:
            raise Busy(
                f"another {job} of this archive is running: try again when it has ended"
            ) from None
        yield


def last_runs(login: Login, archive_id: int, most: int) -> tuple[tuple[str, str, datetime], ...]:
    """(job, outcome, when it ended) of the archive's last runs, youngest first (ingest role)."""
    with scoped_connection(login, archive_id) as connection:
        rows = dict_rows(connection, "archives", "last_runs", most=most)
    return tuple((row["job"], row["outcome"], row["finished_at"]) for row in rows)
