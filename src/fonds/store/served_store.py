"""The served schema as the reader role sees it: one build, one snapshot, a request (R095, R100)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from psycopg import Connection

from fonds.contract.failures import NothingServed
from fonds.contract.holdings import Holdings
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRows
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.store.pools import Pool, snapshot
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

MOST_TYPES: Final = 40
MOST_THEMES: Final = 16  # what a reader takes in at a glance


class PostgresServedStore:
    """Serves one archive over a pool of the reader role.

    The pool's sessions are REPEATABLE READ: a build that goes live during a request is not seen.
    `exactly` compares every row, whatever index there is (R114).
    """

    def __init__(self, pool: Pool, archive_id: int, *, exactly: bool = False) -> None:
        self._pool = pool
        self._archive_id = archive_id
        self._exactly = exactly

    @contextmanager
    def reading(self) -> Generator[PostgresServedReader]:
        """One transaction on the live build; raises NothingServed when none is live."""
        opening = statements("served")["live_build"]
        values = {"archive_id": self._archive_id}
        with snapshot(self._pool, self._archive_id, opening, values) as (connection, rows):
            if not rows:
                raise NothingServed("no build is live: run fonds build")
            yield PostgresServedReader(
                connection,
                self._archive_id,
                build_from(rows[0]),
                exactly=self._exactly,
                end=connection.end,
            )


class PostgresServedReader:
    """One request's view. Lives as long as the transaction that opened it."""

    def __init__(
        self,
        connection: Connection[Any],
        archive_id: int,
        build: LiveBuild,
        *,
        exactly: bool = False,
        end: Callable[[], None] | None = None,
    ) -> None:
        self._end = end
        self._connection = connection
        self._archive_id = archive_id
        self._build = build
        self._exactly = exactly
        self._came: dict[str, Row] = {}  # content that came with a scan

    @property
    def build(self) -> LiveBuild:
        return self._build

    def nearest(self, query: NearQuery) -> NearRows:
        """The rows that can change the result; private rows carry their released cosine."""
        values = near_arguments(query, exactly=self._exactly)
        rows = _all(self._connection, "nearest", **values)
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

    def done(self) -> None:
        """The server ends the transaction while its caller goes on, where it is this one's own."""
        if self._end is not None:
            self._end()

    def holdings(self) -> Holdings:
        """What the live build holds of what is public; reads every public row (R190)."""
        ((types, counts, themes, first_year, last_year),) = _all(
            self._connection,
            "holdings",
            archive_id=self._archive_id,
            build_id=self._build.build_id,
            most_types=MOST_TYPES,
            most_themes=MOST_THEMES,
        )
        return Holdings(
            built_at=self._build.built_at,
            types=tuple(zip(types, counts, strict=True)),
            first_year=first_year,
            last_year=last_year,
            themes=tuple(themes),
        )


def _all(connection: Connection[Any], name: str, **values: object) -> list[Row]:
    return connection.execute(statements("served")[name], values).fetchall()
