"""What the author's hand on gists needs of the database (R084)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.disclosure import Exposure
from fonds.contract.gist_pile import GistPile
from fonds.contract.projection import SemanticProjection
from fonds.contract.sealed import sealed

SeenWrite: TypeAlias = Literal["written", "unchanged", "moved"]
"""`moved`: the gist or its text is another than was seen, and nothing was written."""


@sealed
@dataclass(frozen=True, slots=True)
class HeldGist:
    """A fragment that asks to be described, or holds a gist from when it did; without its text."""

    fragment_id: str
    exposure: Exposure
    require_review: bool
    projection: SemanticProjection | None


@sealed
@dataclass(frozen=True, slots=True)
class HeldFragment:
    """One fragment with its projection as they stand. `imprint` is a hash of what the lint of its
    gist rests on: the entity and all its texts.
    """

    part: StoredFragment
    imprint: str = field(repr=False)


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


class DraftStore(CuratorStore, Protocol):
    """What a run of drafting asks besides."""

    def held_gists(self, fragment_ids: Sequence[str] | None = None) -> Sequence[HeldGist]:
        """In fragment-id order; only these fragments when they are named."""
        ...

    def write_drafted(self, projection: SemanticProjection) -> bool:
        """Stores a draft where no words of the author stand; a veto that stands by then stays."""
        ...


class GistStore(DraftStore, Protocol):
    """What the author's commands and desk ask besides."""

    def fragment_held(self, fragment_id: str) -> HeldFragment | None:
        """None where the archive holds no such fragment."""
        ...

    def entities_to_lint(self) -> Iterator[StoredEntity]:
        """What a build lints: private entities, and public ones that ask to be described."""
        ...

    def write_noted(self, projections: Sequence[SemanticProjection], action: str) -> int:
        """As `write_projections`; each row that changed is noted in the audit, by id alone."""
        ...

    def write_seen(self, projection: SemanticProjection, action: str, imprint: str) -> SeenWrite:
        """As `write_noted` for one gist, where text and gist are still those of the imprint."""
        ...

    def is_entity_served(self, entity_id: str) -> bool:
        """Whether the next build serves anything of an entity, which then may be named as another's
        parent (R026).
        """
        ...

    def gists_after(self, pile: GistPile, fragment_id: str, most: int) -> Sequence[str]:
        """The next ids of a pile, in order; from the first for an empty id."""
        ...

    def gist_before(self, pile: GistPile, fragment_id: str) -> str | None:
        """The id before it in a pile, which it need not be in itself."""
        ...

    def pile_counts(self, most: int) -> Mapping[GistPile, int | None]:
        """How many gists are in each pile, counted to `most`; None where that is not looked up,
        since all of a large archive would be read for it.
        """
        ...
