"""Every archive of a database, as its host sees them, and how one leaves (R192)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.rows import class_row

from fonds.contract.archive_standing import ArchiveStanding, PastRemoval
from fonds.contract.failures import Busy, ValidationRefused
from fonds.store.errors import translated
from fonds.store.pools import Pool, scoped_connection, transaction
from fonds.store.scope import Login
from fonds.store.statements import statements

# Rows a transaction: some hundred milliseconds of one archive's rows, and nobody else's.
PORTION: Final = 20_000


def standing_archives(pool: Pool) -> tuple[ArchiveStanding, ...]:
    """All that are registered, those that are leaving included, by slug (host role)."""
    with (
        translated(),
        pool.connection() as connection,
        connection.cursor(row_factory=class_row(ArchiveStanding)) as cursor,
    ):
        return tuple(cursor.execute(statements("hosting")["list_archives"]).fetchall())


def past_removals(pool: Pool) -> tuple[PastRemoval, ...]:
    """What was removed from this database, oldest first (host role)."""
    with (
        translated(),
        pool.connection() as connection,
        connection.cursor(row_factory=class_row(PastRemoval)) as cursor,
    ):
        return tuple(cursor.execute(statements("hosting")["list_removals"]).fetchall())


def remove_archive(
    login: Login,
    pool: Pool,
    archive_id: int,
    *,
    portion: int = PORTION,
    on_portion: Callable[[int], None] = lambda gone: None,
) -> int:
    """Erases an archive and returns how many rows went before its own (host role).

    Nobody is let in from the first commit on; then rows go portion by portion, and the archive's
    own row last. What died in between is completed by running it again. Raises Busy, with nothing
    changed, while a job of the archive runs; ValidationRefused when a table would keep something.
    """
    with _jobs_held(login, archive_id) as holding:
        kept = [str(row[0]) for row in holding.execute(statements("hosting")["unremovable"])]
        if kept:
            raise ValidationRefused(
                f"a removal would not reach {', '.join(kept)}: nothing was removed"
            )
        with transaction(pool, archive_id) as connection:
            connection.execute(statements("hosting")["begin_removal"])
        gone = 0
        while erased := _portion(pool, archive_id, portion):
            gone += erased
            on_portion(gone)
        holding.execute(statements("hosting")["finish_removal"], {"rows": gone})
    return gone


def _portion(pool: Pool, archive_id: int, most: int) -> int:
    with transaction(pool, archive_id) as connection:
        row = connection.execute(statements("hosting")["remove_portion"], {"most": most}).fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _jobs_held(login: Login, archive_id: int) -> Generator[Connection[Any]]:
    """A transaction that holds every job of the archive; it commits where the block ends well."""
    with scoped_connection(login, archive_id) as connection:
        try:
            connection.execute(statements("hosting")["hold_jobs"])
        except psycopg.errors.LockNotAvailable:
            raise Busy("a job of this archive is running: try again when it has ended") from None
        yield connection
