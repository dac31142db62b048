"""What may travel of one archive: looked at a page at a time, and as the difference of the next
build (R191).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from fonds.build.acceptance import Acceptance
from fonds.build.checking import Checked, check_entities
from fonds.build.preview import WITHHELD, SeenDifference, seen_difference
from fonds.contract.build_store import BuildSummary
from fonds.contract.disclosure import ServedExposure
from fonds.contract.failures import QueryRefused
from fonds.contract.search_request import is_clean_text
from fonds.store.archives import open_archive
from fonds.store.travel_store import EntityLine, FragmentLine, PostgresTravelStore
from fonds.wiring.house import House

MOST_SEEN: Final = 2_000  # changes of a kind kept with their words: some 10 MB at their longest
HELD: Final = "held to this by you"
STOPS: Final = "stops a build"
ANOTHER_LIVE: Final = "another build is live by now: look again"


@dataclass(frozen=True, slots=True)
class TravelLine:
    """A fragment, what the next build would show of it at most, and why not what its file asks."""

    stored: FragmentLine
    shows: ServedExposure | None
    gist: str | None = field(repr=False)
    reason: str | None


@dataclass(frozen=True, slots=True)
class EntityTravel:
    """A page of an entity's fragments. `findings` are what stops a build, by place and rule; `more`
    says whether fragments come after the last.
    """

    entity: EntityLine
    lines: tuple[TravelLine, ...]
    findings: tuple[str, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class TravelDesk:
    """What an author looks at before a build, over one opened archive."""

    house: House

    def entities(self, after: str, words: str, most: int) -> tuple[tuple[EntityLine, ...], bool]:
        """A page of entities in id order, and whether more come; raises NothingServed before the
        first ingest, QueryRefused for words no text holds.
        """
        _refuse_unclean(after, words)
        found = self._store.entities(after, words, most + 1)
        return found[:most], len(found) > most

    def entity(self, entity_id: str, after: str, most: int) -> EntityTravel:
        """A page of one entity, resolved and linted as a build does it; raises QueryRefused
        where there is none of that id.
        """
        _refuse_unclean(entity_id, after)
        store = self._store
        entity = store.entity(entity_id)
        if entity is None:
            raise QueryRefused("id", "the archive holds no such entity")
        checked = check_entities(store.checked_part(entity_id))
        found = store.fragments(entity_id, after, most + 1, self.house.embedder.space)
        return EntityTravel(
            entity,
            _lines(found[:most], checked),
            tuple(checked.findings),
            len(found) > most,
        )

    def difference(self, progress: Callable[[str], None]) -> SeenDifference:
        """What the next build would change, with its words; raises what `House.preview` raises."""
        house = self.house
        with house.building() as builds:
            acceptance = Acceptance(house.config.widen)
            return seen_difference(
                builds, house.terms, acceptance, most=MOST_SEEN, progress=progress
            )

    def go_back(self, live: int) -> BuildSummary:
        """To the build before that one, which is not gone back to; raises QueryRefused where it is
        live no more, Busy while a build is at work.
        """
        with self.house.building() as builds:
            if not any(one.live and one.build_id == live for one in builds.builds()):
                raise QueryRefused("live", ANOTHER_LIVE)
            return builds.rollback()

    @property
    def _store(self) -> PostgresTravelStore:
        return travel_store(self.house)


def travel_store(house: House) -> PostgresTravelStore:
    """The archive as the build role; raises NothingServed before the first ingest."""
    pool = house.pool("fonds_build")
    return PostgresTravelStore(pool, open_archive(pool, house.config.slug))


def _lines(found: Sequence[FragmentLine], checked: Checked) -> tuple[TravelLine, ...]:
    """A location where the check proved no gist, as a build serves it."""
    gists = {one.fragment_id: one.gist.text for one in checked.gists}
    reasons = {one.fragment_id: one.reason for one in checked.downgrades}
    return tuple(
        TravelLine(
            one,
            _shows(one, described=one.fragment_id in gists),
            gists.get(one.fragment_id),
            _reason(one, reasons.get(one.fragment_id), described=one.fragment_id in gists),
        )
        for one in found
    )


def _shows(stored: FragmentLine, *, described: bool) -> ServedExposure | None:
    if stored.asks == "none":
        return None
    return "locator" if stored.asks == "semantic" and not described else stored.asks


def _reason(stored: FragmentLine, downgrade: str | None, *, described: bool) -> str | None:
    if stored.asks != stored.file_exposure:
        return HELD
    if stored.asks == "none":
        return WITHHELD
    if stored.asks == "semantic" and not described:
        return downgrade or STOPS
    return None


def _refuse_unclean(*words: str) -> None:
    for said in words:
        if not is_clean_text(said):
            raise QueryRefused("words", "NUL and lone surrogates are in no text")
