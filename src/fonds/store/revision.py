"""Which revision a database is at, and which one this code needs; loads no migration tool
(R090).
"""

from __future__ import annotations

from fonds.contract.failures import Failure, StoreRefused
from fonds.store.errors import translated
from fonds.store.pools import Pool, single_connection
from fonds.store.share import share_path
from fonds.store.statements import statements

UNDEFINED_FUNCTION = "42883"
UNDEFINED_SCHEMA = "3F000"
NO_PRIVILEGE = "42501"
# What is said of a function of the house where its schema, or the right to use it, is missing.
NOT_THERE = frozenset({UNDEFINED_FUNCTION, UNDEFINED_SCHEMA, NO_PRIVILEGE})


class WrongRevision(Failure):
    """The database is at another revision than this code needs."""


def head_revision() -> str:
    """The revision this code was written against: the number of the youngest migration file."""
    numbers = sorted(
        file.stem[:4] for file in (share_path("migrations") / "versions").glob("*.sql")
    )
    if not numbers:
        raise Failure("the installation has no migrations: install fonds again")
    return numbers[-1]


def is_at_head(pool: Pool) -> bool:
    """Whether the database still is where this code needs it; raises Unavailable."""
    with translated(), pool.connection() as connection:
        row = connection.execute(statements("served")["revision"]).fetchone()
    return row is not None and row[0] == head_revision()


def check_revision(url: str) -> None:
    """Raises WrongRevision with the remedy unless the database is exactly at head.

    Any login of the house may ask, but the migrator, which owns nothing by itself.
    """
    try:
        with single_connection(url) as connection:
            row = connection.execute("SELECT api.revision()").fetchone()
    except StoreRefused as refused:
        if refused.sqlstate in NOT_THERE:
            raise WrongRevision("the database has no schema yet: run fonds migrate") from None
        raise
    found, needed = (row[0] if row else None), head_revision()
    if found != needed:
        raise WrongRevision(
            f"the database is at revision {found}, this code needs {needed}: run fonds migrate "
            "with this version, or install the version that made it"
        )
