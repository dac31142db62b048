"""The served schema as the reader role sees it: one build, one snapshot, a request (R095, R100)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb

from fonds.contract.failures import NothingServed
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRows
from fonds.contract.ports import ServedReader
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.store.errors import translated
from fonds.store.pools import SET_SCOPE, Pool, snapshot
from fonds.store.served_rows import (
    Row,
    build_from,
    content_from,
    content_rows_from,
    filter_arguments,
    near_arguments,
    near_rows_from,
)
from fonds.store.statements import statements


class PostgresServedStore:
    """Serves one archive over a pool of the reader role.

    The pool's sessions are REPEATABLE READ: a build that goes live during a request is not seen.
    """

    def __init__(self, pool: Pool, archive_id: int) -> None:
        self._pool = pool
        self._archive_id = archive_id

    @contextmanager
    def reading(self) -> Generator[ServedReader]:
        """One transaction on the live build; raises NothingServed when none is live."""
        opening = statements("served")["live_build"]
        values = {"archive_id": self._archive_id}
        with snapshot(self._pool, self._archive_id, opening, values) as (connection, rows):
            if not rows:
                raise NothingServed("no build is live: run fonds build")
            yield PostgresServedReader(connection, self._archive_id, build_from(rows[0]))


class PostgresServedReader:
    """One request's view. Lives as long as the transaction that opened it."""

    def __init__(self, connection: Connection[Any], archive_id: int, build: LiveBuild) -> None:
        self._connection = connection
        self._archive_id = archive_id
        self._build = build
        self._came: dict[str, Row] = {}  # content that came with a scan

    @property
    def build(self) -> LiveBuild:
        return self._build

    def nearest(self, query: NearQuery) -> NearRows:
        """The rows that can change the result; private rows carry their released cosine."""
        rows = _all(self._connection, "nearest", **near_arguments(query))
        self._came |= content_rows_from(rows)
        return near_rows_from(rows, query.texts)

    def excluded_undated(self, filters: NearFilters) -> int:
        """Undated fragments every other filter would have kept (R104)."""
        return int(_all(self._connection, "undated", **filter_arguments(filters))[0][0])

    def content(
        self, fragment_ids: Sequence[str]
    ) -> Mapping[str, tuple[ServedFragment, ServedEntity]]:
        """What may be shown of fragments of the live build; an id it does not hold is left out."""
        found = {asked: self._came[asked] for asked in fragment_ids if asked in self._came}
        missing = [asked for asked in fragment_ids if asked not in found]
        if missing:
            rows = _all(
                self._connection,
                "content",
                archive_id=self._archive_id,
                build_id=self._build.build_id,
                fragment_ids=missing,
            )
            found |= {row[0]: row for row in rows}
        return {asked: content_from(found[asked]) for asked in fragment_ids if asked in found}


class PostgresRefusalLog:
    """Appends refusal records over a pool of the reader role, which can read none (R164)."""

    def __init__(self, pool: Pool, archive_id: int) -> None:
        self._pool = pool
        self._archive_id = archive_id

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None:
        """Commits one record in a transaction of its own."""
        with translated(), self._pool.connection() as connection:
            kept = connection.read_only
            # A session of the reader is read-only; its one insertion is a function's.
            connection.read_only = False
            try:
                with connection.transaction():
                    connection.execute(SET_SCOPE, {"archive": str(self._archive_id)})
                    _all(connection, "note_refusal", reason=reason, record=Jsonb(dict(record)))
            finally:
                if not connection.closed:
                    connection.read_only = kept


def _all(connection: Connection[Any], name: str, **values: object) -> list[Row]:
    return connection.execute(statements("served")[name], values).fetchall()
