"""What the author takes back, forgets and may look up, as the curator role (R191, R192)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonds.contract.audit_entry import AuditEntry
from fonds.contract.tightening import Tightening, TightExposure
from fonds.contract.tombstone import Tombstone
from fonds.store.pools import Pool, transaction
from fonds.store.statements import dict_rows


@dataclass(frozen=True, slots=True)
class PostgresAuthorStore:
    """One archive's tightenings, tombstones and audit, over a pool of the curator role.

    Each method is one transaction. The database decides what a change may do, and notes it.
    """

    pool: Pool
    archive_id: int

    def tighten(self, fragment_ids: Sequence[str], exposure: TightExposure) -> Sequence[str]:
        """What came of each id: `tightened`, `unchanged`, `stricter` or `unknown`."""
        return self._each("tighten_fragment", fragment_ids, exposure=exposure)

    def lift(self, fragment_ids: Sequence[str]) -> Sequence[str]:
        """What came of each id: `lifted`, `unchanged` or `unknown`."""
        return self._each("lift_tightening", fragment_ids)

    def tightenings(self) -> Sequence[Tightening]:
        """In fragment-id order."""
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "author", "tightenings")
        return tuple(Tightening(**row) for row in found)

    def tombstones(self, ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        """In fragment-id order; only those of these fragments and entities when they are named."""
        wanted = None if ids is None else list(ids)
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "author", "tombstones", ids=wanted)
        return tuple(Tombstone(**row) for row in found)

    def stored_ids(self, ids: Sequence[str]) -> frozenset[str]:
        """Which of these are a stored fragment or entity."""
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "author", "stored_ids", ids=list(ids))
        return frozenset(row["id"] for row in found)

    def forget(self, ids: Sequence[str]) -> Sequence[str]:
        """Erases the tombstones of these fragments and entities; the fragment ids erased."""
        with transaction(self.pool, self.archive_id) as connection:
            gone = dict_rows(connection, "author", "forget_tombstones", ids=list(ids))
        return tuple(row["forgotten"] for row in gone)

    def audit(self, last: int) -> Sequence[AuditEntry]:
        """The last so many entries, youngest last."""
        with transaction(self.pool, self.archive_id) as connection:
            found = dict_rows(connection, "author", "audit", last=last)
        return tuple(AuditEntry(**row) for row in found)

    def _each(self, name: str, fragment_ids: Sequence[str], **values: object) -> Sequence[str]:
        with transaction(self.pool, self.archive_id) as connection:
            return [
                str(next(iter(row.values())))
                for one in fragment_ids
                for row in dict_rows(connection, "author", name, fragment_id=one, **values)
            ]
