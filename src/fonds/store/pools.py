"""One pool a role, and the one way a transaction begins (design decision 4)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, LiteralString, TypeAlias

import psycopg
from pgvector.psycopg import register_vector
from psycopg import Connection, IsolationLevel
from psycopg_pool import ConnectionPool

from fonds.store.errors import translated

Pool: TypeAlias = ConnectionPool[Connection[Any]]

SET_SCOPE: LiteralString = "SELECT set_config('fonds.archive', %(archive)s, true)"
CONNECT_SECONDS = 5


def open_pool(url: str, *, read_only: bool = False, size: int = 4, name: str = "fonds") -> Pool:
    """A pool whose connections are checked when borrowed and wiped when returned.

    `read_only` sessions are REPEATABLE READ, READ ONLY: one request sees one build. It opens
    lazily; a server that is not there shows at the first transaction as Unavailable.
    """

    def configure(connection: Connection[Any]) -> None:
        register_vector(connection)
        connection.rollback()
        connection.prepare_threshold = None  # nothing survives DISCARD ALL, so preparing only costs
        if read_only:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            connection.read_only = True

    pool: Pool = ConnectionPool(
        url,
        configure=configure,
        reset=_wipe,
        check=ConnectionPool.check_connection,
        open=False,
        min_size=0,
        max_size=size,
        timeout=CONNECT_SECONDS,
        reconnect_timeout=CONNECT_SECONDS,
        name=name,
        kwargs={"connect_timeout": CONNECT_SECONDS},
    )
    pool.open()
    return pool


@contextmanager
def transaction(pool: Pool, archive_id: int) -> Generator[Connection[Any]]:
    """One unit of work for one archive; commits at its end. The scope is its first statement and
    ends with it.

    Raises StoreRefused or Unavailable, never a driver's own error.
    """
    with translated(), pool.connection() as connection, connection.transaction():
        connection.execute(SET_SCOPE, {"archive": str(archive_id)})
        yield connection


@contextmanager
def single_connection(url: str, *, autocommit: bool = False) -> Generator[Connection[Any]]:
    """A connection of its own, for what lives longer than a transaction: migrations, locks,
    proofs.
    """
    with (
        translated(),
        psycopg.connect(url, autocommit=autocommit, connect_timeout=CONNECT_SECONDS) as connection,
    ):
        connection.prepare_threshold = None
        yield connection


def _wipe(connection: Connection[Any]) -> None:
    connection.autocommit = True
    connection.execute("DISCARD ALL")
    connection.autocommit = False
