"""What one archive holds, read once for as long as it stays so."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.holdings import Holdings
from fonds.store.pools import Pool
from fonds.store.served_store import PostgresServedStore


@dataclass(slots=True)
class KnownHoldings:
    """Safe to share between threads: two that read at once read the same.

    What is known is of one build and one number of narrowings, by the reader's own snapshot; a veto
    or a withdrawal is a higher number, and is read anew.
    """

    _known: tuple[tuple[int, int], Holdings] | None = field(default=None, repr=False)

    def of(self, pool: Pool, archive_id: int) -> Holdings:
        """What the live build holds; raises NothingServed and Unavailable."""
        with PostgresServedStore(pool, archive_id).reading() as reader:
            moment = (reader.build.build_id, reader.build.narrowing)
            known = self._known
            if known is None or known[0] != moment:
                known = self._known = (moment, reader.holdings())
            return known[1]
