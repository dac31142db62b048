"""The approximate index of a build: its shape, and what was measured of it (R114)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fonds.contract.failures import Misconfigured
from fonds.contract.sealed import sealed

LEAST_VECTORS: Final = 20_000  # exact below: `python -m eval.benchmarks.index` has the sizes
LEAST_RECALL: Final = 0.99  # the table holds the same figure


@sealed
@dataclass(frozen=True, slots=True)
class IndexShape:
    """How an index is made and asked. `links` a vector has in the graph, `width` of the search that
    makes it, `breadth` how many vectors a question looks at; `least` public vectors, below which
    none is made. Raises Misconfigured naming what is out of bounds.
    """

    links: int = 16
    width: int = 128
    breadth: int = 200
    least: int = LEAST_VECTORS

    def __post_init__(self) -> None:
        bounds = {"links": (2, 64), "width": (2 * self.links, 1000), "breadth": (1, 1000)}
        for name, (lowest, highest) in bounds.items():
            if not lowest <= getattr(self, name) <= highest:
                raise Misconfigured(f"{name}: takes a number from {lowest} to {highest}")


@sealed
@dataclass(frozen=True, slots=True)
class NearIndex:
    """The index of a build as the database notes it. `recall` is over the questions answered by it;
    only an admitted one answers any. `size` is in bytes, its copy of the vectors included, and None
    where there is none.
    """

    build_id: int
    shape: IndexShape
    vectors: int
    questions: int
    by_index: int
    recall: float | None
    checked_at: datetime | None
    admitted: bool
    size: int | None
