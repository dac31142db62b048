"""What a build lets out: fragments and entities after the strip (R092)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Disclosure
from fonds.contract.entity import slug_of
from fonds.contract.failures import LeakRefused
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Place, checked_place, locator_label
from fonds.contract.projection import GistReview, GistSource
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class ServedGist:
    """A gist the build's lint passed and the owner's policy releases."""

    gist: str = field(repr=False)
    source: GistSource
    review: GistReview


@sealed
@dataclass(frozen=True, slots=True)
class ServedEntity:
    """An entity without its policy."""

    entity_id: str
    type: str
    title: str = field(repr=False)
    url: str
    raw: str
    attribution: tuple[Attribution, ...] = ()
    date: str | None = None
    version: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    parent: str | None = None
    themes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def slug(self) -> str:
        return slug_of(self.entity_id)


@sealed
@dataclass(frozen=True, slots=True)
class ServedFragment:
    """A fragment reduced to what its exposure lets travel; the constructor keeps the strip.

    `text` and `summary` are empty unless the exposure is text; `gist` is there iff it is semantic.
    """

    fragment_id: str
    entity_id: str
    place: Place
    disclosure: Disclosure
    text: str = field(default="", repr=False)
    summary: str = field(default="", repr=False)
    gist: ServedGist | None = field(default=None, repr=False)
    attribution: tuple[Attribution, ...] = ()
    date: str | None = None
    themes: tuple[str, ...] = field(default=(), repr=False)
    trail: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        checked_place(self.place)
        exposure = self.disclosure.exposure
        if exposure == "none":
            raise LeakRefused(f"{self.fragment_id} is withheld and cannot be served")
        if exposure == "text" and self.disclosure.raw != "public":
            raise LeakRefused(f"{self.fragment_id} is private and asked to travel as text")
        if exposure != "text" and (self.text or self.summary or self.trail):
            raise LeakRefused(f"{self.fragment_id} is not exposed as text and carries it")
        if (self.gist is not None) != (exposure == "semantic"):
            raise LeakRefused(f"{self.fragment_id} carries a gist iff it is exposed as semantic")

    @property
    def label(self) -> str:
        return locator_label(self.place)
