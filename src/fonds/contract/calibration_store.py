"""What calibrating a gate needs of the database, as the build role (R168, R169)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from fonds.contract.calibration import Calibration, CalibrationSource, GatePrice
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.near_query import LiveBuild
from fonds.contract.ports import ServedStore, Vector
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """`passed` is what the last calibration said of it, None before the first."""

    question: CalibrationQuestion
    source: CalibrationSource
    passed: bool | None


class CalibrationStore(Protocol):
    """One archive's calibration questions, and the calibrations of its builds."""

    def questions(self) -> Sequence[StoredQuestion]: ...

    def replace_questions(
        self, source: CalibrationSource, questions: Sequence[CalibrationQuestion]
    ) -> None:
        """The stored set becomes this one; a question that stays keeps its vectors."""
        ...

    def vectors(self, space: EmbeddingSpace) -> Mapping[str, Vector]:
        """Question key -> vector, of one space."""
        ...

    def write_vectors(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Keeps these and drops those of other spaces."""
        ...

    def build(self, build_id: int) -> LiveBuild:
        """A build of any state with its calibration; raises NothingServed for an unknown id."""
        ...

    def as_if_live(
        self, build_id: int, *, by_index: bool = False
    ) -> AbstractContextManager[ServedStore]:
        """Searches a checked build exactly as if it were live, while nobody else can: by every row,
        or `by_index` as if its index were admitted (R114).

        Raises NothingServed for a build that was not checked.
        """
        ...

    def write_calibration(
        self, build_id: int, calibration: Calibration, passed: Iterable[str]
    ) -> None:
        """The calibration of a build, with the keys of the questions that passed it."""
        ...

    def write_price(self, build_id: int, price: GatePrice) -> None: ...
