"""What the author's hand on gists needs of the database (R084)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fonds.contract.build_store import StoredEntity
from fonds.contract.disclosure import Exposure
from fonds.contract.projection import SemanticProjection
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class HeldGist:
    """A fragment that asks to be described, or holds a gist from when it did; without its text."""

    fragment_id: str
    exposure: Exposure
    require_review: bool
    projection: SemanticProjection | None


class CuratorStore(Protocol):
    """The private schema as the curator role sees it."""

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        """The entities that hold any of these fragments, each with all its fragments."""
        ...

    def write_projections(self, projections: Sequence[SemanticProjection]) -> int:
        """Inserts or replaces by fragment id in one transaction; returns how many rows changed.

        One whose hash is not of the text the fragment has by then is stored stale.
        """
        ...


class GistStore(CuratorStore, Protocol):
    """What the author's commands ask besides."""

    def held_gists(self, fragment_ids: Sequence[str] | None = None) -> Sequence[HeldGist]:
        """In fragment-id order; only these fragments when they are named."""
        ...

    def entities_to_lint(self) -> Iterator[StoredEntity]:
        """What a build lints: private entities, and public ones that ask to be described."""
        ...

    def write_noted(self, projections: Sequence[SemanticProjection], action: str) -> int:
        """As `write_projections`; each row that changed is noted in the audit, by id alone."""
        ...

    def write_drafted(self, projection: SemanticProjection) -> bool:
        """Stores a draft where no words of the author stand; a veto that stands by then stays."""
        ...
