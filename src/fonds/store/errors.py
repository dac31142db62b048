"""Turns what psycopg raises into what may be printed: SQLSTATE and names, never a value (R097)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolTimeout

from fonds.contract.failures import StoreRefused, Unavailable


@contextmanager
def translated() -> Generator[None]:
    """Everything a statement may raise leaves as StoreRefused or Unavailable, without its message.

    Postgres prints whole rows in DETAIL and values in cast errors; neither survives here, nor as a
    cause.
    """
    try:
        yield
    except PoolTimeout:
        raise Unavailable("the database did not answer in time: is the server running?") from None
    except psycopg.OperationalError as trouble:
        raise _operational(trouble) from None
    except psycopg.Error as trouble:
        raise _refused(trouble) from None


def _operational(trouble: psycopg.OperationalError) -> StoreRefused | Unavailable:
    if isinstance(trouble, psycopg.errors.QueryCanceled):
        return Unavailable("a statement ran longer than it may, or was cancelled: try again")
    if trouble.sqlstate is None or trouble.sqlstate.startswith(("08", "57P")):
        return Unavailable(
            "the database cannot be reached: check that the server runs, the URL and its password"
        )
    return _refused(trouble)


def _refused(trouble: psycopg.Error) -> StoreRefused:
    return StoreRefused(trouble.sqlstate, trouble.diag.table_name, trouble.diag.constraint_name)
