"""A retrieved fragment with its exact score. Stays in the process (R010)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from fonds.contract.served_fragment import ServedEntity, ServedFragment


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """`cosine` is exact for public rows and released (nearest 0.05) for private ones.

    `breakdown` holds `cosine` and each boost that is not zero. It is neither pickled, copied nor
    serialised; `project` turns it into an EvidenceHit, the one thing that leaves.
    """

    fragment: ServedFragment
    entity: ServedEntity
    cosine: float = field(repr=False)
    score: float = field(repr=False)
    breakdown: Mapping[str, float] = field(repr=False)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ScoredHit stays in the process: project it")

    def __repr__(self) -> str:
        return f"ScoredHit({self.fragment.fragment_id})"
