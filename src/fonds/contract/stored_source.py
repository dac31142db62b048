"""A file of the corpus as ingest read it, and as the private schema remembers it (R020)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.disclosure import Raw
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class ReadSource:
    """One file with all it describes. `source_key`: its root and relative path, unique."""

    source_key: str = field(repr=False)
    raw: Raw
    file_hash: str
    settings_hash: str
    pairs: tuple[tuple[Entity, tuple[Fragment, ...]], ...] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class StoredSource:
    """What the private schema remembers of a file; enough to skip it when nothing moved."""

    source_key: str = field(repr=False)
    raw: Raw
    file_hash: str
    settings_hash: str
    entity_ids: tuple[str, ...]
    fragment_count: int


@sealed
@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows a write changed; an unchanged corpus gives zeros."""

    entities: int = 0
    fragments: int = 0
    vectors: int = 0
    sources: int = 0

    def __add__(self, other: RowCounts) -> RowCounts:
        return RowCounts(
            self.entities + other.entities,
            self.fragments + other.fragments,
            self.vectors + other.vectors,
            self.sources + other.sources,
        )

    @property
    def total(self) -> int:
        return self.entities + self.fragments + self.vectors + self.sources
