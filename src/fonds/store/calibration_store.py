"""Calibration questions and calibrations, as the build role keeps them (R168, R169)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from pgvector import HalfVector
from psycopg import Connection

from fonds.contract.calibration import Calibration, CalibrationSource, GatePrice
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.calibration_store import StoredQuestion
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import NothingServed
from fonds.contract.near_query import LiveBuild
from fonds.contract.ports import ServedReader, ServedStore, Vector
from fonds.store.calibration_rows import calibration_values, price_values
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from fonds.store.scope import enter
from fonds.store.served_rows import build_from
from fonds.store.served_store import PostgresServedReader
from fonds.store.statements import dict_rows, statements


@dataclass(frozen=True, slots=True)
class PostgresCalibrationStore:
    """One archive's calibrations, over a pool of the build role."""

    pool: Pool
    archive_id: int

    def questions(self) -> Sequence[StoredQuestion]:
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "calibration", "questions")
        return [
            StoredQuestion(
                CalibrationQuestion(row["name"], row["question"], row["kind"]),
                row["source"],
                row["passed"],
            )
            for row in rows
        ]

    def replace_questions(
        self, source: CalibrationSource, questions: Sequence[CalibrationQuestion]
    ) -> None:
        values: dict[str, object] = {
            "source": source,
            "keys": [one.key for one in questions],
            "names": [one.name for one in questions],
            "questions": [one.question for one in questions],
            "kinds": [one.kind for one in questions],
        }
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("calibration")["drop_questions"], values)
            connection.execute(statements("calibration")["keep_questions"], values)

    def vectors(self, space: EmbeddingSpace) -> Mapping[str, Vector]:
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "calibration", "vectors", space_id=space.space_id)
        found = ((row["question_key"], cast("HalfVector", row["embedding"])) for row in rows)
        return {key: tuple(vector.to_list()) for key, vector in found}

    def write_vectors(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(
                statements("calibration")["drop_vectors"], {"space_id": space.space_id}
            )
            for key, vector in vectors.items():
                values: dict[str, object] = {
                    "question_key": key,
                    "space_id": space.space_id,
                    "dimensions": space.dimensions,
                    "vector": HalfVector(list(vector)),
                }
                connection.execute(statements("calibration")["keep_vector"], values)

    def build(self, build_id: int) -> LiveBuild:
        with transaction(self.pool, self.archive_id) as connection:
            return _build(connection, build_id)

    @contextmanager
    def as_if_live(self, build_id: int, *, by_index: bool = False) -> Generator[ServedStore]:
        """The archive's pointer moves inside a transaction that is rolled back.

        Whoever else reads goes on seeing the build that is live, and the statement and constraints
        of a switch refuse one that was not checked. No function or policy knows of this reading.
        Every row is compared, or, `by_index`, searches go as if the build's index were admitted.
        """
        with (
            translated(),
            self.pool.connection() as connection,
            connection.transaction(force_rollback=True),
        ):
            enter(connection, self.pool.login, self.archive_id)
            build = _build(connection, build_id)
            pointed = connection.execute(statements("build")["point"], {"build_id": build_id})
            if pointed.fetchone() is None:
                raise NothingServed(f"build {build_id} was not checked")
            if by_index:
                connection.execute(statements("index")["as_if_admitted"], {"build_id": build_id})
            reading = PostgresServedReader(connection, self.archive_id, build, exactly=not by_index)
            yield _OneBuild(reading)

    def write_calibration(
        self, build_id: int, calibration: Calibration, passed: Iterable[str]
    ) -> None:
        values = calibration_values(build_id, calibration)
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("calibration")["keep_calibration"], values)
            connection.execute(
                statements("calibration")["note_passed"], {"passed": sorted(set(passed))}
            )

    def write_price(self, build_id: int, price: GatePrice) -> None:
        values = {"build_id": build_id, "price": price_values(price)}
        with transaction(self.pool, self.archive_id) as connection:
            connection.execute(statements("calibration")["keep_price"], values)


@dataclass(frozen=True, slots=True)
class _OneBuild:
    """Every reading is of the one transaction that points at the build."""

    reader: ServedReader

    @contextmanager
    def reading(self) -> Generator[ServedReader]:
        yield self.reader


def _build(connection: Connection[Any], build_id: int) -> LiveBuild:
    row = connection.execute(
        statements("calibration")["build_row"], {"build_id": build_id}
    ).fetchone()
    if row is None:
        raise NothingServed(f"there is no build {build_id}")
    return build_from(row)
