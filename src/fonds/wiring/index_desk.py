"""What `fonds index` does, over one opened archive (R114)."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.near_index import IndexShape, NearIndex
from fonds.evaluation.index_check import IndexCheck
from fonds.wiring.house import House


@dataclass(frozen=True, slots=True)
class IndexDesk:
    """The index of the live build; one at a time with builds, and raises Busy during one."""

    house: House

    def create(self, shape: IndexShape) -> tuple[IndexCheck, NearIndex | None]:
        """What was measured, and what is kept: where it was not admitted the one before it, if any,
        made again or left for the next build.

        Raises Misconfigured for an archive that is too small, NothingServed without a live build.
        """
        with self.house.building():
            live = self.house.live_build().build_id
            check = self.house.indexing.create(live, shape)
            return check, self.house.indexing.indexes.index_of(live)

    def check(self) -> tuple[IndexCheck, NearIndex | None]:
        """Raises Misconfigured where the live build has none."""
        with self.house.building():
            live = self.house.live_build().build_id
            check = self.house.indexing.check(live)
            return check, self.house.indexing.indexes.index_of(live)

    def drop(self) -> int:
        """How many builds had one, or were to have one."""
        with self.house.building():
            return self.house.indexing.drop()
