"""The approximate index of a build, as the build role has it made, measured and dropped (R114)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, Vector
from psycopg import Connection

from fonds.contract.near_index import IndexShape, NearIndex
from fonds.store.pools import Pool, transaction
from fonds.store.statements import dict_rows, statements

_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class PostgresIndexStore:
    """One archive's indexes, over a pool of the build role. Raises StoreRefused, Unavailable."""

    pool: Pool
    archive_id: int

    def index_of(self, build_id: int) -> NearIndex | None:
        """What is noted of a build's index; None where none was asked for."""
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "index", "index_of_build", build_id=build_id)
        if not rows:
            return None
        noted = dict(rows[0])
        shape = {name: noted.pop(name) for name in ("links", "width", "breadth", "least")}
        return NearIndex(shape=IndexShape(**shape), **noted)

    def live_build_id(self) -> int | None:
        return self._one("live_build_id")

    def indexed_builds(self) -> Sequence[int]:
        """Builds that have an index, or were to have one."""
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "index", "indexed_builds")
        return [row["build_id"] for row in rows]

    def public_vectors(self, build_id: int) -> int:
        return self._one("public_vectors", build_id=build_id) or 0

    def make(self, build_id: int, shape: IndexShape) -> int:
        """Makes the index of a build in place of one it has, which is dropped before: no search and
        no withdrawal waits for the making. Returns how many vectors were copied. It answers nothing
        before `note_check` admits it.
        """
        self.drop(build_id)
        made = self._one("make_index", build_id=build_id, **asdict(shape)) or 0
        self.measure_background(build_id)
        return made

    def drop(self, build_id: int) -> bool:
        """Whether there was anything to drop; searches are exact from the commit on."""
        return bool(self._one("drop_index", build_id=build_id))

    def note_wish(self, index: NearIndex) -> None:
        """That a build was to have an index and has none, with what was measured."""
        values = asdict(index.shape) | {
            "build_id": index.build_id,
            "vectors": index.vectors,
            "questions": index.questions,
            "by_index": index.by_index,
            "recall": index.recall,
        }
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("index")["note_wish"], values)

    def note_check(
        self, build_id: int, *, questions: int, by_index: int, recall: float | None, admitted: bool
    ) -> None:
        """What was measured; the table refuses to admit what does not find all (R114). Where
        something was withdrawn since the background was measured, nothing is admitted.
        """
        values: dict[str, object] = {
            "build_id": build_id,
            "questions": questions,
            "by_index": by_index,
            "recall": recall,
            "admitted": admitted,
        }
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("index")["note_check"], values)

    def measure_background(self, build_id: int) -> None:
        """Keeps the mean and the covariance of a build's public vectors, each of length one: what
        the background of any question follows from (R168).
        """
        with transaction(self.pool, self.archive_id) as connection:
            centre, spread = _moments(_portions(connection, build_id))
            named = {"build_id": build_id}
            connection.execute(
                statements("index")["keep_centre"], named | {"centre": Vector(centre)}
            )
            connection.execute(statements("index")["drop_spread"], named)
            with connection.cursor() as cursor:
                cursor.executemany(
                    statements("index")["keep_spread"],
                    [
                        named | {"place": place, "spread": Vector(row)}
                        for place, row in enumerate(spread, start=1)
                    ],
                )

    def phrases_to_ask(self, build_id: int, most: int) -> Sequence[str]:
        """Titles and themes of public entities, no more than asked for."""
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "index", "phrases_to_ask", build_id=build_id, most=most)
        return [row["said"] for row in rows]

    def _one(self, name: str, **values: object) -> int | None:
        with transaction(self.pool, self.archive_id) as connection:
            row = connection.execute(statements("index")[name], values).fetchone()
        return None if row is None else row[0]


def _portions(connection: Connection[Any], build_id: int) -> Iterator[NDArray[np.float64]]:
    with connection.cursor("vectors") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(statements("index")["read_vectors"], {"build_id": build_id})
        while rows := cursor.fetchmany(_AT_ONCE):
            some = np.array([cast("HalfVector", row[0]).to_numpy() for row in rows], np.float64)
            yield some / np.linalg.norm(some, axis=1, keepdims=True)


def _moments(
    portions: Iterator[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance over all rows of all portions, of which there is at least one row."""
    count, total, products = 0, np.zeros(1), np.zeros(1)
    for some in portions:
        count += len(some)
        total = total + some.sum(axis=0)
        products = products + some.T @ some
    mean = total / count
    return mean, products / count - np.outer(mean, mean)
