"""The space vectors are comparable in (design decision 7, R044)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache

from fonds.contract.failures import Misconfigured
from fonds.contract.sealed import sealed

MAX_DIMENSIONS = 4000  # halfvec in one page, STORAGE PLAIN


@sealed
@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Provider, model, dimensions, prefixes and centring. Vectors compare only when all are equal.

    `default_floor` is the measured score floor of the space (R102); it is no part of the identity.
    """

    provider: str
    model: str
    dimensions: int
    query_prefix: str = ""
    passage_prefix: str = ""
    centring: str = ""
    default_floor: float = 0.2

    def __post_init__(self) -> None:
        if not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise Misconfigured(f"embedding.dimensions: an integer from 1 to {MAX_DIMENSIONS}")

    @property
    def space_id(self) -> str:
        """First 16 hex digits over the identity; stable across processes and releases."""
        return _digest_of(
            self.provider,
            self.model,
            self.dimensions,
            self.query_prefix,
            self.passage_prefix,
            self.centring,
        )


@lru_cache  # each search compares two
def _digest_of(*parts: str | int) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
