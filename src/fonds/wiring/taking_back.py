"""What the author takes back and forgets, on the database as the curator role (R191, R192)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonds.contract.audit_entry import AuditEntry
from fonds.contract.failures import MisauthoredInput
from fonds.contract.search_request import is_clean_text
from fonds.contract.tightening import Tightening, TightExposure
from fonds.contract.tombstone import Tombstone
from fonds.store.author_store import PostgresAuthorStore
from fonds.wiring.house import House

UNKNOWN = "the archive holds no such fragment"
STRICTER = "is held to none: lift that first, with as-file"
STILL_STORED = "is still stored: remove its file and ingest, then forget it"
NOT_REMEMBERED = "nothing that is gone is remembered under it"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What a change did. `refused` pairs an id, or the place of one that is not held, with why."""

    changed: tuple[str, ...]
    unchanged: int
    refused: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "changed": list(self.changed),
            "unchanged": self.unchanged,
            "refused": [{"id": one, "reason": reason} for one, reason in self.refused],
        }


@dataclass(frozen=True, slots=True)
class AuthorDesk:
    """What `fonds expose`, `fonds forget` and `fonds audit` do, over one opened archive."""

    house: House

    def tighten(self, fragment_ids: Sequence[str], exposure: TightExposure) -> TakenBack:
        """Held to a location or to nothing: at once in every kept build, and for what is ingested
        later.
        """
        _refuse_unclean(fragment_ids)
        outcomes = self._store.tighten(fragment_ids, exposure)
        return _taken(fragment_ids, outcomes, "tightened")

    def lift(self, fragment_ids: Sequence[str]) -> TakenBack:
        """Let the files decide again; what widens waits for a build."""
        _refuse_unclean(fragment_ids)
        return _taken(fragment_ids, self._store.lift(fragment_ids), "lifted")

    def tightenings(self) -> Sequence[Tightening]:
        """Every fragment that is held to less, in fragment-id order."""
        return self._store.tightenings()

    def tombstones(self, ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        """What is remembered of what is gone; of these fragments and entities when named."""
        _refuse_unclean(ids or ())
        return self._store.tombstones(ids)

    def forget(self, ids: Sequence[str]) -> TakenBack:
        """Erase what is remembered of fragments that are gone, named by their own or their
        entity's id; a veto goes with it, and what comes back as public is not refused.
        """
        _refuse_unclean(ids)
        remembered = self._store.tombstones(ids)
        gone = self._store.forget(ids)
        known = {one.fragment_id for one in remembered} | {one.entity_id for one in remembered}
        missing = [(place, one) for place, one in enumerate(ids, start=1) if one not in known]
        stored = self._store.stored_ids([one for _, one in missing])
        refused = (
            (one, STILL_STORED) if one in stored else (f"id {place}", NOT_REMEMBERED)
            for place, one in missing
        )
        return TakenBack(tuple(gone), 0, tuple(refused))

    def audit(self, last: int) -> Sequence[AuditEntry]:
        """The last so many entries, youngest last."""
        return self._store.audit(last)

    @property
    def _store(self) -> PostgresAuthorStore:
        curator = self.house.curator_store()
        return PostgresAuthorStore(curator.pool, curator.archive_id)


def _taken(ids: Sequence[str], outcomes: Sequence[str], changed: str) -> TakenBack:
    """What was typed in the place of an id may be anything: its place is named."""
    refused: list[tuple[str, str]] = []
    for place, (one, outcome) in enumerate(zip(ids, outcomes, strict=True), start=1):
        if outcome == "unknown":
            refused.append((f"id {place}", UNKNOWN))
        elif outcome == "stricter":
            refused.append((one, STRICTER))
    done = tuple(one for one, outcome in zip(ids, outcomes, strict=True) if outcome == changed)
    return TakenBack(done, outcomes.count("unchanged"), tuple(refused))


def _refuse_unclean(ids: Sequence[str]) -> None:
    for place, one in enumerate(ids, start=1):
        if not is_clean_text(one):
            raise MisauthoredInput(f"id {place}: holds NUL or a lone surrogate")
