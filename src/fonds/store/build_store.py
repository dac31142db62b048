"""The served side as the build role writes it: materialise, validate, switch, roll back (R092,
R093, R095).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from psycopg import Connection, IsolationLevel

from fonds.contract.build_store import BuildSession, BuildSummary, BuildTerms
from fonds.contract.failures import NothingServed, ValidationRefused
from fonds.contract.fragment_change import FragmentChange
from fonds.contract.swept_string import SweptString
from fonds.store.build_rows import change_from, summary_from
from fonds.store.build_session import PostgresBuildSession
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from fonds.store.scope import enter
from fonds.store.statements import Row, dict_rows, statements


@dataclass(frozen=True, slots=True)
class PostgresBuildStore:
    """One archive's builds, over a pool of the build role."""

    pool: Pool
    archive_id: int

    @contextmanager
    def session(self, terms: BuildTerms) -> Generator[BuildSession]:
        """Numbers a build, opens its snapshot, and commits what was materialised when the block
        ends well.

        When it does not, the build leaves no row behind.
        """
        with self._transaction() as connection:
            build_id = self._begin(connection, terms)
            connection.execute(statements("build")["drop_unfinished"], {"besides": build_id})
        try:
            with self._snapshot() as connection:
                yield self._opened(connection, build_id, terms)
        except BaseException:
            with self._transaction() as connection:
                connection.execute(statements("build")["drop_build"], {"build_id": build_id})
            raise

    def builds(self) -> Sequence[BuildSummary]:
        return [summary_from(row) for row in self._rows("builds")]

    def served_problems(self, build_id: int) -> Sequence[str]:
        found = self._rows("served_problems", build_id=build_id) + self._rows(
            "second_lint", build_id=build_id
        )
        return [str(next(iter(row.values()))) for row in found]

    def swept_strings(self, build_id: int) -> Iterator[SweptString]:
        return (
            SweptString(row["owner_id"], row["entity_id"], row["kind"], row["text"])
            for row in self._rows("swept_strings", build_id=build_id)
        )

    def waiting(self, build_id: int) -> tuple[FragmentChange, ...]:
        with self._transaction() as connection:
            rows = dict_rows(connection, "difference", "waiting", build_id=build_id)
        return tuple(change_from(row) for row in rows)

    def known_ids(self) -> frozenset[str]:
        """Ids of every entity and fragment of the private schema, withheld ones included."""
        return frozenset(row["id"] for row in self._rows("known_ids"))

    def mark_checked(self, build_id: int) -> None:
        self._mark(build_id, "checked")

    def discard(self, build_id: int) -> None:
        with self._transaction() as connection:
            connection.execute(statements("build")["drop_build"], {"build_id": build_id})

    def switch(self, build_id: int, *, keep: int, accepted: Sequence[str] = ()) -> int:
        catch_up, named = statements("build")["catch_up"], {"build_id": build_id}
        with self._transaction() as connection:
            applied = connection.execute(catch_up, named).fetchone()
            self._point(connection, build_id)
            connection.execute(statements("build")["prune"], {"keep": keep})
            # What the builds that went alone had to be told is forgotten with them.
            connection.execute(catch_up, named)
            if accepted:
                connection.execute(
                    statements("difference")["note_accepted"], {"fragment_ids": list(accepted)}
                )
        return int(applied[0]) if applied else 0

    def rollback(self) -> BuildSummary:
        with self._transaction() as connection:
            connection.execute(statements("build")["drop_unfinished"], {"besides": 0})
            row = connection.execute(statements("build")["previous"]).fetchone()
            if row is None:
                raise NothingServed("there is no earlier build to go back to")
            connection.execute(statements("build")["catch_up"], {"build_id": row[0]})
            self._point(connection, row[0])
            # What was left is not gone back to: it would serve again what waits for its owner.
            connection.execute(statements("build")["abandon"], {"left": row[1]})
        return next(build for build in self.builds() if build.build_id == row[0])

    def prune(self, keep: int) -> int:
        with self._transaction() as connection:
            return connection.execute(statements("build")["prune"], {"keep": keep}).rowcount

    def _begin(self, connection: Connection[Any], terms: BuildTerms) -> int:
        space = asdict(terms.space) | {"space_id": terms.space.space_id}
        values = space | {"score_floor": terms.score_floor, "coverage_floor": terms.coverage_floor}
        row = connection.execute(statements("build")["begin_build"], values).fetchone()
        if row is None:
            raise NothingServed("the archive is not registered: run fonds ingest")
        return int(row[0])

    @contextmanager
    def _transaction(self) -> Generator[Connection[Any]]:
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("build")["plan_for_many"])
            yield connection

    @contextmanager
    def _snapshot(self) -> Generator[Connection[Any]]:
        with translated(), self.pool.connection() as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            try:
                with connection.transaction():
                    enter(connection, self.pool.login, self.archive_id)
                    connection.execute(statements("build")["plan_for_many"])
                    yield connection
            finally:
                if not connection.closed:  # a broken one is not returned to anybody
                    connection.isolation_level = IsolationLevel.READ_COMMITTED

    def _opened(
        self, connection: Connection[Any], build_id: int, terms: BuildTerms
    ) -> BuildSession:
        narrowing = connection.execute(statements("build")["snapshot_narrowing"]).fetchone()
        space_id = terms.space.space_id
        written = f"{space_id}:{terms.score_floor!r}:{terms.coverage_floor!r}:{terms.rules}"
        made = connection.execute(
            statements("build")["fingerprint"], {"terms": written, "space_id": space_id}
        ).fetchone()
        if narrowing is None or made is None:
            raise ValidationRefused("the archive has no row of its own: run fonds ingest")
        return PostgresBuildSession(connection, build_id, terms, str(made[0]), int(narrowing[0]))

    def _point(self, connection: Connection[Any], build_id: int) -> None:
        connection.execute(statements("build")["retire_live"], {"build_id": build_id})
        if (
            connection.execute(statements("build")["point"], {"build_id": build_id}).fetchone()
            is None
        ):
            raise ValidationRefused(f"build {build_id} was not checked and cannot go live")
        connection.execute(
            statements("build")["mark_build"], {"build_id": build_id, "state": "checked"}
        )

    def _mark(self, build_id: int, state: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                statements("build")["mark_build"], {"build_id": build_id, "state": state}
            )

    def _rows(self, name: str, **values: object) -> list[Row]:
        with self._transaction() as connection:
            return dict_rows(connection, "build", name, **values)
