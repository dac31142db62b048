"""What the author's hand on gists needs of the database (R084)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from fonds.contract.build_store import StoredEntity
from fonds.contract.projection import SemanticProjection


class CuratorStore(Protocol):
    """The private schema as the curator role sees it."""

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        """The entities that hold any of these fragments, each with all its fragments."""
        ...

    def write_projections(self, projections: Sequence[SemanticProjection]) -> int:
        """Inserts or replaces by fragment id in one transaction; returns how many rows changed."""
        ...
