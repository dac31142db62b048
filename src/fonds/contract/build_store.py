"""What a build needs of the database: one snapshot of the private side, and a served build to
fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Protocol, TypeAlias

from fonds.contract.disclosure import Exposure, Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.fragment_change import FragmentChange, Shown
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import GistReview, GistSource, SemanticProjection
from fonds.contract.sealed import sealed
from fonds.contract.swept_string import SweptString

BuildState: TypeAlias = Literal["building", "checked", "retired", "abandoned"]

_STANDING: Final[dict[BuildState, str]] = {
    "building": "not finished",
    "checked": "not published",
    "retired": "earlier",
    "abandoned": "gone back from",
}


@sealed
@dataclass(frozen=True, slots=True)
class BuildTerms:
    """What a build is made under; part of its fingerprint. `rules` counts up when the build's own
    rules change.
    """

    space: EmbeddingSpace
    score_floor: float
    coverage_floor: float
    rules: int


@sealed
@dataclass(frozen=True, slots=True)
class StoredFragment:
    """A private fragment with its projection, as stored. Nothing of it is believed before it is
    checked.
    """

    fragment_id: str
    fragment: Fragment = field(repr=False)
    text_hash: str
    projection: SemanticProjection | None


@sealed
@dataclass(frozen=True, slots=True)
class StoredEntity:
    """An entity with all its fragments in fragment-id order."""

    entity: Entity
    fragments: tuple[StoredFragment, ...]


@dataclass(frozen=True, slots=True)
class ServableGist:
    """A gist whose lint passed in this build; LintedGist is the proof."""

    fragment_id: str
    gist: LintedGist
    source: GistSource
    review: GistReview


@sealed
@dataclass(frozen=True, slots=True)
class NormalisedWords:
    """Strings of the metadata with their normalised form, so that the database compares what Python
    does.
    """

    titles: tuple[tuple[str, str], ...] = field(repr=False)
    themes: tuple[tuple[str, str], ...] = field(repr=False)
    names: tuple[tuple[str, str, bool], ...] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class BuildSummary:
    """A build as listed. `live` is the pointer, not a state."""

    build_id: int
    state: BuildState
    live: bool
    built_at: datetime
    entity_count: int
    fragment_count: int
    fingerprint: str

    @property
    def standing(self) -> str:
        """What the build is to its author, in a word or two."""
        return "live" if self.live else _STANDING[self.state]


@sealed
@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A fragment as its author looks at it before a build: what it asks for and what would travel.

    `shows` is None for what a build does not serve. Title, url and label travel with whatever is
    served.
    """

    entity_id: str
    raw: Raw
    title: str = field(repr=False)
    url: str
    fragment_id: str
    asks: Exposure
    shows: Shown | None
    label: str = field(repr=False)
    gist: str | None = field(repr=False)


class BuildSession(Protocol):
    """One snapshot of the private side; whatever is materialised comes from it and nothing
    later.
    """

    @property
    def build_id(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def lacking_vectors(self) -> int:
        """Fragments to be served that have no current vector in the build's space."""
        ...

    def entities_to_check(self) -> Iterator[StoredEntity]:
        """Every private entity, and every public one with a fragment asking to be described."""
        ...

    def entity_titles(self) -> Iterator[tuple[str, str]]:
        """(entity id, title) of every entity."""
        ...

    def distinct_themes(self) -> Sequence[str]: ...

    def distinct_names(self) -> Sequence[str]:
        """Names of creators and speakers who are people, placeholders left out (R106)."""
        ...

    def serve(
        self, gists: Sequence[ServableGist], words: NormalisedWords
    ) -> tuple[FragmentChange, ...]:
        """Strips and copies inside the database; the text does not pass through here (R092).

        Returns how that differs from the live build.
        """
        ...

    def changes(self) -> tuple[FragmentChange, ...]:
        """How what is written so far differs from the live build, in fragment-id order."""
        ...

    def previewed(self, entity_ids: Sequence[str]) -> Iterator[PreviewRow]:
        """Every fragment beside what was served of it, in id order; only these entities when any
        is named.
        """
        ...

    def finish(self, withheld: Sequence[FragmentChange]) -> BuildSummary:
        """Takes back what waits for its owner, to what the live build shows of it, and completes
        the build: vectors, phrases, names, counts. What waits is kept with the build.
        """
        ...


class BuildStore(Protocol):
    """The served side as the build role sees it."""

    def session(self, terms: BuildTerms) -> AbstractContextManager[BuildSession]:
        """Commits what was materialised when the block ends well; otherwise no row of the build
        stays.
        """
        ...

    def builds(self) -> Sequence[BuildSummary]:
        """Kept builds, youngest first."""
        ...

    def served_problems(self, build_id: int) -> Sequence[str]:
        """What R093 would refuse and the second, in-database lint finds: ids and rules, no
        words.
        """
        ...

    def swept_strings(self, build_id: int) -> Iterator[SweptString]: ...

    def waiting(self, build_id: int) -> tuple[FragmentChange, ...]:
        """What a build withheld until its owner accepts it, in fragment-id order."""
        ...

    def mark_checked(self, build_id: int) -> None: ...

    def discard(self, build_id: int) -> None:
        """Leaves nothing of a build that never went live."""
        ...

    def switch(self, build_id: int, *, keep: int, accepted: Sequence[str] = ()) -> int:
        """Re-applies narrowings since the snapshot, points at the build, prunes, and notes in the
        audit what the owner accepted (R192); returns how many narrowings were re-applied.
        """
        ...

    def rollback(self) -> BuildSummary:
        """Points at the youngest retired build older than the live one; raises NothingServed when
        there is none.
        """
        ...

    def prune(self, keep: int) -> int: ...
