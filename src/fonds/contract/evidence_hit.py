"""The one object that leaves; its type cannot hold more than its policy lets travel (R002)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, final

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import RAWS, Raw
from fonds.contract.failures import LeakRefused
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Place
from fonds.contract.projection import GistReview, GistSource
from fonds.contract.released_score import released_score
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class HitEntity:
    """What a hit says of its entity."""

    id: str
    type: str
    title: str = field(repr=False)
    url: str
    attribution: tuple[Attribution, ...] = ()
    date: str | None = None
    version: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    parent: str | None = None
    themes: tuple[str, ...] = field(default=(), repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class Provenance:
    """On every variant (R121). Private material has a released score and no breakdown (R122)."""

    fragment_id: str
    entity: HitEntity
    raw: Raw
    place: Place
    locator_label: str = field(repr=False)
    score: float
    date: str | None = None
    attribution: tuple[Attribution, ...] = ()
    breakdown: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.raw not in RAWS:
            raise LeakRefused(f"{self.fragment_id} is neither public nor private")
        if self.raw == "private" and self.breakdown is not None:
            raise LeakRefused(f"{self.fragment_id} is private and carries a breakdown")
        if self.score != released_score(self.raw, self.score):
            raise LeakRefused(f"{self.fragment_id} is private and carries an exact score")


@final
@sealed
@dataclass(frozen=True, slots=True)
class TextHit:
    """A public passage, verbatim. Quotable."""

    provenance: Provenance
    text: str = field(repr=False)
    summary: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.provenance.raw != "public":
            raise LeakRefused(
                f"{self.provenance.fragment_id} is private and asked to travel as text"
            )

    @property
    def exposure(self) -> Literal["text"]:
        return "text"


@final
@sealed
@dataclass(frozen=True, slots=True)
class SemanticHit:
    """A described passage: a gist the owner's policy released, never the source."""

    provenance: Provenance
    gist: str = field(repr=False)
    gist_source: GistSource
    gist_review: GistReview

    @property
    def exposure(self) -> Literal["semantic"]:
        return "semantic"


@final
@sealed
@dataclass(frozen=True, slots=True)
class LocatorHit:
    """A place, and nothing of what stands there."""

    provenance: Provenance

    @property
    def exposure(self) -> Literal["locator"]:
        return "locator"


EvidenceHit: TypeAlias = TextHit | SemanticHit | LocatorHit
