"""A retrievable part of an entity, as the private side holds it (R007)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from fonds.contract.attribution import Attribution
from fonds.contract.date_interval import date_interval
from fonds.contract.disclosure import Disclosure
from fonds.contract.failures import MisauthoredInput
from fonds.contract.locator import Place, checked_place, locator_key, locator_label
from fonds.contract.sealed import sealed

MAX_PUBLIC_TEXT_BYTES: Final = 512 * 1024
"""Of UTF-8: a hit carries its text whole, and a reply many hits, to whoever else is served beside
it. The database holds the same bound."""

SourceReview: TypeAlias = Literal["unreviewed", "in-review", "reviewed"]


@sealed
@dataclass(frozen=True, slots=True)
class Fragment:
    """`disclosure` holds the requested exposure; a build resolves it (R051).

    `trail` is the heading trail of a public long document, coarse to fine (R033); else empty.
    """

    entity_id: str
    place: Place
    disclosure: Disclosure
    text: str = field(repr=False)
    attribution: tuple[Attribution, ...] = ()
    date: str | None = None
    summary: str | None = field(default=None, repr=False)
    themes: tuple[str, ...] = field(default=(), repr=False)
    trail: tuple[str, ...] = field(default=(), repr=False)
    source_review: SourceReview | None = None

    def __post_init__(self) -> None:
        checked_place(self.place)
        if not self.text.strip():
            raise MisauthoredInput("text: a fragment has at least one word")
        if self.disclosure.raw == "public" and len(self.text.encode()) > MAX_PUBLIC_TEXT_BYTES:
            raise MisauthoredInput(
                "text: a public fragment has at most 512 KiB: cut it on headings, or split the file"
            )
        if self.date is not None:
            date_interval(self.date)
        if self.source_review is not None and self.source_review not in get_args(SourceReview):
            raise MisauthoredInput("sourceReview: unreviewed, in-review or reviewed")
        if self.disclosure.raw == "private" and (self.summary is not None or self.trail):
            raise MisauthoredInput("summary: private fragments have none")

    @property
    def fragment_id(self) -> str:
        return f"{self.entity_id}#{locator_key(self.place)}"

    @property
    def label(self) -> str:
        return locator_label(self.place)
